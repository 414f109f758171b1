//! The inputs of a run: read from files, or drawn.
//!
//! [`Feeds::collect`] reads `--input` and `--inputs`, binds the symbols of the inputs' shapes from what was read and from
//! `--dim`, and draws the inputs that are left if there is a seed. Whether dtypes and shapes suit the model is
//! checked by the library when the feeds are used; here only what the command line itself makes possible is refused: an
//! input that is unknown, given twice or missing, dimensions without a number, and a `--dim` that can change nothing.

use std::str::FromStr;

use tenfold::graph::{Bindings, Dim, Symbol};
use tenfold::{Port, Tensor};
use tensor_io::{npy, npz};

use crate::args::FeedArgs;
use crate::failure::Failure;
use crate::random;

/// `NAME=FILE.npy`, kept whole: a name may contain `=`, so only a model's inputs can say where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputArg(String);

impl FromStr for InputArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Self(text.to_owned())),
            _ => Err("expected NAME=FILE.npy, for example image=cat.npy".to_owned()),
        }
    }
}

impl InputArg {
    /// Name and file: split where the name is one of `ports`, else at the first `=`.
    fn split(&self, ports: &[Port]) -> (&str, &str) {
        let mut splits = self
            .0
            .match_indices('=')
            .map(|(at, _)| (&self.0[..at], &self.0[at + 1..]));
        let known = |(name, file): &(&str, &str)| {
            !file.is_empty() && ports.iter().any(|port| port.name == *name)
        };
        let first = splits.clone().next();
        splits.find(known).or(first).unwrap_or((&self.0, ""))
    }
}

/// `NAME=N`: the extent of a symbol or, with `INPUT.AXIS` for a name, of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DimArg {
    name: String,
    extent: usize,
}

impl FromStr for DimArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text
            .rsplit_once('=')
            .filter(|(name, _)| !name.is_empty())
            .and_then(|(name, extent)| Some((name, extent.parse().ok()?)));
        let Some((name, extent)) = parts else {
            return Err(
                "expected NAME=N with a whole number N, for example batch=8 or x.3=320".to_owned(),
            );
        };
        Ok(Self {
            name: name.to_owned(),
            extent,
        })
    }
}

/// The inputs of a run by name.
#[derive(Debug)]
pub(crate) struct Feeds {
    tensors: Vec<(String, Tensor)>,
}

impl Feeds {
    /// All inputs of a model with these ports.
    pub(crate) fn collect(ports: &[Port], args: &FeedArgs) -> Result<Self, Failure> {
        Self::collect_with(ports, args, args.random)
    }

    /// Inputs of which only dtypes and shapes will be looked at: those that are not given are made without a seed.
    pub(crate) fn collect_shapes(ports: &[Port], args: &FeedArgs) -> Result<Self, Failure> {
        Self::collect_with(ports, args, Some(args.random.unwrap_or(0)))
    }

    fn collect_with(ports: &[Port], args: &FeedArgs, seed: Option<u64>) -> Result<Self, Failure> {
        let mut tensors = read(ports, args)?;
        let bindings = bind(ports, &tensors, &args.dim)?;
        let missing: Vec<&Port> = ports
            .iter()
            .filter(|port| tensors.iter().all(|(name, _)| *name != port.name))
            .collect();
        if missing.is_empty() {
            return Ok(Self { tensors });
        }
        let Some(seed) = seed else {
            return Err(Failure::MissingInputs {
                missing: missing.into_iter().map(describe).collect(),
            });
        };
        for port in missing {
            let shape = shape_of(port, &bindings)?;
            let drawn = random::draw(seed, &port.name, port.ty.dtype, &shape);
            let tensor = drawn.map_err(|source| Failure::Draw {
                input: port.name.clone(),
                source,
            })?;
            tensors.push((port.name.clone(), tensor));
        }
        Ok(Self { tensors })
    }

    /// As the library takes them.
    pub(crate) fn as_refs(&self) -> Vec<(&str, &Tensor)> {
        self.tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
            .collect()
    }
}

/// Reads the files of `--input` and `--inputs`.
fn read(ports: &[Port], args: &FeedArgs) -> Result<Vec<(String, Tensor)>, Failure> {
    let mut tensors: Vec<(String, Tensor)> = Vec::new();
    let mut add = |name: &str, tensor: Tensor| {
        let input = name.to_owned();
        if tensors.iter().any(|(given, _)| given == name) {
            return Err(Failure::InputTwice { input });
        }
        if ports.iter().all(|port| port.name != name) {
            let inputs = ports.iter().map(describe).collect();
            return Err(Failure::NoSuchInput { input, inputs });
        }
        tensors.push((input, tensor));
        Ok(())
    };
    for arg in &args.input {
        let (name, file) = arg.split(ports);
        add(name, npy::read(file)?)?;
    }
    if let Some(file) = &args.inputs {
        for (name, tensor) in npz::read(file)? {
            add(&name, tensor)?;
        }
    }
    Ok(tensors)
}

