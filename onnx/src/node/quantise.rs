//! Quantisation, and sums of quantised products.
//!
//! <https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html>, `DequantizeLinear`, `DynamicQuantizeLinear`, `MatMulInteger`,
//! `ConvInteger`, `QLinearMatMul`, `QLinearConv`.
//!
//! - Opset 10: all of them, scales per tensor; opset 11: `DynamicQuantizeLinear`.
//! - Opset 13: `axis`, for scales per slice. Opset 19: `saturate`, for floats of 8 bits.
//! - Opset 21: `block_size`, for scales per block, and `output_dtype`; `QLinearMatMul` of more element types.
//! - Opset 23: `precision`; `DequantizeLinear` has `output_dtype`. Opset 24 to 28: more element types.
//!
//! Everything is composed as the standard's formulas say: numbers minus their zero point, exactly, in `i32` (in `f32` for
//! floats); products and sums of those, in the same dtype; then a scale in `f32`. A quotient is rounded to even, raised by the
//! zero point, and only then held within the range; NaN becomes the least number of the range.

use graph::op::{Decode, Encode, Gather, MapOp, MatMul, Op, ReduceKind, Squeeze};
use graph::{Dim, ValueId};
use tensor_core::{DType, FloatRounding};

use super::window::{CONV, convolution};
use super::{Row, row};
use crate::call::{Call, Done, Stop};
use crate::element::{Element, Narrow};
use crate::error::ProblemKind;

const QUANTIZE_21: &[&str] = &["axis", "block_size", "output_dtype", "saturate"];
const QUANTIZE_23: &[&str] = &[
    "axis",
    "block_size",
    "output_dtype",
    "precision",
    "saturate",
];
const DEQUANTIZE_23: &[&str] = &["axis", "block_size", "output_dtype"];

pub(super) const ROWS: &[Row] = &[
    row("QuantizeLinear", 10, (2, 3), &[], quantize),
    row("QuantizeLinear", 13, (2, 3), &["axis"], quantize),
    row(
        "QuantizeLinear",
        19,
        (2, 3),
        &["axis", "saturate"],
        quantize,
    ),
    row("QuantizeLinear", 21, (2, 3), QUANTIZE_21, quantize),
    row("QuantizeLinear", 23, (2, 3), QUANTIZE_23, quantize),
    row("DequantizeLinear", 10, (2, 3), &[], dequantize),
    row("DequantizeLinear", 13, (2, 3), &["axis"], dequantize),
    row(
        "DequantizeLinear",
        21,
        (2, 3),
        &["axis", "block_size"],
        dequantize,
    ),
    row("DequantizeLinear", 23, (2, 3), DEQUANTIZE_23, dequantize),
    row("DynamicQuantizeLinear", 11, (1, 1), &[], dynamic),
    row("MatMulInteger", 10, (2, 4), &[], matmul_integer),
    row("ConvInteger", 10, (2, 4), CONV, conv_integer),
    row("QLinearMatMul", 10, (8, 8), &[], quantized_matmul),
    row("QLinearConv", 10, (8, 9), CONV, quantized_conv),
];

/// How scales lie along a tensor: for each place of an axis, or of an axis for each block of so many places.
struct Grid {
    axis: i64,
    block: i64,
}

impl Grid {
    fn of(call: &mut Call<'_>) -> Grid {
        let (axis, block) = (call.int("axis", 1), call.int("block_size", 0));
        if block < 0 {
            call.refuse_attribute("block_size", block, "can't be negative");
        }
        Grid { axis, block }
    }

