//! Methods of values that arrange, order, index and resize: expected elements worked out by hand, at once and captured.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::graph::op::{PadMode, Reduction};
use tenfold::prelude::*;
use tenfold::{Error, Interpolation};
use tests::both;

fn f32s(shape: &[usize], elements: &[f32]) -> Tensor {
    Tensor::from_vec_row_major(shape, elements.to_vec()).unwrap()
}

fn i32s(shape: &[usize], elements: &[i32]) -> Tensor {
    Tensor::from_vec_row_major(shape, elements.to_vec()).unwrap()
}

/// `0, 1, ..` under a shape.
fn counted(shape: &[usize]) -> Tensor {
    let elements: Vec<i32> = (0..).take(shape.iter().product()).collect();
    i32s(shape, &elements)
}

/// Both ways give this type and these elements.
fn check(inputs: &[Tensor], op: impl Fn(&[Value]) -> Result<Value, Error>, ty: &str, want: &[f64]) {
    let got = both(inputs, op).unwrap();
    assert_eq!(format!("{}{:?}", got.dtype(), got.shape()), ty);
    let elements = got.cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
    let same = |(got, want): (&f64, &f64)| got == want || (got.is_nan() && want.is_nan());
    assert!(
        elements.len() == want.len() && elements.iter().zip(want).all(same),
        "got {elements:?}, expected {want:?}"
    );
}

