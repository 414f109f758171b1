//! Exact decimal numbers: what stands between text and binary parts, so that only the last step rounds.
//!
//! Every `f64` is a finite decimal (at most 1075 digits), so sums and differences of them are exact here. Sizes are
//! bounded by the length of the text that is read plus the digits of an `f64`.

use std::cmp::Ordering;

/// `±0.d1 d2 d3 ... * 10^point`. The first and last digit are not 0; zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    pub(crate) digits: Vec<u8>,
    pub(crate) point: i64,
}

impl Decimal {
    fn trimmed(negative: bool, mut digits: Vec<u8>, mut point: i64) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
        digits.drain(..zeros);
        point -= signed(zeros);
        if digits.is_empty() {
            point = 0;
        }
        Self {
            negative: negative && !digits.is_empty(),
            digits,
            point,
        }
    }

    /// The exact value of a finite `f64`.
    pub(crate) fn from_f64(value: f64) -> Self {
        // The smallest f64 ends 1074 digits behind the point; std prints exactly as many as it is asked for.
        Self::parse(&format!("{value:.1074}")).unwrap_or(Self {
            negative: false,
            digits: Vec::new(),
            point: 0,
        })
    }

    /// Reads `[+-] digits [. digits] [e [+-] digits]`; an exponent beyond a million million is held there.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        const FAR: i64 = 1_000_000_000_000;
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let magnitude = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let all_digits = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
        if !all_digits(&digits) || !all_digits(magnitude.as_bytes()) {
            return None;
        }
        let magnitude = magnitude.parse().unwrap_or(FAR).min(FAR);
        let shift = if exponent.starts_with('-') {
            -magnitude
        } else {
            magnitude
        };
        let digits = digits.into_iter().map(|digit| digit - b'0').collect();
        let point = signed(whole.len()) + shift;
        Some(Self::trimmed(text.starts_with('-'), digits, point))
    }

    /// `self + other`, exactly. Meant for values of comparable size: the digits between them are written out.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        if self.digits.is_empty() {
            return other.clone();
        }
        if other.digits.is_empty() {
            return self.clone();
        }
        let point = self.point.max(other.point);
        let end = |value: &Self| value.point - signed(value.digits.len());
        let length = unsigned(point - end(self).min(end(other)));
        let (a, b) = (self.aligned(point, length), other.aligned(point, length));
        if self.negative == other.negative {
            return Self::trimmed(self.negative, add(&a, &b), point + 1);
        }
        match a.cmp(&b) {
            Ordering::Less => Self::trimmed(other.negative, subtract(&b, &a), point),
            Ordering::Equal | Ordering::Greater => {
                Self::trimmed(self.negative, subtract(&a, &b), point)
            }
        }
    }

    /// `self - other`, exactly.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self {
            negative: !other.negative,
            ..other.clone()
        })
    }

    /// The nearest decimal with `count` digits from the first one on, ties to even; a carry may make it one shorter.
    pub(crate) fn rounded(&self, count: usize) -> Self {
        if count >= self.digits.len() {
            return self.clone();
        }
        let (kept, rest) = self.digits.split_at(count);
        let odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        let up = match rest.split_first() {
            Some((5, tail)) => odd || tail.iter().any(|&digit| digit != 0),
            Some((first, _)) => *first > 5,
            None => false,
        };
        let mut digits = vec![0];
        digits.extend_from_slice(kept);
        for digit in digits.iter_mut().rev() {
            if !up {
                break;
            }
            if *digit < 9 {
                *digit += 1;
                break;
            }
            *digit = 0;
        }
        Self::trimmed(self.negative, digits, self.point + 1)
    }

    /// Text that `f64::from_str` reads back exactly as this value rounded once.
    pub(crate) fn to_scientific(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let digits: String = self
            .digits
            .iter()
            .map(|digit| char::from(b'0' + digit))
            .collect();
        format!("{sign}0.{digits}0e{}", self.point)
    }

    /// The digits with the first at `10^(point - 1)`, filled to `length`.
    fn aligned(&self, point: i64, length: usize) -> Vec<u8> {
        let mut out = vec![0; unsigned(point - self.point)];
        out.extend_from_slice(&self.digits);
        out.resize(length, 0);
        out
    }
}

/// One digit longer than the terms.
fn add(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut out = vec![0; a.len() + 1];
    let mut carry = 0;
    for i in (0..a.len()).rev() {
        let sum = a[i] + b[i] + carry;
        (out[i + 1], carry) = (sum % 10, sum / 10);
    }
    out[0] = carry;
    out
}

/// `a` is not below `b`.
fn subtract(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut out = vec![0; a.len()];
    let mut borrow = 0;
    for i in (0..a.len()).rev() {
        let minuend = a[i] + 10 - borrow;
        let difference = minuend - b[i];
        (out[i], borrow) = (difference % 10, u8::from(difference < 10));
    }
    out
}

/// A length as an exponent; no vector is longer than `i64::MAX`.
fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// A difference of exponents that is known not to be negative.
fn unsigned(length: i64) -> usize {
    usize::try_from(length).unwrap_or(0)
}