    /// A scale or zero point, input `index`, as a value that broadcasts to `x`.
    fn spread(
        &self,
        call: &mut Call<'_>,
        index: usize,
        value: ValueId,
        x: ValueId,
    ) -> Result<ValueId, Stop> {
        let value = single(call, value)?;
        let (own, target) = (call.ty(value), call.ty(x));
        let rank = target.rank();
        if own.rank() == 0 {
            return Ok(value);
        }
        let blocked = self.block > 0;
        if own.rank() != if blocked { rank } else { 1 } {
            let needed = match blocked {
                true => format!("one block of scales for {target}, of the same rank,"),
                false => "a number, a list, or a list per block with a block_size".to_owned(),
            };
            return call.fail_input(index, format!("is {own}; {needed} is needed"));
        }
        let axis = call.axis(self.axis, rank)?;
        let places = target.shape[axis].as_known();
        let fits = |axis_here: usize, at: usize| {
            let wanted = match places {
                Some(places) if blocked && at == axis => Some(blocks(places, self.block)),
                _ => target.shape[at].as_known(),
            };
            let has = own.shape[axis_here].as_known();
            wanted.zip(has).is_none_or(|(wanted, has)| wanted == has)
        };
        let all_fit = match blocked {
            true => (0..rank).all(|at| fits(at, at)),
            false => fits(0, axis),
        };
        if !all_fit {
            let reason = match blocked {
                true => format!("blocks of {} along axis {axis}", self.block),
                false => format!("axis {axis}"),
            };
            return call.fail_input(
                index,
                format!("is {own}, which does not fit {reason} of {target}"),
            );
        }
        if !blocked {
            return call.unsqueeze(value, (1..).take(rank - 1 - axis));
        }
        let extent = call.extent(x, axis)?;
        let positions = call.positions(extent)?;
        let size = call.constant(tensor::Tensor::scalar(self.block))?;
        let block = call.apply("div", &[positions, size])?;
        let gather = Gather {
            axis: i64::try_from(axis).unwrap_or(i64::MAX),
        };
        call.emit(Op::Gather(gather), &[Some(value), Some(block)])
    }
}

fn blocks(places: i64, block: i64) -> i64 {
    places / block + i64::from(places % block != 0)
}

/// A list of one number as that number.
fn single(call: &mut Call<'_>, value: ValueId) -> Result<ValueId, Stop> {
    match &call.ty(value).shape[..] {
        [Dim::Known(1)] => {
            let axes = Some(vec![0]);
            call.emit(Op::Squeeze(Squeeze { axes }), &[Some(value)])
        }
        _ => Ok(value),
    }
}

/// The numbers of a value: of codes those that they stand for, in `f32`, else its own.
fn numbers(call: &mut Call<'_>, value: ValueId) -> Result<ValueId, Stop> {
    match call.element_of(value).format() {
        Some(format) => {
            let to = DType::F32;
            call.emit(Op::Decode(Decode { format, to }), &[Some(value)])
        }
        None => Ok(value),
    }
}

/// `x - zero` in `f32` for floats, in `i32` for integers; `zero` is input `index`.
fn centred(
    call: &mut Call<'_>,
    x: ValueId,
    index: usize,
    zero: Option<ValueId>,
) -> Result<ValueId, Stop> {
    let ty = call.ty(x);
    let value = numbers(call, x)?;
    let within = match call.dtype(value) {
        dtype if dtype.is_float() => DType::F32,
        _ => DType::I32,
    };
    let value = call.cast(value, within)?;
    let Some(zero) = zero else {
        return Ok(value);
    };
    let zero = call.cast(zero, within)?;
    let difference = call.apply("sub", &[value, zero])?;
    let widened = call.ty(difference).shape;
    let differs =
        |(a, b): (&Dim, &Dim)| a.as_known().zip(b.as_known()).is_some_and(|(a, b)| a != b);
    if widened.len() != ty.rank() || widened.iter().zip(&ty.shape).any(differs) {
        let zero = call.ty(zero);
        return call.fail_input(
            index,
            format!("has the shape of {zero}, which does not fit {ty}"),
        );
    }
    Ok(difference)
}

/// The zero point `index` of input `of`, if it is there; it must be of that input's element type.
fn zero_point(call: &mut Call<'_>, index: usize, of: usize) -> Result<Option<ValueId>, Stop> {
    let x = call.input(of)?;
    let Some(zero) = call.optional(index)? else {
        return Ok(None);
    };
    let (own, wanted) = (call.element_of(zero), call.element_of(x));
    if own != wanted {
        let reason = format!(
            "is {}, but the zero point of {} must be of its type",
            own.name(),
            wanted.name()
        );
        return call.fail_input(index, reason);
    }
    Ok(Some(zero))
}

