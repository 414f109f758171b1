//! Tenfold for the benchmark driver: what a user's program does, and no more.
//!
//! The model is compiled and specialised once; each timed run is a call of
//! [`CompiledFunction::run`](tenfold::CompiledFunction::run), which finds the kept specialisation by itself.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::time::Instant;

use protocol::{Case, Elements, Engine, Output, ReadyTimes, Result, Setup};
use tenfold::prelude::*;

struct Tenfold {
    function: CompiledFunction,
    feeds: Vec<(String, Tensor)>,
}

impl Tenfold {
    fn feeds(&self) -> Vec<(&str, &Tensor)> {
        self.feeds
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
            .collect()
    }
}

impl Engine for Tenfold {
    type Outputs = Outputs;

    fn load(case: Case, setup: &Setup) -> Result<(Self, ReadyTimes)> {
        let begin = Instant::now();
        let model = Model::open(&case.model)?;
        let load = begin.elapsed();
        let feeds = case.inputs.into_iter().map(|input| {
            let shape = &input.shape[..];
            let tensor = match input.elements {
                Elements::F32(elements) => Tensor::from_vec_row_major(shape, elements)?,
                Elements::I32(elements) => Tensor::from_vec_row_major(shape, elements)?,
            };
            Ok((input.name, tensor))
        });
        let feeds = feeds.collect::<Result<_>>()?;
        let begin = Instant::now();
        let options = CompileOptions {
            device: DeviceChoice::Cpu,
            threads: Some(setup.threads),
            ..CompileOptions::default()
        };
        let engine = Tenfold {
            function: model.compile(&options)?,
            feeds,
        };
        engine.function.specialise(&engine.feeds())?;
        Ok((
            engine,
            ReadyTimes {
                load,
                compile: Some(begin.elapsed()),
            },
        ))
    }

    fn run(&mut self) -> Result<Outputs> {
        Ok(self.function.run(&self.feeds())?)
    }

    fn first_output(outputs: Outputs) -> Result<Output> {
        let (_, tensor) = outputs.iter().next().ok_or("the model has no output")?;
        Ok(Output {
            shape: tensor.shape().to_vec(),
            elements: tensor.to_vec()?,
        })
    }
}

fn main() -> ExitCode {
    protocol::serve::<Tenfold>()
}
