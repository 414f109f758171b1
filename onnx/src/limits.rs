//! Limits on what a result's type may grow to.
//!
//! Shapes are lists of expressions. A few nodes can ask for very many axes, or for an expression that
//! doubles with each node (`x + x` of `x + x` of ...). No model comes near these limits; a file made
//! to exhaust time or memory does.

use graph::{Dim, ValueFacts};

/// Most axes of a value.
pub(crate) const RANK: usize = 64;

/// Most operators of one extent.
const TERMS: usize = 512;

/// Most operators of all extents and known elements of a value; it bounds the time per node.
const ALL_TERMS: usize = 4096;

/// What of a value's type or known elements is too large, if anything is.
pub(crate) fn too_large(facts: &ValueFacts) -> Option<String> {
    let rank = facts.ty.rank();
    if rank > RANK {
        return Some(format!("{rank} axes; at most {RANK} are supported"));
    }
    let known = facts.known.as_deref().unwrap_or_default();
    let mut left = ALL_TERMS;
    let all_fit = facts.ty.shape.iter().chain(known).all(|dim| {
        let allowed = TERMS.min(left);
        let mut rest = allowed;
        let fits = count(dim, &mut rest);
        left -= allowed - rest;
        fits
    });
    (!all_fit).then(|| {
        format!(
            "extents that are expressions of more than {TERMS} operators; bind symbols to numbers when exporting"
        )
    })
}

/// Takes the operators of an expression from `left`; whether they were there.
fn count(dim: &Dim, left: &mut usize) -> bool {
    let Dim::Expr(expr) = dim else {
        return true;
    };
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    count(&expr.1, left) && count(&expr.2, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph::{DimOp, TensorType};
    use tensor_core::DType;

    fn facts(shape: Vec<Dim>) -> ValueFacts {
        ValueFacts::of_type(TensorType::new(DType::F32, shape))
    }

    #[test]
    fn doubling_extents_are_too_large() {
        let mut dim = Dim::from("n");
        for step in 0..40 {
            dim = Dim::apply(DimOp::Add, dim.clone(), dim.clone());
            let large = too_large(&facts(vec![dim.clone()])).is_some();
            assert_eq!(large, step >= 9, "2^{step} operators");
            if large {
                return;
            }
        }
    }

    #[test]
    fn ranks_have_a_limit() {
        for (rank, want) in [(0, false), (RANK, false), (RANK + 1, true)] {
            let facts = facts(vec![Dim::Known(1); rank]);
            assert_eq!(too_large(&facts).is_some(), want, "rank {rank}");
        }
    }
}
