//! `MaxPlus` in tensors: longest and shortest paths against plain loops on `f64`, views, conversion, its set.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails as it should")]

#[path = "../../algebra/tests/support/dynamic.rs"]
mod dynamic;
#[path = "../../algebra/tests/support/mod.rs"]
mod support;

use algebra::{map, matmul, product, sum};
use tensor::core::{DType, ExternalId, PromoteInSetError};
use tensor::{DynRank, ExternalScalar, Rank, TypedTensor};
use tropical::{MaxPlus, PathTag, PathTensor};

type Matrix = TypedTensor<MaxPlus, Rank<2>>;

#[test]
fn values() {
    let (inf, nan) = (MaxPlus(f64::INFINITY), MaxPlus(f64::NAN));
    let rows = [
        (MaxPlus(2.0) + MaxPlus(-3.0), 2.0),
        (MaxPlus(-3.0) + MaxPlus(2.0), 2.0),
        (MaxPlus(2.0) * MaxPlus(-3.0), -1.0),
        (MaxPlus::ZERO + MaxPlus(-1e300), -1e300),
        (MaxPlus::ZERO * MaxPlus(1e300), f64::NEG_INFINITY),
        (MaxPlus::ZERO * inf, f64::NEG_INFINITY),
        (inf * MaxPlus(1.0), f64::INFINITY),
        (MaxPlus::ONE * MaxPlus(4.0), 4.0),
    ];
    for (got, expect) in rows {
        assert_eq!(f64::from(got), expect);
    }
    for got in [
        nan + MaxPlus::ONE,
        MaxPlus::ONE + nan,
        nan * MaxPlus::ZERO,
        MaxPlus::ZERO * nan,
    ] {
        assert!(got.0.is_nan());
    }
    assert_eq!(
        (MaxPlus(1.5).to_string(), MaxPlus::ZERO.to_string()),
        ("1.5".to_owned(), "-inf".to_owned())
    );
    assert_eq!(format!("{:6.2}", MaxPlus(1.5)), "  1.50");
}

#[test]
fn a35_a_dynamic_tensor_holds_it() {
    dynamic::check(
        [1.0, 2.5, f64::NEG_INFINITY, -4.0, 0.0, 9.0].map(MaxPlus),
        ["[   1  2.5 -inf]", "[  -4    0    9]"],
    );
}

#[test]
fn a38_storage_views_and_neutral_elements() {
    support::check([1.0, 2.5, f64::NEG_INFINITY, -4.0, 0.0, 9.0].map(MaxPlus));
}

/// The best lengths of paths of any number of arcs below `n`: powers of the matrix with paths of no arc, by squaring.
fn closure(arcs: &Matrix, n: usize) -> Matrix {
    let mut paths = map(&arcs.as_view().unwrap(), |&arc| arc).unwrap();
    for i in 0..n {
        paths[[i, i]] = paths[[i, i]] + MaxPlus::ONE;
    }
    let mut arcs_in_path = 1;
    while arcs_in_path < n - 1 {
        paths = matmul(&paths.as_view().unwrap(), &paths.as_view().unwrap()).unwrap();
        arcs_in_path *= 2;
    }
    paths
}

/// Arcs of a graph of `n` nodes without a cycle (`from < to` only), or with cycles and positive lengths.
fn arcs(n: usize, acyclic: bool) -> Vec<Vec<Option<f64>>> {
    let arc = |i: usize, j: usize| {
        let mixed = (i * 31 + j * 17 + i * j) % 7;
        let wanted = if acyclic { i < j } else { i != j };
        (wanted && mixed < 3).then(|| ((i * 13 + j * 29) % 19 + 1) as f64)
    };
    (0..n)
        .map(|i| (0..n).map(|j| arc(i, j)).collect())
        .collect()
}

fn matrix(n: usize, lengths: &[Vec<Option<f64>>], sign: f64) -> Matrix {
    let flat = lengths.iter().flatten();
    let data = flat
        .map(|arc| arc.map_or(MaxPlus::ZERO, |length| MaxPlus(sign * length)))
        .collect();
    TypedTensor::from_vec_row_major([n, n], data).unwrap()
}

