//! Inputs from files, seeds and dimensions, and every sentence about them.

use std::path::PathBuf;

use tenfold::DType;
use tenfold::graph::{DimOp, TensorType};
use tensor_io::npz::Compression;

use super::*;

/// `x: f32[N, 3, ?0, ?1]`, `mask: bool[N, (W / 2)]`, `a=b: i64[2]`.
fn ports() -> Vec<Port> {
    let dims = |shape: Vec<Dim>| shape;
    let half = Dim::apply(DimOp::FloorDiv, Dim::from("W"), Dim::from(2_usize));
    let port = |name: &str, dtype, shape: Vec<Dim>| Port {
        name: name.to_owned(),
        ty: TensorType::new(dtype, shape),
    };
    vec![
        port(
            "x",
            DType::F32,
            dims(vec!["N".into(), 3_usize.into(), "?0".into(), "?1".into()]),
        ),
        port("mask", DType::Bool, vec!["N".into(), half]),
        port("a=b", DType::I64, vec![2_usize.into()]),
    ]
}

fn args(dims: &[&str]) -> FeedArgs {
    FeedArgs {
        random: Some(1),
        dim: dims.iter().map(|dim| dim.parse().unwrap()).collect(),
        ..FeedArgs::default()
    }
}

fn shapes(feeds: &Feeds) -> Vec<(&str, Vec<usize>)> {
    feeds
        .as_refs()
        .into_iter()
        .map(|(name, tensor)| (name, tensor.shape().to_vec()))
        .collect()
}

/// A file of one test; removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("tenfold-feeds-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _already_gone = std::fs::remove_file(&self.0);
    }
}

#[test]
fn drawn_inputs_take_their_extents_from_dims() {
    let feeds = Feeds::collect(&ports(), &args(&["N=2", "x.2=5", "?1=7", "W=9", "x.1=3"])).unwrap();
    let expect = vec![
        ("x", vec![2, 3, 5, 7]),
        ("mask", vec![2, 4]),
        ("a=b", vec![2]),
    ];
    assert_eq!(shapes(&feeds), expect);
    assert_eq!(feeds.as_refs()[1].1.dtype(), DType::Bool);
}

#[test]
fn given_inputs_bind_the_symbols_of_drawn_ones() {
    let file = Scratch::new("binds.npy");
    npy::write(&file.0, &Tensor::zeros(DType::F32, [4, 3, 1, 1]).unwrap()).unwrap();
    let mut args = args(&["W=8"]);
    args.input = vec![format!("x={}", file.0.display()).parse().unwrap()];
    let feeds = Feeds::collect(&ports(), &args).unwrap();
    assert_eq!(shapes(&feeds)[1], ("mask", vec![4, 4]));
    args.dim.push("N=5".parse().unwrap());
    assert_eq!(
        Feeds::collect(&ports(), &args).unwrap_err().to_string(),
        "--dim N=5: another --dim or the shape of a given input says that it is 4"
    );
}

#[test]
fn names_may_contain_an_equals_sign() {
    let split = |text: &str| {
        let arg: InputArg = text.parse().unwrap();
        let (name, file) = arg.split(&ports());
        (name.to_owned(), file.to_owned())
    };
    for (text, name, file) in [
        ("x=f.npy", "x", "f.npy"),
        ("a=b=f.npy", "a=b", "f.npy"),
        ("a=b=c=d.npy", "a=b", "c=d.npy"),
        ("y=b=f.npy", "y", "b=f.npy"),
        ("a=b=", "a", "b="),
    ] {
        assert_eq!(split(text), (name.to_owned(), file.to_owned()), "{text}");
    }
}

#[test]
fn npz_gives_inputs_by_name() {
    let file = Scratch::new("all.npz");
    let tensors = [
        ("x", Tensor::zeros(DType::F32, [1, 3, 2, 2]).unwrap()),
        ("mask", Tensor::zeros(DType::Bool, [1, 1]).unwrap()),
        ("a=b", Tensor::zeros(DType::I64, [2]).unwrap()),
    ];
    let refs: Vec<(&str, &Tensor)> = tensors
        .iter()
        .map(|(name, tensor)| (*name, tensor))
        .collect();
    npz::write(&file.0, &refs, Compression::Deflated).unwrap();
    let mut args = FeedArgs {
        inputs: Some(file.0.clone()),
        ..FeedArgs::default()
    };
    let feeds = Feeds::collect(&ports(), &args).unwrap();
    assert_eq!(shapes(&feeds).len(), 3);

    let single = Scratch::new("twice.npy");
    npy::write(&single.0, &tensors[2].1).unwrap();
    args.input = vec![format!("a=b={}", single.0.display()).parse().unwrap()];
    assert_eq!(
        Feeds::collect(&ports(), &args).unwrap_err().to_string(),
        "the input \"a=b\" is given twice: leave out one --input, or take it out of the --inputs file"
    );
}

#[test]
fn shapes_alone_need_no_seed() {
    let mut args = args(&["N=1", "x.2=1", "x.3=1", "W=2"]);
    args.random = None;
    assert_eq!(
        shapes(&Feeds::collect_shapes(&ports(), &args).unwrap()).len(),
        3
    );
    assert!(Feeds::collect(&ports(), &args).is_err());
}

#[test]
fn each_failure_says_what_to_do() {
    let check = |args: &FeedArgs, expect: &str| {
        let failure = Feeds::collect(&ports(), args).unwrap_err();
        assert_eq!(failure.to_string(), expect);
    };
    check(
        &FeedArgs::default(),
        "inputs without a value: \"x\" f32[N, 3, \"?0\", \"?1\"], \"mask\" bool[N, (W / 2)], \"a=b\" i64[2]; give each with \
         --input NAME=FILE.npy or --inputs FILE.npz, or have them drawn with --random SEED",
    );
    check(
        &args(&[]),
        "the input \"x\" f32[N, 3, \"?0\", \"?1\"] has open dimensions: add --dim N=N --dim x.2=N --dim x.3=N",
    );
    check(
        &args(&["N=1", "x.2=1", "x.3=1"]),
        "the input \"mask\" bool[N, (W / 2)] has open dimensions: add --dim W=N",
    );
    check(
        &args(&["M=1"]),
        "--dim M: no input has such a dimension; inputs: \"x\" f32[N, 3, \"?0\", \"?1\"], \"mask\" bool[N, (W / 2)], \
         \"a=b\" i64[2]",
    );
    check(
        &args(&["x.1=4"]),
        "--dim x.1=4: this dimension is 3 in the input \"x\" f32[N, 3, \"?0\", \"?1\"] and cannot be chosen",
    );
    check(
        &args(&["mask.1=4"]),
        "--dim mask.1=4: this dimension is (W / 2) in the input \"mask\" bool[N, (W / 2)] and cannot be chosen",
    );
    check(
        &args(&["N=1", "x.0=2"]),
        "--dim x.0=2: another --dim or the shape of a given input says that it is 1",
    );
    check(
        &args(&["N=99999999999999", "x.2=1", "x.3=1"]),
        "the input \"x\" cannot be drawn",
    );
}
