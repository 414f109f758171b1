"""Cases of remainders, bits, angles, activations, scans and values made from numbers, for `make_op_cases.py`.

`tools` is the module that makes the file: its `case`, `ort` and `math_case` add cases.
"""

import math

import numpy as np

inf, nan = math.inf, math.nan
MODERATE = [0.0, -0.0, 1e-6, -1e-3, 0.1, 0.5, -0.5, 0.99, -1.0, 1.5, 2.0, -2.75, 3.5, -4.0, 5.25, -6.0, 10.0]


def within(low, high, formula):
    """The formula, and NaN where it is not defined."""
    return lambda x: formula(x) if low <= x <= high else nan


def bent(formula):
    return lambda x: x if not x < 0 else formula(x)


def softplus(x):
    return x if math.isnan(x) else max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def mish(x):
    return 0.0 * x if x == -inf else x * math.tanh(softplus(x))


def unary(tools):
    f32 = lambda x: float(np.float32(x))
    alpha, gamma = f32(1.6732632), f32(1.050701)
    safe = tools.overflow_to_infinity
    finite = lambda formula: lambda x: formula(x) if math.isfinite(x) else nan
    ends = [nan, inf, -inf]
    table = [
        ("tan(x)", finite(math.tan), ends + [100.0, -1000.0], 1),
        ("asin(x)", within(-1, 1, math.asin), ends + [1.0, 0.999999], 1),
        ("acos(x)", within(-1, 1, math.acos), ends + [1.0, 0.999999], 1),
        ("atan(x)", math.atan, ends + [1e30], 1),
        ("sinh(x)", lambda x: math.copysign(safe(math.sinh)(abs(x)), x), ends + [89.0, -720.0], 1),
        ("cosh(x)", safe(math.cosh), ends + [89.0, -720.0], 1),
        ("asinh(x)", math.asinh, ends + [1e30], 1),
        ("acosh(x)", within(1, inf, lambda x: inf if x == inf else math.acosh(x)), ends + [1.0, 1.000001, 1e30], 1),
        ("atanh(x)", within(-1, 1, lambda x: math.copysign(inf, x) if abs(x) == 1 else math.atanh(x)), ends + [1.0], 1),
        ("elu(x, alpha = 0.75)", bent(lambda x: 0.75 * math.expm1(x)), ends, 4),
        (f"selu(x, alpha = {1.6732632}, gamma = {1.050701})",
         lambda x: gamma * bent(lambda x: alpha * math.expm1(x))(x), ends, 4),
        ("celu(x, alpha = 2.0)", bent(lambda x: 2 * math.expm1(x / 2)), ends, 4),
        ("softplus(x)", softplus, ends + [30.0, -30.0], 1),
        ("softsign(x)", lambda x: x / (1 + abs(x)), [nan, 1e30], 1),
        ("mish(x)", mish, [nan, inf, 30.0], 1),
        ("thresholded_relu(x, alpha = 1.25)", lambda x: 0.0 if x <= 1.25 else x, ends, 0),
        ("shrink(x, lambda = 1.5, bias = 0.5)",
         lambda x: x + 0.5 if x < -1.5 else 0.0 if x <= 1.5 else x - 0.5, ends, 1),
    ]  # fmt: skip
    for call, formula, more, ulp in table:
        values = MODERATE + more
        sums = call.startswith(("elu", "selu", "celu", "softplus", "mish"))
        if sums:
            # Nearer to 0 and further out digits are lost even in f64.
            values = [v for v in values if not v < 0 or 0.5 <= abs(v) <= 4 or v == -inf]
        for dtype in tools.FLOATS:
            near = (4000 if sums else 16) if dtype is np.float64 and ulp else ulp
            tools.math_case(call, formula, {"x": np.array(values).astype(dtype)}, near)
    mild = np.array([-3.0, -1.25, -0.5, 0.0, 0.3, 1.0, 2.5], np.float32)
    small = np.array([-1.0, -0.5, 0.0, 0.3, 1.0], np.float32)
    for call, op, x, extra in [
        ("tan(x)", "Tan", mild, {}),
        ("asin(x)", "Asin", small, {}),
        ("acos(x)", "Acos", small, {}),
        ("atan(x)", "Atan", mild, {}),
        ("sinh(x)", "Sinh", mild, {}),
        ("cosh(x)", "Cosh", mild, {}),
        ("asinh(x)", "Asinh", mild, {}),
        ("acosh(x)", "Acosh", np.float32([1, 1.5, 20]), {}),
        ("atanh(x)", "Atanh", small[1:4], {}),
        ("elu(x, alpha = 0.5)", "Elu", mild, {"alpha": 0.5}),
        ("selu(x, alpha = 1.6732632, gamma = 1.050701)", "Selu", mild, {}),
        ("celu(x, alpha = 0.5)", "Celu", mild, {"alpha": 0.5}),
        ("softplus(x)", "Softplus", mild, {}),
        ("softsign(x)", "Softsign", mild, {}),
        ("mish(x)", "Mish", mild, {}),
        ("thresholded_relu(x, alpha = 1.0)", "ThresholdedRelu", mild, {}),
        ("shrink(x, lambda = 1.0, bias = 0.25)", "Shrink", mild, {"lambd": 1.0, "bias": 0.25}),
    ]:
        tools.ort(call, op, {"x": x}, 8, **extra)
    for dtype in tools.FLOATS:
        x = np.array([nan, inf, -inf, 0.0, 1.0]).astype(dtype)
        tools.case("is_nan(x)", {"x": x}, np.isnan(x.astype(np.float64)), "numpy")
        tools.case("is_inf(x)", {"x": x}, np.isinf(x.astype(np.float64)), "numpy")
        tools.case("prelu(x, s)", {"x": np.array([-2.0, -0.0, 3.0, nan]).astype(dtype), "s": np.array(0.5).astype(dtype)},
                   np.array([-1.0, -0.0, 3.0, nan]).astype(dtype), "math")  # fmt: skip
    tools.ort("prelu(x, s)", "PRelu", {"x": mild, "s": np.float32([0.25])})
    for dtype in [np.int32, np.int64]:
        tools.case("shrink(x, lambda = 1.5, bias = 1.0)", {"x": np.array([-3, -1, 0, 1, 2], dtype)},
                   np.array([-2, 0, 0, 0, 1], dtype), "math")  # fmt: skip


