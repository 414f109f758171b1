//! What ops promise about numbers, worked by hand or by formulas in f64: division at the ends of integers, NaN and ties, rows of
//! infinities, numbers beyond 32 bits, activations near their formulas and inside their ranges.
//!
//! Each case is run by the reference, as an eager op, captured and compiled, so that all of them give the one documented result.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::prelude::*;
use tests::all::executors;
use tests::text::elements;
use tests::ulp::Tolerance;
use tests::{Captured, Eager, Executor, Reference, text};

fn tf() -> Tf {
    let options = CompileOptions {
        device: DeviceChoice::Cpu,
        threads: Some(1),
        ..CompileOptions::default()
    };
    Tf::new(&options).unwrap()
}

/// The call on inputs such as `a: f32[2] = {1, nan}` gives these tensors, element for element; both zeros are equal, and all NaN.
fn check(call: &str, inputs: &[&str], expect: &[&str]) {
    for executor in executors() {
        check_on(&*executor, call, inputs, expect);
    }
}

fn check_on(executor: &dyn Executor, call: &str, inputs: &[&str], expect: &[&str]) {
    let parted: Vec<(&str, &str)> = inputs
        .iter()
        .map(|input| input.split_once(": ").unwrap())
        .collect();
    let ty = |text: &str| text.split(" = ").next().unwrap().to_owned();
    let declared: Vec<String> = parted
        .iter()
        .map(|(name, text)| format!("{name}: {}", ty(text)))
        .collect();
    let results: Vec<String> = expect.iter().map(|text| ty(text)).collect();
    let graph = text::graph(&declared.join(", "), &results.join("; "), call)
        .unwrap_or_else(|error| panic!("{call}: {error}"));
    let tensors: Vec<_> = parted
        .iter()
        .map(|(name, text)| (*name, text::tensor(text).unwrap()))
        .collect();
    let feeds: Vec<_> = tensors
        .iter()
        .map(|(name, tensor)| (*name, tensor.view().unwrap()))
        .collect();
    let made = executor
        .run(&graph, &feeds)
        .unwrap_or_else(|error| panic!("{}: {call}: {error}", executor.name()));
    assert_eq!(made.len(), expect.len(), "{call}");
    for ((_, got), want) in made.iter().zip(expect) {
        let wanted = text::tensor(want).unwrap();
        assert_eq!(
            (got.dtype(), got.shape()),
            (wanted.dtype(), wanted.shape()),
            "{}: {call}",
            executor.name()
        );
        let exact = Tolerance::ulps(0);
        let pairs = elements(&wanted).into_iter().zip(elements(got)).enumerate();
        for (at, (want, got)) in pairs {
            assert!(
                exact.distance(want, got) == 0.0,
                "{}: {call} of {inputs:?}: element {at} is {got}, expected {want}",
                executor.name()
            );
        }
    }
}

#[test]
fn integers_divide_toward_zero_wrap_at_the_lowest_and_give_0_for_0() {
    for (dtype, low, high) in [
        ("i8", i64::from(i8::MIN), i64::from(i8::MAX)),
        ("i16", i64::from(i16::MIN), i64::from(i16::MAX)),
        ("i32", i64::from(i32::MIN), i64::from(i32::MAX)),
        ("i64", i64::MIN, i64::MAX),
    ] {
        let a = format!("a: {dtype}[8] = {{{low}, {low}, {high}, -7, 7, 7, {low}, 0}}");
        let b = format!("b: {dtype}[8] = {{-1, 1, -1, 2, -2, 0, 0, 0}}");
        let (half, expect) = (high, |list: String| format!("{dtype}[8] = {{{list}}}"));
        check(
            "div(a, b)",
            &[&a, &b],
            &[&expect(format!("{low}, {low}, -{half}, -3, -3, 0, 0, 0"))],
        );
        check(
            "mod(a, b)",
            &[&a, &b],
            &[&expect("0, 0, 0, 1, -1, 0, 0, 0".into())],
        );
        check(
            "rem(a, b)",
            &[&a, &b],
            &[&expect("0, 0, 0, -1, 1, 0, 0, 0".into())],
        );
        check(
            "neg(a)",
            &[&a],
            &[&expect(format!(
                "{low}, {low}, -{half}, 7, -7, -7, {low}, 0"
            ))],
        );
        check(
            "abs(a)",
            &[&a],
            &[&expect(format!("{low}, {low}, {half}, 7, 7, 7, {low}, 0"))],
        );
    }
    let (a, b) = ("a: u8[4] = {255, 7, 7, 0}", "b: u8[4] = {255, 2, 0, 3}");
    check("div(a, b)", &[a, b], &["u8[4] = {1, 3, 0, 0}"]);
    check("mod(a, b)", &[a, b], &["u8[4] = {0, 1, 0, 0}"]);
}

