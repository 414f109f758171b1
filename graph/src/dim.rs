//! Symbolic extents: a number, a symbol, or an integer expression over symbols.
//!
//! A [`Dim`] is kept in a light normal form by its constructors (numbers fold, neutral elements
//! disappear, `(x + 1) + 2` is `x + 3`, a product is divided factor by factor), so that equal
//! extents usually compare equal; two unequal `Dim`s may still evaluate to the same number.
//! Division rounds toward negative infinity. Arithmetic saturates: an extent that overflows `i64`
//! can never be allocated and is refused where the shape becomes concrete.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The name of an extent that is known only when inputs are bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// A symbol of this name. Any text is a name; names that are no identifiers print quoted.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Symbol(name.into())
    }

    /// The name as given.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Values of symbols.
pub type Bindings = BTreeMap<Symbol, usize>;

/// The operators of extent expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DimOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `floor(a / b)`; a division by 0 gives 0, which no valid graph contains.
    FloorDiv,
    /// `max(a, b)`: what broadcasting makes of two extents that are equal or 1.
    Max,
}

/// An extent, or an element of a small integer tensor that describes a shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// A number. Extents are never negative; elements of shape tensors may be (`-1`).
    Known(i64),
    /// A symbol.
    Symbol(Symbol),
    /// An expression.
    Expr(Arc<(DimOp, Dim, Dim)>),
}

impl From<usize> for Dim {
    fn from(extent: usize) -> Self {
        Dim::Known(i64::try_from(extent).unwrap_or(i64::MAX))
    }
}

impl From<&str> for Dim {
    fn from(name: &str) -> Self {
        Dim::Symbol(Symbol::new(name))
    }
}

impl Dim {
    /// The number, if this is one.
    pub fn as_known(&self) -> Option<i64> {
        match self {
            Dim::Known(n) => Some(*n),
            Dim::Symbol(_) | Dim::Expr(_) => None,
        }
    }

    /// The extent, if this is a number that can be one.
    pub fn as_extent(&self) -> Option<usize> {
        self.as_known().and_then(|n| usize::try_from(n).ok())
    }

    /// Whether no binding makes this negative, as far as its form shows. Symbols are extents.
    pub(crate) fn is_never_negative(&self) -> bool {
        self.least().is_some_and(|least| least >= 0)
    }

    /// A number that this is never below, if one is seen: symbols are extents, so they are at least 0.
    fn least(&self) -> Option<i64> {
        match self {
            Dim::Known(n) => Some(*n),
            Dim::Symbol(_) => Some(0),
            Dim::Expr(e) => {
                let (a, b) = (e.1.least(), e.2.least());
                match e.0 {
                    DimOp::Add => Some(a?.saturating_add(b?)),
                    DimOp::Mul | DimOp::FloorDiv => (a? >= 0 && b? >= 0).then_some(0),
                    DimOp::Max => a.max(b),
                    DimOp::Sub => None,
                }
            }
        }
    }

    /// `self op other`, simplified.
    #[must_use]
    pub fn apply(op: DimOp, a: Dim, b: Dim) -> Dim {
        if let (Dim::Known(x), Dim::Known(y)) = (&a, &b) {
            return Dim::Known(evaluate(op, *x, *y));
        }
        match op {
            DimOp::Add => add(a, b),
            DimOp::Sub if a == b => Dim::Known(0),
            DimOp::Sub => match b {
                Dim::Known(c) => add(a, Dim::Known(c.saturating_neg())),
                b => match &a {
                    Dim::Expr(e) if e.0 == DimOp::Add && e.1 == b => e.2.clone(),
                    _ => Dim::expr(DimOp::Sub, a, b),
                },
            },
            DimOp::Mul => Product::of(&a).times(&Product::of(&b)).into_dim(),
            DimOp::FloorDiv => floor_div(a, b),
            DimOp::Max if a == b => a,
            DimOp::Max => match (&a, &b) {
                (Dim::Known(c), _) if b.least().is_some_and(|least| least >= *c) => b,
                (_, Dim::Known(c)) if a.least().is_some_and(|least| least >= *c) => a,
                _ => Dim::expr(DimOp::Max, a, b),
            },
        }
    }

