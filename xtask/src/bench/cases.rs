//! What is measured: real models on the inputs of the golden files, so that every answer can be checked.
//!
//! [`CASES`] is the whole list; a new case is one row. [`prepare`] writes what the peers read: the inputs as raw
//! bytes, and a case file in the form that `benches/protocol` describes.

use std::fs;
use std::path::{Path, PathBuf};

use super::npy::{Array, Elements};
use crate::failure::Failure;
use crate::{assets, process};

/// A model with an input and the output that an independent engine gave for it.
#[derive(Debug)]
pub(crate) struct Case {
    /// The name on the command line and in records.
    pub(crate) name: &'static str,
    /// What tables call it.
    pub(crate) title: &'static str,
    /// The asset, and the path of the model in its package.
    asset: &'static str,
    model: &'static str,
    /// Below `tests/golden`.
    golden: &'static str,
    /// The model's input.
    input: &'static str,
    /// The array of the golden file that is fed, u8 pixels as -1 to 1.
    fed: &'static str,
    /// The array with the output.
    output: &'static str,
    /// How many rows of both arrays are used.
    rows: usize,
}

const MAGIKA: &str = "magika/models/standard_v3_3/model.onnx";
const RECOGNITION: &str = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx";
const DIRECTION: &str = "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx";

/// Every case.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "magika-1",
        title: "Magika [1, 2048]",
        asset: "magika",
        model: MAGIKA,
        golden: "magika/magika.npz",
        input: "bytes",
        fed: "bytes",
        output: "batch_1",
        rows: 1,
    },
    Case {
        name: "magika-8",
        title: "Magika [8, 2048]",
        asset: "magika",
        model: MAGIKA,
        golden: "magika/magika.npz",
        input: "bytes",
        fed: "bytes",
        output: "batch_8",
        rows: 8,
    },
    Case {
        name: "recognition-320",
        title: "PP-OCRv4 recognition [1, 3, 48, 320]",
        asset: "ppocr",
        model: RECOGNITION,
        golden: "ppocr/recognition_320.npz",
        input: "x",
        fed: "pixels",
        output: "output",
        rows: 1,
    },
    Case {
        name: "recognition-777",
        title: "PP-OCRv4 recognition [1, 3, 48, 777]",
        asset: "ppocr",
        model: RECOGNITION,
        golden: "ppocr/recognition_777.npz",
        input: "x",
        fed: "pixels",
        output: "output",
        rows: 1,
    },
    Case {
        name: "direction-1",
        title: "PP-OCRv4 direction [1, 3, 48, 192]",
        asset: "ppocr",
        model: DIRECTION,
        golden: "ppocr/direction.npz",
        input: "x",
        fed: "pixels",
        output: "batch_1",
        rows: 1,
    },
    Case {
        name: "direction-5",
        title: "PP-OCRv4 direction [5, 3, 48, 192]",
        asset: "ppocr",
        model: DIRECTION,
        golden: "ppocr/direction.npz",
        input: "x",
        fed: "pixels",
        output: "batch_5",
        rows: 5,
    },
];

/// A case with its files written.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) case: &'static Case,
    /// What the peers load.
    pub(crate) case_file: PathBuf,
    /// Where peers write outputs.
    pub(crate) output_file: PathBuf,
    /// The right output.
    shape: Vec<usize>,
    elements: Vec<f32>,
}