#[test]
fn remainders_of_floats_have_the_sign_of_the_divisor_or_of_the_number() {
    let a = "a: f32[8] = {5.5, -5.5, 5.5, -5.5, 1, inf, 3, nan}";
    let b = "b: f32[8] = {2, 2, -2, -2, 0, 2, inf, 1}";
    check(
        "rem(a, b)",
        &[a, b],
        &["f32[8] = {1.5, -1.5, 1.5, -1.5, nan, nan, 3, nan}"],
    );
    check(
        "mod(a, b)",
        &[&a.replace("3, nan", "4, nan"), &b.replace("inf", "8")],
        &["f32[8] = {1.5, 0.5, -0.5, -1.5, nan, nan, 4, nan}"],
    );
}

#[test]
fn maxima_pass_nan_on_and_of_equal_elements_the_first_counts() {
    let x = "x: f32[3, 4] = {1, nan, 3, 3, 2, 2, -1, 2, -inf, -inf, -inf, -inf}";
    check(
        "max(x, y)",
        &[x, "y: f32[3, 1] = {nan, 2, 0}"],
        &["f32[3, 4] = {nan, nan, nan, nan, 2, 2, 2, 2, 0, 0, 0, 0}"],
    );
    check(
        "min(x, y)",
        &[x, "y: f32[] = {nan}"],
        &["f32[3, 4] = {nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan}"],
    );
    let over =
        |op: &str| format!("reduce_{op}(x, axes = [1], keep = false, noop_if_empty = false)");
    check(&over("max"), &[x], &["f32[3] = {nan, 2, -inf}"]);
    check(&over("min"), &[x], &["f32[3] = {nan, -1, -inf}"]);
    let none = "x: f32[2, 0] = {}";
    check(&over("max"), &[none], &["f32[2] = {-inf, -inf}"]);
    check(&over("min"), &[none], &["f32[2] = {inf, inf}"]);
    check(&over("sum"), &[none], &["f32[2] = {0, 0}"]);
    check(&over("prod"), &[none], &["f32[2] = {1, 1}"]);
    check(&over("mean"), &[none], &["f32[2] = {nan, nan}"]);
    check(
        &over("max"),
        &["x: i32[2, 0] = {}"],
        &["i32[2] = {-2147483648, -2147483648}"],
    );
    let arg = |op: &str, last: bool| format!("{op}(x, axis = 1, keep = false, last = {last})");
    check(&arg("argmax", false), &[x], &["i64[3] = {1, 0, 0}"]);
    check(&arg("argmax", true), &[x], &["i64[3] = {1, 3, 3}"]);
    check(&arg("argmin", false), &[x], &["i64[3] = {1, 2, 0}"]);
    check(&arg("argmin", true), &[x], &["i64[3] = {1, 2, 3}"]);
    let ties = "x: i64[2, 5] = {7, 9, 9, 7, 9, 0, 0, 0, 0, 0}";
    check(&arg("argmax", false), &[ties], &["i64[2] = {1, 0}"]);
    check(&arg("argmax", true), &[ties], &["i64[2] = {4, 4}"]);
    check(&arg("argmin", false), &[ties], &["i64[2] = {0, 0}"]);
    check(&arg("argmin", true), &[ties], &["i64[2] = {3, 4}"]);
}

