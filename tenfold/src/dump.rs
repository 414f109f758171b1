//! The intermediate values of a run, for tools outside: which hold NaN, where the first came from, all of them in a file.
//!
//! **How it works.** A fused step keeps what is inside it in registers, so a run of the compiled plan has nothing to show. A dump
//! compiles the graph as imported once more, with every value that is wanted as an output besides, and runs that on the same
//! device. Names are those of the file the graph came from, so that the values can be laid beside another engine's.
//!
//! **What differs from a run.** More values are stored, so less is fused: the same kernels compute in other company, and results may
//! differ from a run's in the last places, as the op table allows. Every wanted value is in memory at once, which
//! [`CompileOptions::memory_limit`](crate::CompileOptions::memory_limit) counts.
//!
//! **Invariants.** Values are in topological order, inputs of the function first, so the first value with NaN was computed from
//! values without (unless [`DumpOptions::names`] left those out).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graph::{Graph, ValueDef, ValueId};
use tensor::{DType, Tensor, TensorView};
use tensor_io::FileFormat;

use crate::{CompiledFunction, Error};

/// Which of the values that were computed a dump keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DumpWhen {
    /// All of them.
    #[default]
    Always,
    /// Those with NaN or infinite elements.
    Abnormal,
    /// Those with NaN.
    Nan,
}

/// What to dump; by default everything.
#[derive(Clone, Debug, Default)]
pub struct DumpOptions {
    /// Which values are kept.
    pub when: DumpWhen,
    /// Only values whose name matches are computed and looked at; `*` stands for any text. `None` for all.
    pub names: Option<String>,
}

/// Where a value comes from, and what is abnormal about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// The value's name.
    pub name: String,
    /// The path of its node in the file; empty for an input or a constant.
    pub node: String,
    /// The op, or `input` or `constant`.
    pub op: &'static str,
    /// The names of what it was computed from.
    pub inputs: Vec<String>,
    /// The element type.
    pub dtype: DType,
    /// The extents.
    pub shape: Vec<usize>,
    /// How many elements are NaN.
    pub nan_count: usize,
    /// How many elements are infinite.
    pub inf_count: usize,
}

impl Origin {
    fn new(graph: &Graph, id: ValueId, view: &TensorView<'_>) -> Self {
        let value = graph.value(id);
        let (node, op, inputs) = match &value.def {
            ValueDef::Input(_) => (String::new(), "input", Vec::new()),
            ValueDef::Const(_) => (String::new(), "constant", Vec::new()),
            ValueDef::Node(node, _) => {
                let node = graph.node(*node);
                let names = node.inputs.iter().flatten();
                let names = names.map(|&id| graph.value(id).name.clone());
                (node.source.clone(), node.op.name(), names.collect())
            }
        };
        let summary = view.summary();
        Origin {
            name: value.name.clone(),
            node,
            op,
            inputs,
            dtype: view.dtype(),
            shape: view.shape().to_vec(),
            nan_count: summary.nan_count,
            inf_count: summary.inf_count,
        }
    }

    fn kept(&self, when: DumpWhen) -> bool {
        match when {
            DumpWhen::Always => true,
            DumpWhen::Abnormal => self.nan_count + self.inf_count > 0,
            DumpWhen::Nan => self.nan_count > 0,
        }
    }
}

/// `"l" (log of "d", node "/net/Log"): f32[2, 3], 1 NaN and 0 infinite`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({}", self.name, self.op)?;
        for (at, input) in self.inputs.iter().enumerate() {
            write!(f, "{}{input:?}", if at == 0 { " of " } else { ", " })?;
        }
        if !self.node.is_empty() {
            write!(f, ", node {:?}", self.node)?;
        }
        let (dtype, shape) = (self.dtype, &self.shape);
        let (nan, inf) = (self.nan_count, self.inf_count);
        write!(f, "): {dtype}{shape:?}, {nan} NaN and {inf} infinite")
    }
}

/// What [`CompiledFunction::dump`] found.
#[derive(Debug)]
pub struct Dump {
    looked_at: usize,
    first_nan: Option<Origin>,
    first_infinite: Option<Origin>,
    values: Vec<(Origin, Tensor)>,
}

impl Dump {
    /// How many values were computed and looked at, inputs and constants of floats included.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// The first value, in the order of computation, that holds NaN.
    pub fn first_nan(&self) -> Option<&Origin> {
        self.first_nan.as_ref()
    }

    /// The first value, in the order of computation, that holds an infinity. Masks do so on purpose.
    pub fn first_infinite(&self) -> Option<&Origin> {
        self.first_infinite.as_ref()
    }

    /// The computed values that were kept, in the order of computation.
    pub fn values(&self) -> impl ExactSizeIterator<Item = (&Origin, &Tensor)> {
        self.values.iter().map(|(origin, tensor)| (origin, tensor))
    }