/// Fetches the models of the cases.
pub(crate) fn fetch_models(cases: &[&'static Case]) -> Result<(), Failure> {
    let mut names: Vec<&str> = cases.iter().map(|case| case.asset).collect();
    names.dedup();
    assets::ensure_named(&names)
}

/// Writes the files of a case below `folder`.
pub(crate) fn prepare(case: &'static Case, folder: &Path) -> Result<Prepared, Failure> {
    let root = process::workspace_root()?;
    let folder = folder.join(case.name);
    fs::create_dir_all(&folder).map_err(|error| cannot("create", &folder, &error))?;
    let golden = root.join("tests/golden").join(case.golden);
    process::output(
        process::program("python3", &["-m", "zipfile", "-e"])?
            .arg(&golden)
            .arg(&folder),
        "",
    )?;
    let array = |name: &str| -> Result<Array, Failure> {
        let path = folder.join(format!("{name}.npy"));
        let bytes = fs::read(&path).map_err(|error| cannot("read", &path, &error))?;
        let array = Array::parse(&bytes).and_then(|array| array.first_rows(case.rows));
        array.map_err(|what| Failure::failed(format!("{name} of {}: {what}", golden.display())))
    };
    let (fed, output) = (array(case.fed)?, array(case.output)?);
    let Elements::F32(elements) = output.elements else {
        return Err(Failure::failed(format!(
            "{} of {}: not f32",
            case.output, case.golden
        )));
    };
    let (dtype, bytes) = encode(&fed.elements);
    let data = folder.join("input.bin");
    fs::write(&data, bytes).map_err(|error| cannot("write", &data, &error))?;
    let text = format!(
        "model\t{}\ninput\t{}\t{dtype}\t{}\t{}\n",
        assets::place(case.asset)?.join(case.model).display(),
        case.input,
        fed.shape
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(","),
        data.display()
    );
    let case_file = folder.join("case.txt");
    fs::write(&case_file, text).map_err(|error| cannot("write", &case_file, &error))?;
    Ok(Prepared {
        case,
        case_file,
        output_file: folder.join("output.bin"),
        shape: output.shape,
        elements,
    })
}

/// What is fed, as dtype and bytes. Pixels become `(x / 255 - 0.5) / 0.5`, each operation in f32 and in this order,
/// as they were when the golden outputs were made.
fn encode(elements: &Elements) -> (&'static str, Vec<u8>) {
    let f32_bytes =
        |values: &mut dyn Iterator<Item = f32>| values.flat_map(f32::to_le_bytes).collect();
    match elements {
        Elements::I32(values) => (
            "i32",
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        ),
        Elements::F32(values) => ("f32", f32_bytes(&mut values.iter().copied())),
        Elements::U8(values) => (
            "f32",
            f32_bytes(
                &mut values
                    .iter()
                    .map(|&pixel| (f32::from(pixel) / 255.0 - 0.5) / 0.5),
            ),
        ),
    }
}

impl Prepared {
    /// The largest difference between the right output and what a peer has written, if its shape is right.
    pub(crate) fn error_of(&self, shape: &[usize]) -> Result<f64, String> {
        if shape != self.shape {
            return Err(format!("output has shape {shape:?}, not {:?}", self.shape));
        }
        let bytes = fs::read(&self.output_file)
            .map_err(|error| format!("{}: {error}", self.output_file.display()))?;
        largest_difference(&self.elements, &bytes)
    }
}

/// The largest absolute difference; infinite where one side alone is no number.
fn largest_difference(expected: &[f32], bytes: &[u8]) -> Result<f64, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    if words.len() != expected.len() || !rest.is_empty() {
        return Err(format!(
            "output has {} bytes, not {} x 4",
            bytes.len(),
            expected.len()
        ));
    }
    let got = words.iter().map(|word| f32::from_le_bytes(*word));
    let differences = expected.iter().zip(got).map(|(&expected, got)| {
        let difference = (f64::from(expected) - f64::from(got)).abs();
        match (expected.is_nan(), got.is_nan()) {
            (true, true) => 0.0,
            (false, false) if expected == got => 0.0,
            _ if difference.is_nan() => f64::INFINITY,
            _ => difference,
        }
    });
    Ok(differences.fold(0.0, f64::max))
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().copied().flat_map(f32::to_le_bytes).collect()
    }

    #[test]
    fn pixels_are_scaled_and_classes_are_not() {
        let (dtype, found) = encode(&Elements::U8(vec![0, 255]));
        assert_eq!((dtype, found), ("f32", bytes(&[-1.0, 1.0])));
        let (dtype, found) = encode(&Elements::I32(vec![-2]));
        assert_eq!((dtype, &found[..]), ("i32", &(-2_i32).to_le_bytes()[..]));
    }

    #[test]
    fn differences_find_what_is_wrong() {
        let inf = f64::INFINITY;
        for (got, expected) in [
            (vec![1.0, 0.5], 0.0),
            (vec![1.0, 0.25], 0.25),
            (vec![f32::NAN, 0.5], inf),
            (vec![f32::INFINITY, 0.5], inf),
        ] {
            assert_eq!(
                largest_difference(&[1.0, 0.5], &bytes(&got)),
                Ok(expected),
                "{got:?}"
            );
        }
        for wrong in [&[0; 4][..], &[0; 9]] {
            assert!(largest_difference(&[1.0, 0.5], wrong).is_err());
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CASES.len());
    }
}