#[test]
fn the_largest_k_are_stable_and_nan_is_above_all() {
    let x = "x: f32[6] = {1, nan, 3, inf, 3, nan}";
    let top = |k: usize, largest: bool| format!("top_k(x, k = {k}, axis = 0, largest = {largest})");
    check(
        &top(5, true),
        &[x],
        &["f32[5] = {nan, nan, inf, 3, 3}", "i64[5] = {1, 5, 3, 2, 4}"],
    );
    check(
        &top(5, false),
        &[x],
        &["f32[5] = {1, 3, 3, inf, nan}", "i64[5] = {0, 2, 4, 3, 1}"],
    );
    let ties = "x: i32[7] = {2, 5, 2, 5, 2, 5, 1}";
    check(
        &top(4, true),
        &[ties],
        &["i32[4] = {5, 5, 5, 2}", "i64[4] = {1, 3, 5, 0}"],
    );
    check(
        &top(4, false),
        &[ties],
        &["i32[4] = {1, 2, 2, 2}", "i64[4] = {6, 0, 2, 4}"],
    );
}

#[test]
fn softmax_of_rows_of_infinities_and_of_no_elements() {
    let x = "x: f32[4, 3] = {-inf, -inf, -inf, inf, 0, 1, -inf, 0, -inf, nan, 0, 1}";
    check(
        "softmax(x, axis = 1)",
        &[x],
        &["f32[4, 3] = {nan, nan, nan, nan, nan, nan, 0, 1, 0, nan, nan, nan}"],
    );
    check(
        "log_softmax(x, axis = 1)",
        &[x],
        &["f32[4, 3] = {nan, nan, nan, nan, nan, nan, -inf, 0, -inf, nan, nan, nan}"],
    );
    for op in ["softmax", "log_softmax"] {
        check(
            &format!("{op}(x, axis = 1)"),
            &["x: f32[2, 0] = {}"],
            &["f32[2, 0] = {}"],
        );
        check(
            &format!("{op}(x, axis = 0)"),
            &["x: f32[0, 2] = {}"],
            &["f32[0, 2] = {}"],
        );
    }
}

/// At once and as a captured function.
#[test]
fn a_query_whose_keys_are_all_hidden_gives_zeros() {
    let tf = tf();
    let hidden = f32::NEG_INFINITY;
    let q = tf.values([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]).unwrap();
    let mask = tf
        .values([2, 2], vec![hidden, hidden, hidden, 0.0])
        .unwrap();
    let want = [0.0, 0.0, 3.0, 4.0];
    assert_eq!(
        q.attention(&q, &q, Some(&mask))
            .unwrap()
            .to_vec::<f32>()
            .unwrap(),
        want
    );
    let func = Func::new("attend");
    let x = func.input("x", DType::F32, [2.into(), 2.into()]).unwrap();
    let hides = func
        .input("mask", DType::F32, [2.into(), 2.into()])
        .unwrap();
    func.output("y", &x.attention(&x, &x, Some(&hides)).unwrap())
        .unwrap();
    let attend = func
        .compile(&CompileOptions {
            device: DeviceChoice::Cpu,
            ..CompileOptions::default()
        })
        .unwrap();
    let tensor = |value: &Value| {
        value
            .tensor()
            .unwrap()
            .view()
            .unwrap()
            .to_contiguous()
            .unwrap()
    };
    let made = attend.call(&[&tensor(&q), &tensor(&mask)]).unwrap();
    assert_eq!(made["y"].as_slice::<f32>().unwrap(), want);
}

