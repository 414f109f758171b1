//! Tensors and views are as tied to a thread as their elements are.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;

use tensor::{StridedMut, TypedTensor, TypedTensorView, TypedTensorViewMut};

fn sent(tensor: TypedTensor<Rc<i32>>) {
    thread::spawn(move || drop(tensor)); //~ E0277: `Rc<i32>` cannot be sent between threads safely
}

fn asks_send<T: Send>(_: T) {}
fn asks_sync<T: Sync>(_: T) {}

fn views(read: TypedTensorView<'_, Cell<i32>>, write: TypedTensorViewMut<'_, Rc<i32>>) {
    asks_send(read); //~ E0277: `Cell<i32>` cannot be shared between threads safely
    asks_send(write); //~ E0277: `Rc<i32>` cannot be sent between threads safely
}

fn shared(tensor: TypedTensor<Cell<i32>>) {
    asks_sync(tensor); //~ E0277: `Cell<i32>` cannot be shared between threads safely
}

fn promoted(tensor: TypedTensor<Rc<i32>>) {
    // Memory behind a buffer crosses threads, so its elements must.
    drop(tensor.into_host().unwrap().promote());
    //~^ E0277: `Rc<i32>` cannot be sent between threads safely
    //~^^ E0277: `Rc<i32>` cannot be shared between threads safely
}

fn parts(a: StridedMut<'_, Rc<i32>>, b: StridedMut<'_, Cell<i32>>, c: StridedMut<'_, Rc<i32>>) {
    asks_send(a); //~ E0277: `Rc<i32>` cannot be sent between threads safely
    asks_sync(b); //~ E0277: `Cell<i32>` cannot be shared between threads safely
    asks_send(c.into_iter()); //~ E0277: `Rc<i32>` cannot be sent between threads safely
}

fn main() {}
