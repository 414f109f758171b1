//! Elements need nothing to be stored: neither `Clone` nor `Send` nor a dtype. Those that are `Send` cross threads.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;

use tensor::{Rank, Result, SliceSpec, Tensor, TypedTensor};

struct Plain(Rc<Cell<i32>>);

fn main() -> Result<()> {
    let count = Rc::new(Cell::new(0));
    let elements = (0..4).map(|_| Plain(Rc::clone(&count))).collect();
    let mut tensor = TypedTensor::<Plain, Rank<2>>::from_vec_row_major([2, 2], elements)?;
    for element in tensor
        .as_view()?
        .transpose()
        .slice(&[SliceSpec::range(0, 1)])?
        .iter()
    {
        element.0.set(element.0.get() + 1);
    }
    tensor[[0, 0]] = Plain(Rc::new(Cell::new(7)));
    assert_eq!(count.get(), 2);
    assert_eq!(tensor.into_dyn_rank().into_vec()?.len(), 4);

    let mut sent = Tensor::from_vec_row_major([2], vec![1.0, 2.0])?;
    let view = sent.view()?;
    thread::scope(|scope| {
        scope.spawn(|| view.to_vec::<f64>());
        scope.spawn(|| view.to_le_bytes());
    });
    thread::scope(|scope| {
        scope
            .spawn(|| sent.as_mut_slice::<f64>().map(|s| s[0] = 3.0))
            .join()
    })
    .unwrap()?;
    let sent = thread::spawn(move || sent.into_shared()).join().unwrap();
    let other = sent.clone();
    assert!(thread::spawn(move || other.view().is_ok()).join().unwrap());
    Ok(())
}