#[test]
fn integers_beyond_32_and_53_bits_stay_exact() {
    let big = "x: i64[4] = {1099511627776, -1099511627777, 9007199254740993, 9223372036854775807}";
    check(
        "where(c, x, y)",
        &[
            "c: bool[4] = {true, false, true, false}",
            big,
            "y: i64[1] = {1099511627779}",
        ],
        &["i64[4] = {1099511627776, 1099511627779, 9007199254740993, 1099511627779}"],
    );
    check(
        "gather(x, i, axis = 0)",
        &[big, "i: i64[3] = {2, -1, 0}"],
        &["i64[3] = {9007199254740993, 9223372036854775807, 1099511627776}"],
    );
    check(
        "cast(x, to = f64)",
        &[big],
        &["f64[4] = {1099511627776, -1099511627777, 9007199254740992, 9223372036854775807}"],
    );
    check(
        "cast(x, to = f32)",
        &[big],
        &["f32[4] = {1099511627776, -1099511627776, 9007199254740992, 9223372036854775807}"],
    );
    // To a narrower integer: the nearest that there is, never another.
    check(
        "cast(x, to = i32)",
        &[big],
        &["i32[4] = {2147483647, -2147483648, 2147483647, 2147483647}"],
    );
    check(
        "cast(x, to = u64)",
        &[big],
        &["u64[4] = {1099511627776, 0, 9007199254740993, 9223372036854775807}"],
    );
    check(
        "add(x, y)",
        &[big, "y: i64[] = {1}"],
        &["i64[4] = {1099511627777, -1099511627776, 9007199254740994, -9223372036854775808}"],
    );
    check(
        "reduce_max(x, keep = false, noop_if_empty = false)",
        &[big],
        &["i64[] = {9223372036854775807}"],
    );
    check(
        "equal(x, y)",
        &[big, "y: i64[] = {9007199254740992}"],
        &["bool[4] = {false, false, false, false}"],
    );
    let limits = [
        "s: i64[] = {1099511627776}",
        "l: i64[] = {1099511627783}",
        "d: i64[] = {3}",
    ];
    // The number of elements follows from the inputs, which no single plan can hold.
    for executor in [
        Box::new(Reference) as Box<dyn Executor>,
        Box::new(Eager::new()),
        Box::new(Captured),
    ] {
        let graph = text::graph(
            "s: i64[], l: i64[], d: i64[]",
            "i64[\"result.0\"]",
            "range(s, l, d)",
        )
        .unwrap();
        let tensors = limits.map(|text| text::tensor(text.split_once(": ").unwrap().1).unwrap());
        let feeds: Vec<_> = ["s", "l", "d"]
            .into_iter()
            .zip(&tensors)
            .map(|(name, tensor)| (name, tensor.view().unwrap()))
            .collect();
        let made = executor.run(&graph, &feeds).unwrap();
        assert_eq!(
            made[0].1.to_vec::<i64>().unwrap(),
            [1 << 40, (1 << 40) + 3, (1 << 40) + 6],
            "{}",
            executor.name()
        );
    }
}

/// `n * k / k` is `n` for whole numbers that f32 holds, so that rounding down or up afterwards changes nothing.
#[test]
fn divisible_floats_divide_exactly() {
    let tf = tf();
    let numbers: Vec<f32> = (1..=300).map(|n| n as f32).collect();
    let column = tf.values([300, 1], numbers.clone()).unwrap();
    let row = tf.values([300], numbers.clone()).unwrap();
    let quotients = column.mul(&row).unwrap().div(&row).unwrap();
    let want: Vec<f32> = numbers.iter().flat_map(|&n| [n; 300]).collect();
    for made in [
        quotients.clone(),
        quotients.floor().unwrap(),
        quotients.ceil().unwrap(),
    ] {
        assert_eq!(made.to_vec::<f32>().unwrap(), want);
    }
    let whole = quotients
        .cast(DType::I32)
        .unwrap()
        .cast(DType::F32)
        .unwrap();
    assert_eq!(whole.to_vec::<f32>().unwrap(), want);
    check(
        "div(a, b)",
        &["a: f32[2] = {165, 1e30}", "b: f32[2] = {15, 1e30}"],
        &["f32[2] = {11, 1}"],
    );
}

/// `1 - erf(x)` in f64: a series near 0, a continued fraction further out.
fn erfc(x: f64) -> f64 {
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200_i32 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        return 1.0 - sum * std::f64::consts::FRAC_2_SQRT_PI;
    }
    let mut fraction = 0.0;
    for n in (1..200_i32).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / (x + fraction) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
}

