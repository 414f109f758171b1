//! Exit codes and every sentence that a person may read.

use tenfold::{DType, Tensor};
use tensor_io::{npy, npz};

use super::tenfold::{Scratch, tenfold};

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
    for words in [
        "--help",
        "--version",
        "run --help",
        "inspect --help",
        "bench --help",
        "tensor --help",
        "convert --help",
        "devices --help",
    ] {
        let text = tenfold(words).success();
        let example = words == "--version" || text.contains("\nExample: tenfold ");
        assert!(example, "no example in `tenfold {words}`: {text}");
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    for (words, says) in [
        ("", "Usage: tenfold [OPTIONS] <COMMAND>"),
        ("explain m.onnx", "unrecognized subcommand 'explain'"),
        ("run", "<MODEL>"),
        (
            "run m.onnx --threads 0",
            "invalid value '0' for '--threads <N>'",
        ),
        (
            "bench m.onnx --iters 0",
            "invalid value '0' for '--iters <N>'",
        ),
        ("run m.onnx --device gpu", "[possible values: auto, cpu]"),
        (
            "run m.onnx --emit loop",
            "[possible values: import, canonical, fused, planned]",
        ),
        (
            "run m.onnx --input x",
            "expected NAME=FILE.npy, for example image=cat.npy",
        ),
        (
            "run m.onnx --dim N=x",
            "expected NAME=N with a whole number N, for example batch=8 or x.3=320",
        ),
        ("run m.onnx --emit fused --json", "cannot be used with"),
        (
            "tensor a.npy --slice 1,",
            "expected indices, ranges START:END:STEP and ... with commas between them, for example 0:10,:,::-2,3",
        ),
        (
            "tensor a.npy --slice ::0",
            "a step of 0 leads nowhere; 1 takes every element",
        ),
        ("tensor a.npy --slice ...,...", "... can stand once only"),
        (
            "tensor a.npy --save b.gguf",
            "GGUF files are read, not written; choose .tensors, .safetensors, .npz or .npy",
        ),
        ("tensor a.npy --force", "--save <OUT>"),
        (
            "convert a.npz b.txt",
            "the name must end with the format: .tensors, .safetensors, .npz or .npy",
        ),
        (
            "convert a.npz b.npz --dtype q8",
            "expected f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, c32 or c64",
        ),
    ] {
        let stderr = tenfold(words).failure(2);
        assert!(
            stderr.contains(says),
            "`tenfold {words}` does not say {says:?}: {stderr}"
        );
    }
}

/// Files of a test: `x.npy` suits head.onnx, the others do not suit anything.
fn files(scratch: &Scratch) {
    let write = |name: &str, dtype, shape: &[usize]| {
        let tensor = Tensor::zeros(dtype, shape).expect("a small tensor");
        npy::write(scratch.file(name), &tensor).expect("the scratch folder can be written");
        tensor
    };
    let x = write("x.npy", DType::F32, &[2, 4]);
    write("double.npy", DType::F64, &[2, 4]);
    write("rank.npy", DType::F32, &[2, 4, 1]);
    write("wide.npy", DType::F32, &[2, 5]);
    write("two.npy", DType::F32, &[2, 2]);
    write("three.npy", DType::I64, &[3, 1]);
    let arrays = [("x", &x), ("label", &x)];
    npz::write(scratch.file("more.npz"), &arrays, npz::Compression::Stored)
        .expect("the scratch folder can be written");
    let copy = |name: &str, bytes: &[u8]| {
        std::fs::write(scratch.file(name), bytes).expect("the scratch folder can be written");
    };
    let npy = std::fs::read(scratch.file("x.npy")).expect("it was just written");
    copy("cut.npy", &npy[..npy.len() - 1]);
    copy("cut.onnx", &include_bytes!("../data/head.onnx")[..200]);
    copy("empty.onnx", &[]);
    copy("text.onnx", b"hello world, this is no model");
}

/// What the system says of a file that is not there.
fn not_found() -> String {
    std::io::Error::from_raw_os_error(2).to_string()
}