    fn expr(op: DimOp, a: Dim, b: Dim) -> Dim {
        Dim::Expr(Arc::new((op, a, b)))
    }

    /// The product of several extents; 1 for none.
    pub fn product<'a>(dims: impl IntoIterator<Item = &'a Dim>) -> Dim {
        dims.into_iter().fold(Dim::Known(1), |acc, d| {
            Dim::apply(DimOp::Mul, acc, d.clone())
        })
    }

    /// `self / divisor` if the factors of the divisor all occur in `self`, so that nothing remains.
    pub fn exact_div(&self, divisor: &Dim) -> Option<Dim> {
        Product::of(self)
            .divide(&Product::of(divisor))
            .map(Product::into_dim)
    }

    /// The expression with every bound symbol replaced by its number.
    #[must_use]
    pub fn substitute(&self, bindings: &Bindings) -> Dim {
        match self {
            Dim::Known(n) => Dim::Known(*n),
            Dim::Symbol(s) => bindings
                .get(s)
                .map_or_else(|| self.clone(), |&n| Dim::from(n)),
            Dim::Expr(e) => Dim::apply(e.0, e.1.substitute(bindings), e.2.substitute(bindings)),
        }
    }
}

fn evaluate(op: DimOp, x: i64, y: i64) -> i64 {
    match op {
        DimOp::Add => x.saturating_add(y),
        DimOp::Sub => x.saturating_sub(y),
        DimOp::Mul => x.saturating_mul(y),
        DimOp::FloorDiv if y == 0 => 0,
        DimOp::FloorDiv => x.checked_div_euclid(y).map_or(i64::MAX, |q| {
            if y < 0 && x.rem_euclid(y) != 0 {
                q - 1
            } else {
                q
            }
        }),
        DimOp::Max => x.max(y),
    }
}

/// `a + b` with the constant part collected on the right.
fn add(a: Dim, b: Dim) -> Dim {
    let split = |d: Dim| match d {
        Dim::Known(n) => (None, n),
        Dim::Expr(e) if e.0 == DimOp::Add && e.2.as_known().is_some() => {
            (Some(e.1.clone()), e.2.as_known().unwrap_or(0))
        }
        other => (Some(other), 0),
    };
    let ((x, m), (y, n)) = (split(a), split(b));
    let constant = m.saturating_add(n);
    let sum = match (x, y) {
        (Some(x), Some(y)) => Dim::expr(DimOp::Add, x, y),
        (Some(z), None) | (None, Some(z)) => z,
        (None, None) => return Dim::Known(constant),
    };
    if constant == 0 {
        sum
    } else {
        Dim::expr(DimOp::Add, sum, Dim::Known(constant))
    }
}

fn floor_div(a: Dim, b: Dim) -> Dim {
    if b == Dim::Known(1) || a == Dim::Known(0) {
        return a;
    }
    match a.exact_div(&b) {
        Some(quotient) => quotient,
        None => Dim::expr(DimOp::FloorDiv, a, b),
    }
}

/// A product as a coefficient and its other factors, in a fixed order.
#[derive(Clone)]
struct Product {
    coefficient: i64,
    factors: Vec<Dim>,
}

impl Product {
    fn of(dim: &Dim) -> Product {
        match dim {
            Dim::Known(n) => Product {
                coefficient: *n,
                factors: Vec::new(),
            },
            Dim::Expr(e) if e.0 == DimOp::Mul => Product::of(&e.1).times(&Product::of(&e.2)),
            other => Product {
                coefficient: 1,
                factors: vec![other.clone()],
            },
        }
    }

