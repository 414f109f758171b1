//! Exit codes and every sentence that a person may read.

use tenfold::{DType, Tensor};
use tensor_io::{npy, npz};

use super::tenfold::{Scratch, call, tenfold};

/// A call that must fail with exit code 1 and exactly this text, in which `$` stands for the scratch folder.
#[track_caller]
fn check(scratch: &Scratch, words: &str, expect: &str) {
    let folder = scratch.file("");
    let words = words.replace('$', &folder);
    let expect = expect.replace('$', &folder);
    assert_eq!(tenfold(&words).failure(1), expect, "tenfold {words}");
}

#[test]
fn help_and_version_succeed() {
    for words in ["--help", "--version", "run --help", "inspect --help", "bench --help", "devices --help"] {
        let text = tenfold(words).success();
        let example = words == "--version" || text.contains("\nExample: tenfold ");
        assert!(example, "no example in `tenfold {words}`: {text}");
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    for (words, says) in [
        ("", "Usage: tenfold <COMMAND>"),
        ("explain m.onnx", "unrecognized subcommand 'explain'"),
        ("run", "<MODEL>"),
        ("run m.onnx --threads 0", "invalid value '0' for '--threads <N>'"),
        ("bench m.onnx --iters 0", "invalid value '0' for '--iters <N>'"),
        ("run m.onnx --device gpu", "[possible values: auto, cpu]"),
        ("run m.onnx --emit loop", "[possible values: import, canonical, fused, planned]"),
        ("run m.onnx --input x", "expected NAME=FILE.npy, for example image=cat.npy"),
        ("run m.onnx --dim N=x", "expected NAME=N with a whole number N, for example batch=8 or x.3=320"),
        ("run m.onnx --emit fused --json", "cannot be used with"),
    ] {
        let stderr = tenfold(words).failure(2);
        assert!(stderr.contains(says), "`tenfold {words}` does not say {says:?}: {stderr}");
    }
}
