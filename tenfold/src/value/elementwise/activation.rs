//! Activation functions beside the everyday ones.

use super::*;

unary! {
    /// `1.0507 x` for positive elements, `1.0507 * 1.67326 (e^x - 1)` for others.
    selu = "selu";
    /// `ln(1 + e^x)`, computed as `max(x, 0) + ln(1 + e^-|x|)`, which does not overflow.
    softplus = "softplus";
    /// `x / (1 + |x|)`
    softsign = "softsign";
    /// `x * tanh(softplus(x))`
    mish = "mish";
}

binary! {
    /// `x` for elements that are not negative, `slope * x` for others; the slopes broadcast, one per channel for instance.
    prelu = "prelu";
}

macro_rules! parametrised {
    ($($(#[$doc:meta])* $method:ident($parameter:ident) = $row:literal $attr:literal;)+) => {
        impl Value {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// A dtype that is no float.
                pub fn $method(&self, $parameter: f32) -> Result<Value, Error> {
                    self.map(Op::Map(row($row).with($attr, $parameter)))
                }
            )+
        }
    };
}

parametrised! {
    /// `x` for positive elements, `slope * x` for others.
    leaky_relu(slope) = "leaky_relu" "alpha";
    /// `x` for positive elements, `alpha * (e^x - 1)` for others.
    elu(alpha) = "elu" "alpha";
    /// `x` for positive elements, `alpha * (e^(x / alpha) - 1)` for others.
    celu(alpha) = "celu" "alpha";
    /// `x` above `threshold`, 0 for others.
    thresholded_relu(threshold) = "thresholded_relu" "alpha";
}

impl Value {
    /// `max(0, min(1, slope * x + offset))`
    ///
    /// # Errors
    /// A dtype that is no float.
    pub fn hard_sigmoid(&self, slope: f32, offset: f32) -> Result<Value, Error> {
        let op = row("hard_sigmoid")
            .with("alpha", slope)
            .with("beta", offset);
        self.map(Op::Map(op))
    }

    /// 0 from `-threshold` to `threshold`; beyond them `x` moved toward 0 by `bias`: soft shrinkage if `bias` is the threshold,
    /// hard shrinkage if it is 0.
    ///
    /// # Errors
    /// A dtype that is no real number.
    pub fn shrink(&self, threshold: f32, bias: f32) -> Result<Value, Error> {
        let op = row("shrink").with("lambda", threshold).with("bias", bias);
        self.map(Op::Map(op))
    }
}
