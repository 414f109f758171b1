//! Remainders, bits, scans and values made from numbers, worked by hand.

use graph::op::{Range, TopK};

use super::*;

/// The elements of every output of `op`.
fn outputs(op: &Op, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    let inputs: Vec<Option<&Tensor>> = inputs.iter().copied().map(Some).collect();
    evaluate(op, &inputs)
}

#[test]
fn remainders_and_bits() {
    let check = |name: &str, a: i8, b: i8, expect: i8| {
        let op = Op::Map(MapOp::named(name).unwrap());
        let made = outputs(&op, &[&Tensor::scalar(a), &Tensor::scalar(b)]).unwrap();
        assert_eq!(
            made[0].to_vec::<i8>().unwrap(),
            [expect],
            "{name}({a}, {b})"
        );
    };
    for (a, b, modulo, rem) in [
        (7, 3, 1, 1),
        (-7, 3, 2, -1),
        (7, -3, -2, 1),
        (-7, -3, -1, -1),
        (-6, 3, 0, 0),
        (5, 0, 0, 0),
        (i8::MIN, -1, 0, 0),
    ] {
        check("mod", a, b, modulo);
        check("rem", a, b, rem);
    }
    check("bitwise_and", 0b1100, -6, 0b1000);
    check("bitwise_or", 0b1100, 0b0011, 0b1111);
    check("bitwise_xor", -1, 0b0101, -6);
    for (a, places, left, right) in [
        (-3, 0, -3, -3),
        (-3, 1, -6, -2),
        (65, 1, -126, 32),
        (-3, 7, -128, -1),
        (-3, 8, 0, -1),
        (3, -1, 0, 0),
    ] {
        check("shift_left", a, places, left);
        check("shift_right", a, places, right);
    }
    self::check(
        "bitwise_not(a)",
        &[2],
        &[0_u16, 5],
        "u16[2]",
        &[65535_u16, 65530],
    );
    self::check(
        "bit_cast(a, to = i32)",
        &[2],
        &[1.0_f32, -0.0],
        "i32[2]",
        &[0x3f80_0000, i32::MIN],
    );
    self::check(
        "is_nan(a)",
        &[3],
        &[NAN, INF, 0.0],
        "bool[3]",
        &[true, false, false],
    );
    self::check(
        "is_inf(a)",
        &[3],
        &[NAN, -INF, 0.0],
        "bool[3]",
        &[false, true, false],
    );
}

#[test]
fn positions_of_extremes() {
    let a = [2.0_f32, 5.0, 5.0, NAN, 1.0, NAN];
    let check_last = |call: &str, last, expect: &[i64]| {
        let call = format!("{call}, keep = false, last = {last})");
        check(&call, &[2, 3], &a, "i64[2]", expect);
    };
    check_last("argmax(a, axis = 1", false, &[1, 0]);
    check_last("argmax(a, axis = 1", true, &[2, 2]);
    check_last("argmin(a, axis = 1", false, &[0, 0]);
    check(
        "argmax(a, axis = 0, keep = true, last = false)",
        &[2, 2],
        &[1_u8, 9, 3, 9],
        "i64[1, 2]",
        &[1_i64, 0],
    );
    check::<f32, i64>(
        "argmin(a, axis = 1, keep = false, last = false)",
        &[0, 3],
        &[],
        "i64[0]",
        &[],
    );
}

#[test]
fn running_sums_and_products() {
    let a = [1_i32, 2, 3, 4, 5, 6];
    for (flags, expect) in [
        ("exclusive = false, reverse = false", [1, 3, 6, 4, 9, 15]),
        ("exclusive = true, reverse = false", [0, 1, 3, 0, 4, 9]),
        ("exclusive = false, reverse = true", [6, 5, 3, 15, 11, 6]),
        ("exclusive = true, reverse = true", [5, 3, 0, 11, 6, 0]),
    ] {
        check(
            &format!("cumsum(a, axis = -1, {flags})"),
            &[2, 3],
            &a,
            "i32[2, 3]",
            &expect,
        );
    }
    check(
        "cumprod(a, axis = 0, exclusive = false, reverse = false)",
        &[3, 2],
        &a,
        "i32[3, 2]",
        &[1, 2, 3, 8, 15, 48],
    );
    check(
        "cumprod(a, axis = 0, exclusive = true, reverse = false)",
        &[3],
        &[100_u8, 3, 9],
        "u8[3]",
        &[1_u8, 100, 44],
    );
}

