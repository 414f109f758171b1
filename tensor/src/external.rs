//! Tensors of scalars defined outside this crate, behind the dynamic [`Tensor`](crate::Tensor).
//!
//! A dynamic tensor holds such a tensor as a trait object: the metadata, copies and texts below work without the scalar's
//! type, everything else first names the type ([`Tensor::as_external`](crate::Tensor::as_external)), which is checked by
//! the compiler's own type id. Two scalars with one name are therefore told apart, and never read as each other.

use std::any::Any;
use std::fmt;

use tensor_core::{DType, DynRank, ExternalScalar, TensorLayout};

use crate::{Host, Placement, Result, TypedTensor, TypedTensorView};

/// A `TypedTensor<U, DynRank, Host>` of some external scalar `U`.
pub trait ErasedTensor: Any + fmt::Debug + Send + Sync {
    fn dtype(&self) -> DType;
    fn layout(&self) -> &TensorLayout;
    fn placement(&self) -> Placement;
    /// Bytes of one element.
    fn element_bytes(&self) -> usize;
    /// A row-major copy of the elements that `layout` reaches.
    fn gather(&self, layout: &TensorLayout) -> Result<Box<dyn ErasedTensor>>;
    /// A copy in the same memory order.
    fn duplicate(&self) -> Result<Box<dyn ErasedTensor>>;
    /// The element at position `at` of the buffer, as text.
    fn text(&self, at: usize) -> String;
}

impl<U: ExternalScalar> ErasedTensor for TypedTensor<U, DynRank, Host> {
    fn dtype(&self) -> DType {
        U::DTYPE
    }

    fn layout(&self) -> &TensorLayout {
        self.layout()
    }

    fn placement(&self) -> Placement {
        self.placement()
    }

    fn element_bytes(&self) -> usize {
        size_of::<U>()
    }

    fn gather(&self, layout: &TensorLayout) -> Result<Box<dyn ErasedTensor>> {
        let view = TypedTensorView::from_layout(layout.clone(), self.storage()?)?;
        Ok(Box::new(view.to_contiguous()?.into_host()?))
    }

    fn duplicate(&self) -> Result<Box<dyn ErasedTensor>> {
        Ok(Box::new(self.duplicate()?))
    }

    fn text(&self, at: usize) -> String {
        match self.storage() {
            Ok(elements) => elements[at].to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// The tensor inside, if its scalar is `U`; else the box again.
pub(crate) fn unbox<U: ExternalScalar>(
    tensor: Box<dyn ErasedTensor>,
) -> Result<TypedTensor<U, DynRank, Host>, Box<dyn ErasedTensor>> {
    if !(&*tensor as &dyn Any).is::<TypedTensor<U, DynRank, Host>>() {
        return Err(tensor);
    }
    let tensor: Box<dyn Any> = tensor;
    Ok(*tensor.downcast().expect("the type was compared above"))
}

/// A view of an external tensor in any layout.
#[derive(Clone, Debug)]
pub struct ExternalView<'a> {
    tensor: &'a dyn ErasedTensor,
    layout: TensorLayout,
}

impl<'a> ExternalView<'a> {
    pub(crate) fn new(tensor: &'a dyn ErasedTensor) -> Self {
        Self {
            tensor,
            layout: tensor.layout().clone(),
        }
    }

    /// The same elements through another layout, which fits the tensor.
    pub(crate) fn with_layout(&self, layout: TensorLayout) -> Self {
        Self {
            tensor: self.tensor,
            layout,
        }
    }

    pub(crate) fn tensor(&self) -> &'a dyn ErasedTensor {
        self.tensor
    }

    pub(crate) fn layout(&self) -> &TensorLayout {
        &self.layout
    }

    /// The view with its type, if the scalar is `U`.
    pub(crate) fn typed<U: ExternalScalar>(&self) -> Option<TypedTensorView<'a, U>> {
        let tensor = (self.tensor as &dyn Any).downcast_ref::<TypedTensor<U, DynRank, Host>>()?;
        TypedTensorView::from_layout(self.layout.clone(), tensor.storage().ok()?).ok()
    }
}
