//! Tells the types of files with the Magika model: `cargo xtask demo [FILES..]`.
//!
//! A file's features are bytes of its beginning and its end (`Features::of`); the model gives each of 214 labels a
//! score, and all files go through it in one batch. As Magika does, a label below its own threshold becomes `txt` or
//! `unknown`, and what is too short for the model is told without it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a demo talks on the terminal"
)]

mod demo;

use std::error::Error;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::Value;
use tenfold::{CompileOptions, Model, Tensor};

/// Bytes of the beginning and of the end that the model sees.
const SEEN: usize = 1024;
/// Bytes of each end that are read to find them.
const BLOCK: usize = 4096;
/// Stands where there is no byte.
const PADDING: i32 = 256;
/// A file with less than this is not worth asking.
const MIN_BYTES: usize = 8;

fn main() -> ExitCode {
    demo::main(tell)
}

fn tell(files: &[String]) -> Result<(), Box<dyn Error>> {
    if files.is_empty() {
        return Err("name the files to look at, for example Cargo.toml".into());
    }
    let looks: Vec<Look> = files
        .iter()
        .map(|file| look_at(Path::new(file)).map_err(|error| format!("{file}: {error}")))
        .collect::<Result<_, _>>()?;
    let rules = Rules::read()?;
    let model = Model::open(demo::asset(
        "magika/magika/models/standard_v3_3/model.onnx",
    )?)?;
    let function = model.compile(&CompileOptions::default())?;

    let features: Vec<i32> = looks
        .iter()
        .filter_map(Look::features)
        .flatten()
        .copied()
        .collect();
    let asked = features.len() / (2 * SEEN);
    let start = Instant::now();
    let scores = if asked == 0 {
        Vec::new()
    } else {
        let bytes = Tensor::from_vec_row_major([asked, 2 * SEEN], features)?;
        let outputs = function.run(&[("bytes", &bytes)])?;
        let scores = outputs
            .get("target_label")
            .ok_or("the model has no output target_label")?;
        scores.to_vec::<f32>()?
    };
    let ms = start.elapsed().as_secs_f64() * 1e3;

    let mut rows = scores.chunks_exact(rules.labels.len());
    let width = files
        .iter()
        .map(|file| file.chars().count())
        .max()
        .unwrap_or(0);
    for (file, look) in files.iter().zip(&looks) {
        let (label, score) = match look {
            Look::Known(label) => ((*label).to_owned(), 1.0),
            Look::Features(_) => rules.label(rows.next().ok_or("the model left out a file")?),
        };
        println!("{file:<width$}  {label:<12}  {}", demo::confidence(score));
    }
    println!(
        "device {}, {} threads: {asked} of {} files through the model in {ms:.1} ms, first run included",
        function.device(),
        function.threads(),
        files.len()
    );
    Ok(())
}

/// What a look at a file gives.
enum Look {
    /// A label that needs no model.
    Known(&'static str),
    /// What to ask the model: the beginning and the end.
    Features(Vec<i32>),
}

impl Look {
    fn features(&self) -> Option<&Vec<i32>> {
        match self {
            Look::Known(_) => None,
            Look::Features(features) => Some(features),
        }
    }
}

fn look_at(path: &Path) -> Result<Look, Box<dyn Error>> {
    if fs::metadata(path)?.is_dir() {
        return Ok(Look::Known("directory"));
    }
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut begin = Vec::with_capacity(BLOCK);
    (&mut file).take(BLOCK as u64).read_to_end(&mut begin)?;
    file.seek(SeekFrom::Start(size.saturating_sub(BLOCK as u64)))?;
    let mut end = Vec::with_capacity(BLOCK);
    file.take(BLOCK as u64).read_to_end(&mut end)?;

    let without_head = &begin[begin.iter().take_while(|byte| is_space(**byte)).count()..];
    if begin.is_empty() {
        Ok(Look::Known("empty"))
    } else if without_head.len() < MIN_BYTES {
        let label = if std::str::from_utf8(&begin).is_ok() {
            "txt"
        } else {
            "unknown"
        };
        Ok(Look::Known(label))
    } else {
        let tail = end.iter().rev().take_while(|byte| is_space(**byte)).count();
        Ok(Look::Features(features(
            without_head,
            &end[..end.len() - tail],
        )))
    }
}

/// The first bytes of the stripped beginning, padded behind, and the last bytes of the stripped end, padded in front.
fn features(begin: &[u8], end: &[u8]) -> Vec<i32> {
    let begin = &begin[..begin.len().min(SEEN)];
    let end = &end[end.len().saturating_sub(SEEN)..];
    let padding = vec![PADDING; 2 * SEEN - begin.len() - end.len()];
    let (behind, before) = padding.split_at(SEEN - begin.len());
    let widen = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|&byte| i32::from(byte))
            .collect::<Vec<_>>()
    };
    [&widen(begin)[..], behind, before, &widen(end)[..]].concat()
}

