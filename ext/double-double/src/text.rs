//! Reading and printing: exact decimals in between, so each direction rounds once.

use std::fmt;
use std::str::FromStr;

use crate::DoubleDouble;
use crate::decimal::Decimal;

/// Significant digits that `Display` prints when no precision is given.
const DIGITS: usize = 31;

/// A text that is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseDoubleDoubleError {
    /// The text that was given.
    pub text: String,
}

impl fmt::Display for ParseDoubleDoubleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no number; write a decimal such as 3.25, -1e-40, inf or NaN",
            self.text
        )
    }
}

impl std::error::Error for ParseDoubleDoubleError {}

/// The nearest value: `hi` is the nearest `f64`, `lo` the `f64` nearest to what is left.
impl FromStr for DoubleDouble {
    type Err = ParseDoubleDoubleError;

    fn from_str(text: &str) -> Result<Self, ParseDoubleDoubleError> {
        let refused = || ParseDoubleDoubleError {
            text: text.to_owned(),
        };
        let hi: f64 = text.parse().map_err(|_| refused())?;
        if !hi.is_finite() || hi == 0.0 {
            return Ok(hi.into());
        }
        let exact = Decimal::parse(text).ok_or_else(refused)?;
        let rest = exact.minus(&Decimal::from_f64(hi)).to_scientific();
        Ok(Self::new(hi, rest.parse().map_err(|_| refused())?))
    }
}

/// 31 significant digits without trailing zeros, or as many decimals as the precision says; an exponent for values
/// below 10^-5 or from 10^31 on. Width, fill and sign work as for `f64`.
impl fmt::Display for DoubleDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_finite() {
            return fmt::Display::fmt(&self.hi, f);
        }
        let exact = Decimal::from_f64(self.hi).plus(&Decimal::from_f64(self.lo));
        let text = match f.precision() {
            Some(decimals) => fixed(&exact, decimals),
            None => shortest(&exact.rounded(DIGITS)),
        };
        f.pad_integral(!exact.negative, "", &text)
    }
}

/// The digits `from..to` behind the decimal point of `0.digits`, 0 where there are none.
fn digits(value: &Decimal, from: i64, to: i64) -> String {
    let digit = |at: i64| {
        let digit = usize::try_from(at).ok().and_then(|at| value.digits.get(at));
        char::from(b'0' + digit.copied().unwrap_or(0))
    };
    (from..to).map(digit).collect()
}

fn fixed(exact: &Decimal, decimals: usize) -> String {
    let wanted = i64::try_from(decimals).unwrap_or(i64::MAX);
    // Above the first digit there is nothing to keep; exactly there, rounding may still carry into it.
    let rounded = match usize::try_from(exact.point.saturating_add(wanted)) {
        Ok(count) => exact.rounded(count),
        Err(_) => Decimal {
            negative: false,
            digits: Vec::new(),
            point: 0,
        },
    };
    let point = rounded.point;
    let whole = if point > 0 {
        digits(&rounded, 0, point)
    } else {
        "0".to_owned()
    };
    if decimals == 0 {
        return whole;
    }
    format!("{whole}.{}", digits(&rounded, point, point + wanted))
}

fn shortest(value: &Decimal) -> String {
    let (length, point) = (
        i64::try_from(value.digits.len()).unwrap_or(i64::MAX),
        value.point,
    );
    if length == 0 {
        return "0".to_owned();
    }
    if !(-4..=31).contains(&point) {
        let fraction = digits(value, 1, length);
        let dot = if fraction.is_empty() { "" } else { "." };
        return format!("{}{dot}{fraction}e{}", digits(value, 0, 1), point - 1);
    }
    let whole = if point > 0 {
        digits(value, 0, point)
    } else {
        "0".to_owned()
    };
    let fraction = digits(value, point, length);
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{whole}{dot}{fraction}")
}