fn gelu(x: f64) -> f64 {
    let tail = 0.5 * x * erfc(x.abs() / std::f64::consts::SQRT_2);
    if x > 0.0 { x - tail } else { tail }
}

fn gelu_tanh(x: f64) -> f64 {
    // 1 + tanh(u) = 2 / (1 + e^-2u)
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
    x / (1.0 + (-2.0 * inner).exp())
}

/// From -12 to 12, and far out.
fn grid() -> Vec<f32> {
    let mut grid: Vec<f32> = (-768..=768).map(|n| n as f32 / 64.0 + 1e-3).collect();
    grid.extend([
        0.0,
        -0.0,
        1e-30,
        -1e-30,
        20.0,
        -20.0,
        88.8,
        -88.8,
        104.0,
        -104.0,
        1e30,
        -1e30,
        f32::MAX,
        f32::MIN,
    ]);
    grid
}

/// Two units in the last place of `x`, which bounds each term of the sum `x / 2 + x / 2 * f(x)`.
#[test]
fn both_forms_of_gelu_are_within_two_units_of_their_own_formula() {
    let tf = tf();
    let x = grid();
    let value = tf.values([x.len()], x.clone()).unwrap();
    type Form = (fn(&Value) -> Result<Value, tenfold::Error>, fn(f64) -> f64);
    let forms: [(&str, Form); 2] = [
        ("gelu", (Value::gelu, gelu)),
        ("gelu_tanh", (Value::gelu_tanh, gelu_tanh)),
    ];
    for (name, (op, formula)) in forms {
        let made = op(&value).unwrap().to_vec::<f32>().unwrap();
        for (&x, got) in x.iter().zip(made) {
            let want = formula(x.into());
            let unit = f64::from(x.abs()) * f64::from(f32::EPSILON);
            assert!(
                (f64::from(got) - want).abs() <= 2.0 * unit,
                "{name}({x}) is {got}, expected {want}"
            );
        }
    }
    // They are two functions.
    let apart = gelu(2.0) - gelu_tanh(2.0);
    assert!(apart.abs() > 5e-5, "{apart}");
    let (a, b) = (erfc(0.5), erfc(2.5));
    assert!(
        (a - 0.479_500_122_186_953_5).abs() < 1e-15 && (b - 4.069_520_174_449_589e-4).abs() < 1e-18,
        "{a} {b}"
    );
}

#[test]
fn saturated_activations_stay_inside_their_ranges() {
    let mut x: Vec<f64> = grid().into_iter().map(f64::from).collect();
    x.extend([f64::INFINITY, f64::NEG_INFINITY]);
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        for (name, low, high) in [
            ("sigmoid", 0.0, 1.0),
            ("tanh", -1.0, 1.0),
            ("erf", -1.0, 1.0),
            ("hard_sigmoid", 0.0, 1.0),
        ] {
            let call = match name {
                "hard_sigmoid" => "hard_sigmoid(x, alpha = 0.2, beta = 0.5)".to_owned(),
                name => format!("{name}(x)"),
            };
            let ty = format!("{dtype}[{}]", x.len());
            let graph = text::graph(&format!("x: {ty}"), &ty, &call).unwrap();
            let wide = Tensor::from_vec_row_major([x.len()], x.clone()).unwrap();
            let tensor = wide.cast(dtype).unwrap();
            for executor in executors() {
                let made = executor
                    .run(&graph, &[("x", tensor.view().unwrap())])
                    .unwrap();
                let made: Vec<f64> = elements(&made[0].1).iter().map(|e| e.to_f64()).collect();
                let outside: Vec<_> = x
                    .iter()
                    .zip(&made)
                    .filter(|(_, y)| !(low..=high).contains(*y))
                    .collect();
                assert!(
                    outside.is_empty(),
                    "{}: {call} of {dtype}: {outside:?}",
                    executor.name()
                );
                assert_eq!(
                    made[made.len() - 2..],
                    [high, low],
                    "{}: {call} of {dtype}",
                    executor.name()
                );
            }
        }
    }
}