#[test]
fn a38_longest_paths_by_matrix_powers() {
    let n = 12;
    let lengths = arcs(n, true);
    let paths = closure(&matrix(n, &lengths, 1.0), n);
    // Nodes in order of their number are in topological order: one pass of the textbook recurrence.
    let mut some = 0;
    for from in 0..n {
        let mut best = vec![f64::NEG_INFINITY; n];
        best[from] = 0.0;
        for via in from..n {
            for to in 0..n {
                if let Some(length) = lengths[via][to] {
                    best[to] = f64::max(best[to], best[via] + length);
                }
            }
        }
        for to in 0..n {
            assert_eq!(paths[[from, to]].0, best[to], "{from} to {to}");
            some += usize::from(best[to].is_finite());
        }
    }
    assert!(some > 30, "the graph is too thin to show anything");
}

#[test]
fn a38_shortest_paths_by_negated_lengths() {
    let n = 15;
    let lengths = arcs(n, false);
    let paths = closure(&matrix(n, &lengths, -1.0), n);
    // Floyd and Warshall.
    let mut best: Vec<Vec<f64>> = lengths
        .iter()
        .map(|row| row.iter().map(|arc| arc.unwrap_or(f64::INFINITY)).collect())
        .collect();
    for (i, row) in best.iter_mut().enumerate() {
        row[i] = 0.0;
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                best[from][to] = best[from][to].min(best[from][via] + best[via][to]);
            }
        }
    }
    for from in 0..n {
        for to in 0..n {
            assert_eq!(-paths[[from, to]].0, best[from][to], "{from} to {to}");
        }
    }
}

#[test]
fn a38_sums_are_maxima_and_products_are_sums() {
    let t = TypedTensor::<MaxPlus, Rank<2>>::from_vec_col_major(
        [2, 2],
        [1.0, -5.0, 4.0, 2.5].map(MaxPlus).to_vec(),
    )
    .unwrap();
    let view = t.as_view().unwrap();
    assert_eq!(
        sum(&view, &[1]).unwrap().as_slice().unwrap(),
        [MaxPlus(4.0), MaxPlus(2.5)]
    );
    assert_eq!(
        product(&view, &[0]).unwrap().as_slice().unwrap(),
        [MaxPlus(-4.0), MaxPlus(6.5)]
    );
}

#[test]
fn a38_conversion_from_and_to_f64() {
    let floats =
        TypedTensor::<f64, DynRank>::from_vec_row_major([3], vec![1.0, f64::NEG_INFINITY, -0.5])
            .unwrap();
    let lengths = map(&floats.as_view().unwrap(), |&x| MaxPlus::from(x)).unwrap();
    assert_eq!(lengths.as_slice().unwrap()[1], MaxPlus::ZERO);
    let back = map(&lengths.as_view().unwrap(), |&x| f64::from(x)).unwrap();
    assert_eq!(back.as_slice().unwrap(), floats.as_slice().unwrap());
}

#[test]
fn b04_the_set() {
    let tensor = PathTensor::from(
        TypedTensor::from_host_vec_row_major([2], vec![MaxPlus::ONE, MaxPlus::ZERO]).unwrap(),
    );
    let id = ExternalId::from_name("tropical.max_plus");
    assert_eq!(
        (tensor.tag(), tensor.dtype(), tensor.shape()),
        (PathTag::MaxPlus, DType::External(id), &[2][..])
    );
    assert_eq!(
        (MaxPlus::DTYPE, PathTag::MaxPlus.size_bytes()),
        (DType::External(id), 8)
    );
    assert!(tensor.as_typed::<f64>().is_none());
    let typed = tensor.clone().into_typed::<MaxPlus>().unwrap();
    assert_eq!(typed.as_slice().unwrap(), [MaxPlus::ONE, MaxPlus::ZERO]);
}

#[test]
fn b09_it_promotes_with_itself_only() {
    use PathTag::{Bool, F64, MaxPlus};
    assert_eq!(PathTensor::promote(MaxPlus, MaxPlus), Ok(MaxPlus));
    assert_eq!(PathTensor::promote(Bool, F64), Ok(F64));
    for (lhs, rhs) in [
        (MaxPlus, F64),
        (F64, MaxPlus),
        (Bool, MaxPlus),
        (MaxPlus, Bool),
    ] {
        assert_eq!(
            PathTensor::promote(lhs, rhs),
            Err(PromoteInSetError::External { lhs, rhs })
        );
    }
}
