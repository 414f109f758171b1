//! What a run costs once it is compiled: no compilation, no memory from the heap. Alone in its program, for the allocator counts.
#![expect(
    unsafe_code,
    clippy::unwrap_used,
    reason = "an allocator for the whole program is unsafe to write, and the helpers of a test fail as tests do"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tenfold::prelude::*;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches a thread-local `Cell` without a
// destructor, which allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise about `block` and `layout` is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn options(threads: usize) -> CompileOptions {
    CompileOptions {
        threads: Some(threads),
        ..CompileOptions::default()
    }
}

fn numbers(tf: &Tf, shape: &[usize]) -> Value {
    let count = shape.iter().product::<usize>();
    let elements = (0..count).map(|k| (k * 37 % 64) as f32 / 64.0 - 0.5);
    tf.values(shape, elements.collect()).unwrap()
}

/// Functions of one input `x` of a shape, which together use the kernel of every step family.
fn functions(threads: usize) -> Vec<(&'static str, CompiledFunction, Vec<usize>)> {
    let tf = Tf::new(&options(threads)).unwrap();
    let build = |name: &'static str, shape: &[usize], body: &dyn Fn(&Func, &Value)| {
        let func = Func::new(name);
        let dims = shape.iter().map(|&extent| extent.into());
        let x = func.input("x", DType::F32, dims).unwrap();
        body(&func, &x);
        (
            name,
            func.compile(&options(threads)).unwrap(),
            shape.to_vec(),
        )
    };
    let layer = |x: &Value| {
        let (w, b) = (numbers(&tf, &[64, 64]), numbers(&tf, &[64]));
        (&x.matmul(&w).unwrap() + &b).unwrap().relu().unwrap()
    };
    vec![
        build("two layers", &[1, 64], &|func, x| {
            func.output("y", &layer(&layer(x))).unwrap();
        }),
        build("attention and norm", &[2, 8, 16], &|func, x| {
            let y = x.attention(x, x, None).unwrap();
            let y = y.layer_norm(None, None, 1e-5).unwrap();
            func.output("y", &y.softmax(-1).unwrap()).unwrap();
        }),
        build("image", &[1, 2, 8, 8], &|func, x| {
            let w = numbers(&tf, &[4, 2, 3, 3]);
            let y = x.conv2d(&w, None, 1, 1).unwrap().gelu().unwrap();
            let y = y.max_pool2d(2, 2, 0).unwrap();
            func.output("y", &y.permute(&[0, 2, 3, 1]).unwrap())
                .unwrap();
        }),
        build("bools, doubles and a gather", &[6, 5], &|func, x| {
            func.output("large", &x.greater_scalar(0.1).unwrap())
                .unwrap();
            let wide = x.cast(DType::F64).unwrap();
            func.output("sums", &wide.sum_axes(&[1], false).unwrap())
                .unwrap();
            let order = tf.values([3], vec![5_i64, 0, 2]).unwrap();
            let rows = x.gather(&order, 0).unwrap();
            func.output("rows", &rows.concat(&[x], 0).unwrap()).unwrap();
        }),
        build("state", &[16], &|func, x| {
            let zero = tf.zeros(DType::F32, [16]).unwrap();
            let position = func
                .state("position", zero.tensor().unwrap().clone())
                .unwrap();
            let next = (&position + &(x * 0.25).unwrap()).unwrap();
            func.update(&position, &next).unwrap();
            func.output("speed", &(&next - &position).unwrap()).unwrap();
        }),
    ]
}

#[test]
fn j11_a_compiled_function_runs_without_the_heap() {
    for threads in [1, 2] {
        for (name, function, shape) in functions(threads) {
            let count = shape.iter().product::<usize>();
            let elements = (0..count).map(|k| (k * 29 % 97) as f32 / 64.0 - 0.75);
            let x = Tensor::from_vec_row_major(&shape[..], elements.collect()).unwrap();
            let expect = function.run(&[("x", &x)]).unwrap();
            function.reset_states().unwrap();
            let ports = expect.iter().map(|(_, tensor)| tensor);
            let mut outputs: Vec<Tensor> = ports
                .map(|tensor| Tensor::zeros(tensor.dtype(), tensor.shape()).unwrap())
                .collect();
            function.run_into(&[("x", &x)], &mut outputs).unwrap();
            let same = |outputs: &[Tensor]| {
                for ((port, expect), found) in expect.iter().zip(outputs) {
                    let (expect, found) = (expect.to_le_bytes(), found.to_le_bytes());
                    assert_eq!(found.unwrap(), expect.unwrap(), "{name}: {port}");
                }
            };
            same(&outputs);
            let before = COUNT.get();
            for _ in 0..10 {
                function.run_into(&[("x", &x)], &mut outputs).unwrap();
            }
            assert_eq!(COUNT.get() - before, 0, "{name}, {threads} threads");
            same(&outputs);
        }
    }
}

#[test]
fn j11_states_go_on_from_run_to_run_in_either_way() {
    let (_, function, _) = functions(1).pop().unwrap();
    let x = Tensor::full([16], 1.0_f32).unwrap();
    let mut outputs = [Tensor::zeros(DType::F32, [16]).unwrap()];
    for run in 1..=6_u8 {
        if run.is_multiple_of(3) {
            function.run(&[("x", &x)]).unwrap();
        } else {
            function.run_into(&[("x", &x)], &mut outputs).unwrap();
        }
        let position = function.state("position").unwrap();
        let expect = [0.25 * f32::from(run); 16];
        assert_eq!(position.as_slice::<f32>().unwrap(), expect, "run {run}");
    }
    // A run that is refused leaves the state and gives the caller's tensors back.
    let mut wrong = [Tensor::full([3], 7.0_f32).unwrap()];
    let error = function.run_into(&[("x", &x)], &mut wrong).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("speed") && text.contains("[16]") && text.contains("[3]"),
        "{text}"
    );
    assert_eq!(wrong[0].as_slice::<f32>().unwrap(), [7.0; 3]);
    let position = function.state("position").unwrap();
    assert_eq!(position.as_slice::<f32>().unwrap(), [1.5; 16]);
    function.run_into(&[("x", &x)], &mut outputs).unwrap();
    assert_eq!(
        function
            .state("position")
            .unwrap()
            .as_slice::<f32>()
            .unwrap(),
        [1.75; 16]
    );
}

/// Everything that a tensor says of itself is refused before anything runs, and named.
#[test]
fn outputs_that_do_not_fit_are_refused() {
    let (_, function, _) = functions(1).swap_remove(0);
    let x = Tensor::full([1, 64], 1.0_f32).unwrap();
    for mut outputs in [
        Vec::new(),
        vec![Tensor::zeros(DType::F64, [1, 64]).unwrap()],
        vec![Tensor::zeros(DType::F32, [64]).unwrap()],
        vec![Tensor::from_vec_col_major([64, 1], vec![0.0_f32; 64]).unwrap()],
        vec![
            Tensor::zeros(DType::F32, [1, 64]).unwrap(),
            Tensor::zeros(DType::F32, [1, 64]).unwrap(),
        ],
    ] {
        let error = function.run_into(&[("x", &x)], &mut outputs).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("y: f32[1, 64]"), "{text}");
    }
}