/// Makes `quotient`, which is not rounded yet, plus a zero point the first output, as elements of a quantised type.
fn finish_quantized(
    call: &mut Call<'_>,
    quotient: ValueId,
    zero: Option<ValueId>,
    to: Element,
    saturate: bool,
) -> Done {
    if let Some(Narrow::Float(format)) = to.narrow {
        let mut y = quotient;
        if let Some(zero) = zero {
            let zero = call.cast(zero, call.dtype(y))?;
            y = call.apply("add", &[y, zero])?;
        }
        let encode = Encode {
            format,
            rounding: FloatRounding::NearestEven,
            saturate,
        };
        return call.finish_element(to, Op::Encode(encode), &[Some(y)]);
    }
    let Some((least, largest)) = to.integers() else {
        let element = to.name();
        return call.fail(ProblemKind::UnsupportedElement { element });
    };
    let rounded = call.apply("round", &[quotient])?;
    // Whole numbers of up to 24 bits are exact in `f32`, and what is larger is beyond the range with any zero point.
    let mut y = call.cast(rounded, DType::F32)?;
    if let Some(zero) = zero {
        let zero = call.cast(zero, DType::F32)?;
        y = call.apply("add", &[y, zero])?;
    }
    // In this order NaN, which is not less than anything, becomes the least number.
    let (least, largest) = (
        call.scalar(DType::F32, least.into())?,
        call.scalar(DType::F32, largest.into())?,
    );
    let above = call.apply("greater_equal", &[y, least])?;
    let y = call.apply("where", &[above, y, least])?;
    let below = call.apply("less_equal", &[y, largest])?;
    let y = call.apply("where", &[below, y, largest])?;
    call.finish_element(to, Op::Map(MapOp::cast(to.dtype)), &[Some(y)])
}

/// `saturate(round(x / scale) + zero)`; the division is in the dtype of `precision` or of the scale.
fn quantize(call: &mut Call<'_>) -> Done {
    let grid = Grid::of(call);
    let saturate = call.flag("saturate", true);
    let named = call.optional_element("output_dtype");
    let precision = call.optional_element("precision");
    if let Some(precision) = precision
        && !(precision.narrow.is_none() && precision.dtype.is_float())
    {
        let reason = "must be FLOAT, FLOAT16 or BFLOAT16";
        call.refuse_attribute("precision", precision.name(), reason);
    }
    let (x, scale, zero) = (call.plain(0)?, call.input(1)?, call.optional(2)?);
    let of_zero = zero.map(|zero| call.element_of(zero));
    if let (Some(named), Some(of_zero)) = (named, of_zero)
        && named != of_zero
    {
        let reason = format!("is not {}, the type of the zero point", of_zero.name());
        call.refuse_attribute("output_dtype", named.name(), reason);
    }
    let to = of_zero.or(named).unwrap_or(Element::of(DType::U8));
    let scale = numbers(call, scale)?;
    let within = match (precision, call.dtype(scale)) {
        (Some(precision), _) => precision.dtype,
        (None, float) if float.is_float() => float,
        (None, _) => DType::F64,
    };
    let scale = call.cast(scale, within)?;
    let scale = grid.spread(call, 1, scale, x)?;
    let x = call.cast(x, within)?;
    let quotient = call.apply("div", &[x, scale])?;
    let zero = match zero {
        Some(zero) => {
            let zero = numbers(call, zero)?;
            Some(grid.spread(call, 2, zero, x)?)
        }
        None => None,
    };
    finish_quantized(call, quotient, zero, to, saturate)
}

/// `(x - zero) * scale`, rounded to the result's dtype at the end.
fn dequantize(call: &mut Call<'_>) -> Done {
    let grid = Grid::of(call);
    let named = call.optional_element("output_dtype");
    let (x, scale) = (call.input(0)?, call.input(1)?);
    let element = call.element_of(x);
    if !(element.dtype.is_integer() || element.format().is_some()) {
        return call.fail_input(0, format!("is {}, which is not quantised", element.name()));
    }
    let to = named.unwrap_or(call.element_of(scale));
    if named.is_none() && to.narrow.is_some() {
        let name = "output_dtype";
        return call.fail(ProblemKind::MissingAttribute { name });
    }
    if to.narrow.is_some() || !to.dtype.is_float() {
        let reason = "must be FLOAT, FLOAT16 or BFLOAT16";
        call.refuse_attribute("output_dtype", to.name(), reason);
    }
    let zero = match zero_point(call, 2, 0)? {
        Some(zero) => {
            let zero = numbers(call, zero)?;
            Some(grid.spread(call, 2, zero, x)?)
        }
        None => None,
    };
    let value = centred(call, x, 2, zero)?;
    let value = call.cast(value, DType::F32)?;
    let scale = numbers(call, scale)?;
    let scale = call.cast(scale, DType::F32)?;
    let scale = grid.spread(call, 1, scale, x)?;
    let product = Op::Map(MapOp::named("mul").expect("the table has a row mul"));
    call.finish_as(to.dtype, product, &[Some(value), Some(scale)])
}

