//! A scalar of one's own in tensors: an interval, defined here, used as any preset is.
//!
//! `cargo run -p tensor --example custom_scalar` prints what `custom_scalar.txt` holds; a test compares the two. The steps:
//! a typed tensor that is indexed, viewed, copied and moved behind a dynamic owner; the dtype that one trait gives it; a set
//! of element types with its promotion.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use tensor::{
    ExternalScalar, Host, Rank, Scalar, ScalarDomain, SliceSpec, Tensor, TypedTensor,
    TypedTensorView, define_scalar_set,
};

/// The numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    lo: f64,
    hi: f64,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}

/// Enough for storage and views: even `Clone` is asked for only by copies.
impl Scalar for Interval {
    const DOMAIN: ScalarDomain = ScalarDomain::NonField;
}

/// Enough for a dtype, and so for dynamic tensors and sets.
impl ExternalScalar for Interval {
    const NAME: &'static str = "example.interval";
}

define_scalar_set! {
    /// What a measurement can be made of. An interval ranks above a number: a number is the interval of itself.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum MeasureTag {
        /// Counts.
        Count("count") => i64 : Integer 0 64,
        /// Numbers.
        Number("number") => f64 : Float 1 64,
        /// Numbers with an uncertainty.
        Interval("interval") => Interval : Float 2 128,
    }
    /// A measurement of any of them.
    enum Measure;
}

type Intervals = TypedTensor<Interval, Rank<2>, Host>;

/// Two rows of three: the interval around `10 * row + column`, half as wide as the column.
fn measured() -> tensor::Result<Intervals> {
    let around = |value: f64, half: f64| Interval {
        lo: value - half,
        hi: value + half,
    };
    let columns = (0..3).map(f64::from);
    let data = columns.flat_map(|column| [0.0, 10.0].map(|row| around(row + column, column / 2.0)));
    Intervals::from_host_vec_col_major([2, 3], data.collect())
}

/// One row of a view as text.
fn row(view: &TypedTensorView<'_, Interval, Rank<2>>, index: usize) -> tensor::Result<String> {
    let texts: Vec<String> = view
        .index_axis(0, index)?
        .iter()
        .map(Interval::to_string)
        .collect();
    Ok(texts.join("  "))
}

/// Prints every step to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    typed(out)?;
    dynamic(out)?;
    set(out)
}

fn typed(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut t = measured()?;
    writeln!(out, "typed")?;
    writeln!(
        out,
        "  shape {:?}, strides {:?}: column-major memory",
        t.shape(),
        t.strides()
    )?;
    writeln!(out, "  t[[1, 2]] = {}", t[[1, 2]])?;
    match t.get(&[2, 0]) {
        Ok(element) => writeln!(out, "  t[[2, 0]] = {element}")?,
        Err(error) => writeln!(out, "  {error}")?,
    }
    let view = t.as_view()?;
    writeln!(out, "  row 1: {}", row(&view, 1)?)?;
    writeln!(
        out,
        "  column 2, turned into a row: {}",
        row(&view.transpose(), 2)?
    )?;
    let odd = view.slice_axis(1, SliceSpec::new(None, None, -2))?;
    writeln!(
        out,
        "  columns 2 and 0, strides {:?}: {}",
        odd.strides(),
        row(&odd, 0)?
    )?;
    // The caller's own memory, read as it lies.
    let lent = [Interval { lo: 0.0, hi: 1.0 }, Interval { lo: 2.0, hi: 4.0 }];
    let lent = TypedTensorView::<_, Rank<2>>::from_slice_strided([1, 3], &[0, 0], 1, &lent)?;
    writeln!(out, "  borrowed, stride 0: {}", row(&lent, 0)?)?;
    let copy = t.clone();
    t[[0, 0]] = Interval { lo: -1.0, hi: 1.0 };
    writeln!(
        out,
        "  a clone keeps {} while the owner has {}",
        copy[[0, 0]],
        t[[0, 0]]
    )?;
    let address = t.storage()?.as_ptr();
    let behind = t.into_dynamic();
    let moved = behind.storage()?.as_ptr() != address;
    let shape = behind.shape();
    writeln!(
        out,
        "  into_dynamic: shape {shape:?}, elements moved: {moved}"
    )?;
    Ok(())
}

fn dynamic(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let tensor = Tensor::external(measured()?.into_dyn_rank());
    writeln!(out, "dynamic")?;
    writeln!(out, "  {}", tensor.to_string().replace('\n', "\n  "))?;
    writeln!(
        out,
        "  its own dtype: {}",
        tensor.dtype() == Interval::DTYPE
    )?;
    match tensor.into_typed::<f64>() {
        Ok(_) => writeln!(out, "  read as f64")?,
        Err(refused) => writeln!(out, "  as f64: {}", refused.error())?,
    }
    let mixed = tensor::core::promote(Interval::DTYPE, tensor::DType::F64);
    if let Err(error) = mixed {
        writeln!(out, "  {error}")?;
    }
    Ok(())
}

fn set(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "set")?;
    for tag in MeasureTag::TAGS {
        let promoted: Vec<String> = MeasureTag::TAGS
            .iter()
            .map(|&other| Ok(format!("{:8}", Measure::promote(*tag, other)?.name())))
            .collect::<Result<_, Box<dyn Error>>>()?;
        writeln!(
            out,
            "  {:8} | {}",
            tag.name(),
            promoted.join(" ").trim_end()
        )?;
    }
    let counts = TypedTensor::from_host_vec_row_major([2], vec![3_i64, 4])?;
    for measure in [Measure::from(counts), measured()?.into_dyn_rank().into()] {
        let intervals = measure.as_typed::<Interval>().is_some();
        writeln!(
            out,
            "  {} {:?}, dtype {}, intervals: {intervals}",
            measure.tag().name(),
            measure.shape(),
            measure.dtype()
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}
