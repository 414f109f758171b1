//! Erosion against plain loops in f64, and pixels against colours mixed by hand.

use super::*;
use paint::painted;

/// One run of erosion with plain loops in f64; beyond the border the map goes on as it is there.
fn eroded(map: &[f64], size: usize, talus: f64) -> Vec<f64> {
    let around = |x: &[f64], at: usize| -> Vec<f64> {
        let (row, column) = ((at / size) as i64, (at % size) as i64);
        let inside = |i: i64| i.clamp(0, size as i64 - 1) as usize;
        let cells = (0..9).map(|n| (inside(row + n / 3 - 1), inside(column + n % 3 - 1)));
        cells.map(|(row, column)| x[row * size + column]).collect()
    };
    let sliding: Vec<f64> = (0..map.len())
        .map(|at| {
            let lowest = around(map, at).into_iter().fold(f64::INFINITY, f64::min);
            0.25 * (map[at] - lowest - talus).max(0.0)
        })
        .collect();
    let settled: Vec<f64> = (0..map.len())
        .map(|at| {
            let arriving = around(&sliding, at).iter().sum::<f64>() - sliding[at];
            map[at] - sliding[at] + arriving / 8.0
        })
        .collect();
    let carved = |at: usize| {
        let mean = around(&settled, at).iter().sum::<f64>() / 9.0;
        settled[at] - 0.02 * (mean - settled[at]).max(0.0)
    };
    (0..map.len()).map(carved).collect()
}

#[test]
fn r02_terrain_follows_from_its_seed_and_erosion_from_its_formula() {
    let tf = Tf::new(&CompileOptions::default()).unwrap();
    let size = 24;
    let (raw, worn) = shaped(&tf, 5, size, 2).unwrap();
    let elements = |map: &Tensor| map.to_vec::<f32>().unwrap();
    let wide: Vec<f64> = elements(&raw).into_iter().map(f64::from).collect();
    let talus = STEEPEST / size as f64;
    let want = eroded(&eroded(&wide, size, talus), size, talus);
    for (got, want) in elements(&worn).into_iter().zip(want) {
        assert!((f64::from(got) - want).abs() < 1e-5, "{got} {want}");
    }
    assert_eq!(
        elements(&worn),
        elements(&shaped(&tf, 5, size, 2).unwrap().1)
    );
    assert_ne!(
        elements(&worn),
        elements(&shaped(&tf, 6, size, 2).unwrap().1)
    );

    let painted = painted(&tf, size, 2).unwrap();
    let picture = painted.call(&[&worn]).unwrap();
    assert_eq!(
        (picture["pixels"].dtype(), picture["pixels"].shape()),
        (DType::U8, &[48, 48, 3][..])
    );
    // Flat ground far below the sea is blue, and lit from above; flat ground above it is green.
    for (height, rgb) in [(-1.0_f32, [13, 40, 80]), (0.05, [72, 95, 46])] {
        let flat = Tensor::from_vec_row_major([1, 1, size, size], vec![height; size * size]);
        let picture = painted.call(&[&flat.unwrap()]).unwrap();
        let pixels = picture["pixels"].to_vec::<u8>().unwrap();
        let near = |(got, want): (&u8, u8)| got.abs_diff(want) <= 1;
        assert!(pixels[..3].iter().zip(rgb).all(near), "{:?}", &pixels[..3]);
    }
}
