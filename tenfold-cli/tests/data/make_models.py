#!/usr/bin/env python3
"""Makes the small models that the tests of the command run.

    python3 -m venv /tmp/models && /tmp/models/bin/pip install onnx==1.22.0
    /tmp/models/bin/python tenfold-cli/tests/data/make_models.py

Everything is deterministic. The names are chosen to be awkward: slashes, colons and an equals sign are legal in ONNX.
"""

from pathlib import Path

from onnx import TensorProto, helper, save

HERE = Path(__file__).resolve().parent
F32, I64 = TensorProto.FLOAT, TensorProto.INT64


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def write(name, nodes, inputs, outputs, initializers=(), domains=(("", 17),), metadata=None):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid(domain, version) for domain, version in domains]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="make_models.py")
    if metadata:
        helper.set_model_props(model, metadata)
    save(model, HERE / f"{name}.onnx")


# relu(x @ w + b), and its sum over each row: small enough to be worked out by hand.
write(
    "head",
    [
        helper.make_node("MatMul", ["x", "w"], ["product"], "/head/MatMul"),
        helper.make_node("Add", ["product", "b"], ["sum"], "/head/Add"),
        helper.make_node("Relu", ["sum"], ["/head/out:0"], "/head/Relu"),
        helper.make_node("ReduceMax", ["/head/out:0"], ["best"], "/head/ReduceMax", axes=[1], keepdims=0),
    ],
    [value("x", F32, ["N", 4])],
    [value("/head/out:0", F32, ["N", 3]), value("best", F32, ["N"])],
    [
        helper.make_tensor("w", F32, [4, 3], [1, 0, -1, 0, 1, -1, 1, 1, -1, 0, 0, -1]),
        helper.make_tensor("b", F32, [3], [0.5, -1, 2]),
    ],
    metadata={"author": "make_models.py"},
)

# Two inputs that share a symbol, one dimension without a name, two dtypes, a name with an equals sign.
write(
    "pair",
    [
        helper.make_node("Cast", ["n=1"], ["wide"], "/Cast", to=F32),
        helper.make_node("Add", ["x", "wide"], ["y"], "/Add"),
    ],
    [value("x", F32, ["N", None]), value("n=1", I64, ["N", 1])],
    [value("y", F32, ["N", None])],
)

# One op that nobody has, twice, and one that is fine.
write(
    "unsupported",
    [
        helper.make_node("Frobnicate", ["x"], ["a"], "/first/Frobnicate", domain="com.example"),
        helper.make_node("Relu", ["a"], ["b"], "/Relu"),
        helper.make_node("Frobnicate", ["b"], ["y"], "/second/Frobnicate", domain="com.example"),
    ],
    [value("x", F32, [2])],
    [value("y", F32, [2])],
    domains=(("", 17), ("com.example", 1)),
)