/// Both ways refuse, and the error has these words.
fn refuse(inputs: &[Tensor], op: impl Fn(&[Value]) -> Result<Value, Error>, words: &[&str]) {
    let text = both(inputs, op).unwrap_err().to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn i51_positions_of_extremes_are_the_first_and_i32() {
    let x = f32s(&[2, 3], &[1.0, 7.0, 7.0, 5.0, f32::NAN, 9.0]);
    let x = std::slice::from_ref(&x);
    check(x, |v| v[0].argmax(1, false), "i32[2]", &[1.0, 1.0]);
    check(x, |v| v[0].argmax(-2, true), "i32[1, 3]", &[1.0, 1.0, 1.0]);
    check(x, |v| v[0].argmin(1, false), "i32[2]", &[0.0, 1.0]);
    check(x, |v| v[0].argmin(0, false), "i32[3]", &[0.0, 1.0, 0.0]);
    refuse(x, |v| v[0].argmax(2, false), &["argmax", "2"]);
    let none = f32s(&[0, 3], &[]);
    refuse(
        &[none],
        |v| v[0].argmax(0, false),
        &["argmax", "no elements"],
    );
    // What is chosen can be looked up.
    let table = f32s(&[3, 2], &[0.0, 1.0, 10.0, 11.0, 20.0, 21.0]);
    let scores = f32s(&[2, 3], &[0.1, 0.2, 0.7, 0.9, 0.0, 0.1]);
    let chosen = |v: &[Value]| v[1].embedding(&v[0].argmax(-1, false)?);
    check(
        &[scores, table],
        chosen,
        "f32[2, 2]",
        &[20.0, 21.0, 0.0, 1.0],
    );
}

#[test]
fn order_along_an_axis() {
    let x = [f32s(
        &[2, 4],
        &[3.0, 1.0, 3.0, 2.0, -1.0, f32::NAN, 0.0, -2.0],
    )];
    let nan = f64::NAN;
    check(
        &x,
        |v| Ok(v[0].top_k(2, 1, true)?.0),
        "f32[2, 2]",
        &[3.0, 3.0, nan, 0.0],
    );
    check(
        &x,
        |v| Ok(v[0].top_k(2, 1, true)?.1),
        "i32[2, 2]",
        &[0.0, 2.0, 1.0, 2.0],
    );
    check(
        &x,
        |v| Ok(v[0].top_k(1, -1, false)?.0),
        "f32[2, 1]",
        &[1.0, -2.0],
    );
    let rising = [1.0, 2.0, 3.0, 3.0, -2.0, -1.0, 0.0, nan];
    check(&x, |v| v[0].sort(1, false), "f32[2, 4]", &rising);
    let positions = [1.0, 3.0, 0.0, 2.0, 3.0, 0.0, 2.0, 1.0];
    check(&x, |v| v[0].argsort(1, false), "i32[2, 4]", &positions);
    let falling = [3.0, nan, 3.0, 2.0, -1.0, 1.0, 0.0, -2.0];
    check(&x, |v| v[0].sort(0, true), "f32[2, 4]", &falling);
    refuse(&x, |v| Ok(v[0].top_k(5, 1, true)?.0), &["top_k", "5", "4"]);
    refuse(
        &x,
        |v| v[0].sort(2, true),
        &["sort", "axis", "2", "f32[2, 4]"],
    );
}

#[test]
fn running_sums_and_products() {
    let x = [i32s(&[2, 3], &[1, 2, 3, 4, 5, 6])];
    check(
        &x,
        |v| v[0].cumsum(1),
        "i32[2, 3]",
        &[1.0, 3.0, 6.0, 4.0, 9.0, 15.0],
    );
    check(
        &x,
        |v| v[0].cumsum(0),
        "i32[2, 3]",
        &[1.0, 2.0, 3.0, 5.0, 7.0, 9.0],
    );
    check(
        &x,
        |v| v[0].cumprod(-1),
        "i32[2, 3]",
        &[1.0, 2.0, 6.0, 4.0, 20.0, 120.0],
    );
    refuse(&x, |v| v[0].cumsum(-3), &["cumsum", "-3"]);
}

#[test]
fn axes_come_go_and_change_places() {
    let x = [counted(&[2, 1, 3])];
    let all: Vec<f64> = (0..6).map(f64::from).collect();
    check(&x, |v| v[0].squeeze(1), "i32[2, 3]", &all);
    check(
        &x,
        |v| v[0].squeeze(-2)?.unsqueeze(-1),
        "i32[2, 3, 1]",
        &all,
    );
    check(&x, |v| v[0].unsqueeze(0), "i32[1, 2, 1, 3]", &all);
    check(&x, |v| v[0].unsqueeze(3), "i32[2, 1, 3, 1]", &all);
    let swapped = [0.0, 3.0, 1.0, 4.0, 2.0, 5.0];
    check(&x, |v| v[0].swap_axes(0, -1), "i32[3, 1, 2]", &swapped);
    check(
        &x,
        |v| v[0].flip(2),
        "i32[2, 1, 3]",
        &[2.0, 1.0, 0.0, 5.0, 4.0, 3.0],
    );
    refuse(
        &x,
        |v| v[0].squeeze(0),
        &["squeeze", "axis", "i32[2, 1, 3]"],
    );
    refuse(&x, |v| v[0].unsqueeze(5), &["unsqueeze", "5"]);
    refuse(&x, |v| v[0].swap_axes(0, 3), &["swap_axes", "3"]);
}

#[test]
fn values_are_stacked_and_cut() {
    let pair = [i32s(&[2], &[1, 2]), i32s(&[2], &[3, 4])];
    check(
        &pair,
        |v| v[0].stack(&[&v[1]], 0),
        "i32[2, 2]",
        &[1.0, 2.0, 3.0, 4.0],
    );
    check(
        &pair,
        |v| v[0].stack(&[&v[1]], -1),
        "i32[2, 2]",
        &[1.0, 3.0, 2.0, 4.0],
    );
    let x = [counted(&[2, 5])];
    let part = |nth: usize| move |v: &[Value]| Ok(v[0].split(&[2, 3], 1)?.swap_remove(nth));
    check(&x, part(0), "i32[2, 2]", &[0.0, 1.0, 5.0, 6.0]);
    check(&x, part(1), "i32[2, 3]", &[2.0, 3.0, 4.0, 7.0, 8.0, 9.0]);
    let chunk = |nth: usize| move |v: &[Value]| Ok(v[0].chunk(3, -1)?.swap_remove(nth));
    check(&x, chunk(0), "i32[2, 2]", &[0.0, 1.0, 5.0, 6.0]);
    check(&x, chunk(2), "i32[2, 1]", &[4.0, 9.0]);
    refuse(
        &x,
        |v| Ok(v[0].split(&[2, 2], 1)?.swap_remove(0)),
        &["split", "[2, 2]", "i32[2, 5]"],
    );
    refuse(
        &x,
        |v| Ok(v[0].chunk(0, 1)?.swap_remove(0)),
        &["chunk", "0"],
    );
    refuse(
        &pair,
        |v| v[0].stack(&[&v[1].unsqueeze(0)?], 0),
        &["concat"],
    );
}

#[test]
fn values_are_repeated_and_surrounded() {
    let x = [i32s(&[2, 2], &[1, 2, 3, 4])];
    let twice = [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0];
    check(&x, |v| v[0].tile(&[1, 2]), "i32[2, 4]", &twice);
    let below = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0];
    check(&x, |v| v[0].tile(&[2, 1]), "i32[4, 2]", &below);
    check(&x, |v| v[0].tile(&[0, 1]), "i32[0, 2]", &[]);
    let each = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0];
    check(&x, |v| v[0].repeat(2, 1), "i32[2, 4]", &each);
    let rows = [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0];
    check(&x, |v| v[0].repeat(2, 0), "i32[4, 2]", &rows);
    let framed = [9.0, 1.0, 2.0, 9.0, 9.0, 3.0, 4.0, 9.0, 9.0, 9.0, 9.0, 9.0];
    check(
        &x,
        |v| v[0].pad(&[(0, 1), (1, 1)], 9.0),
        "i32[3, 4]",
        &framed,
    );
    check(
        &x,
        |v| v[0].pad(&[(-1, 0), (0, 1)], 0.0),
        "i32[1, 3]",
        &[3.0, 4.0, 0.0],
    );
    let row = [i32s(&[3], &[1, 2, 3])];
    let mirror = [3.0, 2.0, 1.0, 2.0, 3.0, 2.0];
    check(
        &row,
        |v| v[0].pad_with(PadMode::Reflect, &[(2, 1)]),
        "i32[6]",
        &mirror,
    );
    let ends = [1.0, 1.0, 1.0, 2.0, 3.0, 3.0];
    check(
        &row,
        |v| v[0].pad_with(PadMode::Edge, &[(2, 1)]),
        "i32[6]",
        &ends,
    );
    let around = [2.0, 3.0, 1.0, 2.0, 3.0, 1.0];
    check(
        &row,
        |v| v[0].pad_with(PadMode::Wrap, &[(2, 1)]),
        "i32[6]",
        &around,
    );
    refuse(&x, |v| v[0].pad(&[(0, 1)], 0.0), &["pad", "i32[2, 2]"]);
    refuse(&x, |v| v[0].pad(&[(-2, -1), (0, 0)], 0.0), &["pad", "-2"]);
    refuse(&x, |v| v[0].tile(&[2]), &["tile", "[2]"]);
    refuse(&x, |v| v[0].repeat(2, 2), &["repeat", "2"]);
}

