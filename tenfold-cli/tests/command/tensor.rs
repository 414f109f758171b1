//! `tenfold tensor`.

use serde_json::json;
use tenfold::Tensor;
use tenfold::tensor::Complex32;
use tensor_io::TensorFile;

use super::files::{gguf, two, write};
use super::tenfold::{Scratch, call, tenfold};

#[test]
fn tensors_are_listed_or_shown() {
    let scratch = Scratch::new("tensor-list");
    two(&scratch, "w.tensors");
    let path = scratch.file("w.tensors");
    assert_eq!(
        tenfold(&format!("tensor {path}")).success(),
        "matrix  i32  [2, 3]\nvector  f32  [2]\n"
    );
    let list = tenfold(&format!("tensor {path} --json")).json();
    assert_eq!(
        (&list["format"], &list["tensors"][1]["name"]),
        (&json!("container"), &json!("vector"))
    );
    assert_eq!(
        tenfold(&format!("tensor {path} matrix")).success(),
        "matrix: i32 [2, 3], 24 bytes from byte 192\n[[0 1 2]\n [3 4 5]] i32[2, 3]\n"
    );
    let shown = tenfold(&format!("tensor {path} matrix --slice ::-1,1: --json")).json();
    assert_eq!(
        (&shown["slice"], &shown["shape"], &shown["values"]),
        (&json!("::-1,1:"), &json!([2, 2]), &json!([[4, 5], [1, 2]]))
    );
    assert_eq!(shown["statistics"], json!(null));
}

/// A file of one tensor needs no name; above 1,000 elements there is an ellipsis, and no values in JSON.
#[test]
fn a_long_tensor_is_abbreviated() {
    let scratch = Scratch::new("tensor-long");
    let long = Tensor::from_vec_row_major([1001], (0..1001).collect::<Vec<i64>>()).unwrap();
    write(&scratch, "long.npy", &[("long", &long)]);
    let path = scratch.file("long.npy");
    let text = tenfold(&format!("tensor {path}")).success();
    let expect = "\
long: i64 [1001], 7.8 KiB from byte 128
[   0    1    2 ...  998  999 1000] i64[1001]
min=0 max=1000 mean=500 count=1001 nan=0 inf=0
";
    assert_eq!(text, expect);
    assert_eq!(
        tenfold(&format!("tensor {path} --json")).json()["values"],
        json!(null)
    );
    let part = tenfold(&format!("tensor {path} --slice -1 --json")).json();
    assert_eq!(
        (&part["values"], &part["shape"]),
        (&json!(1000), &json!([]))
    );
}

/// Mean 1.5 and deviation sqrt((2.25 + 0.25 + 0.25 + 2.25) / 4) of the numbers 0 to 3, worked out by hand.
#[test]
fn statistics_and_a_histogram() {
    let scratch = Scratch::new("tensor-stats");
    let values = vec![0.0_f32, f32::NAN, 1.0, 2.0, 3.0];
    let floats = Tensor::from_vec_row_major([5], values).unwrap();
    write(&scratch, "f.npy", &[("f", &floats)]);
    let path = scratch.file("f.npy");
    let expect = "\
f: f32 [5], 20 bytes from byte 128
count           5
min             0
max             3
mean          1.5
std       1.11803
NaN             1
infinite        0
zeros           1
";
    assert_eq!(tenfold(&format!("tensor {path} --stats")).success(), expect);
    let statistics = &tenfold(&format!("tensor {path} --stats --json")).json()["statistics"];
    assert_eq!(
        *statistics,
        json!({
            "count": 5, "min": 0.0, "max": 3.0, "mean": 1.5, "std": 1.25_f64.sqrt(), "nan_count": 1, "inf_count": 0,
            "zero_count": 1,
        })
    );
    let text = tenfold(&format!("tensor {path} --hist")).success();
    let bar = "█".repeat(40);
    assert!(
        text.contains(&format!("\n     0  0.1875         1  {bar}\n")),
        "{text}"
    );
    assert!(text.ends_with("\nleft out: 1 NaN, 0 infinite\n"), "{text}");
    assert_eq!(text.lines().count(), 1 + 1 + 16 + 1);

    let bools = Tensor::from_vec_row_major([4], vec![true, false, true, true]).unwrap();
    write(&scratch, "b.npy", &[("b", &bools)]);
    let path = scratch.file("b.npy");
    let histogram = &tenfold(&format!("tensor {path} --hist --json")).json()["histogram"];
    assert_eq!(
        histogram["bins"],
        json!([{ "from": 0, "to": 0, "count": 1 }, { "from": 1, "to": 1, "count": 3 }])
    );
}

