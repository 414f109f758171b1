//! Making values: constants, sequences, random numbers; and constants beside a value.

use graph::op::{Op, Random, RandomKind};
use tensor::{DType, SharedTensor, Tensor};

use super::{Kind, Value, refused};
use crate::{Error, Tf};

impl Tf {
    /// Zeros.
    ///
    /// # Errors
    /// A shape that no memory holds.
    pub fn zeros(&self, dtype: DType, shape: impl AsRef<[usize]>) -> Result<Value, Error> {
        Ok(self.value(Tensor::zeros(dtype, shape.as_ref())?))
    }

    /// Ones.
    ///
    /// # Errors
    /// As [`Tf::zeros`].
    pub fn ones(&self, dtype: DType, shape: impl AsRef<[usize]>) -> Result<Value, Error> {
        self.fill(dtype, shape, 1.0)
    }

    /// One number everywhere, in the dtype.
    ///
    /// # Errors
    /// As [`Tf::zeros`].
    pub fn fill(
        &self,
        dtype: DType,
        shape: impl AsRef<[usize]>,
        number: f64,
    ) -> Result<Value, Error> {
        let number = Tensor::scalar(number).cast(dtype)?;
        let all = SharedTensor::from(number).broadcast_to(shape)?;
        Ok(self.value(all.view()?.to_contiguous()?))
    }

    /// The identity matrix of `n` rows and columns.
    ///
    /// # Errors
    /// As [`Tf::zeros`].
    pub fn eye(&self, dtype: DType, n: usize) -> Result<Value, Error> {
        let mut matrix = Tensor::zeros(DType::F64, [n, n])?;
        let elements = matrix.as_mut_slice::<f64>()?;
        elements
            .iter_mut()
            .step_by(n + 1)
            .for_each(|element| *element = 1.0);
        Ok(self.value(matrix.cast(dtype)?))
    }

    /// `start, start + step, ..` while below `end` (above it for a negative step), each computed as `start + i * step` in
    /// f64 and rounded once.
    ///
    /// # Errors
    /// A step of 0 or a number that is not finite.
    pub fn arange(&self, dtype: DType, start: f64, end: f64, step: f64) -> Result<Value, Error> {
        if step == 0.0 || ![start, end, step].iter().all(|number| number.is_finite()) {
            let range = format!("{start}..{end} by {step}");
            return Err(refused(
                "arange",
                "step",
                range,
                "the sequence does not end",
            ));
        }
        let count = ((end - start) / step).ceil().max(0.0) as usize;
        self.sequence(dtype, count, |i| start + i as f64 * step)
    }

    /// `count` numbers from `start` to `end`, both included, at equal distances; the last is `end` exactly.
    ///
    /// # Errors
    /// As [`Tf::zeros`].
    pub fn linspace(
        &self,
        dtype: DType,
        start: f64,
        end: f64,
        count: usize,
    ) -> Result<Value, Error> {
        let gaps = count.saturating_sub(1);
        self.sequence(dtype, count, |i| match i {
            0 => start,
            i if i == gaps => end,
            i => start + (end - start) * (i as f64 / gaps as f64),
        })
    }

    fn sequence(
        &self,
        dtype: DType,
        count: usize,
        element: impl Fn(usize) -> f64,
    ) -> Result<Value, Error> {
        let mut elements = Vec::new();
        let reserved = elements.try_reserve_exact(count);
        reserved
            .map_err(|_| refused("arange", "count", count, "there is no memory for this many"))?;
        elements.extend((0..count).map(element));
        Ok(self.value(Tensor::from_vec_row_major([count], elements)?.cast(dtype)?))
    }

    /// Random numbers of `[0, 1)`, all equally likely. The same seed gives the same bits on every device.
    ///
    /// # Errors
    /// A dtype that is no float; as [`Tf::zeros`].
    pub fn uniform(&self, dtype: DType, shape: impl AsRef<[usize]>) -> Result<Value, Error> {
        self.random(RandomKind::Uniform, dtype, shape.as_ref())
    }

    /// Random numbers of the standard normal distribution: mean 0, variance 1.
    ///
    /// # Errors
    /// As [`Tf::uniform`].
    pub fn normal(&self, dtype: DType, shape: impl AsRef<[usize]>) -> Result<Value, Error> {
        self.random(RandomKind::Normal, dtype, shape.as_ref())
    }

    fn random(&self, kind: RandomKind, dtype: DType, shape: &[usize]) -> Result<Value, Error> {
        let op = Random::new(kind, dtype, shape.iter().copied());
        let elements = shape
            .iter()
            .try_fold(1_u64, |n, &d| n.checked_mul(d as u64));
        let elements = elements
            .ok_or_else(|| refused(kind.name(), "shape", format!("{shape:?}"), "is too large"))?;
        let key = self.value(self.random_key(op.blocks(elements)));
        key.map(Op::Random(op))
    }
}

impl Value {
    /// An eager tensor in this value's context, or a constant of its function.
    pub(super) fn beside(&self, tensor: Tensor) -> Result<Value, Error> {
        match &self.0 {
            Kind::Eager(tf, _) => Ok(tf.value(tensor)),
            Kind::Symbolic(func, _) => func.constant(tensor),
        }
    }
}