#[test]
fn the_axis_of_a_running_sum_is_checked_at_the_run() {
    let call = "cumsum(a, axis, exclusive = false, reverse = false)";
    let graph = graph("a: f32[2, 2], axis: i32[]", "f32[2, 2]", call);
    let a = tensor(&[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]);
    let sums = |axis: i32| {
        let axis = Tensor::scalar(axis);
        let made = run(&graph, &[("a", &a), ("axis", &axis)]);
        made.map(|made| made[0].1.to_vec::<f32>().unwrap())
            .map_err(|error| error.to_string())
    };
    assert_eq!(sums(0), Ok(vec![1.0, 2.0, 4.0, 6.0]));
    assert_eq!(sums(-1), Ok(vec![1.0, 3.0, 3.0, 7.0]));
    assert_eq!(
        sums(2),
        Err("node \"y\": cumsum: axis = 2: is no axis of a tensor of rank 2".into())
    );
}

#[test]
fn the_first_of_an_axis() {
    let top = |k, largest| {
        Op::TopK(TopK {
            k: Some(k),
            axis: 0,
            largest,
        })
    };
    let a = tensor(&[6], &[1.0_f32, 3.0, NAN, 3.0, -INF, 2.0]);
    for (op, values, positions) in [
        (top(4, true), "[NaN, 3.0, 3.0, 2.0]", "[2, 1, 3, 5]"),
        (top(3, false), "[-inf, 1.0, 2.0]", "[4, 0, 5]"),
        (top(0, false), "[]", "[]"),
    ] {
        let made = outputs(&op, &[&a]).unwrap();
        assert_eq!(format!("{:?}", made[0].to_vec::<f32>().unwrap()), values);
        assert_eq!(format!("{:?}", made[1].to_vec::<i64>().unwrap()), positions);
    }
    let fed = Op::TopK(TopK {
        k: None,
        axis: -1,
        largest: true,
    });
    let made = outputs(&fed, &[&a, &Tensor::scalar(1_i64)]).unwrap();
    assert_eq!(made[1].to_vec::<i64>().unwrap(), [2]);
    let error = outputs(&fed, &[&a, &Tensor::scalar(7_i64)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "top_k: k = 7: must be from 0 to 6, the extent of axis 0"
    );
}

#[test]
fn ranges() {
    let range = |start: f64, limit: f64, delta: f64, dtype| {
        let inputs = [start, limit, delta].map(|v| Tensor::scalar(v).cast(dtype).unwrap());
        outputs(&Op::Range(Range), &inputs.each_ref())
    };
    for dtype in [DType::F32, DType::F16, DType::I16, DType::U8, DType::I64] {
        let made = range(1.0, 8.0, 3.0, dtype).unwrap();
        let made = made[0].cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
        assert_eq!(made, [1.0, 4.0, 7.0], "{dtype}");
    }
    // 9 times the f32 nearest to 0.1.
    let made = range(0.0, 1.0, 0.1, DType::F32).unwrap();
    assert_eq!(made[0].to_vec::<f32>().unwrap()[9], 0.900_000_04);
    let made = range(3.0, 3.0, -1.0, DType::F64).unwrap();
    assert_eq!(made[0].shape(), [0]);
    for (start, limit, delta) in [
        (0.0, 1.0, 0.0),
        (0.0, f64::NAN, 1.0),
        (0.0, f64::INFINITY, 1.0),
    ] {
        let error = range(start, limit, delta, DType::F32).unwrap_err();
        assert!(error.to_string().starts_with("range: delta = "), "{error}");
    }
    assert!(range(0.0, 1e18, 1.0, DType::F64).is_err(), "beyond memory");
}

#[test]
fn determinants() {
    check(
        "det(a)",
        &[2, 2],
        &[1.0_f32, 2.0, 3.0, 4.0],
        "f32[]",
        &[-2.0_f32],
    );
    // A zero where the first pivot would be.
    check(
        "det(a)",
        &[1, 2, 2],
        &[0.0_f32, 2.0, 3.0, 4.0],
        "f32[1]",
        &[-6.0_f32],
    );
    check::<f32, f32>("det(a)", &[2, 0, 0], &[], "f32[2]", &[1.0, 1.0]);
    check("det(a)", &[1, 1], &[NAN], "f32[]", &[NAN]);
}
