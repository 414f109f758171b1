//! tract for the benchmark driver.
//!
//! The shapes of the inputs are fixed before optimising, as tract's own documentation does for the best speed. With
//! one thread tract's default executor is used; with more, its pool of that many threads, which its matrix products
//! use and most of its other operators do not.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use protocol::{Case, Elements, Engine, Input, Output, ReadyTimes, Result, Setup};
use tract_linalg::multithread::{Executor, set_default_executor};
use tract_onnx::prelude::*;

struct Tract {
    model: Arc<TypedRunnableModel>,
    inputs: TVec<TValue>,
}

impl Engine for Tract {
    type Outputs = TVec<TValue>;

    fn load(case: Case, setup: &Setup) -> Result<(Self, ReadyTimes)> {
        if setup.threads > 1 {
            set_default_executor(Executor::multithread(setup.threads));
        }
        let begin = Instant::now();
        let mut model = tract_onnx::onnx().model_for_path(&case.model)?;
        let load = begin.elapsed();
        let outlets = model.input_outlets()?.to_vec();
        let mut inputs: TVec<TValue> = tvec!();
        for (index, outlet) in outlets.iter().enumerate() {
            let name = &model.node(outlet.node).name;
            let input = case.inputs.iter().find(|input| input.name == *name);
            inputs
                .push(tensor(input.ok_or_else(|| format!("no input is called {name:?}"))?)?.into());
            let fact = InferenceFact::dt_shape(inputs[index].datum_type(), inputs[index].shape());
            model.set_input_fact(index, fact)?;
        }
        let begin = Instant::now();
        let model = model.into_optimized()?.into_runnable()?;
        Ok((
            Tract { model, inputs },
            ReadyTimes {
                load,
                compile: Some(begin.elapsed()),
            },
        ))
    }

    fn run(&mut self) -> Result<TVec<TValue>> {
        Ok(self.model.run(self.inputs.clone())?)
    }

    fn first_output(outputs: TVec<TValue>) -> Result<Output> {
        let first = outputs.first().ok_or("the model has no output")?;
        let view = first.to_plain_array_view::<f32>()?;
        Ok(Output {
            shape: view.shape().to_vec(),
            elements: view.iter().copied().collect(),
        })
    }
}

fn tensor(input: &Input) -> Result<Tensor> {
    Ok(match &input.elements {
        Elements::F32(elements) => Tensor::from_shape(&input.shape, elements)?,
        Elements::I32(elements) => Tensor::from_shape(&input.shape, elements)?,
    })
}

fn main() -> ExitCode {
    protocol::serve::<Tract>()
}
