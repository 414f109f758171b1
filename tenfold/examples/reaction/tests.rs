//! Steps against the equations with plain loops in f64.

use super::*;

/// A step with plain loops in f64, for `u` then `v`.
fn expected(field: &[f64], size: usize) -> Vec<f64> {
    let line =
        |(mean, swing): (f64, f64), at: usize| mean - swing * (TAU * at as f64 / size as f64).cos();
    let all = size * size;
    let flow = |chemical: usize, row: usize, column: usize| {
        let at = |dr: usize, dc: usize| {
            let (row, column) = (
                (row + size + dr - 1) % size,
                (column + size + dc - 1) % size,
            );
            field[chemical * all + row * size + column]
        };
        let edges = at(0, 1) + at(1, 0) + at(1, 2) + at(2, 1);
        let corners = at(0, 0) + at(0, 2) + at(2, 0) + at(2, 2);
        (0.2 * edges + 0.05 * corners - at(1, 1)) / 0.3 * f64::from(SPREAD[chemical])
    };
    let cell = |at: usize| {
        let (chemical, row, column) = (at / all, at % all / size, at % size);
        let (u, v) = (field[at % all], field[all + at % all]);
        let (feed, kill) = (line(FEED, row), line(KILL, column));
        let change = match chemical {
            0 => feed * (1.0 - u) - u * v * v,
            _ => u * v * v - (feed + kill) * v,
        };
        field[at] + flow(chemical, row, column) + change
    };
    (0..2 * all).map(cell).collect()
}

#[test]
fn r03_the_state_advances_by_the_equations() {
    let tf = Tf::new(&CompileOptions::default()).unwrap();
    let size = 12;
    let start = start(&tf, 4, size).unwrap();
    let mut want: Vec<f64> = start
        .to_vec::<f32>()
        .unwrap()
        .into_iter()
        .map(f64::from)
        .collect();
    let reaction = reaction(&tf, start, 3).unwrap();
    for _ in 0..4 {
        let eaters = reaction.call(&[]).unwrap()["eaters"]
            .to_vec::<f32>()
            .unwrap()[0];
        for _ in 0..3 {
            want = expected(&want, size);
        }
        let mean = want[size * size..].iter().sum::<f64>() / (size * size) as f64;
        assert!((f64::from(eaters) - mean).abs() < 1e-6, "{eaters} {mean}");
        let field = reaction.state("field").unwrap().to_vec::<f32>().unwrap();
        for (got, want) in field.iter().zip(&want) {
            assert!((f64::from(*got) - want).abs() < 1e-5, "{got} {want}");
        }
    }
    assert_eq!(reaction.compilations(), 1);
    let picture = painted(&tf, reaction.state("field").unwrap()).unwrap();
    assert_eq!(
        (picture.dtype(), picture.shape()),
        (DType::U8, &[2 * size, 2 * size, 3][..])
    );
}
