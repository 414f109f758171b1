#!/usr/bin/env python3
"""Makes `ops.json`: cases of every op with values from another engine.

    python3 -m venv /tmp/goldens && /tmp/goldens/bin/pip install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
    /tmp/goldens/bin/python tests/golden/make_op_cases.py

A case is a call in the text form of graphs, its inputs and the expected result, each as a typed list of elements. `by` says who
computed the result: onnxruntime, numpy, or `math` for a formula below that is evaluated in f64 and rounded once. `ulp` is given
where the expectation is that of an op with rounding; the reference must come at least so close. It is larger where the engine
loses digits by cancellation. `declared` is the type of a result whose extents follow from elements of the inputs,
or the types of all results if there are several; `more` are the results after the first. Sums are of numbers that every
partial sum holds exactly, so that their order does not matter. The file is long because it has a function for each family.
"""

import json
import math
import sys
import warnings
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import op_cases_arrange
import op_cases_recurrent
import op_cases_scan

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)

BF16 = np.dtype(ml_dtypes.bfloat16)
NAMES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "bool",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip
FLOATS = [np.float32, np.float64, np.float16, BF16]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
inf, nan = math.inf, math.nan

CASES = []


def name(dtype):
    return NAMES[np.dtype(dtype).name]


def element(value, dtype):
    if dtype == "bool":
        return str(bool(value)).lower()
    if not dtype.startswith(("f", "b")):
        return str(int(value))
    if np.isnan(value):
        return "nan"
    text = str(value) if dtype != "bf16" else str(np.float32(value))
    return text.replace("e+", "e").removesuffix(".0")


def typed(array):
    array = np.asarray(array)
    dtype = name(array.dtype)
    elements = ", ".join(element(value, dtype) for value in array.reshape(-1))
    return f"{dtype}[{', '.join(map(str, array.shape))}] = {{{elements}}}"


def case(call, inputs, result, by, ulp=0):
    entry = {"call": call, "by": by, "inputs": {n: typed(a) for n, a in inputs.items()}, "expect": typed(result)}
    if ulp:
        entry["ulp"] = ulp
    CASES.append(entry)


