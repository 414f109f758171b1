//! Elements chosen and written by indices.

use graph::op::{
    Gather, GatherElements, GatherNd, NonZero, Op, Reduction, ScatterElements, ScatterNd,
};
use tensor::{DType, Tensor};

use super::{Value, apply_all, refused};
use crate::Error;

impl Value {
    /// Rows of this table: `y[i.., b..] = table[indices[i..], b..]` for `i32` or `i64` indices; negative ones count from the
    /// end.
    ///
    /// # Errors
    /// Indices of another dtype; an index out of range, when it runs.
    pub fn embedding(&self, indices: &Value) -> Result<Value, Error> {
        self.gather(indices, 0)
    }

    /// `y[a.., i.., b..] = x[a.., indices[i..], b..]` with `a..` before `axis`.
    ///
    /// # Errors
    /// As [`Value::embedding`], or if there is no such axis.
    pub fn gather(&self, indices: &Value, axis: i64) -> Result<Value, Error> {
        self.at(Op::Gather(Gather { axis }), indices)
    }

    /// One element per index: `y[i..] = x[i.. with indices[i..] at axis]`, of the shape of `indices`, whose rank is this one's.
    ///
    /// # Errors
    /// As [`Value::gather`]; indices that have more than `x` along another axis.
    pub fn gather_elements(&self, indices: &Value, axis: i64) -> Result<Value, Error> {
        self.at(Op::GatherElements(GatherElements { axis }), indices)
    }

    /// `y[i.., b..] = x[indices[i.., 0], indices[i.., 1], .., b..]`: the last axis of `indices` holds places in `x`.
    ///
    /// # Errors
    /// As [`Value::embedding`]; places of more axes than `x` has.
    pub fn gather_nd(&self, indices: &Value) -> Result<Value, Error> {
        self.at(Op::GatherNd(GatherNd { batch_dims: 0 }), indices)
    }

    fn at(&self, op: Op, indices: &Value) -> Result<Value, Error> {
        super::apply(op, &[self, indices])
    }

    /// A copy with `updates[i..]` at `i.. with indices[i..] at axis`, combined with what is there as `reduction` says; with
    /// [`Reduction::None`] the last of several updates of one element stays.
    ///
    /// # Errors
    /// As [`Value::gather_elements`]; updates of another shape than the indices or another dtype than `x`.
    pub fn scatter_elements(
        &self,
        indices: &Value,
        updates: &Value,
        axis: i64,
        reduction: Reduction,
    ) -> Result<Value, Error> {
        let op = Op::ScatterElements(ScatterElements { axis, reduction });
        super::apply(op, &[self, indices, updates])
    }

    /// A copy with `updates[i.., b..]` at `indices[i.., :].., b..`, combined with what is there as `reduction` says.
    ///
    /// # Errors
    /// As [`Value::gather_nd`]; updates of another shape or dtype.
    pub fn scatter_nd(
        &self,
        indices: &Value,
        updates: &Value,
        reduction: Reduction,
    ) -> Result<Value, Error> {
        let op = Op::ScatterNd(ScatterNd { reduction });
        super::apply(op, &[self, indices, updates])
    }

    /// `y[i.., c] = 1 if x[i..] = c, else 0` for `c < classes`, in the dtype asked for; a class out of range gives zeros.
    ///
    /// ```
    /// use tenfold::prelude::*;
    ///
    /// let tf = Tf::new(&CompileOptions::default())?;
    /// let classes = tf.values([2], vec![2_i32, 0])?.one_hot(3, DType::F32)?;
    /// assert_eq!(classes.to_vec::<f32>()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), tenfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements that are no integers.
    pub fn one_hot(&self, classes: usize, dtype: DType) -> Result<Value, Error> {
        if !self.dtype().is_integer() {
            return Err(refused(
                "one_hot",
                "x",
                self.ty(),
                "must be integers; cast it first",
            ));
        }
        let all: Vec<i64> = (0..).take(classes).collect();
        let all = Tensor::from_vec_row_major([classes], all)?.cast(self.dtype())?;
        let same = self.unsqueeze(-1)?.equal(&self.beside(all)?)?;
        same.cast(dtype)
    }

    /// Where the elements are not 0 (or true): their indices in row-major order as columns, `i64[rank, n]`. In a function `n`
    /// is a symbol, for it depends on the elements.
    ///
    /// # Errors
    /// None but those of any op.
    pub fn non_zero(&self) -> Result<Value, Error> {
        Ok(apply_all(&Op::NonZero(NonZero), &[Some(self)])?.swap_remove(0))
    }

    /// The lower triangle of matrices `[.., rows, columns]`: elements with `column - row <= diagonal`, 0 elsewhere.
    ///
    /// # Errors
    /// Fewer than two axes, or extents of the last two that are no numbers.
    pub fn tril(&self, diagonal: i64) -> Result<Value, Error> {
        self.triangle("tril", |above| above <= diagonal)
    }

    /// The upper triangle of matrices `[.., rows, columns]`: elements with `column - row >= diagonal`, 0 elsewhere.
    ///
    /// # Errors
    /// As [`Value::tril`].
    pub fn triu(&self, diagonal: i64) -> Result<Value, Error> {
        self.triangle("triu", |above| above >= diagonal)
    }

    fn triangle(&self, op: &'static str, keeps: impl Fn(i64) -> bool) -> Result<Value, Error> {
        let Some(first) = self.rank().checked_sub(2) else {
            return Err(refused(op, "x", self.ty(), "has fewer than two axes"));
        };
        let (rows, columns) = (self.extent(op, first)?, self.extent(op, first + 1)?);
        let mask = (0_i64..).take(rows).flat_map(|row| {
            let keeps = &keeps;
            (0_i64..)
                .take(columns)
                .map(move |column| keeps(column - row))
        });
        let mask = Tensor::from_vec_row_major([rows, columns], mask.collect::<Vec<bool>>())?;
        let zero = Tensor::zeros(self.dtype(), Vec::<usize>::new())?;
        self.beside(mask)?.select(self, &self.beside(zero)?)
    }
}
