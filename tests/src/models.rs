//! Real models, and what other engines say that they give.
//!
//! Models are in the assets folder: `TENFOLD_ASSETS`, or `.assets` in the workspace. Goldens are in the folder `golden/`,
//! whose README says what its arrays are. A file that is missing fails the test that wants it: nothing is skipped.

use std::env;
use std::path::{Path, PathBuf};

use tensor::Tensor;
use tensor_io::npz::Npz;

/// Tells the type of a file from 2048 of its bytes.
pub const MAGIKA: &str = "magika/magika/models/standard_v3_3/model.onnx";
/// Reads a line of text.
pub const RECOGNITION: &str =
    "rapidocr_onnxruntime/rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx";
/// Tells whether a line of text stands on its head.
pub const DIRECTION: &str =
    "rapidocr_onnxruntime/rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx";
/// Finds lines of text on a page.
pub const DETECTION: &str =
    "rapidocr_onnxruntime/rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx";

/// A file of the assets folder.
///
/// # Panics
/// If it is not there.
pub fn asset(path: &str) -> PathBuf {
    let folder = match env::var_os("TENFOLD_ASSETS") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.assets"),
    };
    let file = folder.join(path);
    let shown = file.display();
    assert!(
        file.is_file(),
        "{shown} is not there: fetch the models with `cargo xtask assets`"
    );
    file
}

/// The path of a file of the folder `golden/`.
pub fn golden_path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(file)
}

/// An array of an npz file of the folder `golden/`.
///
/// # Panics
/// If it cannot be read.
pub fn golden(file: &str, array: &str) -> Tensor {
    let read = || Npz::open(golden_path(file))?.read(array);
    read().unwrap_or_else(|error| panic!("golden {file}, array {array}: {error}"))
}

/// The pixels of a golden file as the PP-OCR models are fed: `(x / 255 - 0.5) / 0.5`, in f32 and in this order.
///
/// # Panics
/// If they cannot be read.
pub fn pixels(file: &str) -> Tensor {
    let bytes = golden(file, "pixels");
    let values = bytes.to_vec::<u8>().expect("pixels are bytes").into_iter();
    let values = values.map(|x| (f32::from(x) / 255.0 - 0.5) / 0.5).collect();
    Tensor::from_vec_row_major(bytes.shape(), values).expect("the same number of elements")
}

/// The parts `[1, ..]` of a tensor `[n, ..]` along its first axis.
///
/// # Panics
/// If the elements are no `T`, or there is no axis.
pub fn rows<T: tensor::TensorElement + Clone>(tensor: &Tensor) -> Vec<Tensor> {
    let mut shape = tensor.shape().to_vec();
    shape[0] = 1;
    let values = tensor.to_vec::<T>().expect("elements of this type");
    let row = |values: &[T]| Tensor::from_vec_row_major(&shape[..], values.to_vec());
    let size = shape.iter().product();
    values
        .chunks_exact(size)
        .map(|values| row(values).expect("the same number of elements"))
        .collect()
}
