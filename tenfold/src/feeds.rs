//! Feeds, checked and put in order before anything runs.

use graph::Graph;
use tensor::{Tensor, TensorView};
use tinyvec::TinyVec;

use crate::{Error, Port};

/// Tensors by the names of inputs.
pub(crate) type Feeds<'f, 'a> = [(&'f str, &'a Tensor)];

/// The views of the inputs of a graph; those of most functions need no memory of their own.
pub(crate) type Views<'a> = TinyVec<[TensorView<'a>; 4]>;

/// Where an input of a graph comes from: the input of the function, or the state, of this number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Feed(usize),
    State(usize),
}

/// The views of a graph's inputs, in its order.
pub(crate) fn views<'a>(
    inputs: &[Port],
    slots: &[Slot],
    feeds: &Feeds<'_, 'a>,
    states: &'a [Tensor],
) -> Result<Views<'a>, Error> {
    let mut views = Views::new();
    for slot in slots {
        let tensor = match *slot {
            Slot::State(nth) => &states[nth],
            Slot::Feed(nth) => feed(inputs, nth, feeds)?,
        };
        views.push(tensor.view()?);
    }
    // Every input has a feed; then more feeds than inputs are too many.
    if feeds.len() > inputs.len() {
        return Err(misfit(inputs, feeds));
    }
    Ok(views)
}

/// The feed of input `nth`.
fn feed<'a>(inputs: &[Port], nth: usize, feeds: &Feeds<'_, 'a>) -> Result<&'a Tensor, Error> {
    let Port { name, ty } = &inputs[nth];
    let Some((_, tensor)) = feeds.iter().find(|(fed, _)| fed == name) else {
        return Err(misfit(inputs, feeds));
    };
    if tensor.dtype() != ty.dtype {
        return Err(Error::InputDType {
            name: name.clone(),
            expected: ty.to_string(),
            got: tensor.dtype(),
        });
    }
    Ok(tensor)
}

/// Why the names of these feeds are not those of the inputs.
fn misfit(inputs: &[Port], feeds: &Feeds<'_, '_>) -> Error {
    for (at, (name, _)) in feeds.iter().enumerate() {
        let name = (*name).to_owned();
        if inputs.iter().all(|input| input.name != name) {
            let inputs = describe(inputs);
            return Error::UnknownInput { name, inputs };
        }
        if feeds[..at].iter().any(|(earlier, _)| *earlier == name) {
            return Error::DuplicateInput { name };
        }
    }
    let missing = |input: &&Port| feeds.iter().all(|(name, _)| *name != input.name);
    let missing = inputs.iter().find(missing);
    let missing = missing.expect("names that differ and are all known leave out an input");
    Error::MissingInput {
        name: missing.name.clone(),
        ty: missing.ty.to_string(),
    }
}

/// `"x": f32[N, 3], "y": i64[N]`, or that there are none.
pub(crate) fn describe(inputs: &[Port]) -> String {
    let inputs: Vec<String> = inputs
        .iter()
        .map(|port| format!("{:?}: {}", port.name, port.ty))
        .collect();
    if inputs.is_empty() {
        "none".into()
    } else {
        inputs.join(", ")
    }
}

/// The inputs of a graph.
pub(crate) fn ports(graph: &Graph) -> Vec<Port> {
    let port = |&id| Port {
        name: graph.value(id).name.clone(),
        ty: graph.value(id).ty().clone(),
    };
    graph.inputs().iter().map(port).collect()
}
