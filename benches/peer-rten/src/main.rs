//! RTen for the benchmark driver.
//!
//! Default options; with the option `prepack`, weights are packed when the model is loaded. RTen runs on a thread
//! pool of its own that reads its size from the environment when it is first needed, also while loading, so the
//! variable must have been set by whoever starts this program.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::Instant;

use protocol::{Case, Elements, Engine, Output, ReadyTimes, Result, Setup};
use rten::{Model, ModelOptions, NodeId, Value, ValueOrView};
use rten_tensor::Tensor;
use rten_tensor::prelude::*;

/// The variable that sets the size of RTen's thread pool.
const THREADS_VARIABLE: &str = "RTEN_NUM_THREADS";

struct Rten {
    model: Model,
    inputs: Vec<(NodeId, Value)>,
    outputs: Vec<NodeId>,
}

impl Engine for Rten {
    type Outputs = Vec<Value>;

    fn load(case: Case, setup: &Setup) -> Result<(Self, ReadyTimes)> {
        if std::env::var(THREADS_VARIABLE).ok() != Some(setup.threads.to_string()) {
            return Err(format!("{THREADS_VARIABLE} must be set to {}", setup.threads).into());
        }
        let begin = Instant::now();
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(setup.options.iter().any(|option| option == "prepack"));
        let model = options.load_file(&case.model)?;
        let load = begin.elapsed();
        let inputs = case.inputs.into_iter().map(|input| {
            let shape = input.shape.as_slice();
            let value: Value = match input.elements {
                Elements::F32(elements) => Tensor::from_data(shape, elements).into(),
                Elements::I32(elements) => Tensor::from_data(shape, elements).into(),
            };
            Ok((model.node_id(&input.name)?, value))
        });
        let inputs = inputs.collect::<Result<_>>()?;
        let outputs = model.output_ids().to_vec();
        Ok((
            Rten {
                model,
                inputs,
                outputs,
            },
            ReadyTimes {
                load,
                compile: None,
            },
        ))
    }

    fn run(&mut self) -> Result<Vec<Value>> {
        let inputs: Vec<(NodeId, ValueOrView)> = self
            .inputs
            .iter()
            .map(|(id, value)| (*id, value.into()))
            .collect();
        Ok(self.model.run(inputs, &self.outputs, None)?)
    }

    fn first_output(outputs: Vec<Value>) -> Result<Output> {
        let first = outputs
            .into_iter()
            .next()
            .ok_or("the model has no output")?;
        let tensor: Tensor<f32> = first.try_into()?;
        Ok(Output {
            shape: tensor.shape().to_vec(),
            elements: tensor.to_vec(),
        })
    }
}

fn main() -> ExitCode {
    protocol::serve::<Rten>()
}