    /// The value of this name, if it was kept.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        let found = self.values.iter().find(|(origin, _)| origin.name == name);
        found.map(|(_, tensor)| tensor)
    }

    /// Writes the kept values to a file whose ending is the format: `.tensors`, `.safetensors`, `.npz`. Where the format has a
    /// place for texts, they say the first value with NaN and the first with an infinity.
    ///
    /// # Errors
    /// [`Error::DumpFormat`] for another ending, [`Error::File`] if the file can't be written or can't hold a dtype.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let format = dump_format(path)?;
        let values: Vec<(&str, &Tensor)> = self
            .values
            .iter()
            .map(|(origin, tensor)| (origin.name.as_str(), tensor))
            .collect();
        let firsts = [
            ("tenfold.first_nan", &self.first_nan),
            ("tenfold.first_infinite", &self.first_infinite),
        ];
        let texts: Vec<(&str, String)> = firsts
            .iter()
            .filter_map(|(key, first)| Some((*key, first.as_ref()?.to_string())))
            .filter(|_| format.holds_metadata())
            .collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(k, v)| (*k, v.as_str())).collect();
        tensor_io::save(path, format, &values, &texts, |_, _| {})
            .map_err(|source| Error::File(Box::new(source)))
    }
}

/// The format that the name of a dump asks for.
fn dump_format(path: &Path) -> Result<FileFormat, Error> {
    let format = FileFormat::of_name(path).filter(|format| {
        matches!(
            format,
            FileFormat::Container | FileFormat::SafeTensors | FileFormat::Npz
        )
    });
    format.ok_or_else(|| Error::DumpFormat {
        path: PathBuf::from(path),
    })
}

impl CompiledFunction {
    /// Computes and collects intermediate values for these feeds. It compiles anew each time: this is for looking into a model, not
    /// for running it.
    ///
    /// ```no_run
    /// use tenfold::{DumpOptions, DumpWhen, Model, CompileOptions, Tensor};
    /// # fn main() -> Result<(), tenfold::Error> {
    /// let function = Model::open("model.onnx")?.compile(&CompileOptions::default())?;
    /// let x = Tensor::from_vec_row_major([1, 4], vec![1.0_f32, 2.0, -3.0, 4.0])?;
    /// let options = DumpOptions { when: DumpWhen::Nan, ..DumpOptions::default() };
    /// let dump = function.dump(&[("x", &x)], &options)?;
    /// if let Some(first) = dump.first_nan() {
    ///     println!("NaN begins at {first}");
    ///     dump.save("nan.npz")?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`CompiledFunction::run`], and [`Error::DumpNothing`] if no value has a name that matches.
    pub fn dump(&self, feeds: &[(&str, &Tensor)], options: &DumpOptions) -> Result<Dump, Error> {
        self.look(feeds, |views| self.dump_views(views, options))
    }

    /// As [`CompiledFunction::dump`], for views in the order of the graph's inputs.
    fn dump_views(&self, views: &[TensorView<'_>], options: &DumpOptions) -> Result<Dump, Error> {
        let graph = self.import_graph();
        let wanted: Vec<ValueId> = graph
            .nodes()
            .flat_map(|(_, node)| &node.outputs)
            .copied()
            .filter(|&id| match &options.names {
                Some(pattern) => matches(pattern, &graph.value(id).name),
                None => true,
            })
            .collect();
        if let (true, Some(pattern)) = (wanted.is_empty(), &options.names) {
            return Err(Error::DumpNothing {
                pattern: pattern.clone(),
                function: graph.name().to_owned(),
            });
        }
        let named = wanted.iter().map(|&id| (graph.value(id).name.clone(), id));
        let segment = Arc::new(self.compiled(&graph.with_outputs(named), views)?);
        let outputs = self.run_segment(&segment, views)?;

        let mut dump = Dump {
            looked_at: 0,
            first_nan: None,
            first_infinite: None,
            values: Vec::new(),
        };
        dump.look_at_what_is_given(graph, views)?;
        for (id, tensor) in wanted.into_iter().zip(outputs) {
            let origin = dump.look_at(graph, id, &tensor.view()?);
            if origin.kept(options.when) {
                dump.values.push((origin, tensor));
            }
        }
        Ok(dump)
    }
}

impl Dump {
    fn look_at(&mut self, graph: &Graph, id: ValueId, view: &TensorView<'_>) -> Origin {
        let origin = Origin::new(graph, id, view);
        self.looked_at += 1;
        if origin.nan_count > 0 && self.first_nan.is_none() {
            self.first_nan = Some(origin.clone());
        }
        if origin.inf_count > 0 && self.first_infinite.is_none() {
            self.first_infinite = Some(origin.clone());
        }
        origin
    }

    /// Inputs and constants: an abnormal one explains all that follow.
    fn look_at_what_is_given(
        &mut self,
        graph: &Graph,
        feeds: &[TensorView<'_>],
    ) -> Result<(), Error> {
        for (&id, view) in graph.inputs().iter().zip(feeds) {
            self.look_at(graph, id, view);
        }
        for (id, value) in graph.values() {
            if let Some(constant) = value.constant()
                && constant.dtype().is_float()
            {
                self.look_at(graph, id, &constant.view()?);
            }
        }
        Ok(())
    }
}

/// Whether `name` is `pattern`, in which each `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(start) else {
        return false;
    };
    // Each part as early as it can be; the last must be the end.
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match name.split_once(part) {
            Some((_, behind)) => name = behind,
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, expect) in [
            ("", "", true),
            ("", "a", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("*", "a/b", true),
            ("a*", "ab", true),
            ("a*", "ba", false),
            ("*b", "ab", true),
            ("*b", "ba", false),
            ("a*b", "ab", true),
            ("a*b", "a--b-b", true),
            ("a*b*c", "a-c-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*b", "ab", false),
            ("**", "x", true),
            ("/layer*/Conv*", "/layer1/Conv_output_0", true),
        ] {
            assert_eq!(matches(pattern, name), expect, "{pattern:?} {name:?}");
        }
    }
}
