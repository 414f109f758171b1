//! Files of tensors that the tests of several commands use, and `tenfold inspect` on them.

use serde_json::json;
use tenfold::Tensor;
use tenfold::tensor::bf16;
use tensor_io::{FileFormat, save};

use super::tenfold::{Scratch, keys, tenfold};

/// Writes `name` with a column-major matrix `matrix` of 2 x 3 integers 0 to 5, and a vector `vector` of the floats 0.5, -1.5.
pub(crate) fn two(scratch: &Scratch, name: &str) {
    let matrix = Tensor::from_vec_col_major([2, 3], vec![0_i32, 3, 1, 4, 2, 5])
        .expect("the shape has as many elements");
    let vector = Tensor::from_vec_row_major([2], vec![0.5_f32, -1.5])
        .expect("the shape has as many elements");
    let tensors = [("matrix", &matrix), ("vector", &vector)];
    let long = "y".repeat(70);
    let texts = [("author", "a test"), ("long", long.as_str())];
    let format = FileFormat::of_name(name).expect("the name has an ending");
    let texts = if format.holds_metadata() {
        &texts[..]
    } else {
        &[]
    };
    save(scratch.file(name), format, &tensors, texts, |_, _| {})
        .expect("the scratch folder can be written");
}

/// Writes `name` with these tensors.
pub(crate) fn write(scratch: &Scratch, name: &str, tensors: &[(&str, &Tensor)]) {
    let format = FileFormat::of_name(name).expect("the name has an ending");
    save(scratch.file(name), format, tensors, &[], |_, _| {})
        .expect("the scratch folder can be written");
}

/// The bytes of a GGUF file, version 3, as its specification has them: a text, an array of three numbers, a tensor `plain`
/// of two floats and a tensor `packed` of 32 elements in one block of Q4_0 (format 2, 18 bytes).
pub(crate) fn gguf() -> Vec<u8> {
    fn text(out: &mut Vec<u8>, text: &str) {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    }
    fn tensor(out: &mut Vec<u8>, name: &str, extent: u64, format: u32, offset: u64) {
        text(out, name);
        out.extend(1_u32.to_le_bytes());
        out.extend(extent.to_le_bytes());
        out.extend(format.to_le_bytes());
        out.extend(offset.to_le_bytes());
    }
    let mut out = b"GGUF".to_vec();
    out.extend(3_u32.to_le_bytes());
    out.extend(2_u64.to_le_bytes());
    out.extend(2_u64.to_le_bytes());
    text(&mut out, "general.name");
    out.extend(8_u32.to_le_bytes());
    text(&mut out, "small");
    text(&mut out, "numbers");
    out.extend(9_u32.to_le_bytes());
    out.extend(4_u32.to_le_bytes());
    out.extend(3_u64.to_le_bytes());
    for number in [7_u32, 8, 9] {
        out.extend(number.to_le_bytes());
    }
    tensor(&mut out, "plain", 2, 0, 0);
    tensor(&mut out, "packed", 32, 2, 32);
    out.resize(out.len().next_multiple_of(32), 0);
    out.extend(1.5_f32.to_le_bytes());
    out.extend((-2.0_f32).to_le_bytes());
    out.resize(out.len().next_multiple_of(32), 0);
    out.extend([0; 18]);
    out.resize(out.len().next_multiple_of(32), 0);
    out
}

#[test]
fn a_container_is_described_in_tables() {
    let scratch = Scratch::new("inspect-container");
    two(&scratch, "w.tensors");
    // The format is found by the contents.
    let path = scratch.file("w.onnx");
    std::fs::rename(scratch.file("w.tensors"), &path).unwrap();
    let expect = format!(
        "\
{path}: container, version 1
metadata:
  author  \"a test\"
  long    \"{}\".. (70 characters)
tensors:
  name    dtype  shape   order         offset  bytes
  matrix  i32    [2, 3]  column-major     192     24
  vector  f32    [2]     row-major        256      8
total: 2 tensors, 8 elements in 32 bytes
",
        "y".repeat(30)
    );
    assert_eq!(tenfold(&format!("inspect {path}")).success(), expect);
}

#[test]
fn a_container_is_described_in_json() {
    let scratch = Scratch::new("inspect-json");
    two(&scratch, "w.tensors");
    let path = scratch.file("w.tensors");
    let expect = json!({
        "file": path,
        "format": "container",
        "version": "1",
        "metadata": { "author": "a test", "long": "y".repeat(70) },
        "tensors": [
            {
                "name": "matrix", "dtype": "i32", "block": null, "shape": [2, 3], "order": "column-major",
                "offset": 192, "bytes": 24, "file": null,
            },
            {
                "name": "vector", "dtype": "f32", "block": null, "shape": [2], "order": "row-major",
                "offset": 256, "bytes": 8, "file": null,
            },
        ],
        "tensor_count": 2,
        "element_count": 8,
        "tensor_bytes": 32,
    });
    assert_eq!(tenfold(&format!("inspect {path} --json")).json(), expect);
}

