//! The results of a run.

use std::ops::Index;

use tensor::Tensor;

/// Tensors by name, in the order of the function's outputs. They outlive the function.
#[derive(Debug)]
pub struct Outputs(Vec<(String, Tensor)>);

impl Outputs {
    pub(crate) fn new(outputs: Vec<(String, Tensor)>) -> Self {
        Outputs(outputs)
    }

    /// The output of this name.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, tensor)| tensor)
    }

    /// All outputs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Tensor)> {
        self.0.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Number of outputs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no outputs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tensors with their names.
    pub fn into_vec(self) -> Vec<(String, Tensor)> {
        self.0
    }
}

impl Index<&str> for Outputs {
    type Output = Tensor;

    /// The output of this name.
    ///
    /// # Panics
    /// If there is none; [`Outputs::get`] asks first.
    fn index(&self, name: &str) -> &Tensor {
        let names = || self.0.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>();
        self.get(name)
            .unwrap_or_else(|| panic!("there is no output {name:?}; the outputs are {:?}", names()))
    }
}
