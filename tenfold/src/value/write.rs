//! Writing to eager values. A value that shares its elements with others (clones, views, a function that captured them) is
//! copied first, so no one else sees the change.

use tensor::{Tensor, TensorElement, TensorViewMut};

use super::{Kind, Value};
use crate::Error;

impl Value {
    /// Writes the element at an index.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value; another dtype than `T`; an index of another rank or out of bounds.
    pub fn set<T: TensorElement>(&mut self, index: &[usize], element: T) -> Result<(), Error> {
        // Reading first finds every fault before anything is copied.
        self.get::<T>(index)?;
        let mut view = self.writable("set")?;
        if let Some(typed) = view.as_typed_mut::<T>() {
            *typed.get_mut(index)? = element;
        }
        Ok(())
    }

    /// Makes every element `element`.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value; another dtype than `T`.
    pub fn fill<T: TensorElement>(&mut self, element: T) -> Result<(), Error> {
        self.tensor()?.view()?.typed::<T>()?;
        let mut view = self.writable("fill")?;
        if let Some(typed) = view.as_typed_mut::<T>() {
            typed.fill(element);
        }
        Ok(())
    }

    /// Takes over the elements of `other`.
    ///
    /// # Errors
    /// [`Error::Symbolic`] for a symbolic value; another dtype or shape.
    pub fn copy_from(&mut self, other: &Value) -> Result<(), Error> {
        let from = other.tensor()?.clone();
        if (self.dtype(), self.dims()) != (other.dtype(), other.dims()) {
            return Err(Error::Argument {
                op: "copy_from",
                argument: "other",
                value: other.ty().to_string(),
                reason: format!("this value is {}", self.ty()),
            });
        }
        self.writable("copy_from")?.copy_from(&from.view()?)?;
        Ok(())
    }

    /// `self = self + other`, which must not change the shape.
    ///
    /// # Errors
    /// As [`Value::add`] and [`Value::copy_from`].
    pub fn add_in_place(&mut self, other: &Value) -> Result<(), Error> {
        let sum = self.add(other)?;
        self.copy_from(&sum)
    }

    /// `self = self * other`, which must not change the shape.
    ///
    /// # Errors
    /// As [`Value::mul`] and [`Value::copy_from`].
    pub fn mul_in_place(&mut self, other: &Value) -> Result<(), Error> {
        let product = self.mul(other)?;
        self.copy_from(&product)
    }

    /// `self = self + number`
    ///
    /// # Errors
    /// As [`Value::add_scalar`].
    pub fn add_scalar_in_place(&mut self, number: f64) -> Result<(), Error> {
        let sum = self.add_scalar(number)?;
        self.copy_from(&sum)
    }

    /// `self = self * number`
    ///
    /// # Errors
    /// As [`Value::mul_scalar`].
    pub fn mul_scalar_in_place(&mut self, number: f64) -> Result<(), Error> {
        let product = self.mul_scalar(number)?;
        self.copy_from(&product)
    }

    /// `self = max(self, 0)`
    ///
    /// # Errors
    /// As [`Value::relu`].
    pub fn relu_in_place(&mut self) -> Result<(), Error> {
        let positive = self.relu()?;
        self.copy_from(&positive)
    }

    /// The elements, of this value alone.
    fn writable(&mut self, op: &'static str) -> Result<TensorViewMut<'_>, Error> {
        let unreadable = self.is_symbolic().then(|| self.unreadable(op));
        match &mut self.0 {
            Kind::Symbolic(..) => Err(unreadable.expect("made for a symbolic value")),
            Kind::Eager(_, tensor) => {
                if tensor.view_mut().is_err() {
                    let own: Tensor = tensor.view()?.to_contiguous()?;
                    *tensor = own.into();
                }
                Ok(tensor.view_mut()?)
            }
        }
    }
}