/// White space as Python strips it from bytes: the vertical tab counts.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The model's labels, and when they are believed.
struct Rules {
    labels: Vec<String>,
    config: Value,
    types: Value,
}

impl Rules {
    fn read() -> Result<Self, Box<dyn Error>> {
        let json = |path: &str| -> Result<Value, Box<dyn Error>> {
            Ok(serde_json::from_slice(&fs::read(demo::asset(path)?)?)?)
        };
        let config = json("magika/magika/models/standard_v3_3/config.min.json")?;
        let listed = config["target_labels_space"].as_array();
        let labels = listed.ok_or("config.min.json lists no labels")?;
        Ok(Self {
            labels: labels
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            types: json("magika/magika/config/content_types_kb.min.json")?,
            config,
        })
    }

    /// The label of one row of scores, and its score.
    fn label(&self, scores: &[f32]) -> (String, f32) {
        let (at, score) = demo::best(scores);
        let raw = self.labels[at].as_str();
        let label = self.config["overwrite_map"][raw].as_str().unwrap_or(raw);
        let own = self.config["thresholds"][raw].as_f64();
        let threshold = own.or(self.config["medium_confidence_threshold"].as_f64());
        let believed = f64::from(score) >= threshold.unwrap_or(0.0);
        let label = match (believed, self.types[label]["is_text"].as_bool()) {
            (true, _) => label,
            (false, Some(true)) => "txt",
            (false, _) => "unknown",
        };
        (label.to_owned(), score)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tensor_io::npz::Npz;

    use super::*;

    const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/magika");

    /// The golden features were made with Magika's own rules, in another language.
    #[test]
    fn features_are_those_of_magika() {
        let mut samples: Vec<_> = fs::read_dir(format!("{GOLDEN}/samples"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        samples.sort();
        let mut npz = Npz::open(format!("{GOLDEN}/magika.npz")).unwrap();
        let golden = npz.read("bytes").unwrap().to_vec::<i32>().unwrap();
        assert_eq!(golden.len(), samples.len() * 2 * SEEN);
        for (path, expect) in samples.iter().zip(golden.chunks_exact(2 * SEEN)) {
            let Look::Features(features) = look_at(path).unwrap() else {
                panic!("{path:?} is worth asking the model")
            };
            assert_eq!(features, expect, "{path:?}");
        }
    }

    #[test]
    fn a_label_must_pass_its_threshold() {
        let rules = Rules {
            labels: ["rust", "zip", "randomtxt"].map(str::to_owned).to_vec(),
            config: json!({
                "overwrite_map": { "randomtxt": "txt" },
                "thresholds": { "rust": 0.9 },
                "medium_confidence_threshold": 0.5,
            }),
            types: json!({ "rust": { "is_text": true }, "zip": { "is_text": false }, "txt": { "is_text": true } }),
        };
        for (scores, label) in [
            ([0.95, 0.0, 0.0], "rust"),
            ([0.8, 0.0, 0.0], "txt"),
            ([0.1, 0.6, 0.2], "zip"),
            ([0.1, 0.4, 0.2], "unknown"),
            ([0.0, 0.0, 0.7], "txt"),
        ] {
            assert_eq!(rules.label(&scores).0, label, "{scores:?}");
        }
    }
}