def binary(tools):
    a = np.array([7.5, -7.5, 7.5, -7.5, 0.0, -0.0, 3.0, -3.0, inf, 1.0, nan, 6.0], np.float32)
    b = np.array([2.0, 2.0, -2.0, -2.0, -3.0, 3.0, inf, inf, 2.0, 0.0, 1.0, -3.0], np.float32)
    for dtype in tools.FLOATS:
        x, y = a.astype(dtype), b.astype(dtype)
        tools.case("mod(a, b)", {"a": x, "b": y}, np.mod(x.astype(np.float64), y.astype(np.float64)).astype(dtype), "numpy")
        tools.case("rem(a, b)", {"a": x, "b": y}, np.fmod(x.astype(np.float64), y.astype(np.float64)).astype(dtype), "numpy")
    tools.ort("rem(a, b)", "Mod", {"a": a[:4], "b": b[:4]}, fmod=1)
    for dtype in tools.INTEGERS:
        x = tools.integers(dtype)
        y = np.roll(x, 5)
        tools.case("mod(a, b)", {"a": x, "b": y}, np.mod(x, y), "numpy")
        tools.case("rem(a, b)", {"a": x, "b": y}, np.fmod(x, y), "numpy")
        for call, function in [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)]:
            tools.case(f"bitwise_{call}(a, b)", {"a": x, "b": y}, function(x, y), "numpy")
        tools.case("bitwise_not(a)", {"a": x}, np.invert(x), "numpy")
        bits = np.iinfo(dtype).bits
        places = np.array([0, 1, 3, bits - 1], dtype)
        for at in range(4):
            tools.case("shift_left(a, b)", {"a": x, "b": places[at]}, np.left_shift(x, places[at]), "numpy")
            tools.case("shift_right(a, b)", {"a": x, "b": places[at]}, np.right_shift(x, places[at]), "numpy")
        out = np.array([bits] + ([-1] if np.iinfo(dtype).min < 0 else [bits + 1]), dtype)
        for places in out:
            tools.case("shift_left(a, b)", {"a": x, "b": places}, np.zeros_like(x), "math")
            tools.case("shift_right(a, b)", {"a": x, "b": places}, np.where(x < 0, -1, 0).astype(dtype), "math")
    tools.ort("mod(a, b)", "Mod", {"a": np.int32([7, -7, 7, -7]), "b": np.int32([3, 3, -3, -3])})
    tools.ort("bitwise_and(a, b)", "BitwiseAnd", {"a": np.uint8([12, 255]), "b": np.uint8([10, 7])})
    for direction in ["LEFT", "RIGHT"]:
        tools.ort(f"shift_{direction.lower()}(a, b)", "BitShift", {"a": np.uint64([16, 5, 1]), "b": np.uint64([1, 2, 0])},
                  direction=direction)  # fmt: skip


