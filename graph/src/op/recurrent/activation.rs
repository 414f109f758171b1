//! The functions of recurrent cells.

use crate::op::Attrs;
use crate::op::attrs::words;

words! {
    /// A function of one number.
    pub enum ActivationKind {
        /// `max(x, 0)`
        Relu = "relu",
        /// `tanh(x)`
        Tanh = "tanh",
        /// `1 / (1 + e^-x)`
        Sigmoid = "sigmoid",
        /// `alpha * x + beta`
        Affine = "affine",
        /// `x < 0 ? alpha * x : x`
        LeakyRelu = "leaky_relu",
        /// `x < alpha ? 0 : x`
        ThresholdedRelu = "thresholded_relu",
        /// `alpha * tanh(beta * x)`
        ScaledTanh = "scaled_tanh",
        /// `max(0, min(1, alpha * x + beta))`
        HardSigmoid = "hard_sigmoid",
        /// `x < 0 ? alpha * (e^x - 1) : x`
        Elu = "elu",
        /// `x / (1 + |x|)`
        Softsign = "softsign",
        /// `ln(1 + e^x)`
        Softplus = "softplus",
    }
}

impl ActivationKind {
    /// Whether the formula has an `alpha`.
    pub fn has_alpha(self) -> bool {
        match self {
            ActivationKind::Affine
            | ActivationKind::LeakyRelu
            | ActivationKind::ThresholdedRelu
            | ActivationKind::ScaledTanh
            | ActivationKind::HardSigmoid
            | ActivationKind::Elu => true,
            ActivationKind::Relu
            | ActivationKind::Tanh
            | ActivationKind::Sigmoid
            | ActivationKind::Softsign
            | ActivationKind::Softplus => false,
        }
    }

    /// Whether the formula has a `beta`.
    pub fn has_beta(self) -> bool {
        matches!(
            self,
            ActivationKind::Affine | ActivationKind::ScaledTanh | ActivationKind::HardSigmoid
        )
    }
}

/// A function with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation {
    /// Which function.
    pub kind: ActivationKind,
    /// Its `alpha`; 0 where it has none.
    pub alpha: f32,
    /// Its `beta`; 0 where it has none.
    pub beta: f32,
}

impl Activation {
    /// A function without numbers.
    pub fn plain(kind: ActivationKind) -> Activation {
        Activation {
            kind,
            alpha: 0.0,
            beta: 0.0,
        }
    }

    /// Reads `name`, and `name_alpha` and `name_beta` where the function has them.
    pub(super) fn from_attrs(attrs: &Attrs, name: &str) -> Result<Activation, String> {
        let kind = attrs.word(name, ActivationKind::named)?;
        let number = |suffix: &str, there: bool| match there {
            true => attrs.f32(&format!("{name}_{suffix}")),
            false => Ok(0.0),
        };
        Ok(Activation {
            kind,
            alpha: number("alpha", kind.has_alpha())?,
            beta: number("beta", kind.has_beta())?,
        })
    }

    /// The reverse of [`Activation::from_attrs`].
    pub(super) fn write(self, attrs: Attrs, name: &str) -> Attrs {
        let mut attrs = attrs.with_word(name, self.kind.name());
        if self.kind.has_alpha() {
            attrs = attrs.with_f32(&format!("{name}_alpha"), self.alpha);
        }
        if self.kind.has_beta() {
            attrs = attrs.with_f32(&format!("{name}_beta"), self.beta);
        }
        attrs
    }
}