/// The scale that maps the range of `x`, which includes 0, to 0..=255, and what it makes of `x`. Where all elements are 0 the
/// scale is 1.
fn dynamic(call: &mut Call<'_>) -> Done {
    let x = call.plain(0)?;
    if call.dtype(x) != DType::F32 {
        let ty = call.ty(x);
        return call.fail_input(0, format!("is {ty}; FLOAT is needed"));
    }
    let least = call.reduce_all(ReduceKind::Min, x)?;
    let least = call.apply_number("min", least, 0.0)?;
    let largest = call.reduce_all(ReduceKind::Max, x)?;
    let largest = call.apply_number("max", largest, 0.0)?;
    let range = call.apply("sub", &[largest, least])?;
    let step = call.apply_number("div", range, 255.0)?;
    let flat = call.apply("equal", &[largest, least])?;
    let one = call.scalar(DType::F32, 1.0)?;
    let scale = call.apply("where", &[flat, one, step])?;
    let lowest = call.apply("div", &[least, scale])?;
    let zero = call.apply("neg", &[lowest])?;
    let zero = call.apply("round", &[zero])?;
    // Rounding first or holding within the range first is the same: the ends are whole. The cast saturates.
    let zero = call.cast(zero, DType::U8)?;
    call.output_value(1, scale)?;
    call.output_value(2, zero)?;
    let quotient = call.apply("div", &[x, scale])?;
    finish_quantized(call, quotient, Some(zero), Element::of(DType::U8), true)
}

/// A scale or zero point of the rows of matrices as a value that broadcasts along them.
fn per_row(call: &mut Call<'_>, value: ValueId, matrix: ValueId) -> Result<ValueId, Stop> {
    let value = single(call, value)?;
    match (call.ty(value).rank(), call.ty(matrix).rank()) {
        (1, 2..) => call.unsqueeze(value, [1]),
        _ => Ok(value),
    }
}

/// A scale or zero point of the output channels of weights as a value that broadcasts to them, or, with one axis fewer, to
/// what the convolution gives.
fn per_channel(call: &mut Call<'_>, value: ValueId, axes: usize) -> Result<ValueId, Stop> {
    let value = single(call, value)?;
    match call.ty(value).rank() {
        1 => call.unsqueeze(value, (1..).take(axes)),
        _ => Ok(value),
    }
}

/// Products are of numbers of 8 bits, or of codes.
fn check_bytes(call: &mut Call<'_>, index: usize) -> Done {
    let value = call.input(index)?;
    let element = call.element_of(value);
    let is_byte = element.narrow.is_none() && matches!(element.dtype, DType::I8 | DType::U8);
    if is_byte || element.format().is_some() {
        return Ok(());
    }
    let reason = format!("is {}; INT8 or UINT8 is needed", element.name());
    call.fail_input(index, reason)
}

/// The product of two matrices of quantised numbers, each minus its zero point; those are the last two inputs named.
fn centred_product(
    call: &mut Call<'_>,
    [a, b, a_zero, b_zero]: [usize; 4],
) -> Result<ValueId, Stop> {
    let (left, right) = (call.input(a)?, call.input(b)?);
    check_bytes(call, a)?;
    check_bytes(call, b)?;
    let zero = match zero_point(call, a_zero, a)? {
        Some(zero) => {
            let zero = numbers(call, zero)?;
            Some(per_row(call, zero, left)?)
        }
        None => None,
    };
    let left = centred(call, left, a_zero, zero)?;
    let zero = match zero_point(call, b_zero, b)? {
        Some(zero) => {
            let zero = numbers(call, zero)?;
            Some(single(call, zero)?)
        }
        None => None,
    };
    let right = centred(call, right, b_zero, zero)?;
    let both = if call.dtype(left) == call.dtype(right) {
        call.dtype(left)
    } else {
        DType::F32
    };
    let (left, right) = (call.cast(left, both)?, call.cast(right, both)?);
    call.emit(Op::MatMul(MatMul), &[Some(left), Some(right)])
}

