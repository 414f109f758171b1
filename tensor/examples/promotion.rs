//! Which dtype two others share, what refuses to share one, and what a cast does instead.
//!
//! `cargo run -p tensor --example promotion` prints what `promotion.txt` beside this file holds; a test compares the two.

use std::error::Error;
use std::io::{self, Write};

use tensor::core::{ExternalId, can_convert, promote};
use tensor::{Complex64, DType, Tensor};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Writes the whole example.
///
/// # Errors
/// What `out` reports.
pub fn run(out: &mut impl Write) -> io::Result<()> {
    let example = |out: &mut _| {
        table(out)?;
        rules(out)?;
        externals(out)?;
        conversions(out)?;
        casts(out)
    };
    example(out).map_err(io::Error::other)
}

fn table(out: &mut impl Write) -> Outcome {
    writeln!(out, "== The dtype that holds the values of both ==")?;
    // Nothing promotes by itself: an operation on two dtypes is an error until the caller has asked this table.
    write!(out, "{:4}", "")?;
    for column in DType::TAGS {
        write!(out, " {column:>4}")?;
    }
    writeln!(out)?;
    for &row in DType::TAGS {
        write!(out, "{row:4}")?;
        for &column in DType::TAGS {
            write!(out, " {:>4}", promote(row, column)?)?;
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    Ok(())
}

fn rules(out: &mut impl Write) -> Outcome {
    use DType::{Bool, C32, F16, F32, F64, I8, I32, I64, U8, U64};
    writeln!(out, "== Rules of the table, by example ==")?;
    let pairs = [
        (Bool, I32, "a truth value yields to any number"),
        (I32, F32, "an integer with a float: the widest float"),
        (I64, F32, "also where that rounds above 2^53"),
        (F32, C32, "a float with a complex: the wider component"),
        (F64, C32, "here the float's"),
        (I8, U8, "mixed signs: a signed type that holds both"),
        (I64, U64, "no integer holds these two"),
        (
            F16,
            DType::BF16,
            "neither holds the other, so the next one up",
        ),
    ];
    for (lhs, rhs, why) in pairs {
        writeln!(
            out,
            "{lhs:4} with {rhs:4} gives {:4} {why}",
            promote(lhs, rhs)?
        )?;
    }
    // The order of the operands never matters, and neither does their grouping.
    let tags = || DType::TAGS.iter().copied();
    let (mut pairs, mut triples) = (0, 0);
    for (a, b) in tags().flat_map(|a| tags().map(move |b| (a, b))) {
        let both = promote(a, b)?;
        pairs += u32::from(both == promote(b, a)?);
        for c in tags() {
            triples += u32::from(promote(both, c)? == promote(a, promote(b, c)?)?);
        }
    }
    writeln!(
        out,
        "{pairs} of 225 pairs commute, {triples} of 3375 triples associate"
    )?;
    writeln!(out)?;
    Ok(())
}

fn externals(out: &mut impl Write) -> Outcome {
    writeln!(out, "== Scalars from outside ==")?;
    // A scalar defined elsewhere has a dtype, named by a hash. How it relates to others, nobody here can know.
    let a = DType::External(ExternalId::from_name("a"));
    let foobar = DType::External(ExternalId::from_name("foobar"));
    writeln!(out, "{a} with itself gives {}", promote(a, a)?)?;
    for (lhs, rhs) in [(a, DType::F32), (DType::F32, a), (a, foobar)] {
        match promote(lhs, rhs) {
            Ok(both) => writeln!(out, "{lhs} with {rhs} gives {both}")?,
            Err(error) => writeln!(out, "refused: {error}")?,
        }
    }
    writeln!(out)?;
    Ok(())
}

fn conversions(out: &mut impl Write) -> Outcome {
    writeln!(out, "== What a conversion may do: go up the table ==")?;
    let pairs = [
        (DType::F32, DType::F64),
        (DType::F64, DType::F32),
        (DType::I32, DType::F64),
        (DType::I32, DType::F32),
        (DType::U8, DType::I16),
        (DType::U8, DType::I8),
        (DType::Bool, DType::C32),
        (DType::I64, DType::Bool),
    ];
    for (from, to) in pairs {
        let may = if can_convert(from, to) { "yes" } else { "no" };
        writeln!(out, "{from:4} to {to:4} {may}")?;
    }
    // Elements of another dtype are not copied in, whichever way the table points.
    let (mut doubles, singles) = (Tensor::scalar(1.0_f64), Tensor::scalar(2.0_f32));
    match doubles.view_mut()?.copy_from(&singles.view()?) {
        Ok(()) => writeln!(out, "copied")?,
        Err(error) => writeln!(out, "refused: {error}")?,
    }
    writeln!(out)?;
    Ok(())
}

fn casts(out: &mut impl Write) -> Outcome {
    writeln!(
        out,
        "== What a cast does: any direction, by name, with loss =="
    )?;
    let source = Tensor::from_vec_row_major([3], vec![300.7, -1.5, f64::NAN])?;
    writeln!(out, "{source}")?;
    // Integers: truncated toward zero, saturated, NaN to 0. Floats: rounded once. Truth: not equal to zero.
    for to in [DType::I32, DType::U8, DType::F16, DType::Bool, DType::C32] {
        writeln!(out, "{}", source.cast(to)?)?;
    }
    // The conversion that the table allows and that still rounds: 2^53 + 1 is no f64.
    let large = Tensor::scalar((1_i64 << 53) + 1);
    let rounded = large.cast(DType::F64)?.cast(DType::I64)?;
    writeln!(out, "{large} through f64 is {rounded}")?;
    let complex = Tensor::scalar(Complex64::new(1.0, 2.0));
    match complex.cast(DType::F32) {
        Ok(real) => writeln!(out, "{real}")?,
        Err(error) => writeln!(out, "refused: {error}")?,
    }
    Ok(())
}

fn main() -> io::Result<()> {
    run(&mut io::stdout().lock())
}
