//! `+ - * /` and unary `-` on values, and with numbers on the right. They give a `Result`, since shapes may not fit.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Value;
use crate::Error;

macro_rules! operators {
    ($($Trait:ident $operator:ident $method:ident $scalar:ident;)+) => {$(
        impl $Trait<&Value> for &Value {
            type Output = Result<Value, Error>;

            fn $operator(self, other: &Value) -> Self::Output {
                Value::$method(self, other)
            }
        }

        impl $Trait<f64> for &Value {
            type Output = Result<Value, Error>;

            fn $operator(self, number: f64) -> Self::Output {
                self.$scalar(number)
            }
        }

        impl $Trait<Value> for Value {
            type Output = Result<Value, Error>;

            fn $operator(self, other: Value) -> Self::Output {
                Value::$method(&self, &other)
            }
        }

        impl $Trait<&Value> for Value {
            type Output = Result<Value, Error>;

            fn $operator(self, other: &Value) -> Self::Output {
                Value::$method(&self, other)
            }
        }

        impl $Trait<f64> for Value {
            type Output = Result<Value, Error>;

            fn $operator(self, number: f64) -> Self::Output {
                self.$scalar(number)
            }
        }
    )+};
}

operators! {
    Add add add add_scalar;
    Sub sub sub sub_scalar;
    Mul mul mul mul_scalar;
    Div div div div_scalar;
}

impl Neg for &Value {
    type Output = Result<Value, Error>;

    fn neg(self) -> Self::Output {
        Value::neg(self)
    }
}

impl Neg for Value {
    type Output = Result<Value, Error>;

    fn neg(self) -> Self::Output {
        Value::neg(&self)
    }
}