#[test]
fn every_format_is_described() {
    let scratch = Scratch::new("inspect-formats");
    two(&scratch, "w.safetensors");
    two(&scratch, "w.npz");
    let matrix = Tensor::from_vec_row_major([1, 2], vec![true, false]).unwrap();
    write(&scratch, "m.npy", &[("any", &matrix)]);
    std::fs::write(scratch.file("w.gguf"), gguf()).unwrap();
    for (file, says) in [
        (
            "w.safetensors",
            &[
                "w.safetensors: safetensors\nmetadata:\n",
                "  vector  f32    [2]",
            ][..],
        ),
        (
            "w.npz",
            &[
                "w.npz: npz\ntensors:\n",
                "  matrix  i32    [2, 3]  column-major",
            ],
        ),
        (
            "m.npy",
            &[
                "m.npy: npy, version 1.0\n",
                "  m     bool   [1, 2]  row-major     128      2\ntotal: 1 tensor, 2 elements in 2 bytes\n",
            ],
        ),
        (
            "w.gguf",
            &[
                "w.gguf: GGUF, version 3\n",
                "  general.name  \"small\"\n  numbers       \"[7, 8, 9]\"\n",
                "  packed  Q4_0   [32]",
                "total: 2 tensors, 34 elements in 26 bytes\n",
            ],
        ),
    ] {
        let text = tenfold(&format!("inspect {}", scratch.file(file))).success();
        for says in says {
            assert!(text.contains(says), "{file} does not say {says:?}: {text}");
        }
    }
    let gguf = tenfold(&format!("inspect {} --json", scratch.file("w.gguf"))).json();
    assert_eq!(
        gguf["metadata"],
        json!({ "general.name": "small", "numbers": [7, 8, 9] })
    );
    assert_eq!(
        gguf["tensors"][1]["block"],
        json!({ "elements": 32, "bytes": 18 })
    );
}

#[test]
fn shards_are_described_as_one_file() {
    let scratch = Scratch::new("inspect-shards");
    let (a, b) = (Tensor::scalar(1_u8), Tensor::scalar(bf16::ONE));
    write(&scratch, "1.safetensors", &[("a", &a)]);
    write(&scratch, "2.safetensors", &[("b", &b)]);
    let path = scratch.file("model.safetensors.index.json");
    let index = json!({ "weight_map": { "a": "1.safetensors", "b": "2.safetensors" } });
    std::fs::write(&path, index.to_string()).unwrap();
    let text = tenfold(&format!("inspect {path}")).success();
    assert!(
        text.starts_with(&format!("{path}: safetensors, an index of 2 files\n")),
        "{text}"
    );
    assert!(text.contains("  1.safetensors\n"), "{text}");
    let json = tenfold(&format!("inspect {path} --json")).json();
    let files: Vec<_> = (0..2).map(|at| &json["tensors"][at]["file"]).collect();
    assert_eq!(files, ["1.safetensors", "2.safetensors"]);
    assert_eq!(json["version"], json!(null));
    assert_eq!(keys(&json["tensors"][0]).len(), 8);
}

#[test]
fn damaged_files_are_one_sentence() {
    let scratch = Scratch::new("inspect-damaged");
    two(&scratch, "w.tensors");
    two(&scratch, "w.safetensors");
    two(&scratch, "w.npz");
    std::fs::write(scratch.file("w.gguf"), gguf()).unwrap();
    for file in ["w.tensors", "w.safetensors", "w.npz", "w.gguf"] {
        let bytes = std::fs::read(scratch.file(file)).unwrap();
        for cut in [17, bytes.len() / 2, bytes.len() - 40] {
            let path = scratch.file(&format!("cut-{file}"));
            std::fs::write(&path, &bytes[..cut]).unwrap();
            for command in ["inspect", "tensor"] {
                let stderr = tenfold(&format!("{command} {path}")).failure(1);
                let one = stderr.starts_with(&format!("error: {path}")) && stderr.ends_with('\n');
                assert!(one && stderr.lines().count() == 1, "{file} {cut}: {stderr}");
            }
        }
    }
    let folder = scratch.file("");
    assert!(
        tenfold(&format!("inspect {folder}"))
            .failure(1)
            .contains("directory")
    );
}

/// The beginning of a pipe can be read once only, so nobody may look at it before the reader of models does.
#[cfg(unix)]
#[test]
fn a_model_may_come_through_a_pipe() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tenfold"))
        .args(["inspect", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(include_bytes!("../data/head.onnx")).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("/dev/stdin: ONNX, IR version 8"), "{text}");
}
