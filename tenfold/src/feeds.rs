//! Feeds, checked and put in order before anything runs.

use graph::Graph;
use tensor::{Tensor, TensorView};

use crate::{Error, Port};

/// The views of the feeds in the order of the graph's inputs.
pub(crate) fn ordered<'a>(
    graph: &Graph,
    feeds: &[(&str, &'a Tensor)],
) -> Result<Vec<TensorView<'a>>, Error> {
    for (at, (name, _)) in feeds.iter().enumerate() {
        if !graph
            .inputs()
            .iter()
            .any(|&id| graph.value(id).name == *name)
        {
            return Err(Error::UnknownInput {
                name: (*name).to_owned(),
                inputs: describe(&ports(graph)),
            });
        }
        if feeds[..at].iter().any(|(earlier, _)| earlier == name) {
            return Err(Error::DuplicateInput {
                name: (*name).to_owned(),
            });
        }
    }
    graph
        .inputs()
        .iter()
        .map(|&id| {
            let (name, ty) = (&graph.value(id).name, graph.value(id).ty());
            let Some((_, tensor)) = feeds.iter().find(|(n, _)| n == name) else {
                return Err(Error::MissingInput {
                    name: name.clone(),
                    ty: ty.to_string(),
                });
            };
            if tensor.dtype() != ty.dtype {
                let (name, expected) = (name.clone(), ty.to_string());
                return Err(Error::InputDType {
                    name,
                    expected,
                    got: tensor.dtype(),
                });
            }
            Ok(tensor.view()?)
        })
        .collect()
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

fn ports(graph: &Graph) -> Vec<Port> {
    let port = |&id| Port {
        name: graph.value(id).name.clone(),
        ty: graph.value(id).ty().clone(),
    };
    graph.inputs().iter().map(port).collect()
}