fn matmul_integer(call: &mut Call<'_>) -> Done {
    let product = centred_product(call, [0, 1, 2, 3])?;
    call.output_value(0, product)
}

/// Input 0 and the weights of a convolution, each minus its zero point.
fn centred_image(
    call: &mut Call<'_>,
    [w, x_zero, w_zero]: [usize; 3],
) -> Result<[ValueId; 2], Stop> {
    let (image, weights) = (call.input(0)?, call.input(w)?);
    check_bytes(call, 0)?;
    check_bytes(call, w)?;
    let zero = match zero_point(call, x_zero, 0)? {
        Some(zero) => Some(single(call, zero)?),
        None => None,
    };
    let x = centred(call, image, x_zero, zero)?;
    let zero = match zero_point(call, w_zero, w)? {
        Some(zero) => {
            let axes = call.ty(weights).rank().saturating_sub(1);
            Some(per_channel(call, zero, axes)?)
        }
        None => None,
    };
    Ok([x, centred(call, weights, w_zero, zero)?])
}

/// The padding is the zero point: it is 0 after the subtraction.
fn conv_integer(call: &mut Call<'_>) -> Done {
    let conv = convolution(call, 1)?;
    let inputs = centred_image(call, [1, 2, 3])?;
    call.finish(Op::Conv(conv), &inputs.map(Some))
}

/// `a * b / y`, the scale of a sum of products in units of the result's scale; all in `f32`.
fn requantize(call: &mut Call<'_>, sum: ValueId, [a, b, y]: [ValueId; 3], zero: ValueId) -> Done {
    let mut scales = [a, b, y];
    for scale in &mut scales {
        *scale = call.cast(*scale, DType::F32)?;
    }
    let [a, b, y] = scales;
    let both = call.apply("mul", &[a, b])?;
    let factor = call.apply("div", &[both, y])?;
    let sum = call.cast(sum, DType::F32)?;
    let quotient = call.apply("mul", &[sum, factor])?;
    let to = call.element_of(zero);
    let zero = single(call, zero)?;
    let zero = match to.format() {
        Some(format) => {
            let decode = Decode {
                format,
                to: DType::F32,
            };
            call.emit(Op::Decode(decode), &[Some(zero)])?
        }
        None => zero,
    };
    finish_quantized(call, quotient, Some(zero), to, true)
}

fn quantized_matmul(call: &mut Call<'_>) -> Done {
    let sum = centred_product(call, [0, 3, 2, 5])?;
    let (a, a_scale) = (call.input(0)?, call.plain(1)?);
    let (b_scale, y_scale) = (call.plain(4)?, call.plain(6)?);
    let scales = [
        per_row(call, a_scale, a)?,
        single(call, b_scale)?,
        single(call, y_scale)?,
    ];
    let zero = call.input(7)?;
    requantize(call, sum, scales, zero)
}

fn quantized_conv(call: &mut Call<'_>) -> Done {
    let conv = convolution(call, 3)?;
    let [x, w] = centred_image(call, [3, 2, 5])?;
    let bias = call.optional(8)?;
    let inputs = [Some(x), Some(w), bias];
    let given = if bias.is_some() { 3 } else { 2 };
    let sum = call.emit(Op::Conv(conv), &inputs[..given])?;
    let spatial = call.ty(sum).rank() - 2;
    let [x_scale, w_scale, y_scale] = [call.input(1)?, call.input(4)?, call.input(6)?];
    let scales = [
        single(call, x_scale)?,
        per_channel(call, w_scale, spatial)?,
        single(call, y_scale)?,
    ];
    let zero = call.input(7)?;
    requantize(call, sum, scales, zero)
}
