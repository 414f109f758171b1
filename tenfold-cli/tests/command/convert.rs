//! `tenfold convert`.

use serde_json::json;
use tenfold::tensor::{Complex64, bf16};
use tenfold::{DType, Tensor};
use tensor_io::TensorFile;

use super::files::{gguf, two, write};
use super::tenfold::{Scratch, keys, tenfold};

fn texts(path: &str) -> Vec<(String, String)> {
    let file = TensorFile::open(path).expect("it was just written");
    file.metadata()
}

#[test]
fn values_go_from_every_format_to_every_other() {
    let scratch = Scratch::new("convert-all");
    let formats = ["tensors", "safetensors", "npz"];
    for from in formats {
        two(&scratch, &format!("w.{from}"));
        for to in formats {
            let (input, output) = (
                scratch.file(&format!("w.{from}")),
                scratch.file(&format!("{from}.{to}")),
            );
            let text = tenfold(&format!("convert {input} {output}")).success();
            assert!(
                text.starts_with(&format!("{output}: 2 tensors, 32 bytes in 0.")),
                "{text}"
            );
            assert_eq!(text.lines().count(), 1);
            let mut file = TensorFile::open(&output).unwrap();
            assert_eq!(
                file.read("matrix")
                    .unwrap()
                    .to_contiguous()
                    .unwrap()
                    .view()
                    .unwrap()
                    .to_vec::<i32>()
                    .unwrap(),
                [0, 1, 2, 3, 4, 5],
                "{from} to {to}"
            );
            assert_eq!(
                file.read("vector").unwrap().to_vec::<f32>().unwrap(),
                [0.5, -1.5]
            );
            let kept = if from == "npz" || to == "npz" { 0 } else { 2 };
            assert_eq!(texts(&output).len(), kept, "{from} to {to}");
            let told = text.contains("; without metadata (2), for which npz has no place\n");
            assert_eq!(told, from != "npz" && to == "npz", "{text}");
        }
    }
}

#[test]
fn json_says_what_was_done() {
    let scratch = Scratch::new("convert-json");
    two(&scratch, "w.tensors");
    let (input, output) = (scratch.file("w.tensors"), scratch.file("v.npy"));
    let words = format!("convert {input} {output} --dtype f64 --json --only vector");
    let done = tenfold(&words).json();
    let expect = [
        "bytes",
        "format",
        "gb_per_s",
        "input",
        "metadata_kept",
        "metadata_left_out",
        "output",
        "seconds",
        "tensors",
    ];
    assert_eq!(keys(&done), expect);
    assert_eq!(
        (&done["tensors"], &done["bytes"], &done["metadata_left_out"]),
        (&json!(1), &json!(16), &json!(2))
    );
    let saved = tensor_io::npy::read(&output).unwrap();
    assert_eq!(saved.to_vec::<f64>().unwrap(), [0.5, -1.5]);
    let refused = tenfold(&words).failure(1);
    assert_eq!(
        refused,
        format!("error: {output} exists; --force replaces it\n")
    );
    tenfold(&format!("{words} --force")).json();
}

#[test]
fn a_file_can_replace_itself() {
    let scratch = Scratch::new("convert-self");
    two(&scratch, "w.safetensors");
    let path = scratch.file("w.safetensors");
    tenfold(&format!("convert {path} {path} --dtype f16 --force")).success();
    let mut file = TensorFile::open(&path).unwrap();
    assert_eq!(file.read("matrix").unwrap().dtype(), DType::F16);
}

#[test]
fn metadata_of_gguf_is_kept_whole() {
    let scratch = Scratch::new("convert-gguf");
    let (input, output) = (scratch.file("w.gguf"), scratch.file("w.tensors"));
    std::fs::write(&input, gguf()).unwrap();
    tenfold(&format!("convert {input} {output} --only plain")).success();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(
        texts(&output),
        [pair("general.name", "small"), pair("numbers", "[7,8,9]")]
    );
}