def ort(call, op, inputs, ulp=0, constants=None, opset=22, order=None, **attrs):
    """The case as onnxruntime computes it; `constants` are inputs that say what `call` says by attributes."""
    inputs = {n: np.asarray(a) for n, a in inputs.items()}
    constants = {n: np.asarray(a) for n, a in (constants or {}).items()}
    tensor_type = helper.np_dtype_to_tensor_dtype
    node = helper.make_node(op, order or [*inputs, *constants], ["result"], **attrs)
    graph = helper.make_graph(
        [node],
        "f",
        [helper.make_tensor_value_info(n, tensor_type(a.dtype), a.shape) for n, a in inputs.items()],
        [helper.make_empty_tensor_value_info("result")],
        [onnx.numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    model = onnx.shape_inference.infer_shapes(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, inputs)
    case(call, inputs, result, "onnxruntime", ulp)


def math_case(call, formula, inputs, ulp=1):
    """The case by a formula of f64, rounded once to the first input's dtype."""
    dtype = np.asarray(next(iter(inputs.values()))).dtype
    wide = [np.asarray(a).astype(np.float64) for a in inputs.values()]
    result = np.vectorize(formula, otypes=[np.float64])(*wide)
    case(call, inputs, result.astype(dtype), "math", ulp)


SPECIAL = [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, -7.25, 100.0]
EDGES = {
    "f32": [1e-45, -1e-40, 1.1754944e-38, 3.4028235e38, -3.4028235e38],
    "f64": [5e-324, -1e-310, 2.2250738585072014e-308, 1.7976931348623157e308],
    "f16": [6e-8, -6e-5, 65504.0],
    "bf16": [1e-40, 3e38],
}


def specials(dtype):
    return np.array(SPECIAL + EDGES[name(dtype)]).astype(dtype)


def integers(dtype):
    info = np.iinfo(dtype)
    values = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7, 100]
    if info.min < 0:
        values += [-1, -2, -7, -100]
    return np.array(values, dtype)


def exact_unary():
    """Ops without rounding: every special value of every float."""
    for call, op, formula in [
        ("identity", "Identity", lambda x: x),
        ("neg", "Neg", lambda x: -x),
        ("abs", "Abs", abs),
        ("sign", "Sign", lambda x: x if math.isnan(x) or x == 0 else math.copysign(1, x)),
        ("floor", "Floor", lambda x: x if not math.isfinite(x) else math.copysign(math.floor(x), x)),
        ("ceil", "Ceil", lambda x: x if not math.isfinite(x) else math.copysign(math.ceil(x), x)),
        ("round", "Round", lambda x: x if not math.isfinite(x) else math.copysign(round(x), x)),
        ("relu", "Relu", lambda x: x if math.isnan(x) else max(x, 0.0)),
        ("sqrt", "Sqrt", lambda x: nan if x < 0 else math.sqrt(x)),
        ("reciprocal", "Reciprocal", lambda x: math.copysign(inf, x) if x == 0 else 1 / x),
    ]:
        ort(f"{call}(x)", op, {"x": specials(np.float32)})
        for dtype in FLOATS[1:]:
            if call == "reciprocal" and dtype is np.float64:
                continue
            math_case(f"{call}(x)", formula, {"x": specials(dtype)}, ulp=0)
    math_case("reciprocal(x)", lambda x: math.copysign(inf, x) if x == 0 else 1 / x,
              {"x": np.array([3.0, -0.0, 0.0, inf, 0.1])}, ulp=0)  # fmt: skip
    for dtype in INTEGERS:
        x = integers(dtype)
        case("identity(x)", {"x": x}, x, "numpy")
        case("neg(x)", {"x": x}, np.negative(x), "numpy")
        case("abs(x)", {"x": x}, np.abs(x), "numpy")
        case("sign(x)", {"x": x}, np.sign(x), "numpy")
        case("relu(x)", {"x": x}, np.maximum(x, dtype(0)), "numpy")
    ort("identity(x)", "Identity", {"x": np.array([[True], [False]])})
    ort("not(x)", "Not", {"x": np.array([True, False])})


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def overflow_to_infinity(formula):
    def safe(x):
        try:
            return formula(x)
        except OverflowError:
            return inf

    return safe


def clamp(x, low, high):
    return x if math.isnan(x) else min(max(x, low), high)


def gelu(x):
    return 0.5 * x * (math.erfc(-x / math.sqrt(2)) if x < 0 else 1 + math.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def rounded_unary():
    moderate = [0.0, -0.0, 1e-6, -1e-3, 0.1, 0.5, -0.5, 0.99, -1.0, 1.5, 2.0, -2.75, 3.5, -4.0, 5.25, -6.0, 10.0]
    ends = [nan, inf, -inf]
    alpha = float(np.float32(0.2))
    table = [
        ("exp", overflow_to_infinity(math.exp), ends + [88.0, -88.0, 89.0, 104.0, -104.0, 710.0]),
        ("log", lambda x: nan if x < 0 else -inf if x == 0 else math.log(x), ends + [1e-45, 1e30, 0.999999, 1.000001]),
        ("sin", lambda x: math.sin(x) if math.isfinite(x) else nan, ends + [100.0, -1000.0]),
        ("cos", lambda x: math.cos(x) if math.isfinite(x) else nan, ends + [100.0, -1000.0]),
        ("tanh", math.tanh, ends + [20.0, -1e30]),
        ("sigmoid", sigmoid, ends + [30.0, -30.0, 80.0, -80.0]),
        ("erf", math.erf, ends + [2.5, -3.9, 1e30]),
        ("leaky_relu", lambda x: float(np.float32(0.3)) * x if x < 0 else x, ends),
        ("hard_sigmoid", lambda x: clamp(alpha * x + 0.5, 0.0, 1.0), ends + [2.6, -2.6]),
        ("hard_swish", lambda x: x * clamp(x / 6 + 0.5, 0.0, 1.0), [nan, inf, 2.9, -2.9, 30.0, -30.0]),
        ("gelu", gelu, [nan, inf, 30.0]),
        ("gelu_tanh", gelu_tanh, [nan, inf, 30.0]),
        ("silu", lambda x: x * sigmoid(x), [nan, inf, 30.0, -30.0]),
    ]
    attrs = {"leaky_relu": ", alpha = 0.3", "hard_sigmoid": ", alpha = 0.2, beta = 0.5"}
    for call, formula, more in table:
        values = moderate + more
        if call.startswith("gelu"):
            # Further out 1 + erf or 1 + tanh has lost digits even in f64.
            values = [v for v in values if not v < -4]
        for dtype in FLOATS:
            ulp = 4 if dtype is np.float64 else 1
            if dtype is np.float64 and call.startswith(("gelu", "hard_swish")):
                ulp = 4000
            math_case(f"{call}(x{attrs.get(call, '')})", formula, {"x": np.array(values).astype(dtype)}, ulp)
    mild = np.array([-3.0, -1.25, -0.5, 0.0, 0.3, 1.0, 2.5], np.float32)
    for call, op, ulp, extra in [
        ("exp(x)", "Exp", 2, {}),
        ("log(x)", "Log", 2, {}),
        ("sin(x)", "Sin", 2, {}),
        ("cos(x)", "Cos", 2, {}),
        ("tanh(x)", "Tanh", 4, {}),
        ("sigmoid(x)", "Sigmoid", 4, {}),
        ("erf(x)", "Erf", 4, {}),
        ("leaky_relu(x, alpha = 0.01)", "LeakyRelu", 1, {}),
        ("hard_sigmoid(x, alpha = 0.25, beta = 0.5)", "HardSigmoid", 2, {"alpha": 0.25}),
        ("hard_swish(x)", "HardSwish", 3, {}),
        ("gelu(x)", "Gelu", 64, {}),
        ("gelu_tanh(x)", "Gelu", 1000, {"approximate": "tanh"}),
    ]:
        ort(call, op, {"x": mild}, ulp, **extra)


def casts():
    floats = np.array([nan, inf, -inf, 0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 127.9, 128.0, -129.0, 300.0, 1e10, -1e30])
    for source in FLOATS:
        x = floats.astype(source)
        for target in INTEGERS:
            info = np.iinfo(target)
            wide = [0 if math.isnan(v) else v for v in map(float, x)]
            result = [info.max if v >= info.max else info.min if v <= info.min else int(v) for v in wide]
            case(f"cast(x, to = {name(target)})", {"x": x}, np.array(result, target), "math")
        case("cast(x, to = bool)", {"x": x}, x.astype(np.float64) != 0, "math")
        for target in FLOATS:
            case(f"cast(x, to = {name(target)})", {"x": x}, x.astype(target), "numpy")
    for source in INTEGERS:
        x = integers(source)
        for target in INTEGERS:
            info = np.iinfo(target)
            result = [min(max(int(v), info.min), info.max) for v in x]
            case(f"cast(x, to = {name(target)})", {"x": x}, np.array(result, target), "math")
        for target in [np.float32, np.float64]:
            case(f"cast(x, to = {name(target)})", {"x": x}, x.astype(target), "numpy")
        case("cast(x, to = bool)", {"x": x}, x != 0, "numpy")
    bools = np.array([True, False])
    for target in FLOATS + INTEGERS:
        case(f"cast(x, to = {name(target)})", {"x": bools}, bools.astype(target), "numpy")
    # Just above a tie of f16 and of bf16, which a detour through f32 would hide.
    case("cast(x, to = f16)", {"x": np.array([2049 + 2.0**-40, 2049.0])}, np.array([2050, 2048], np.float16), "math")
    tie = 2**62 + 2**54
    ties = np.array([2.0**62, 2.0**62 + 2.0**55]).astype(BF16)
    case("cast(x, to = bf16)", {"x": np.array([tie, tie + 1])}, ties, "math")
    ort("cast(x, to = f16)", "Cast", {"x": np.array([1.0009765, 65519.0, 65520.0, -1e-8], np.float32)},
        to=TensorProto.FLOAT16)  # fmt: skip
    ort("cast(x, to = i32)", "Cast", {"x": np.array([1.99, -1.99, 2147483520.0], np.float32)}, to=TensorProto.INT32)


def divide(a, b, dtype):
    """Toward zero; by 0 gives 0, and what does not fit wraps."""
    result = [0 if y == 0 else int(abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b)]
    return np.array([wrap(v, dtype) for v in result], dtype)


def wrap(value, dtype):
    info = np.iinfo(dtype)
    return (value - int(info.min)) % 2**info.bits + int(info.min)


def integer_power(x, n, dtype):
    if n >= 0:
        return wrap(pow(x, n, 2 ** np.iinfo(dtype).bits), dtype)
    return {1: 1, -1: 1 if n % 2 == 0 else -1}.get(x, 0)


def binary():
    a = np.array([1.5, -2.0, 0.1, nan, inf, inf, -inf, 0.0, -0.0, 3e38, 1e-45, 7.0], np.float32)
    b = np.array([0.25, 3.0, 0.2, 1.0, -inf, 0.0, 2.0, 0.0, 5.0, 3e38, 0.5, -0.7], np.float32)
    for call, op, function in [
        ("add", "Add", np.add),
        ("sub", "Sub", np.subtract),
        ("mul", "Mul", np.multiply),
        ("div", "Div", np.divide),
    ]:
        ort(f"{call}(a, b)", op, {"a": a, "b": b})
        ort(f"{call}(b, a)", op, {"b": b, "a": a})
        ort(f"{call}(a, b)", op, {"a": a[:6].reshape(2, 3), "b": b[:2].reshape(2, 1)})
        for dtype in FLOATS[1:]:
            x, y = a.astype(dtype), b.astype(dtype)
            case(f"{call}(a, b)", {"a": x, "b": y}, function(x, y), "numpy")
        for dtype in INTEGERS:
            x = integers(dtype)
            y = np.roll(x, 3)
            result = divide(x.tolist(), y.tolist(), dtype) if call == "div" else function(x, y)
            case(f"{call}(a, b)", {"a": x, "b": y}, result, "math" if call == "div" else "numpy")
    for call, op, function in [("max", "Max", np.maximum), ("min", "Min", np.minimum)]:
        x, y = np.array([1.0, nan, 2.0, inf, -inf], np.float32), np.array([3.0, 0.0, nan, -1.0, 2.0], np.float32)
        ort(f"{call}(a, b)", op, {"a": x, "b": y})
        for dtype in FLOATS[1:]:
            case(f"{call}(a, b)", {"a": x.astype(dtype), "b": y.astype(dtype)}, function(x, y).astype(dtype), "numpy")
        for dtype in INTEGERS:
            x = integers(dtype)
            case(f"{call}(a, b)", {"a": x, "b": np.roll(x, 4)}, function(x, np.roll(x, 4)), "numpy")
    powers()
    for call, op, function in [
        ("equal", "Equal", np.equal),
        ("less", "Less", np.less),
        ("less_equal", "LessOrEqual", np.less_equal),
        ("greater", "Greater", np.greater),
        ("greater_equal", "GreaterOrEqual", np.greater_equal),
    ]:
        x, y = np.array([1.0, nan, 0.0, inf, -inf, 2.0], np.float32), np.array([1.0, nan, -0.0, inf, 3.0, 1.5], np.float32)
        ort(f"{call}(a, b)", op, {"a": x, "b": y})
        ort(f"{call}(a, b)", op, {"a": np.int64([[1], [2]]), "b": np.int64([1, 2, 3])})
        for dtype in FLOATS[1:]:
            case(f"{call}(a, b)", {"a": x.astype(dtype), "b": y.astype(dtype)}, function(x, y), "numpy")
        for dtype in INTEGERS:
            x = integers(dtype)
            case(f"{call}(a, b)", {"a": x, "b": np.roll(x, 1)}, function(x, np.roll(x, 1)), "numpy")
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    ort("equal(a, b)", "Equal", {"a": a, "b": b})
    for call, op in [("and", "And"), ("or", "Or"), ("xor", "Xor")]:
        ort(f"{call}(a, b)", op, {"a": a, "b": b})
        ort(f"{call}(a, b)", op, {"a": a.reshape(2, 2), "b": np.array(True)})


def power(x, y):
    try:
        return x**y if not isinstance(x**y, complex) else nan
    except ZeroDivisionError:
        return math.copysign(inf, x) if y % 2 == 1 else inf
    except OverflowError:
        return inf


def powers():
    a = np.array([2.0, 0.5, -2.0, -2.0, 0.0, 0.0, nan, 1.0, nan, inf, 10.0, 3.0, -8.0], np.float32)
    b = np.array([10.0, -3.0, 3.0, 0.5, 0.0, -1.0, 0.0, nan, 1.0, -1.0, 38.5, 0.5, 2.0], np.float32)
    ort("pow(a, b)", "Pow", {"a": a, "b": b}, 4)
    for dtype in FLOATS:
        math_case("pow(a, b)", power, {"a": a.astype(dtype), "b": b.astype(dtype)}, ulp=1)
    for dtype in INTEGERS:
        signed = np.iinfo(dtype).min < 0
        x = np.array([2, 3, 0, 0, 7, 1, np.iinfo(dtype).max] + ([-2, -1, -1, 2, 0] if signed else []), dtype)
        n = np.array([5, 50, 0, 3, 1, 100, 2] + ([3, -3, -4, -1, -2] if signed else []), dtype)
        result = [integer_power(p, q, dtype) for p, q in zip(x.tolist(), n.tolist())]
        case("pow(a, b)", {"a": x, "b": n}, np.array(result, dtype), "math")


def choices():
    for dtype in FLOATS + INTEGERS + [bool]:
        a, b = np.array([[1], [0]]).astype(dtype), np.array([0, 1, 1]).astype(dtype)
        mask = np.array([[True, False, True], [False, True, False]])
        case("where(c, a, b)", {"c": mask, "a": a, "b": b}, np.where(mask, a, b), "numpy")
    ort("where(c, a, b)", "Where", {"c": np.array([True, False]), "a": np.float32([nan, 1]), "b": np.float32([2, -0.0])})
    x = np.array([nan, -5.0, 0.5, 7.0, inf, -inf], np.float32)
    low, high = np.float32(-1), np.float32(2)
    ort("clip(x, lo, hi)", "Clip", {"x": x, "lo": low, "hi": high})
    # A bound that is left out is the largest finite value in ONNX and no bound at all here, so nothing infinite here.
    ort("clip(x, _, hi)", "Clip", {"x": x[:4], "hi": high}, order=["x", "", "hi"])
    ort("clip(x, lo)", "Clip", {"x": x[:4], "lo": low})
    ort("clip(x)", "Clip", {"x": x[:4]})
    # The upper bound wins where the bounds cross.
    ort("clip(x, lo, hi)", "Clip", {"x": x, "lo": np.float32(3), "hi": high})
    for dtype in FLOATS[1:] + INTEGERS:
        x, low, high = np.array([0, 1, 5, 9]).astype(dtype), np.array(2).astype(dtype), np.array(6).astype(dtype)
        case("clip(x, lo, hi)", {"x": x, "lo": low, "hi": high}, np.array([2, 2, 5, 6]).astype(dtype), "math")


def eighths(shape, seed, dtype=np.float32, reach=16):
    """Multiples of 1/8 of at most 2: their products and sums are exact."""
    values = np.random.default_rng(seed).integers(-reach, reach + 1, shape)
    return (values / 8).astype(dtype)


def reductions():
    x = eighths((3, 4, 5), 1)
    flags = "keep = {}, noop_if_empty = false"
    kinds = [("sum", "ReduceSum"), ("mean", "ReduceMean"), ("max", "ReduceMax"), ("min", "ReduceMin"), ("prod", "ReduceProd")]
    for kind, op in kinds:
        ulp = {"mean": 1, "prod": 4}.get(kind, 0)
        for axes, keep in [([1], 0), ([-1, 0], 1), ([0, 1, 2], 0), ([2], 1)]:
            ort(f"reduce_{kind}(x, axes = {axes}, {flags.format(str(bool(keep)).lower())})", op, {"x": x}, ulp,
                constants={"axes": np.int64(axes)}, keepdims=keep)  # fmt: skip
        ort(f"reduce_{kind}(x, {flags.format('true')})", op, {"x": x[:1]}, ulp, keepdims=1)
        ort(f"reduce_{kind}(x, keep = true, noop_if_empty = true)", op, {"x": x[0, :2]}, noop_with_empty_axes=1,
            constants={"axes": np.int64([])})  # fmt: skip
        special = np.array([[nan, 1.0], [inf, 2.0], [-inf, 0.5], [inf, -inf]], np.float32)
        ort(f"reduce_{kind}(x, axes = [1], {flags.format('false')})", op, {"x": special}, ulp,
            constants={"axes": np.int64([1])}, keepdims=0)  # fmt: skip
        function = getattr(np, kind)
        for dtype in [np.float64, np.float16, BF16]:
            y = eighths((2, 3), 2, dtype, 8)
            wide = function(y.astype(np.float64), axis=0).astype(dtype)
            case(f"reduce_{kind}(x, axes = [0], {flags.format('false')})", {"x": y}, wide, "numpy", 1 if ulp else 0)
        for dtype in INTEGERS:
            y = integers(dtype).reshape(1, -1)
            if kind == "mean":
                total = np.sum(y, axis=1, dtype=dtype)
                count = y.shape[1]
                result = np.array([int(abs(int(t)) // count) * (1 if t >= 0 else -1) for t in total], dtype)
            elif kind in ("sum", "prod"):
                result = function(y, axis=1, dtype=dtype)
            else:
                result = function(y, axis=1)
            case(f"reduce_{kind}(x, axes = [1], {flags.format('false')})", {"x": y}, result, "numpy")
    empty = np.zeros((2, 0), np.float32)
    for kind, value in [("sum", 0), ("mean", nan), ("max", -inf), ("min", inf), ("prod", 1)]:
        case(f"reduce_{kind}(x, axes = [1], {flags.format('false')})", {"x": empty}, np.full(2, value, np.float32), "math")
        case(f"reduce_{kind}(x, axes = [0], {flags.format('false')})", {"x": empty}, np.zeros(0, np.float32), "math")
        one = np.float32(2.5)
        case(f"reduce_{kind}(x, {flags.format('false')})", {"x": one}, one, "math")


def products():
    for a, b in [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (2, 3, 4)), ((2, 1, 4, 3), (5, 3, 2)), ((2, 3), (3,)), ((1, 600), (600, 1))]:
        ort("matmul(a, b)", "MatMul", {"a": eighths(a, 3), "b": eighths(b, 4)})
    for a, b in [((2, 0), (0, 3)), ((0, 2), (2, 3)), ((0, 2, 3), (3, 1))]:
        case("matmul(a, b)", {"a": eighths(a, 3), "b": eighths(b, 4)}, eighths(a, 3) @ eighths(b, 4), "numpy")
    special = np.array([[inf, 1.0], [0.0, nan], [-inf, 2.0]], np.float32)
    ort("matmul(a, b)", "MatMul", {"a": special, "b": np.float32([[0.0, 1.0], [1.0, 2.0]])})
    for dtype in FLOATS[1:]:
        a, b = eighths((2, 3), 5, dtype, 8), eighths((3, 2), 6, dtype, 8)
        wide = a.astype(np.float64) @ b.astype(np.float64)
        case("matmul(a, b)", {"a": a, "b": b}, wide.astype(dtype), "numpy", 1)
    for dtype in INTEGERS:
        a, b = integers(dtype)[:6].reshape(2, 3), integers(dtype)[3:9].reshape(3, 2)
        case("matmul(a, b)", {"a": a, "b": b}, np.matmul(a, b, dtype=dtype), "numpy")


def window(strides, dilations, pads):
    text = f"strides = {strides}, dilations = {dilations}, "
    return text + (f"pads = {pads}" if isinstance(pads, list) else f"same_upper = {str(pads == 'SAME_UPPER').lower()}")


def padding(pads):
    return {"pads": pads} if isinstance(pads, list) else {"auto_pad": pads}


def convolutions():
    for x, w, strides, dilations, pads, groups, bias in [
        ((1, 3, 5, 6), (4, 3, 3, 3), [1, 1], [1, 1], [1, 1, 1, 1], 1, True),
        ((2, 4, 7, 5), (6, 2, 3, 2), [2, 1], [1, 2], [0, 1, 2, 0], 2, True),
        ((1, 4, 6), (4, 1, 3), [2], [2], [1, 3], 4, False),
        ((1, 2, 9), (3, 2, 4), [3], [1], "SAME_UPPER", 1, True),
        ((1, 2, 9), (3, 2, 4), [3], [1], "SAME_LOWER", 1, False),
        ((1, 1, 3, 4, 3), (2, 1, 2, 3, 1), [1, 2, 1], [1, 1, 1], [0, 1, 0, 1, 1, 0], 1, True),
        ((1, 5, 4, 4), (3, 5, 1, 1), [1, 1], [1, 1], [0, 0, 0, 0], 1, False),
    ]:
        inputs = {"x": eighths(x, 7), "w": eighths(w, 8)}
        if bias:
            inputs["b"] = eighths(w[:1], 9)
        call = f"conv({', '.join(inputs)}, {window(strides, dilations, pads)}, groups = {groups})"
        ort(call, "Conv", inputs, strides=strides, dilations=dilations, group=groups, **padding(pads))
        if len(x) == 3:
            for dtype in FLOATS[1:]:
                wide = {n: (a / 2).astype(dtype) for n, a in inputs.items()}
                case(call, wide, direct_convolution(wide, strides, dilations, pads, groups).astype(dtype), "math", 1)


def direct_convolution(inputs, strides, dilations, pads, groups):
    """One spatial axis, in f64."""
    x, w = inputs["x"].astype(np.float64), inputs["w"].astype(np.float64)
    (s,), (d,), length, k = strides, dilations, x.shape[2], w.shape[2]
    if isinstance(pads, str):
        count = -(-length // s)
        rest = max(0, (count - 1) * s + (k - 1) * d + 1 - length)
        pads = [rest // 2, rest - rest // 2] if pads == "SAME_UPPER" else [rest - rest // 2, rest // 2]
    x = np.pad(x, ((0, 0), (0, 0), tuple(pads)))
    count = (x.shape[2] - (k - 1) * d - 1) // s + 1
    y = np.zeros((x.shape[0], w.shape[0], count))
    for m in range(w.shape[0]):
        first = m // (w.shape[0] // groups) * w.shape[1]
        for o in range(count):
            taps = x[:, first : first + w.shape[1], o * s : o * s + (k - 1) * d + 1 : d]
            y[:, m, o] = (taps * w[m]).sum((1, 2))
    return y + (inputs["b"].astype(np.float64)[None, :, None] if "b" in inputs else 0)


def pools():
    for x, kernel, strides, dilations, pads, ceil in [
        ((1, 2, 7, 6), [3, 2], [2, 1], [1, 1], [1, 0, 0, 1], 0),
        ((1, 2, 7, 6), [3, 2], [2, 2], [1, 1], [1, 1, 1, 1], 1),
        ((1, 1, 9), [3], [2], [2], [1, 2], 0),
        ((1, 1, 8), [3], [2], [1], "SAME_UPPER", 0),
        ((1, 1, 8), [3], [2], [1], "SAME_LOWER", 0),
        ((2, 1, 4, 3, 4), [2, 3, 2], [2, 1, 2], [1, 1, 1], [0, 1, 0, 0, 1, 0], 0),
        ((1, 1, 6), [4], [4], [1], [2, 2], 1),
        ((1, 1, 5), [2], [3], [1], [0, 0], 1),
    ]:
        data = eighths(x, 10)
        tail = f"{window(strides, dilations, pads)}, ceil = {str(bool(ceil)).lower()}"
        common = dict(kernel_shape=kernel, strides=strides, dilations=dilations, ceil_mode=ceil, **padding(pads))
        ort(f"max_pool(x, kernel = {kernel}, {tail}, count_pad = false)", "MaxPool", {"x": data}, **common)
        for count in [0, 1]:
            call = f"average_pool(x, kernel = {kernel}, {tail}, count_pad = {str(bool(count)).lower()})"
            ort(call, "AveragePool", {"x": data}, 1, count_include_pad=count, **common)
    plain = "kernel = [2], strides = [1], dilations = [1], pads = [0, 1], ceil = false, count_pad = false"
    special = np.float32([[[nan, 1, -inf, -inf, 3, inf]]])
    ort(f"average_pool(x, {plain})", "AveragePool", {"x": special}, kernel_shape=[2], pads=[0, 1])
    for dtype in FLOATS:
        x = np.array([[[nan, 1, -3, -2, 4, inf]]]).astype(dtype)
        expect = np.array([[[nan, 1, -2, 4, inf, inf]]]).astype(dtype)
        case(f"max_pool(x, {plain})", {"x": x}, expect, "math")
        expect = np.array([[[nan, -1, -2.5, 1, inf, inf]]]).astype(dtype)
        case(f"average_pool(x, {plain})", {"x": x}, expect, "math")


def softmax(x, axis, log):
    x = x.astype(np.float64)
    shifted = x - x.max(axis, keepdims=True)
    total = np.exp(shifted).sum(axis, keepdims=True)
    return shifted - np.log(total) if log else np.exp(shifted) / total


def normalisations():
    scores = np.random.default_rng(11).normal(0, 3, (3, 4, 5))
    for log, op in [(False, "Softmax"), (True, "LogSoftmax")]:
        call = "log_softmax" if log else "softmax"
        for axis in [-1, 0, 1]:
            x = scores.astype(np.float32)
            case(f"{call}(x, axis = {axis})", {"x": x}, softmax(x, axis, log).astype(np.float32), "math", 1)
            ort(f"{call}(x, axis = {axis})", op, {"x": x}, 64 if log else 8, axis=axis)
        for dtype in FLOATS[1:]:
            x = scores[0].astype(dtype)
            ulp = 16 if dtype is np.float64 else 1
            case(f"{call}(x, axis = 0)", {"x": x}, softmax(x, 0, log).astype(dtype), "math", ulp)
        rows = np.float32([[-inf, -inf], [inf, 0], [nan, 1], [-inf, 3], [3e38, -3e38], [1000, 1000]])
        case(f"{call}(x, axis = 1)", {"x": rows}, softmax(rows, 1, log).astype(np.float32), "math", 1)
        case(f"{call}(x, axis = 1)", {"x": np.zeros((2, 0), np.float32)}, np.zeros((2, 0), np.float32), "math")
        case(f"{call}(x, axis = -1)", {"x": np.float32([[5], [inf]])},
             np.float32([[0 if log else 1], [nan]]), "math")  # fmt: skip
    layer_norms()
    batch_norms()


def layer_norm(x, axis, epsilon, scale, bias):
    x, axes = x.astype(np.float64), tuple(range(axis % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + float(np.float32(epsilon)))
    y = y * scale.astype(np.float64) if scale is not None else y
    return y + bias.astype(np.float64) if bias is not None else y


def layer_norms():
    x = eighths((2, 3, 4), 12)
    scale, bias = eighths((4,), 13), eighths((4,), 14)
    ort("layer_norm(x, s, b, axis = -1, epsilon = 0.00001)", "LayerNormalization", {"x": x, "s": scale, "b": bias}, 16)
    wide = eighths((3, 4), 15)
    ort("layer_norm(x, s, axis = 1, epsilon = 0.001)", "LayerNormalization", {"x": x, "s": wide}, 16, axis=1, epsilon=1e-3)
    for dtype in FLOATS:
        y, s, b = x.astype(dtype), scale.astype(dtype), bias.astype(dtype)
        ulp = 64 if dtype is np.float64 else 1
        for axis, epsilon in [(-1, 1e-5), (1, 0.5)]:
            for inputs, text in [((s, b), "s, b, "), ((s, None), "s, "), ((None, b), "_, b, "), ((None, None), "")]:
                given = {n: a for n, a in zip("sb", inputs) if a is not None}
                result = layer_norm(y, axis, epsilon, *inputs).astype(dtype)
                case(f"layer_norm(x, {text}axis = {axis}, epsilon = {epsilon:.5f})", {"x": y, **given}, result, "math", ulp)
    rows = np.float32([[nan, 1], [2, 2], [inf, 1]])
    case("layer_norm(x, axis = 1, epsilon = 0.00001)", {"x": rows}, np.float32([[nan, nan], [0, 0], [nan, nan]]), "math")


def batch_norms():
    for shape in [(2, 3), (2, 3, 2), (1, 3, 2, 2)]:
        x = eighths(shape, 16)
        parameters = {"s": eighths((3,), 17), "b": eighths((3,), 18), "m": eighths((3,), 19), "v": abs(eighths((3,), 20)) + 1}
        parameters["v"] = parameters["v"].astype(np.float32)
        call = "batch_norm(x, s, b, m, v, epsilon = 0.001)"
        ort(call, "BatchNormalization", {"x": x, **parameters}, 32, epsilon=1e-3)
        for dtype in FLOATS:
            inputs = {n: a.astype(dtype) for n, a in {"x": x, **parameters}.items()}
            along = [1, 3] + [1] * (len(shape) - 2)
            s, b, m, v = (inputs[n].astype(np.float64).reshape(along) for n in "sbmv")
            y = (inputs["x"].astype(np.float64) - m) / np.sqrt(v + float(np.float32(1e-3))) * s + b
            case(call, inputs, y.astype(dtype), "math", 16 if dtype is np.float64 else 1)


def movements():
    """Ops that move elements, on every dtype in turn."""
    dtypes = FLOATS + INTEGERS + [bool]
    x = np.arange(24).reshape(2, 3, 4)
    for dtype in dtypes:
        y = (x % 2 if dtype is bool else x).astype(dtype)
        case("transpose(x, perm = [2, 0, 1])", {"x": y}, np.transpose(y, [2, 0, 1]), "numpy")
        case("reshape(x, shape = [4, 6])", {"x": y}, y.reshape(4, 6), "numpy")
        case("slice(x, axes = [0, 2], starts = [-1, 3], ends = [9, -9], steps = [1, -2])", {"x": y}, y[-1:9, :, 3::-2], "numpy")
        case("expand(x, shape = [2, 1, 3])", {"x": y[0, :, :1]}, np.broadcast_to(y[0, :, :1], (2, 3, 3)), "numpy")
        case("squeeze(x, axes = [1])", {"x": y[:, :1]}, y[:, 0], "numpy")
        case("unsqueeze(x, axes = [0, -1])", {"x": y[0]}, y[0][None, :, :, None], "numpy")
        case("concat(x, y, x, axis = 1)", {"x": y[0, :, :2], "y": y[0, :, 1:]},
             np.concatenate([y[0, :, :2], y[0, :, 1:], y[0, :, :2]], 1), "numpy")  # fmt: skip
        case("gather(x, i, axis = 1)", {"x": y, "i": np.int64([[0, -1], [2, 0]])}, np.take(y, [[0, 2], [2, 0]], 1), "numpy")
        case("shape(x, start = 0)", {"x": y}, np.int64([2, 3, 4]), "numpy")
    f = x.astype(np.float32)
    ort("transpose(x, perm = [1, 0, 2])", "Transpose", {"x": f}, perm=[1, 0, 2])
    case("transpose(x, perm = [])", {"x": np.float32(3)}, np.float32(3), "numpy")
    for shape in [[24], [2, 3, 4, 1], [1, 1, 24]]:
        ort(f"reshape(x, shape = {shape})", "Reshape", {"x": f}, constants={"s": np.int64(shape)})
    ort("reshape(x, shape = [])", "Reshape", {"x": f[:1, :1, :1]}, constants={"s": np.int64([])})
    ort("reshape(x, shape = [3, 0])", "Reshape", {"x": f[:0]}, constants={"s": np.int64([3, 0])}, allowzero=1)
    for axes, starts, ends, steps in [
        ([1], [1], [2**63 - 1], [1]),
        ([-1], [-1], [-(2**63)], [-1]),
        ([0, 1, 2], [1, -2, 0], [2, -1, 4], [1, 1, 3]),
        ([2], [3], [1], [1]),
        ([1], [-9], [9], [2]),
        ([2], [9], [-9], [-3]),
    ]:
        ort(f"slice(x, axes = {axes}, starts = {starts}, ends = {ends}, steps = {steps})", "Slice", {"x": f},
            constants={"s": np.int64(starts), "e": np.int64(ends), "a": np.int64(axes), "t": np.int64(steps)})  # fmt: skip
    for shape in [[2, 3, 4], [3, 1], [5, 2, 3, 4], [1]]:
        ort(f"expand(x, shape = {shape})", "Expand", {"x": f[:, :, :1]}, constants={"s": np.int64(shape)})
    case("expand(x, shape = [2, 2])", {"x": np.float32(7)}, np.full((2, 2), 7, np.float32), "numpy")
    case("expand(x, shape = [0, 4])", {"x": f[0, :1]}, np.zeros((0, 4), np.float32), "numpy")
    ort("squeeze(x)", "Squeeze", {"x": f[:1, :, :1]})
    ort("squeeze(x, axes = [-1, 0])", "Squeeze", {"x": f[:1, :, :1]}, constants={"a": np.int64([-1, 0])})
    ort("unsqueeze(x, axes = [1, 3])", "Unsqueeze", {"x": f[0]}, constants={"a": np.int64([1, 3])})
    case("unsqueeze(x, axes = [0])", {"x": np.float32(2)}, np.float32([2]), "numpy")
    ort("concat(x, y, axis = -1)", "Concat", {"x": f[0], "y": f[1, :, :1]}, axis=-1)
    case("concat(x, y, axis = 0)", {"x": f[0, :0], "y": f[1]}, f[1], "numpy")
    case("concat(x, axis = 0)", {"x": f[0]}, f[0], "numpy")
    ort("gather(x, i, axis = 0)", "Gather", {"x": f, "i": np.int32([1, -2, 0])}, axis=0)
    ort("gather(x, i, axis = -1)", "Gather", {"x": f, "i": np.int64(2)}, axis=-1)
    ort("gather(x, i, axis = 1)", "Gather", {"x": f, "i": np.zeros((0, 2), np.int64)}, axis=1)
    for start, end, text in [(0, None, "start = 0"), (-2, None, "start = -2"), (1, 9, "start = 1, end = 9"), (2, 1, "start = 2, end = 1")]:
        ort(f"shape(x, {text})", "Shape", {"x": f}, start=start, **({} if end is None else {"end": end}))
    case("shape(x, start = 0)", {"x": np.float32(1)}, np.int64([]), "numpy")


def philox(seed, block):
    """Philox4x32-10 (Salmon et al. 2011): four 32-bit numbers for a 64-bit key and counter."""
    low = 0xFFFFFFFF
    key = [seed & low, seed >> 32]
    counter = [block & low, block >> 32, 0, 0]
    for turn in range(10):
        if turn:
            key = [(key[0] + 0x9E3779B9) & low, (key[1] + 0xBB67AE85) & low]
        p, q = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(q >> 32) ^ counter[1] ^ key[0], q & low, (p >> 32) ^ counter[3] ^ key[1], p & low]
    return counter


def random_numbers():
    key = np.array([0x0123456789ABCDEF, 2**64 - 2], np.uint64)
    for dtype, bits in [(np.float32, 24), (np.float64, 53), (np.float16, 11), (BF16, 8)]:
        wide = bits == 53
        shape = [3, 4]
        numbers, normal = [], []
        for turn in range(6 if wide else 3):
            block = philox(int(key[0]), (int(key[1]) + turn) % 2**64)
            if wide:
                block = [block[0] << 32 | block[1], block[2] << 32 | block[3]]
            width = 64 if wide else 32
            numbers += [(n >> (width - bits)) / 2**bits for n in block]
            unit, drop = (2.0**-53, 11) if wide else (2.0**-32, 0)
            for u, v in zip(block[::2], block[1::2]):
                radius = math.sqrt(-2 * math.log(((u >> drop) + 1) * unit))
                angle = 2 * math.pi * ((v >> drop) * unit)
                normal += [radius * math.cos(angle), radius * math.sin(angle)]
        for op, values, ulp in [("random_uniform", numbers, None), ("random_normal", normal, 4 if wide else 1)]:
            call = f"{op}(key, dtype = {name(dtype)}, shape = [3, 4])"
            expect = np.array(values, np.float64).astype(dtype).reshape(shape)
            case(call, {"key": key}, expect, "math", ulp or 0)


def main():
    for family in [exact_unary, rounded_unary, casts, binary, choices, reductions, products, convolutions, pools,
                   normalisations, movements, random_numbers]:  # fmt: skip
        family()
    for family in op_cases_scan.FAMILIES + op_cases_arrange.FAMILIES + op_cases_recurrent.FAMILIES:
        family(sys.modules[__name__])
    header = {"made_by": "make_op_cases.py", "onnxruntime": onnxruntime.__version__, "onnx": onnx.__version__, "numpy": np.__version__}
    lines = [json.dumps(header)] + [json.dumps(entry, separators=(",", ":")) for entry in CASES]
    path = Path(__file__).resolve().parent / "ops.json"
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(CASES)} cases, {path.stat().st_size} bytes in {path}")


main()