/// The numbers of the inputs' symbols, as far as given tensors and `--dim` say them.
fn bind(ports: &[Port], given: &[(String, Tensor)], dims: &[DimArg]) -> Result<Bindings, Failure> {
    let mut bindings = Bindings::new();
    for (name, tensor) in given {
        let port = ports.iter().find(|port| port.name == *name);
        // A tensor of the wrong rank binds nothing here; the library refuses it with its own words.
        if let Some(port) = port.filter(|port| port.ty.rank() == tensor.rank()) {
            for (dim, &extent) in port.ty.shape.iter().zip(tensor.shape()) {
                if let Dim::Symbol(symbol) = dim {
                    bindings.entry(symbol.clone()).or_insert(extent);
                }
            }
        }
    }
    for dim in dims {
        let symbol = symbol_of(ports, dim)?;
        let Some(symbol) = symbol else { continue };
        let bound = *bindings.entry(symbol).or_insert(dim.extent);
        if bound != dim.extent {
            return Err(Failure::DimConflict {
                dim: dim.name.clone(),
                extent: dim.extent,
                bound,
            });
        }
    }
    Ok(bindings)
}

/// The symbol that a `--dim` is about; `None` if it is about an axis that has this very extent anyway.
fn symbol_of(ports: &[Port], dim: &DimArg) -> Result<Option<Symbol>, Failure> {
    let symbols = || {
        ports
            .iter()
            .flat_map(|port| &port.ty.shape)
            .flat_map(symbols_in)
    };
    if let Some(symbol) = symbols().find(|symbol| symbol.name() == dim.name) {
        return Ok(Some(symbol));
    }
    let axis = ports.iter().find_map(|port| {
        let axis: usize = dim
            .name
            .strip_prefix(port.name.as_str())?
            .strip_prefix('.')?
            .parse()
            .ok()?;
        port.ty.shape.get(axis).map(|declared| (port, declared))
    });
    match axis {
        Some((_, Dim::Symbol(symbol))) => Ok(Some(symbol.clone())),
        Some((_, declared)) if declared.as_extent() == Some(dim.extent) => Ok(None),
        Some((port, declared)) => Err(Failure::DimFixed {
            dim: dim.name.clone(),
            extent: dim.extent,
            declared: declared.to_string(),
            input: describe(port),
        }),
        None => Err(Failure::NoSuchDim {
            dim: dim.name.clone(),
            inputs: ports.iter().map(describe).collect(),
        }),
    }
}

/// All symbols of an extent.
fn symbols_in(dim: &Dim) -> Vec<Symbol> {
    match dim {
        Dim::Known(_) => Vec::new(),
        Dim::Symbol(symbol) => vec![symbol.clone()],
        Dim::Expr(expression) => {
            let mut symbols = symbols_in(&expression.1);
            symbols.extend(symbols_in(&expression.2));
            symbols
        }
    }
}

/// The concrete shape of an input.
fn shape_of(port: &Port, bindings: &Bindings) -> Result<Vec<usize>, Failure> {
    let shape: Option<Vec<usize>> = port
        .ty
        .shape
        .iter()
        .map(|dim| dim.substitute(bindings).as_extent())
        .collect();
    shape.ok_or_else(|| {
        let mut flags: Vec<String> = Vec::new();
        for (axis, dim) in port.ty.shape.iter().enumerate() {
            for symbol in symbols_in(dim) {
                if bindings.contains_key(&symbol) {
                    continue;
                }
                let flag = match dim {
                    // The name of an anonymous dimension is awkward in a shell.
                    Dim::Symbol(symbol) if symbol.name().starts_with('?') => {
                        format!("--dim {}.{axis}=N", port.name)
                    }
                    _ => format!("--dim {}=N", symbol.name()),
                };
                if !flags.contains(&flag) {
                    flags.push(flag);
                }
            }
        }
        Failure::OpenDims {
            input: describe(port),
            flags,
        }
    })
}

/// Name and type of an input.
fn describe(port: &Port) -> String {
    format!("{:?} {}", port.name, port.ty)
}

#[cfg(test)]
mod tests;
