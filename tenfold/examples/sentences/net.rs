//! The net of all-MiniLM-L6-v2, op by op: a BERT encoder of six layers, and the mean of what it says about each piece.

use tenfold::Error;
use tenfold::prelude::*;
use tensor_io::safetensors::SafeTensors;

/// Pieces of a text at most: the positions that the model learned.
pub(crate) const MOST_PIECES: usize = 512;
const LAYERS: usize = 6;
const WIDTH: usize = 384;
const HEADS: usize = 12;
const EPSILON: f32 = 1e-12;

/// The weights by name, as values of a context.
struct Weights<'a> {
    tf: &'a Tf,
    file: &'a SafeTensors,
}

impl Weights<'_> {
    fn get(&self, name: &str) -> Result<Value, Box<dyn std::error::Error>> {
        Ok(self.tf.value(self.file.get(name)?))
    }

    /// `x w^T + b`: the file has one row per output.
    fn linear(&self, x: &Value, name: &str) -> Result<Value, Box<dyn std::error::Error>> {
        let weight = self.get(&format!("{name}.weight"))?.transpose()?;
        let bias = self.get(&format!("{name}.bias"))?;
        Ok(x.matmul(&weight)?.add(&bias)?)
    }

    fn norm(&self, x: &Value, name: &str) -> Result<Value, Box<dyn std::error::Error>> {
        let (scale, bias) = (
            self.get(&format!("{name}.weight"))?,
            self.get(&format!("{name}.bias"))?,
        );
        Ok(x.layer_norm(Some(&scale), Some(&bias), EPSILON)?)
    }
}

/// `[texts, pieces, width]` as `[texts, heads, pieces, width / heads]`.
fn in_heads(x: &Value) -> Result<Value, Error> {
    let dims = x.dims();
    let heads = [
        dims[0].clone(),
        dims[1].clone(),
        HEADS.into(),
        (WIDTH / HEADS).into(),
    ];
    x.reshape(heads)?.permute(&[0, 2, 1, 3])
}

/// Pieces `i32[texts, pieces]`, and 1 where there is one and 0 where a shorter text has ended, to unit vectors
/// `f32[texts, 384]`: texts that mean the same point the same way.
pub(crate) fn net(
    tf: &Tf,
    file: &SafeTensors,
) -> Result<CompiledFunction, Box<dyn std::error::Error>> {
    let weights = Weights { tf, file };
    let func = Func::new("sentences");
    let pieces = func.input("pieces", DType::I32, ["texts".into(), "pieces".into()])?;
    let positions = func.input("positions", DType::I32, ["pieces".into()])?;
    let there = func.input("there", DType::F32, ["texts".into(), "pieces".into()])?;
    // What is not there gets a score that no softmax sees.
    let hidden = there
        .sub_scalar(1.0)?
        .mul_scalar(1e9)?
        .unsqueeze(1)?
        .unsqueeze(1)?;

    let words = weights
        .get("embeddings.word_embeddings.weight")?
        .embedding(&pieces)?;
    let places = weights
        .get("embeddings.position_embeddings.weight")?
        .embedding(&positions)?;
    let kind = weights
        .get("embeddings.token_type_embeddings.weight")?
        .slice(0, 0, 1)?;
    let mut x = weights.norm(&words.add(&places)?.add(&kind)?, "embeddings.LayerNorm")?;
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let part = |of: &str| {
            let made = weights.linear(&x, &name(&format!("attention.self.{of}")))?;
            Ok::<_, Box<dyn std::error::Error>>(in_heads(&made)?)
        };
        let (q, k, v) = (part("query")?, part("key")?, part("value")?);
        let seen = q
            .attention(&k, &v, Some(&hidden))?
            .permute(&[0, 2, 1, 3])?
            .reshape(x.dims())?;
        let seen = weights.linear(&seen, &name("attention.output.dense"))?;
        x = weights.norm(&x.add(&seen)?, &name("attention.output.LayerNorm"))?;
        let wide = weights.linear(&x, &name("intermediate.dense"))?.gelu()?;
        let thought = weights.linear(&wide, &name("output.dense"))?;
        x = weights.norm(&x.add(&thought)?, &name("output.LayerNorm"))?;
    }

    let there = there.unsqueeze(-1)?;
    let sum = x.mul(&there)?.sum_axes(&[1], false)?;
    let mean = sum.div(&there.sum_axes(&[1], false)?)?;
    let length = mean.square()?.sum_axes(&[-1], true)?.sqrt()?;
    func.output("vectors", &mean.div(&length)?)?;
    Ok(func.compile(&CompileOptions::default())?)
}
