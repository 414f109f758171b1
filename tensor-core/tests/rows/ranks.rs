//! The crate itself, ranks, and shapes as arguments.

use std::collections::BTreeSet;
use std::process::Command;

use tensor_core::{
    DynRank, INLINE_RANK, IntoRankShape, Rank, ShapeVec, StrideVec, TensorLayout, TensorRank,
    ValidationError, ValidationKind, checked_element_count,
};

/// The names in cargo's tree of what this crate is built from, and those of them that are crates of this repository.
fn dependencies(extra: &[&str]) -> (BTreeSet<String>, BTreeSet<String>) {
    let out = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "tree",
            "--package",
            "tensor-core",
            "--edges",
            "normal,build",
        ])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(["--all-features", "--frozen"])
        .args(extra)
        .output()
        .expect("cargo runs: it runs this test");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = String::from_utf8(out.stdout).expect("cargo writes UTF-8");
    let name = |line: &str| line.split(' ').next().unwrap_or(line).to_owned();
    let lines = || text.lines().filter(|line| !line.is_empty());
    // Only packages with a path are printed with one.
    let ours = lines()
        .filter(|line| line.contains(['/', '\\']))
        .map(name)
        .collect();
    (lines().map(name).collect(), ours)
}

#[test]
fn a01_metadata_alone() {
    let of = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    let (all, ours) = dependencies(&[]);
    assert!(all.len() > 1);
    assert_eq!(
        ours,
        of(&["tensor-core"]),
        "no crate with storage, devices or execution"
    );
    let (direct, _) = dependencies(&["--depth", "1"]);
    let allowed = of(&[
        "half",
        "num-complex",
        "serde",
        "tensor-core",
        "thiserror",
        "tinyvec",
    ]);
    assert_eq!(direct, allowed);
    // A layout of 2^60 elements is as large as one of 1.
    let huge = TensorLayout::<Rank<1>>::row_major([1 << 60]).unwrap();
    assert_eq!(size_of_val(&huge), size_of::<TensorLayout<Rank<1>>>());
}

#[test]
fn a07_two_ranks() {
    // That no other type implements the trait is a compile_fail example of its documentation.
    const _: () = assert!(DynRank::RANK.is_none());
    const _: () = assert!(matches!(Rank::<0>::RANK, Some(0)));
    const _: () = assert!(matches!(Rank::<3>::RANK, Some(3)));
    let shape: <Rank<3> as TensorRank>::Shape = [2, 3, 4];
    let layout = TensorLayout::<Rank<3>>::row_major(shape).unwrap();
    assert_eq!(layout.shape_array(), shape);
    let shape: <DynRank as TensorRank>::Shape = ShapeVec::from([2, 3, 4].as_slice());
    assert_eq!(layout.into_dynamic().shape(), shape.as_slice());
}

#[test]
fn a08_eight_axes_inline() {
    const _: () = assert!(INLINE_RANK == 8);
    for rank in 0..=10 {
        // The spill is at rank 9.
        let shape = DynRank::shape_from_slice(&vec![2; rank]).unwrap();
        assert_eq!(shape.is_heap(), rank > 8, "rank {rank}");
        let strides: StrideVec = DynRank::zero_strides(&shape);
        assert_eq!((strides.is_heap(), strides.len()), (rank > 8, rank));
    }
}

#[test]
fn a10_arrays_of_the_exact_length() {
    fn rank_two(shape: impl IntoRankShape<Rank<2>>) -> Result<[usize; 2], ValidationError> {
        shape.into_rank_shape()
    }
    // Another length is a compile_fail example of the trait's documentation.
    assert_eq!(rank_two([2, 3]), Ok([2, 3]));
    let by_reference: fn(&'static [usize; 2]) -> Result<[usize; 2], ValidationError> =
        IntoRankShape::<Rank<2>>::into_rank_shape;
    assert_eq!(by_reference(&[2, 3]), Ok([2, 3]));
}

#[test]
fn a11_containers_of_run_time_length() {
    let text = "from_vec_col_major: rank mismatch: expected 2, actual 3";
    let three = [2, 3, 1];
    for made in [
        IntoRankShape::<Rank<2>>::into_rank_shape(three.to_vec()),
        IntoRankShape::<Rank<2>>::into_rank_shape(three.as_slice()),
        IntoRankShape::<Rank<2>>::into_rank_shape(ShapeVec::from(three.as_slice())),
    ] {
        let error = made.unwrap_err().with_op("from_vec_col_major");
        assert_eq!(
            error,
            ValidationError::RankMismatch {
                op: "from_vec_col_major",
                expected: 2,
                actual: 3
            }
        );
        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), ValidationKind::RankMismatch);
    }
    assert_eq!(
        IntoRankShape::<Rank<2>>::into_rank_shape(vec![2, 3]),
        Ok([2, 3])
    );
}

#[test]
fn a12_the_element_count_is_checked_when_running() {
    assert_eq!(checked_element_count("from_vec_col_major", &[2, 3]), Ok(6));
    let error = ValidationError::ShapeDataLengthMismatch {
        op: "from_vec_col_major",
        product: 6,
        length: 5,
    };
    assert_eq!(
        error.to_string(),
        "from_vec_col_major: shape product 6 does not match data length 5"
    );
    assert_eq!(error.op(), "from_vec_col_major");
    assert_eq!(error.kind(), ValidationKind::ShapeMismatch);
    let overflow = checked_element_count("from_vec_col_major", &[usize::MAX, 2]).unwrap_err();
    assert!(matches!(
        overflow,
        ValidationError::IntegerOverflow {
            op: "from_vec_col_major",
            ..
        }
    ));
}
