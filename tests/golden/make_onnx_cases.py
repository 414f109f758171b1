#!/usr/bin/env python3
"""Makes `onnx_cases.json`: models of one operator that becomes several ops, beyond the cases of the ONNX suite.

    python3 -m venv /tmp/goldens && /tmp/goldens/bin/pip install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
    /tmp/goldens/bin/python tests/golden/make_onnx_cases.py

A case is a model (its bytes in hexadecimal), its inputs and the expected outputs, each as a typed list of elements. `by` says who computed
the outputs: onnxruntime, numpy, or `onnx`, the standard's own reference. Extents of inputs are symbols of their own unless the
case fixes them, so that nothing can be read off the file that is known only at the run.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)

NAMES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32",
    "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip
CASES = []


def typed(array):
    array = np.asarray(array)
    dtype = NAMES[array.dtype.name]
    text = lambda v: str(v).lower().replace("e+", "e").removesuffix(".0")
    return f"{dtype}[{', '.join(map(str, array.shape))}] = {{{', '.join(text(v) for v in array.reshape(-1))}}}"


def model_of(op, opset, inputs, outputs, order, fixed, constants, attributes):
    """`fixed` names the inputs whose extents are numbers, or is True for all."""
    tensor_type = helper.np_dtype_to_tensor_dtype

    def port(name, array):
        known = fixed is True or name in fixed
        shape = array.shape if known else [f"{name}_{axis}" for axis in range(array.ndim)]
        return helper.make_tensor_value_info(name, tensor_type(array.dtype), shape)

    graph = helper.make_graph(
        [helper.make_node(op, order or list(inputs), outputs, **attributes)],
        "f",
        [port(n, a) for n, a in inputs.items() if n not in constants],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [onnx.numpy_helper.from_array(a, n) for n, a in inputs.items() if n in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10, producer_name="")


def case(op, opset, inputs, by, outputs=("y",), order=None, fixed=(), constants=(), expect=None, **attributes):
    model = model_of(op, opset, inputs, list(outputs), order, fixed, constants, attributes)
    feeds = {n: a for n, a in inputs.items() if n not in constants}
    if expect is None:
        # The engines want declared types of outputs.
        full = onnx.shape_inference.infer_shapes(model_of(op, opset, inputs, list(outputs), order, True, constants, attributes))
        if by == "onnxruntime":
            session = onnxruntime.InferenceSession(full.SerializeToString(), providers=["CPUExecutionProvider"])
            expect = session.run(None, feeds)
        else:
            expect = ReferenceEvaluator(full).run(None, feeds)
    words = [f"{name} = {value}" for name, value in attributes.items()]
    shapes = [f"{n}{list(a.shape)}" for n, a in inputs.items()]
    CASES.append({
        "name": f"{op} {opset}: {', '.join(words)}; {', '.join(shapes)}{' fixed' if fixed is True else ''}",
        "by": by,
        "model": model.SerializeToString().hex(),
        "inputs": {n: typed(a) for n, a in feeds.items()},
        "outputs": [typed(a) for a in expect],
    })  # fmt: skip


def eighths(shape, seed, dtype=np.float32, reach=16):
    """Multiples of 1/8 of at most 2: their products and sums are exact."""
    values = np.random.default_rng(seed).integers(-reach, reach + 1, shape)
    return (values / 8).astype(dtype)


def einsums():
    for at, (equation, *shapes) in enumerate([
        ("ij,jk->ik", (2, 3), (3, 4)),
        ("ij,kj->ki", (2, 3), (4, 3)),
        ("ij,jk", (2, 3), (3, 4)),
        ("ba", (2, 3)),
        ("bA", (2, 3)),
        ("ij->", (2, 3)),
        ("ij->j", (2, 3)),
        ("ii", (3, 3)),
        ("ii->i", (3, 3)),
        ("iji->j", (3, 2, 3)),
        ("iji->ij", (3, 2, 3)),
        ("iiii->i", (2, 2, 2, 2)),
        ("iijj->ij", (2, 2, 3, 3)),
        ("i,i", (5,), (5,)),
        ("i,i->i", (5,), (5,)),
        ("i,j->ij", (2,), (3,)),
        ("i,j->ji", (2,), (3,)),
        ("i,j->", (2,), (3,)),
        ("ij,ij->", (2, 3), (2, 3)),
        ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
        ("bij,bkj->kbi", (2, 3, 4), (2, 5, 4)),
        ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
        ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)),
        ("bhqk,bkhd->bqhd", (2, 2, 3, 5), (2, 5, 2, 4)),
        ("abcd,cdef->abef", (2, 3, 2, 2), (2, 2, 3, 2)),
        ("abc,dcb->ad", (2, 3, 4), (2, 4, 3)),
        ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
        ("ij,jk,kl->", (2, 3), (3, 4), (4, 2)),
        ("i,ij,j->", (2,), (2, 3), (3,)),
        ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
        ("ii,ij->j", (3, 3), (3, 2)),
        ("...ij,...jk->...ik", (2, 3, 4), (4, 5)),
        ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
        ("...i->...", (2, 3, 4)),
        ("...", (2, 3)),
        ("i...->...i", (2, 3, 4)),
        ("i...j,...->ji...", (2, 3, 4, 5), (4,)),
        ("...,...", (2, 3), (3,)),
        ("...ij,...->ij...", (5, 2, 3), (4, 1)),
        ("...ii->...i", (2, 3, 3)),
        ("->", ()),
        (",ij->ji", (), (2, 3)),
        (" i j , j k -> i k ", (2, 3), (3, 2)),
        ("Ab,bA->A", (2, 3), (3, 2)),
        ("ij,jk->ik", (2, 0), (0, 3)),
        ("ij->i", (0, 3)),
        ("ij,j->i", (2, 3), (1,)),
        ("ij,ij->ij", (2, 3), (1, 3)),
        ("ijk,jk->i", (2, 3, 4), (3, 1)),
    ]):  # fmt: skip
        inputs = {n: eighths(shape, 10 * at + i) for i, (n, shape) in enumerate(zip("xyz", shapes))}
        expect = [np.asarray(np.einsum(equation, *inputs.values()), np.float32)]
        broadcasts = any(1 in shape for shape in shapes) and "..." not in equation
        for fixed in [True] if broadcasts else [True, ()]:
            case("Einsum", 12, inputs, "numpy", expect=expect, fixed=fixed, outputs=("out",), equation=equation)
    for dtype in [np.float64, np.float16, np.int32, np.uint8, np.int64]:
        inputs = {"x": np.arange(6).reshape(2, 3).astype(dtype), "y": np.arange(1, 13).reshape(3, 4).astype(dtype)}
        expect = [np.einsum("ij,jk->ik", *inputs.values()).astype(dtype)]
        case("Einsum", 12, inputs, "numpy", expect=expect, outputs=("out",), equation="ij,jk->ik")


ATTENTION = ["q", "k", "v", "mask", "pk", "pv", "lengths"]


def attention(opset, by, inputs, fixed=(), outputs=("y",), **attributes):
    order = [n if n in inputs else "" for n in ATTENTION]
    while not order[-1]:
        order.pop()
    inputs = {n: inputs[n] for n in ATTENTION if n in inputs}
    case("Attention", opset, inputs, by, outputs, order, fixed, **attributes)


def attentions():
    f = lambda seed, *shape: eighths(shape, seed, reach=8)
    plain = {"q": f(1, 2, 2, 3, 4), "k": f(2, 2, 2, 5, 4), "v": f(3, 2, 2, 5, 3)}
    grouped = {"q": f(4, 2, 4, 3, 4), "k": f(5, 2, 2, 5, 4), "v": f(6, 2, 2, 5, 3)}
    packed = {"q": f(7, 2, 3, 16), "k": f(8, 2, 5, 8), "v": f(9, 2, 5, 6)}
    past = {"pk": f(10, 2, 2, 2, 4), "pv": f(11, 2, 2, 2, 3)}
    all_outputs = ("y", "present_k", "present_v", "qk")
    attention(23, "onnxruntime", plain)
    attention(23, "onnxruntime", plain, is_causal=1)
    attention(23, "onnxruntime", plain, scale=0.25, softcap=2.0)
    attention(23, "onnxruntime", grouped, fixed=("q", "k", "v"))
    attention(23, "onnxruntime", packed, q_num_heads=4, kv_num_heads=2)
    attention(23, "onnxruntime", packed, q_num_heads=4, kv_num_heads=2, is_causal=1)
    for mode in range(4):
        attention(23, "onnxruntime", plain | past, outputs=all_outputs, qk_matmul_output_mode=mode, softcap=1.5)
    attention(23, "onnx", plain | past, is_causal=1, outputs=all_outputs, qk_matmul_output_mode=2)
    hidden = np.array([[True, False, True, True, False], [False] * 5, [True] * 5])
    attention(23, "onnxruntime", plain | {"mask": hidden})
    attention(23, "onnxruntime", plain | {"mask": hidden}, is_causal=1)
    attention(23, "onnxruntime", plain | {"mask": np.where(hidden, 0.5, -np.inf).astype(np.float32)})
    attention(23, "onnxruntime", plain | {"mask": hidden.astype(np.int32)})
    attention(23, "onnx", plain | {"mask": hidden}, outputs=all_outputs, qk_matmul_output_mode=3)
    attention(23, "onnx", plain | {"mask": f(12, 2, 3, 5)}, is_causal=1, softmax_precision=TensorProto.DOUBLE)
    # The standard's own reference fills a shorter mask in every opset; from opset 24 on that is its text, too.
    attention(24, "onnx", plain | {"mask": hidden[:, :3]})
    attention(24, "onnx", plain | {"mask": f(13, 2, 1, 3, 4)}, fixed=True)
    for lengths in [[5, 2], [1, 3]]:
        for causal in [0, 1]:
            inputs = plain | {"lengths": np.array(lengths)}
            attention(24, "onnxruntime", inputs, is_causal=causal)
    attention(24, "onnx", plain | {"lengths": np.array([4, 3]), "mask": hidden}, is_causal=1)
    for left, right, causal in [(1, -1, 0), (-1, 0, 0), (-1, 1, 0), (1, 1, 0), (0, 0, 0), (1, 2, 1), (2, -1, 1)]:
        sizes = {"left_window_size": left, "right_window_size": right, "is_causal": causal}
        attention(25, "onnx", plain, **sizes)
    attention(25, "onnx", plain | past, left_window_size=1, right_window_size=1)
    attention(25, "onnx", plain | {"lengths": np.array([4, 2]), "mask": hidden}, left_window_size=2)
    longer = {"q": f(14, 1, 1, 6, 4), "k": f(15, 1, 1, 2, 4), "v": f(16, 1, 1, 2, 4)}
    attention(25, "onnx", longer, left_window_size=1, right_window_size=0)
    half = {n: a.astype(np.float16) for n, a in plain.items()}
    for queries, keys in [(0, 5), (3, 0)]:
        none = {"q": f(17, 1, 2, queries, 4), "k": f(18, 1, 2, keys, 4), "v": f(19, 1, 2, keys, 3), "mask": np.ones((queries, keys), bool)}
        case("Attention", 23, none, "numpy", expect=[np.zeros((1, 2, queries, 3), np.float32)], is_causal=1)
    attention(23, "onnxruntime", half)


def norms():
    x = eighths((2, 3, 4, 5), 20)
    for axis in [-1, 1, 0]:
        for scale in [eighths(x.shape[axis:], 21), eighths((5,), 22), eighths((1,), 23)]:
            if scale.ndim <= x.ndim:
                case("RMSNormalization", 23, {"x": x, "scale": scale}, "onnx", fixed=("scale",), axis=axis, epsilon=0.01)
    rms = lambda x, scale, epsilon: x / np.sqrt(np.mean(x * x, -1, keepdims=True) + epsilon) * scale
    for dtype, stash in [(np.float16, TensorProto.FLOAT), (np.float64, TensorProto.DOUBLE), (np.float32, TensorProto.DOUBLE)]:
        inputs = {"x": x.astype(dtype), "scale": eighths((5,), 24, dtype)}
        expect = [rms(*(a.astype(np.float64) for a in inputs.values()), 1e-5).astype(dtype)]
        case("RMSNormalization", 23, inputs, "numpy", expect=expect, stash_type=stash)


def rotations():
    angles = np.arange(6 * 4).reshape(6, 4) / 7
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    places = np.array([[0, 3, 5], [1, 1, 4]])
    four, three = eighths((2, 3, 3, 8), 30), eighths((2, 3, 24), 31)
    for interleaved in [0, 1]:
        for x, heads in [(four, {}), (three, {"num_heads": 3})]:
            cached = {"x": x, "cos": cos, "sin": sin, "places": places}
            case("RotaryEmbedding", 23, cached, "onnxruntime", rotary_embedding_dim=8, interleaved=interleaved, **heads)
            case("RotaryEmbedding", 23, cached, "onnxruntime", fixed=("x",), interleaved=interleaved, **heads)
            direct = {"x": x, "cos": cos[places], "sin": sin[places]}
            case("RotaryEmbedding", 23, direct, "onnxruntime", fixed=("x",), interleaved=interleaved, **heads)
            part = {"x": x, "cos": cos[:, :2], "sin": sin[:, :2], "places": places}
            case("RotaryEmbedding", 23, part, "onnxruntime", rotary_embedding_dim=4, interleaved=interleaved, **heads)


def recurrences():
    """The same as onnxruntime computes with time first, which is all that it knows, with the batch first."""
    x, w, r = eighths((3, 2, 4), 40, reach=8), eighths((2, 12, 4), 41, reach=8), eighths((2, 12, 3), 42, reach=8)
    h, c = eighths((2, 2, 3), 43, reach=8), eighths((2, 2, 3), 44, reach=8)
    inputs = {"x": x, "w": w, "r": r, "lengths": np.int32([3, 2]), "h": h, "c": c}
    order = ["x", "w", "r", "", "lengths", "h", "c"]
    attributes = {"direction": "bidirectional", "hidden_size": 3}
    full = model_of("LSTM", 14, inputs, ["y", "yh", "yc"], order, True, (), attributes)
    full = onnx.shape_inference.infer_shapes(full)
    session = onnxruntime.InferenceSession(full.SerializeToString(), providers=["CPUExecutionProvider"])
    y, yh, yc = session.run(None, inputs)
    case("LSTM", 14, inputs, "onnxruntime", ("y", "yh", "yc"), order, expect=[y, yh, yc], **attributes)
    turned = inputs | {n: inputs[n].swapaxes(0, 1) for n in ["x", "h", "c"]}
    expect = [y.transpose(2, 0, 1, 3), yh.swapaxes(0, 1), yc.swapaxes(0, 1)]
    case("LSTM", 14, turned, "onnxruntime", ("y", "yh", "yc"), order, expect=expect, layout=1, **attributes)
    last = {"x": turned["x"], "w": w[:1, :9], "r": r[:1, :9]}
    plain = {"x": x, "w": w[:1, :9], "r": r[:1, :9]}
    full = onnx.shape_inference.infer_shapes(model_of("GRU", 14, plain, ["y", "yh"], None, True, (), {"hidden_size": 3}))
    session = onnxruntime.InferenceSession(full.SerializeToString(), providers=["CPUExecutionProvider"])
    y, yh = session.run(None, plain)
    case("GRU", 14, last, "onnxruntime", ("y", "yh"), expect=[y.transpose(2, 0, 1, 3), yh.swapaxes(0, 1)], layout=1, hidden_size=3)


def dropouts():
    x = eighths((3, 5), 50)
    case("Dropout", 13, {"x": x, "ratio": np.array(0.75, np.float32), "training": np.array(False)}, "onnxruntime", ("y", "mask"))
    case("Dropout", 13, {"x": x, "ratio": np.array(0, np.float32), "training": np.array(True)}, "onnxruntime", ("y", "mask"))
    case("Dropout", 13, {"x": x, "ratio": np.array(1, np.float32), "training": np.array(True)}, "numpy", ("y", "mask"),
         expect=[np.zeros_like(x), np.zeros(x.shape, bool)])  # fmt: skip


def main():
    for family in [einsums, attentions, norms, rotations, recurrences, dropouts]:
        family()
    header = {"made_by": "make_onnx_cases.py", "onnxruntime": onnxruntime.__version__, "onnx": onnx.__version__, "numpy": np.__version__}
    lines = [json.dumps(header)] + [json.dumps(entry, separators=(",", ":")) for entry in CASES]
    path = Path(__file__).resolve().parent / "onnx_cases.json"
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(CASES)} cases, {path.stat().st_size} bytes in {path}")


main()
