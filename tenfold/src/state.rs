//! The state of a compiled function: tensors that runs read and replace.
//!
//! A state is an input and an output of the graph, the last ones. A run of a function with state holds it from beginning to
//! end, so such runs follow each other; a run that fails leaves it as it was.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tensor::Tensor;

use crate::Error;

/// A state as the function was built with it.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) initial: Arc<Tensor>,
}

/// All states of a function.
#[derive(Debug, Default)]
pub(crate) struct States {
    states: Vec<State>,
    now: Mutex<Now>,
}

/// The states between two runs, and memory for the next ones.
#[derive(Debug, Default)]
pub(crate) struct Now {
    pub(crate) tensors: Vec<Tensor>,
    /// What a run into memory of the caller fills: first the caller's outputs while it runs, then the next states.
    frame: Vec<Tensor>,
}

impl Now {
    /// Runs `fill` over the caller's outputs and the next states together, and takes these as the states if it succeeds.
    pub(crate) fn run_into(
        &mut self,
        outputs: &mut [Tensor],
        fill: impl FnOnce(&[Tensor], &mut [Tensor]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let count = self.tensors.len();
        if self.frame.is_empty() {
            for state in &self.tensors {
                self.frame
                    .push(Tensor::zeros(state.dtype(), state.shape())?);
            }
        }
        let lent = outputs.iter_mut().map(std::mem::take);
        self.frame.splice(..0, lent);
        let ran = fill(&self.tensors, &mut self.frame);
        let given = self.frame.len() - count;
        for (output, tensor) in outputs.iter_mut().zip(self.frame.drain(..given)) {
            *output = tensor;
        }
        if ran.is_ok() {
            std::mem::swap(&mut self.tensors, &mut self.frame);
        }
        ran
    }
}

impl States {
    pub(crate) fn new(states: Vec<State>) -> Result<States, Error> {
        let made = States {
            states,
            now: Mutex::default(),
        };
        made.reset()?;
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The states, held until the guard drops; `None` if the function has none, so that its runs wait for nobody.
    pub(crate) fn hold(&self) -> Option<MutexGuard<'_, Now>> {
        (!self.states.is_empty()).then(|| self.lock())
    }

    fn find(&self, op: &'static str, name: &str) -> Result<usize, Error> {
        let at = self.states.iter().position(|state| state.name == name);
        at.ok_or_else(|| {
            let names: Vec<&str> = self
                .states
                .iter()
                .map(|state| state.name.as_str())
                .collect();
            Error::Argument {
                op,
                argument: "name",
                value: format!("{name:?}"),
                reason: format!("the states are {names:?}"),
            }
        })
    }

    pub(crate) fn get(&self, name: &str) -> Result<Tensor, Error> {
        let at = self.find("state", name)?;
        Ok(self.lock().tensors[at].duplicate()?)
    }

    pub(crate) fn set(&self, name: &str, tensor: Tensor) -> Result<(), Error> {
        let at = self.find("set_state", name)?;
        let initial = &self.states[at].initial;
        if (tensor.dtype(), tensor.shape()) != (initial.dtype(), initial.shape()) {
            return Err(Error::Argument {
                op: "set_state",
                argument: "tensor",
                value: format!("{}{:?}", tensor.dtype(), tensor.shape()),
                reason: format!(
                    "the state {name:?} is {}{:?}",
                    initial.dtype(),
                    initial.shape()
                ),
            });
        }
        self.lock().tensors[at] = tensor;
        Ok(())
    }

    pub(crate) fn reset(&self) -> Result<(), Error> {
        let initial = self.states.iter().map(|state| state.initial.duplicate());
        let initial: Vec<Tensor> = initial.collect::<Result<_, _>>()?;
        self.lock().tensors = initial;
        Ok(())
    }
}