#[test]
fn indices_choose_and_write_elements() {
    let x = i32s(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let at = i32s(&[2, 2], &[2, 0, -1, 1]);
    let inputs = [x, at];
    check(
        &inputs,
        |v| v[0].gather_elements(&v[1], 1),
        "i32[2, 2]",
        &[3.0, 1.0, 6.0, 5.0],
    );
    let updates = i32s(&[2, 2], &[10, 20, 30, 40]);
    let [x, at] = inputs;
    let inputs = [x, at, updates];
    let scatter = |how| move |v: &[Value]| v[0].scatter_elements(&v[1], &v[2], 1, how);
    let set = [20.0, 2.0, 10.0, 4.0, 40.0, 30.0];
    check(&inputs, scatter(Reduction::None), "i32[2, 3]", &set);
    let sums = [21.0, 2.0, 13.0, 4.0, 45.0, 36.0];
    check(&inputs, scatter(Reduction::Add), "i32[2, 3]", &sums);
    let places = i32s(&[3, 2], &[0, 1, 1, 2, 0, 1]);
    let blocks = i32s(&[3], &[7, 8, 9]);
    let [x, ..] = inputs;
    let inputs = [x, places, blocks];
    check(
        &inputs,
        |v| v[0].gather_nd(&v[1]),
        "i32[3]",
        &[2.0, 6.0, 2.0],
    );
    let most = [1.0, 9.0, 3.0, 4.0, 5.0, 8.0];
    let scatter = |v: &[Value]| v[0].scatter_nd(&v[1], &v[2], Reduction::Max);
    check(&inputs, scatter, "i32[2, 3]", &most);
    refuse(
        &inputs,
        |v| v[0].gather_nd(&v[0].cast(DType::F32)?),
        &["gather_nd", "f32"],
    );
}

#[test]
fn classes_places_and_triangles() {
    let classes = [i32s(&[2, 2], &[1, 0, 2, 5])];
    let rows = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    check(
        &classes,
        |v| v[0].one_hot(3, DType::F32),
        "f32[2, 2, 3]",
        &rows,
    );
    let x = [f32s(&[2, 2], &[0.0, 3.0, -1.0, 0.0])];
    refuse(
        &x,
        |v| v[0].one_hot(3, DType::F32),
        &["one_hot", "integers"],
    );
    check(&x, |v| v[0].non_zero(), "i64[2, 2]", &[0.0, 1.0, 1.0, 0.0]);
    let matrix = [counted(&[2, 3])];
    check(
        &matrix,
        |v| v[0].tril(0),
        "i32[2, 3]",
        &[0.0, 0.0, 0.0, 3.0, 4.0, 0.0],
    );
    check(
        &matrix,
        |v| v[0].tril(1),
        "i32[2, 3]",
        &[0.0, 1.0, 0.0, 3.0, 4.0, 5.0],
    );
    check(
        &matrix,
        |v| v[0].triu(1),
        "i32[2, 3]",
        &[0.0, 1.0, 2.0, 0.0, 0.0, 5.0],
    );
    // What is left out does not matter, not even NaN.
    let nan = [f32s(&[1, 2], &[1.0, f32::NAN])];
    check(&nan, |v| v[0].tril(0), "f32[1, 2]", &[1.0, 0.0]);
    refuse(&nan, |v| v[0].flatten()?.tril(0), &["tril", "two axes"]);
}

/// Pixel `i` of `to` from a row of `from` pixels, in f64: between the two nearest middles, clamped.
fn bilinear(row: &[f64], to: usize, i: usize) -> f64 {
    let from = row.len();
    let last = (from - 1) as f64;
    let at = ((i as f64 + 0.5) * from as f64 / to as f64 - 0.5).clamp(0.0, last);
    let (low, part) = (at.floor() as usize, at.fract());
    row[low] * (1.0 - part) + row[(low + 1).min(from - 1)] * part
}

#[test]
fn i48_images_are_resized_around_the_middles_of_pixels() {
    let image = [f32s(&[1, 1, 2, 2], &[0.0, 4.0, 8.0, 12.0])];
    let resize = |h, w, how| move |v: &[Value]| v[0].resize2d(h, w, how);
    // Each axis has its pixels at -1/4, 1/4, 3/4, 5/4 of the way from the first middle to the second, clamped to it.
    let smooth = [
        0.0, 1.0, 3.0, 4.0, 2.0, 3.0, 5.0, 6.0, 6.0, 7.0, 9.0, 10.0, 8.0, 9.0, 11.0, 12.0,
    ];
    check(
        &image,
        resize(4, 4, Interpolation::Bilinear),
        "f32[1, 1, 4, 4]",
        &smooth,
    );
    let blocks = [
        0.0, 0.0, 4.0, 4.0, 0.0, 0.0, 4.0, 4.0, 8.0, 8.0, 12.0, 12.0, 8.0, 8.0, 12.0, 12.0,
    ];
    check(
        &image,
        resize(4, 4, Interpolation::Nearest),
        "f32[1, 1, 4, 4]",
        &blocks,
    );
    check(
        &image,
        resize(1, 1, Interpolation::Bilinear),
        "f32[1, 1, 1, 1]",
        &[6.0],
    );
    for (from, to) in [(3, 7), (7, 3), (5, 5), (1, 4)] {
        let row: Vec<f32> = (0..from).map(|i| (i * i) as f32).collect();
        let wide: Vec<f64> = row.iter().map(|&x| x.into()).collect();
        let got = both(
            &[f32s(&[1, 1, 1, from], &row)],
            resize(1, to, Interpolation::Bilinear),
        );
        let got = got.unwrap().to_vec::<f32>().unwrap();
        for (i, got) in got.iter().enumerate() {
            let want = bilinear(&wide, to, i);
            assert!(
                (f64::from(*got) - want).abs() < 1e-5,
                "{from} to {to}: pixel {i} is {got}, not {want}"
            );
        }
    }
    let flat = [f32s(&[2, 2], &[0.0; 4])];
    refuse(
        &flat,
        resize(4, 4, Interpolation::Bilinear),
        &["resize2d", "f32[2, 2]"],
    );
    let none = [f32s(&[1, 1, 0, 2], &[])];
    refuse(&none, resize(4, 4, Interpolation::Bilinear), &["resize"]);
}

#[test]
fn i48_the_nearest_pixel_is_that_of_whole_numbers() {
    let tf = Tf::new(&CompileOptions::default()).unwrap();
    for from in 1..=24 {
        let row = tf.value(counted(&[1, 1, 1, from]));
        for to in 1..=24_usize {
            let got = row.resize2d(1, to, Interpolation::Nearest).unwrap();
            let want: Vec<i32> = (0..to).map(|i| (i * from / to) as i32).collect();
            assert_eq!(got.to_vec::<i32>().unwrap(), want, "{from} to {to}");
        }
    }
}

#[test]
fn what_arranges_follows_extents_that_are_names() {
    let func = Func::new("named");
    let n = || ["n".into(), 2.into()];
    let x = func.input("x", DType::F32, n()).unwrap();
    let image = || x.unsqueeze(0).and_then(|x| x.unsqueeze(0));
    for (name, value) in [
        ("tile", x.tile(&[2, 1])),
        ("repeat", x.repeat(3, 0)),
        ("stack", x.stack(&[&x], 0)),
        ("pad", x.pad(&[(1, 0), (0, 0)], 7.0)),
        ("flip", x.flip(0)),
        ("unsqueeze", x.unsqueeze(0)),
        (
            "image",
            image().and_then(|x| x.resize2d(3, 4, Interpolation::Bilinear)),
        ),
        (
            "blocks",
            image().and_then(|x| x.resize2d(3, 4, Interpolation::Nearest)),
        ),
        ("sum", x.cumsum(0)),
        ("rows", x.argmax(1, false)),
        ("spread", x.log_sum_exp(0, false)),
    ] {
        func.output(name, &value.unwrap()).unwrap();
    }
    let text = x.sort(0, false).unwrap_err().to_string();
    assert!(text.contains("f32[n, 2]"), "{text}");
    let compiled = func.compile(&CompileOptions::default()).unwrap();
    let feed = f32s(&[2, 2], &[1.0, 2.0, 4.0, 3.0]);
    let made = compiled.call(&[&feed]).unwrap();
    let got = |name: &str| {
        made[name]
            .cast(DType::F32)
            .unwrap()
            .to_vec::<f32>()
            .unwrap()
    };
    assert_eq!(got("tile"), [1.0, 2.0, 4.0, 3.0, 1.0, 2.0, 4.0, 3.0]);
    assert_eq!(
        got("repeat"),
        [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0]
    );
    assert_eq!(made["stack"].shape(), [2, 2, 2]);
    assert_eq!(got("pad"), [7.0, 7.0, 1.0, 2.0, 4.0, 3.0]);
    assert_eq!(got("flip"), [4.0, 3.0, 1.0, 2.0]);
    assert_eq!(made["unsqueeze"].shape(), [1, 2, 2]);
    assert_eq!(made["image"].shape(), [1, 1, 3, 4]);
    assert_eq!(
        got("blocks"),
        [1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 3.0, 3.0]
    );
    assert_eq!(got("sum"), [1.0, 2.0, 5.0, 5.0]);
    assert_eq!(got("rows"), [1.0, 0.0]);
    let ln = |a: f32, b: f32| (f64::from(a).exp() + f64::from(b).exp()).ln() as f32;
    let spread = got("spread");
    assert!((spread[0] - ln(1.0, 4.0)).abs() < 1e-6 && (spread[1] - ln(2.0, 3.0)).abs() < 1e-6);
}
