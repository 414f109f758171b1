//! Reading values: as views, as expressions, or from a buffer made for the purpose.

use graph::op::{Op, SliceAxis};
use graph::{NodeId, ValueId};
use plan::{Epilogue, Load, Source, StepKind};
use tensor_core::{ShapeVec, SliceSpec, TensorLayout, ValidationError};

use super::Lowering;
use crate::OptimizeError;

impl Lowering<'_> {
    /// How to read a value; may be an expression.
    pub(super) fn read(&mut self, id: ValueId) -> Result<Source, OptimizeError> {
        if self.sources[id.index()].is_none() {
            self.sources[id.index()] = self.constant(id);
        }
        let source = self.sources[id.index()].clone();
        source.ok_or_else(|| OptimizeError::Unsupported {
            node: self.graph.value(id).name.clone(),
            op: "value",
            what: "a value that is read before it is computed".into(),
        })
    }

    /// A value as a plain view of a buffer; an expression is computed into one.
    pub(super) fn plain(&mut self, id: ValueId) -> Result<Load, OptimizeError> {
        if let Some(load) = self.read(id)?.as_view() {
            return Ok(load.clone());
        }
        let source = self.materialise(id)?;
        Ok(source.loads[0].clone())
    }

    /// Writes the expression of a value to a buffer of its own.
    pub(super) fn materialise(&mut self, id: ValueId) -> Result<Source, OptimizeError> {
        let value = self.read(id)?;
        let (shape, dtype) = (value.shape.clone(), value.dtype());
        let layout = self.row_major(id, &shape)?;
        let name = self.step_name(id);
        let out = self.step(
            id,
            name,
            StepKind::Map { value },
            Epilogue::none(dtype),
            shape,
        );
        let source = Source::view(out, dtype, layout);
        self.sources[id.index()] = Some(source.clone());
        Ok(source)
    }

    /// The dense layout of a value's shape.
    pub(super) fn row_major(
        &self,
        id: ValueId,
        shape: &[usize],
    ) -> Result<TensorLayout, OptimizeError> {
        TensorLayout::row_major(shape).map_err(|_| OptimizeError::TooLarge {
            value: self.graph.value(id).name.clone(),
            ty: self.graph.value(id).ty().to_string(),
        })
    }

    /// The path of the node that defines a value, or the value's name.
    pub(super) fn step_name(&self, id: ValueId) -> String {
        let value = self.graph.value(id);
        let source =
            crate::region::definer(self.graph, id).map(|n| self.graph.node(n).source.as_str());
        source
            .filter(|s| !s.is_empty())
            .unwrap_or(&value.name)
            .to_owned()
    }

    /// A value broadcast to `shape`. An expression that would be computed several times over is
    /// computed once into a buffer.
    pub(super) fn broadcast(
        &mut self,
        id: ValueId,
        shape: &[usize],
    ) -> Result<Source, OptimizeError> {
        let mut source = self.read(id)?;
        let grows = source.element_count() < shape.iter().product();
        if grows && source.as_view().is_none() {
            source = self.materialise(id)?;
        }
        let shape_vec: ShapeVec = shape.iter().copied().collect();
        self.with_layouts(id, source, shape_vec, |layout| layout.broadcast_to(shape))
    }

    /// The source with another shape and all layouts changed by `change`.
    pub(super) fn with_layouts(
        &self,
        id: ValueId,
        mut source: Source,
        shape: ShapeVec,
        change: impl Fn(&TensorLayout) -> Result<TensorLayout, ValidationError>,
    ) -> Result<Source, OptimizeError> {
        for load in &mut source.loads {
            load.layout = change(&load.layout).map_err(|error| OptimizeError::Unsupported {
                node: self.step_name(id),
                op: "view",
                what: error.to_string(),
            })?;
        }
        source.shape = shape;
        Ok(source)
    }

    /// The elements of a value in row-major order under another shape: a view where strides allow it,
    /// otherwise a view of a dense copy.
    pub(super) fn reshaped(
        &mut self,
        id: ValueId,
        shape: &[usize],
    ) -> Result<Source, OptimizeError> {
        let mut source = self.read(id)?;
        if source
            .loads
            .iter()
            .any(|load| load.layout.reshape(shape).is_err())
        {
            source = self.materialise(id)?;
        }
        let shape_vec: ShapeVec = shape.iter().copied().collect();
        self.with_layouts(id, source, shape_vec, |layout| layout.reshape(shape))
    }

    /// Like [`Lowering::reshaped`]; a dense copy, if one is needed, becomes the reshaped value itself, so
    /// that it can be an output.
    fn reshape_of(
        &mut self,
        input: ValueId,
        output: ValueId,
        shape: &[usize],
    ) -> Result<Source, OptimizeError> {
        let value = self.read(input)?;
        if value
            .loads
            .iter()
            .all(|load| load.layout.reshape(shape).is_ok())
        {
            return self.reshaped(input, shape);
        }
        let (own_shape, dtype) = (value.shape.clone(), value.dtype());
        let own_layout = self.row_major(input, &own_shape)?;
        let name = self.step_name(input);
        let (kind, epilogue) = (StepKind::Map { value }, Epilogue::none(dtype));
        let out = self.step(output, name, kind, epilogue, own_shape);
        self.sources[input.index()] = Some(Source::view(out, dtype, own_layout));
        Ok(Source::view(out, dtype, self.row_major(output, shape)?))
    }

    /// Lowers a view: only layouts change.
    pub(super) fn view(&mut self, node: NodeId) -> Result<(), OptimizeError> {
        let node = self.graph.node(node);
        let (input, output) = (
            node.inputs[0].expect("a view has an input"),
            node.outputs[0],
        );
        let shape = self.shape(output)?;
        if self.uses(output) > 1 {
            self.plain(input)?;
        }
        let source = match &node.op {
            Op::Transpose(transpose) => {
                let source = self.read(input)?;
                self.with_layouts(output, source, shape, |layout| {
                    layout.permute(&transpose.perm)
                })?
            }
            Op::Slice(slice) => {
                let specs = slice_specs(
                    slice.axes.as_deref().unwrap_or_default(),
                    self.shape(input)?.len(),
                );
                let source = self.read(input)?;
                self.with_layouts(output, source, shape, |layout| layout.slice(&specs))?
            }
            Op::Expand(_) => self.broadcast(input, &shape)?,
            _ => self.reshape_of(input, output, &shape)?,
        };
        self.sources[output.index()] = Some(source);
        Ok(())
    }
}

/// One slice per axis.
fn slice_specs(slices: &[SliceAxis], rank: usize) -> Vec<SliceSpec> {
    let mut specs = vec![SliceSpec::all(); rank];
    let bound =
        |at: i64| isize::try_from(at).unwrap_or(if at < 0 { isize::MIN } else { isize::MAX });
    for slice in slices {
        let axis = if slice.axis < 0 {
            slice.axis + rank as i64
        } else {
            slice.axis
        };
        if let Some(spec) = usize::try_from(axis)
            .ok()
            .and_then(|axis| specs.get_mut(axis))
        {
            *spec = SliceSpec::new(
                Some(bound(slice.start)),
                Some(bound(slice.end)),
                bound(slice.step),
            );
        }
    }
    specs
}
