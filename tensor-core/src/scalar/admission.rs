//! Whether a scalar can be differentiated by this crate's own rules.
//!
//! The answer today is always a reason why not, and the type says so: the success type has no value. When differentiation
//! rules come, that type becomes a value that carries the rule, and callers that use `?` stay as they are.

use std::convert::Infallible;

use crate::{Scalar, ScalarDomain};

/// Why a scalar is not admitted to automatic differentiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdAdmissionError {
    /// Only first derivatives exist; order 0 is no differentiation at all.
    #[error(
        "ad_admission: derivatives of order {order} are not supported; only order 1 is defined"
    )]
    UnsupportedAdOrder {
        /// The order that was asked for.
        order: u32,
    },
    /// The scalar's domain has no arithmetic to differentiate.
    #[error(
        "ad_admission: the scalar's domain is not a field, so it has no derivative; convert it to a float first"
    )]
    NonFieldScalar,
    /// The scalar's domain would do, but no rules are defined for it.
    #[error("ad_admission: no differentiation rules are defined for this scalar")]
    AdRuleUnavailable,
}

/// Asks whether derivatives of order `order` with respect to `T` are defined; none are so far.
///
/// The order is judged before the domain, so that a wrong order is named as such for every scalar.
///
/// ```
/// use tensor_core::{AdAdmissionError, ad_admission};
/// assert_eq!(ad_admission::<f64>(1), Err(AdAdmissionError::AdRuleUnavailable));
/// assert_eq!(ad_admission::<bool>(1), Err(AdAdmissionError::NonFieldScalar));
/// assert_eq!(ad_admission::<bool>(2), Err(AdAdmissionError::UnsupportedAdOrder { order: 2 }));
/// ```
///
/// # Errors
/// Always: [`AdAdmissionError::UnsupportedAdOrder`] unless `order` is 1, else [`AdAdmissionError::NonFieldScalar`] if
/// [`Scalar::DOMAIN`] is [`ScalarDomain::NonField`], else [`AdAdmissionError::AdRuleUnavailable`].
pub const fn ad_admission<T: Scalar>(order: u32) -> Result<Infallible, AdAdmissionError> {
    Err(match (order, T::DOMAIN) {
        (1, ScalarDomain::NonField) => AdAdmissionError::NonFieldScalar,
        (1, ScalarDomain::Field) => AdAdmissionError::AdRuleUnavailable,
        (order, _) => AdAdmissionError::UnsupportedAdOrder { order },
    })
}