    fn times(mut self, other: &Product) -> Product {
        self.coefficient = self.coefficient.saturating_mul(other.coefficient);
        self.factors.extend(other.factors.iter().cloned());
        self.factors.sort_by_cached_key(ToString::to_string);
        self
    }

    fn divide(mut self, divisor: &Product) -> Option<Product> {
        if divisor.coefficient == 0 || self.coefficient % divisor.coefficient != 0 {
            return None;
        }
        self.coefficient /= divisor.coefficient;
        for factor in &divisor.factors {
            let at = self.factors.iter().position(|f| f == factor)?;
            self.factors.remove(at);
        }
        Some(self)
    }

    fn into_dim(self) -> Dim {
        if self.coefficient == 0 {
            return Dim::Known(0);
        }
        let product = self
            .factors
            .into_iter()
            .reduce(|a, b| Dim::expr(DimOp::Mul, a, b));
        match (product, self.coefficient) {
            (None, c) => Dim::Known(c),
            (Some(p), 1) => p,
            (Some(p), c) => Dim::expr(DimOp::Mul, p, Dim::Known(c)),
        }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::write_name(f, self.name())
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Known(n) => write!(f, "{n}"),
            Dim::Symbol(s) => write!(f, "{s}"),
            Dim::Expr(e) => {
                let (op, a, b) = &**e;
                match op {
                    DimOp::Add => write!(f, "({a} + {b})"),
                    DimOp::Sub => write!(f, "({a} - {b})"),
                    DimOp::Mul => write!(f, "({a} * {b})"),
                    DimOp::FloorDiv => write!(f, "({a} / {b})"),
                    DimOp::Max => write!(f, "max({a}, {b})"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(op: DimOp, a: impl Into<Dim>, b: impl Into<Dim>) -> Dim {
        Dim::apply(op, a.into(), b.into())
    }

    #[test]
    fn expressions_fold_to_a_normal_form() {
        use DimOp::{Add, FloorDiv, Max, Mul, Sub};
        let cases: Vec<(Dim, &str)> = vec![
            (op(Add, 2, 3), "5"),
            (op(Add, op(Add, "W", 1), 2), "(W + 3)"),
            (op(Sub, op(Add, "W", 2), 2), "W"),
            (op(Sub, "W", "W"), "0"),
            (op(Mul, "W", 1), "W"),
            (op(Mul, 0, "W"), "0"),
            (op(Mul, op(Mul, 2, "B"), op(Mul, "A", 3)), "((A * B) * 6)"),
            (op(FloorDiv, op(Mul, "B", 8), 4), "(B * 2)"),
            (op(FloorDiv, op(Mul, "B", 8), "B"), "8"),
            (op(FloorDiv, "B", 2), "(B / 2)"),
            (op(FloorDiv, -7, 2), "-4"),
            (op(FloorDiv, 7, -2), "-4"),
            (op(FloorDiv, -7, -2), "3"),
            (op(Max, "B", 1), "max(B, 1)"),
            (op(Max, "B", 0), "B"),
            (op(Max, op(Add, "B", -1), -1), "(B + -1)"),
            (op(Max, op(Add, "B", -1), 0), "max((B + -1), 0)"),
            (op(Max, "B", "C"), "max(B, C)"),
            (op(Mul, i64::MAX, 2), "9223372036854775807"),
        ];
        for (dim, want) in cases {
            assert_eq!(dim.to_string(), want);
        }
    }

    #[test]
    fn bindings_make_numbers() {
        let dim = op(DimOp::FloorDiv, op(DimOp::Add, "W", 1), 2);
        let bindings = Bindings::from([(Symbol::new("W"), 320)]);
        assert_eq!(dim.substitute(&bindings), Dim::Known(160));
        assert_eq!(dim.substitute(&Bindings::new()), dim);
    }

    impl From<i64> for Dim {
        fn from(n: i64) -> Self {
            Dim::Known(n)
        }
    }

    impl From<i32> for Dim {
        fn from(n: i32) -> Self {
            Dim::Known(n.into())
        }
    }
}