#[test]
fn a_slice_is_written_in_every_format() {
    let scratch = Scratch::new("tensor-save");
    two(&scratch, "w.npz");
    let path = scratch.file("w.npz");
    for format in ["npy", "npz", "tensors", "safetensors"] {
        let out = scratch.file(&format!("matrix.{format}"));
        let text = tenfold(&format!("tensor {path} matrix --slice 1,::-1 --save {out}")).success();
        assert!(
            text.ends_with(&format!("slice 1,::-1: [3]\nwritten to {out}\n")),
            "{text}"
        );
        let saved = TensorFile::open(&out).unwrap().read("matrix").unwrap();
        assert_eq!(saved.to_vec::<i32>().unwrap(), [5, 4, 3]);
        let again = tenfold(&format!("tensor {path} vector --save {out}")).failure(1);
        assert_eq!(again, format!("error: {out} exists; --force replaces it\n"));
        tenfold(&format!("tensor {path} matrix --save {out} --force")).success();
        let saved = TensorFile::open(&out).unwrap().read("matrix").unwrap();
        assert_eq!(saved.shape(), [2, 3]);
    }
}

#[test]
fn what_is_in_blocks_is_described() {
    let scratch = Scratch::new("tensor-blocks");
    let path = scratch.file("w.gguf");
    std::fs::write(&path, gguf()).unwrap();
    let text = tenfold(&format!("tensor {path} packed")).success();
    assert!(
        text.starts_with("packed: Q4_0 [32], 18 bytes from byte "),
        "{text}"
    );
    assert!(
        text.ends_with(
            "\nits values can't be shown yet: they are stored as Q4_0, in blocks of 32 elements in 18 bytes, which is not \
             decoded\n"
        ),
        "{text}"
    );
    let json = tenfold(&format!("tensor {path} packed --json")).json();
    assert_eq!(
        (&json["tensor"]["dtype"], &json["values"]),
        (&json!("Q4_0"), &json!(null))
    );
    for flag in ["--stats", "--hist", "--slice 0", "--save $none.npy"] {
        let flag = flag.replace('$', &scratch.file(""));
        assert_eq!(
            tenfold(&format!("tensor {path} packed {flag}")).failure(1),
            format!(
                "error: {path}: the values of \"packed\" can't be shown or written yet: they are stored as Q4_0, which is \
                 not decoded\n"
            )
        );
    }
    let plain = tenfold(&format!("tensor {path} plain --json")).json();
    assert_eq!(plain["values"], json!([1.5, -2.0]));
}

#[test]
fn errors_are_one_sentence() {
    let scratch = Scratch::new("tensor-errors");
    two(&scratch, "w.tensors");
    let complex = Tensor::scalar(Complex32::new(1.0, 2.0));
    write(&scratch, "c.npy", &[("c", &complex)]);
    write(&scratch, "empty.npz", &[]);
    std::fs::write(scratch.file("text.npy"), "hello, this is no tensor").unwrap();
    let check = |words: &str, expect: &str| {
        let folder = scratch.file("");
        let expect = expect.replace('$', &folder);
        assert_eq!(tenfold(&words.replace('$', &folder)).failure(1), expect);
    };
    check(
        "tensor $w.tensors matirx",
        "error: $w.tensors: there is no tensor \"matirx\" (is it \"matrix\"?); `tenfold tensor` lists the 2 that there are\n",
    );
    check(
        "tensor $w.tensors nothing",
        "error: $w.tensors: there is no tensor \"nothing\"; `tenfold tensor` lists the 2 that there are\n",
    );
    check(
        "tensor $w.tensors --stats",
        "error: $w.tensors: there are 2 tensors; name the one that is meant: \"matrix\", \"vector\"\n",
    );
    check(
        "tensor $w.tensors matrix --slice 0,3",
        "error: --slice 0,3: there is no index 3 on axis 1 of shape [2, 3]; its indices are -3 to 2\n",
    );
    check(
        "tensor $w.tensors vector --slice 0,0",
        "error: --slice 0,0 is for 2 axes, the shape [2] has 1\n",
    );
    check(
        "tensor $c.npy --hist",
        "error: --hist: the complex numbers of \"c\" have no order, so there are no bins for them\n",
    );
    check(
        "tensor $text.npy",
        "error: $text.npy: no file of tensors that is known here, it begins with [68, 65, 6c, 6c, 6f, 2c, 20, 74, 68, 69, \
         73, 20, 69, 73, 20, 6e]; containers of tensors, safetensors, GGUF, npy and npz are read\n",
    );
    for file in ["$", "$none.npy"] {
        let stderr =
            tenfold(&format!("tensor {}", file.replace('$', &scratch.file("")))).failure(1);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    let empty = format!("tensor {}", scratch.file("empty.npz"));
    assert_eq!(tenfold(&empty).success(), "no tensors\n");
}

/// Names come from files that others made: they must not reach the terminal as they are.
#[test]
fn control_characters_of_names_are_escaped() {
    let scratch = Scratch::new("tensor-escape");
    let one = Tensor::scalar(1_u8);
    write(&scratch, "e.tensors", &[("a\u{1b}[2J\nb", &one)]);
    let path = scratch.file("e.tensors");
    for words in [&["inspect", &path][..], &["tensor", &path]] {
        let text = call(words).success();
        assert!(text.contains("a\\u{1b}[2J\\nb"), "{text:?}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    let named = call(&["tensor", &path, "a\u{1b}[2J\nb", "--json"]).json();
    assert_eq!(named["values"], json!(1));
}
