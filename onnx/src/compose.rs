//! Short forms for importers that build an op from several of the table.

use graph::op::{Gather, Op, Range, Reduce, ReduceKind, Shape, Unsqueeze};
use graph::{Dim, ValueId};
use tensor::Tensor;
use tensor_core::DType;

use crate::call::{Call, Done, Stop, map};
use crate::element;

impl Call<'_> {
    /// The elementwise op of this name on these values.
    pub(crate) fn apply(&mut self, name: &str, inputs: &[ValueId]) -> Result<ValueId, Stop> {
        let inputs: Vec<_> = inputs.iter().map(|&id| Some(id)).collect();
        self.emit(map(name), &inputs)
    }

    /// The elementwise op of this name on a value and a number of its dtype.
    pub(crate) fn apply_number(
        &mut self,
        name: &str,
        x: ValueId,
        number: f64,
    ) -> Result<ValueId, Stop> {
        let number = self.scalar(self.dtype(x), number)?;
        self.apply(name, &[x, number])
    }

    /// Makes the elementwise op of this name on these values the first output.
    pub(crate) fn finish_map(&mut self, name: &str, inputs: &[ValueId]) -> Done {
        let inputs: Vec<_> = inputs.iter().map(|&id| Some(id)).collect();
        self.finish(map(name), &inputs)
    }

    /// Makes the elementwise op of this name on all inputs, none left out, the first output.
    pub(crate) fn finish_elementwise(&mut self, name: &str) -> Done {
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for index in 0..self.inputs.len() {
            inputs.push(self.input(index)?);
        }
        self.finish_map(name, &inputs)
    }

    /// Makes a value the output `index`.
    pub(crate) fn output_value(&mut self, index: usize, id: ValueId) -> Done {
        self.output(index, map("identity"), &[Some(id)])
    }

    /// A reduction over some axes.
    pub(crate) fn reduce(
        &mut self,
        kind: ReduceKind,
        x: ValueId,
        axes: &[i64],
        keep: bool,
    ) -> Result<ValueId, Stop> {
        let op = Reduce {
            kind,
            axes: Some(axes.to_vec()),
            keep,
            noop_if_empty: true,
        };
        self.emit(Op::Reduce(op), &[Some(x)])
    }

    /// A reduction over all axes.
    pub(crate) fn reduce_all(&mut self, kind: ReduceKind, x: ValueId) -> Result<ValueId, Stop> {
        let axes: Vec<i64> = (0..).take(self.ty(x).rank()).collect();
        self.reduce(kind, x, &axes, false)
    }

    /// The value with new axes of extent 1; they count in the result.
    pub(crate) fn unsqueeze(
        &mut self,
        x: ValueId,
        axes: impl IntoIterator<Item = i64>,
    ) -> Result<ValueId, Stop> {
        let axes: Vec<i64> = axes.into_iter().collect();
        if axes.is_empty() {
            return Ok(x);
        }
        self.emit(Op::Unsqueeze(Unsqueeze { axes: Some(axes) }), &[Some(x)])
    }

    /// An element of a list, as a value of rank 0.
    pub(crate) fn element(&mut self, list: ValueId, index: i64) -> Result<ValueId, Stop> {
        let index = self.constant(Tensor::scalar(index))?;
        self.emit(Op::Gather(Gather { axis: 0 }), &[Some(list), Some(index)])
    }

    /// An input that is one number, as a value of rank 0; as a list of one it is accepted too.
    pub(crate) fn number(&mut self, index: usize) -> Result<ValueId, Stop> {
        let id = self.input(index)?;
        match &self.ty(id).shape[..] {
            [] => Ok(id),
            [Dim::Known(1)] => self.element(id, 0),
            _ => self.fail_input(index, "must be one number"),
        }
    }

    /// The extent of an axis, as an `i64` of rank 0.
    pub(crate) fn extent(&mut self, x: ValueId, axis: usize) -> Result<ValueId, Stop> {
        if let Some(&Dim::Known(extent)) = self.ty(x).shape.get(axis) {
            return self.constant(Tensor::scalar(extent));
        }
        let start = i64::try_from(axis).unwrap_or(i64::MAX);
        let end = Some(start.saturating_add(1));
        let shape = self.emit(Op::Shape(Shape { start, end }), &[Some(x)])?;
        self.element(shape, 0)
    }

    /// The list `0, 1, ..` of `count` integers of `count`'s dtype.
    pub(crate) fn positions(&mut self, count: ValueId) -> Result<ValueId, Stop> {
        let dtype = self.dtype(count);
        let (zero, one) = (self.scalar(dtype, 0.0)?, self.scalar(dtype, 1.0)?);
        self.emit(Op::Range(Range), &[Some(zero), Some(count), Some(one)])
    }

    /// The positions along an axis of `x`, of a shape that broadcasts along that axis.
    pub(crate) fn positions_along(&mut self, x: ValueId, axis: usize) -> Result<ValueId, Stop> {
        let rank = self.ty(x).rank();
        let extent = self.extent(x, axis)?;
        let list = self.positions(extent)?;
        self.unsqueeze(list, (1..).take(rank - 1 - axis))
    }

    /// The dtype that an attribute names by its element type.
    pub(crate) fn element_type(&mut self, name: &'static str, default: DType) -> DType {
        let Some(code) = self.optional_int(name) else {
            return default;
        };
        let code = i32::try_from(code).unwrap_or(0);
        match element::dtype(code).filter(|dtype| !dtype.is_complex()) {
            Some(dtype) => dtype,
            None => {
                let reason = "this element type is not supported here";
                self.refuse_attribute(name, element::name(code), reason);
                default
            }
        }
    }
}
