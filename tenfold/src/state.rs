//! The state of a compiled function: tensors that runs read and replace.
//!
//! A state is an input and an output of the graph, the last ones. A run of a function with state holds it from beginning to
//! end, so such runs follow each other; a run that fails leaves it as it was.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tensor::Tensor;

use crate::{Error, Outputs};

/// A state as the function was built with it.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) initial: Arc<Tensor>,
}

/// All states of a function, with their tensors now.
#[derive(Debug, Default)]
pub(crate) struct States {
    states: Vec<State>,
    now: Mutex<Vec<Tensor>>,
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

    fn lock(&self) -> MutexGuard<'_, Vec<Tensor>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `look` with the state beside the caller's feeds; the state stays as it is.
    pub(crate) fn beside<T>(
        &self,
        feeds: &[(&str, &Tensor)],
        look: impl FnOnce(&[(&str, &Tensor)]) -> T,
    ) -> T {
        look(&self.all(feeds, &self.lock()))
    }

    /// Runs with the state beside the caller's feeds, takes the new state out of the results and gives the others.
    pub(crate) fn run(
        &self,
        feeds: &[(&str, &Tensor)],
        run: impl FnOnce(&[(&str, &Tensor)]) -> Result<Vec<(String, Tensor)>, Error>,
    ) -> Result<Outputs, Error> {
        if self.states.is_empty() {
            return run(feeds).map(Outputs::new);
        }
        let mut now = self.lock();
        let mut outputs = run(&self.all(feeds, &now))?;
        let new = outputs.split_off(outputs.len() - self.states.len());
        *now = new.into_iter().map(|(_, tensor)| tensor).collect();
        Ok(Outputs::new(outputs))
    }

    fn all<'a>(
        &'a self,
        feeds: &[(&'a str, &'a Tensor)],
        now: &'a [Tensor],
    ) -> Vec<(&'a str, &'a Tensor)> {
        let names = self.states.iter().map(|state| state.name.as_str());
        feeds.iter().copied().chain(names.zip(now)).collect()
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
        Ok(self.lock()[at].duplicate()?)
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
        self.lock()[at] = tensor;
        Ok(())
    }

    pub(crate) fn reset(&self) -> Result<(), Error> {
        let initial = self.states.iter().map(|state| state.initial.duplicate());
        let initial: Vec<Tensor> = initial.collect::<Result<_, _>>()?;
        *self.lock() = initial;
        Ok(())
    }
}