#[test]
fn all_that_cannot_be_carried_is_named_before_anything_is_written() {
    let scratch = Scratch::new("convert-refused");
    let (half, wide) = (
        Tensor::scalar(bf16::ONE),
        Tensor::scalar(Complex64::new(0.0, 1.0)),
    );
    let tensors = [("a", &half), ("b", &wide), ("c", &half)];
    write(&scratch, "w.tensors", &tensors);
    std::fs::write(scratch.file("w.gguf"), gguf()).unwrap();
    let check = |words: &str, expect: &str| {
        let folder = scratch.file("");
        let expect = expect.replace('$', &folder);
        assert_eq!(tenfold(&words.replace('$', &folder)).failure(1), expect);
    };
    check(
        "convert $w.tensors $out.npy",
        "error: $out.npy was not written: npy has no bf16, for which --dtype f32 would do: \"a\", \"c\"; npy holds one \
         tensor, and there are 3: choose one with --only, or .npz\n",
    );
    check(
        "convert $w.tensors $out.safetensors",
        "error: $out.safetensors was not written: safetensors has no c64, for which --dtype c32 would do: \"b\"\n",
    );
    check(
        "convert $w.tensors $out.npz --dtype f32",
        "error: $out.npz was not written: c64 can't become f32: \"b\"\n",
    );
    check(
        "convert $w.gguf $out.npz --dtype f32",
        "error: $out.npz was not written: Q4_0 is not decoded yet, so these can't be converted: \"packed\"\n",
    );
    check(
        "convert $w.gguf $out.npz --only plan packet x",
        "error: $w.gguf: there is no tensor \"plan\" (is it \"plain\"?), \"packet\" (is it \"packed\"?), \"x\"; `tenfold \
         tensor` lists the 2 that there are\n",
    );
    std::fs::create_dir(scratch.file("folder.npz")).unwrap();
    check(
        "convert $w.gguf $folder.npz --force",
        "error: $folder.npz is a folder; name a file\n",
    );
    for name in ["out.npy", "out.npz", "out.safetensors"] {
        assert!(
            !std::path::Path::new(&scratch.file(name)).exists(),
            "{name}"
        );
    }
    tenfold(&format!(
        "convert {} {} --only a c --dtype f32",
        scratch.file("w.tensors"),
        scratch.file("out.npz")
    ))
    .success();
}

#[test]
fn a_damaged_file_leaves_nothing_behind() {
    let scratch = Scratch::new("convert-damaged");
    two(&scratch, "w.tensors");
    let input = scratch.file("w.tensors");
    let mut bytes = std::fs::read(&input).unwrap();
    // The first byte of `matrix`: its checksum no longer fits.
    bytes[192] ^= 1;
    std::fs::write(&input, bytes).unwrap();
    let output = scratch.file("out.npz");
    let stderr = tenfold(&format!("convert {input} {output}")).failure(1);
    assert!(stderr.contains("checksum"), "{stderr}");
    let left: Vec<_> = std::fs::read_dir(scratch.file("")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// A file of 256 MiB goes from format to format in a process that may not have more than 64 MiB of memory of its own.
#[cfg(target_os = "linux")]
#[test]
fn files_larger_than_memory_are_converted_tensor_by_tensor() {
    use std::process::Command;
    use tensor_io::container::{Container, ContainerWriter};

    let scratch = Scratch::new("convert-large");
    let values: Vec<f32> = (0..2_u32 << 20).map(|k| k as f32).collect();
    let tensor = Tensor::from_vec_row_major([1024, 2048], values).unwrap();
    let mut writer = ContainerWriter::create(scratch.file("a.tensors")).unwrap();
    for layer in 0..32 {
        writer.write(&format!("layer {layer}"), &tensor).unwrap();
    }
    writer.finish().unwrap();
    // Mapped and cast to an archive, from the archive, which can't be mapped, and mapped as it is.
    for (from, to, more) in [
        ("a.tensors", "b.npz", "--dtype f64"),
        ("b.npz", "c.safetensors", "--dtype f32"),
        ("c.safetensors", "d.tensors", ""),
    ] {
        let (input, output) = (scratch.file(from), scratch.file(to));
        let binary = env!("CARGO_BIN_EXE_tenfold");
        let line =
            format!("ulimit -d 65536 && exec '{binary}' convert '{input}' '{output}' {more}");
        let done = Command::new("sh").args(["-c", &line]).output().unwrap();
        let complaint = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{from} to {to}: {complaint}");
        std::fs::remove_file(input).unwrap();
    }
    let last = Container::open(scratch.file("d.tensors")).unwrap();
    assert_eq!(last.entries().len(), 32);
    let layer = last.map("layer 31").unwrap();
    assert_eq!(
        layer.as_slice::<f32>().unwrap(),
        tensor.as_slice::<f32>().unwrap()
    );
}