def bit_casts(tools):
    for source, target in [
        (np.float32, np.int32), (np.int32, np.float32), (np.float64, np.uint64), (np.float16, np.int16),
        (np.uint8, np.int8), (np.int64, np.float64), (np.uint32, np.int32),
    ]:  # fmt: skip
        x = np.array([0, 1, 2, 100]).astype(source)
        tools.case(f"bit_cast(x, to = {tools.name(target)})", {"x": x}, x.view(target), "numpy")
    bools = np.array([True, False])
    tools.case("bit_cast(x, to = u8)", {"x": bools}, bools.view(np.uint8), "numpy")


def positions(x, axis, keep, last, function):
    if last:
        flipped = function(np.flip(x, axis), axis, keepdims=keep)
        return x.shape[axis] - 1 - flipped
    return function(x, axis, keepdims=keep)


def scans(tools):
    x = tools.eighths((3, 4, 5), 31, reach=3)
    for kind, op in [("argmax", "ArgMax"), ("argmin", "ArgMin")]:
        for axis, keep, last in [(1, 0, 0), (-1, 1, 0), (0, 0, 1), (2, 1, 1)]:
            flags = f"keep = {str(bool(keep)).lower()}, last = {str(bool(last)).lower()}"
            tools.ort(f"{kind}(x, axis = {axis}, {flags})", op, {"x": x}, axis=axis, keepdims=keep, select_last_index=last)
        for dtype in tools.FLOATS + tools.INTEGERS:
            y = tools.eighths((4, 5), 32, np.float32).astype(dtype)
            for last in [False, True]:
                call = f"{kind}(x, axis = 0, keep = false, last = {str(last).lower()})"
                tools.case(call, {"x": y}, positions(y, 0, False, last, getattr(np, kind)), "numpy")
        odd = np.float32([[1, nan, 5], [inf, -inf, nan], [-0.0, 0.0, -0.0], [-inf, -inf, inf]])
        call = f"{kind}(x, axis = 1, keep = false, last = false)"
        tools.case(call, {"x": odd}, getattr(np, kind)(odd, 1), "numpy")
    running(tools, x)
    first_of_axes(tools, x)


def running(tools, x):
    for axis in [0, 1, -1]:
        for exclusive, reverse in [(0, 0), (1, 0), (0, 1), (1, 1)]:
            flags = f"exclusive = {str(bool(exclusive)).lower()}, reverse = {str(bool(reverse)).lower()}"
            tools.ort(f"cumsum(x, axis = {axis}, {flags})", "CumSum", {"x": x}, constants={"axis": np.int64(axis)},
                      exclusive=exclusive, reverse=reverse)  # fmt: skip
            y = x / 2
            tools.case(f"cumprod(x, axis = {axis}, {flags})", {"x": y}, product(y, axis, exclusive, reverse), "numpy", 2)
    for dtype in tools.FLOATS[1:] + tools.INTEGERS:
        y = tools.integers(dtype) if dtype in tools.INTEGERS else tools.eighths((9,), 33, dtype, 8)
        wide = np.float64 if dtype in tools.FLOATS else dtype
        for kind in ["sum", "prod"]:
            result = getattr(np, f"cum{kind}")(y.astype(wide), dtype=wide).astype(dtype)
            tools.case(f"cum{kind}(x, axis = 0, exclusive = false, reverse = false)", {"x": y}, result, "numpy", 1)
    odd = np.float32([1, inf, 2, -inf, 3, nan])
    tools.case("cumsum(x, axis = 0, exclusive = false, reverse = false)", {"x": odd},
               np.float32([1, inf, inf, nan, nan, nan]), "math")  # fmt: skip