#[test]
fn files_that_are_no_models() {
    let scratch = Scratch::new("models");
    files(&scratch);
    let missing = format!("error: cannot read \"$none.onnx\": {}\n", not_found());
    for command in ["inspect", "run", "bench"] {
        let check =
            |file: &str, expect: &str| check(&scratch, &format!("{command} {file}"), expect);
        check("$none.onnx", &missing);
        check(
            "$cut.onnx",
            "error: cut.onnx: not an ONNX file, or one that is cut short: at byte 21: 356 bytes should follow, but only \
             179 do\n",
        );
        check(
            "$empty.onnx",
            "error: empty.onnx: holds no graph; it is empty or another kind of protobuf file than an ONNX model\n",
        );
        check(
            "$text.onnx",
            "error: text.onnx: not an ONNX file, or one that is cut short: at byte 3: unknown wire type 4\n",
        );
    }
    check(
        &scratch,
        "run unsupported.onnx --random 1",
        "error: unsupported.onnx: \"/first/Frobnicate\" (com.example.Frobnicate, node 0) and 1 more: the op Frobnicate of \
         domain \"com.example\" opset 1 is not supported\n",
    );
}

#[test]
fn inputs_that_do_not_suit() {
    let scratch = Scratch::new("inputs");
    files(&scratch);
    let check = |words: &str, expect: &str| check(&scratch, words, expect);
    check(
        "run head.onnx",
        "error: inputs without a value: \"x\" f32[N, 4]; give each with --input NAME=FILE.npy or --inputs FILE.npz, or \
         have them drawn with --random SEED\n",
    );
    check(
        "bench head.onnx --input y=$x.npy",
        "error: there is no input \"y\"; inputs: \"x\" f32[N, 4]\n",
    );
    check(
        "run head.onnx --inputs $more.npz",
        "error: there is no input \"label\"; inputs: \"x\" f32[N, 4]\n",
    );
    check(
        "run head.onnx --input x=$x.npy --input x=$x.npy",
        "error: the input \"x\" is given twice: leave out one --input, or take it out of the --inputs file\n",
    );
    check(
        "run head.onnx --input x=$double.npy",
        "error: input \"x\" is f32[N, 4], but a tensor of f64 was fed; cast it first\n",
    );
    check(
        "run head.onnx --input x=$rank.npy",
        "error: input \"x\" is declared f32[N, 4]; got shape [2, 4, 1]\n",
    );
    check(
        "run head.onnx --input x=$wide.npy",
        "error: input \"x\" is declared f32[N, 4]; got shape [2, 5]\n",
    );
    check(
        "run pair.onnx --input x=$two.npy --input n=1=$three.npy",
        "error: input \"n=1\" is declared i64[N, 1]; got shape [3, 1], which makes N = 3, but N = 2 by an earlier axis\n",
    );
    check(
        "run head.onnx --input x=$cut.npy",
        "error: $cut.npy: f32 [2, 4] needs 32 bytes, 31 are there; the file is damaged or incomplete\n",
    );
    let missing = format!("cannot open: {}\n", not_found());
    check(
        "run head.onnx --input x=$none.npy",
        &format!("error: $none.npy: {missing}"),
    );
    check(
        "run head.onnx --inputs $none.npz",
        &format!("error: $none.npz: {missing}"),
    );
}

#[test]
fn dimensions_that_do_not_suit() {
    let scratch = Scratch::new("dims");
    files(&scratch);
    let check = |words: &str, expect: &str| check(&scratch, words, expect);
    check(
        "run pair.onnx --random 1",
        "error: the input \"x\" f32[N, \"?0\"] has open dimensions: add --dim N=N --dim x.1=N\n",
    );
    check(
        "run head.onnx --emit planned",
        "error: the input \"x\" f32[N, 4] has open dimensions: add --dim N=N\n",
    );
    check(
        "run head.onnx --random 1 --dim M=1",
        "error: --dim M: no input has such a dimension; inputs: \"x\" f32[N, 4]\n",
    );
    check(
        "run head.onnx --input x=$x.npy --dim N=3",
        "error: --dim N=3: another --dim or the shape of a given input says that it is 2\n",
    );
    check(
        "run head.onnx --random 1 --dim N=1 --dim x.1=5",
        "error: --dim x.1=5: this dimension is 4 in the input \"x\" f32[N, 4] and cannot be chosen\n",
    );
    check(
        "run head.onnx --random 1 --dim N=99999999999999",
        "error: the input \"x\" cannot be drawn\n  caused by: zeros: cannot allocate 399999999999996 elements of 4 bytes; \
         use a smaller shape\n",
    );
}

#[test]
fn outputs_that_cannot_be_written() {
    let scratch = Scratch::new("unwritable");
    files(&scratch);
    check(
        &scratch,
        "run head.onnx --input x=$x.npy --outputs $none/out.npz",
        &format!("error: $none/out.npz: cannot create: {}\n", not_found()),
    );
}