def product(x, axis, exclusive, reverse):
    y = np.moveaxis(x.astype(np.float64), axis, -1)
    y = y[..., ::-1] if reverse else y
    z = np.cumprod(y, -1)
    if exclusive:
        z = np.concatenate([np.ones_like(z[..., :1]), z[..., :-1]], -1)
    z = z[..., ::-1] if reverse else z
    return np.moveaxis(z, -1, axis).astype(x.dtype)


def first_of_axes(tools, x):
    for axis, k, largest in [(1, 2, 1), (-1, 5, 0), (0, 1, 1), (2, 0, 1)]:
        order = np.argsort(-x if largest else x, axis, kind="stable")
        values = np.take_along_axis(x, np.take(order, range(k), axis), axis)
        tools.case(f"top_k(x, k = {k}, axis = {axis}, largest = {str(bool(largest)).lower()})", {"x": x}, values, "numpy")
        positions_too(tools)
    for dtype in tools.FLOATS + tools.INTEGERS:
        y = tools.integers(dtype) if dtype in tools.INTEGERS else tools.eighths((9,), 33, dtype, 8)
        ordered = np.sort(y)
        tools.case("top_k(x, k = 4, axis = 0, largest = false)", {"x": y}, ordered[:4], "numpy")
        positions_too(tools)
        tools.case("top_k(x, k = 4, axis = 0, largest = true)", {"x": y}, ordered[::-1][:4], "numpy")
        positions_too(tools)
    odd = np.float32([1, nan, inf, -inf, nan])
    tools.case("top_k(x, k = 5, axis = 0, largest = false)", {"x": odd}, np.sort(odd), "numpy")
    positions_too(tools)
    tools.case("top_k(x, k = 3, axis = 0, largest = true)", {"x": odd}, np.float32([nan, nan, inf]), "math")
    positions_too(tools)


def unknown_extent(tools):
    """The number of elements of the last case is known only at the run."""
    entry = tools.CASES[-1]
    entry["declared"] = entry["expect"].split("[")[0] + '["result.0"]'


def positions_too(tools):
    """The last case has a second result, which it does not state: positions of the shape of the first."""
    entry = tools.CASES[-1]
    ty = entry["expect"].split(" = ")[0]
    entry["declared"] = f"{ty}; i64[{ty.split('[')[1]}"


def made(tools):
    for dtype in tools.FLOATS + tools.INTEGERS:
        numbers = dict(zip(["start", "limit", "delta"], [np.array(v).astype(dtype) for v in (2, 11, 3)]))
        tools.case("range(start, limit, delta)", numbers, np.array([2, 5, 8]).astype(dtype), "math")
        unknown_extent(tools)
    for start, limit, delta in [(10, 4, -2), (1, 1, 1), (5, 1, 1), (-3, 4, 5)]:
        numbers = {"start": np.int64(start), "limit": np.int64(limit), "delta": np.int64(delta)}
        tools.ort("range(start, limit, delta)", "Range", numbers)
        unknown_extent(tools)
    numbers = {"start": np.float32(0.5), "limit": np.float32(2), "delta": np.float32(0.25)}
    tools.ort("range(start, limit, delta)", "Range", numbers)
    unknown_extent(tools)
    for shape in [(2, 2), (3, 2, 2), (2, 2, 3, 3), (1, 1)]:
        x = tools.eighths(shape, 34)
        tools.case("det(x)", {"x": x}, np.linalg.det(x.astype(np.float64)).astype(np.float32), "numpy", 4)
    triangular = np.array([[2.0, 1.0, 7.0], [0.0, -3.0, 5.0], [0.0, 0.0, 0.5]])
    for dtype in tools.FLOATS:
        tools.case("det(x)", {"x": triangular.astype(dtype)}, np.array(-3.0).astype(dtype), "math")
        tools.case("det(x)", {"x": triangular[::-1].astype(dtype)}, np.array(3.0).astype(dtype), "math")
    tools.case("det(x)", {"x": np.float32([[1, 2], [2, 4]])}, np.float32(0), "math")
    tools.case("det(x)", {"x": np.zeros((2, 0, 0), np.float32)}, np.ones(2, np.float32), "math")


FAMILIES = [unary, binary, bit_casts, scans, made]
