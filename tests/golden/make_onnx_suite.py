#!/usr/bin/env python3
"""Makes `onnx_suite.tsv`: what the node cases of the ONNX backend suite are about, and what onnxruntime makes of them.

    cargo xtask assets onnx-suite
    python3 -m venv /tmp/suite && /tmp/suite/bin/pip install onnxruntime==1.32.0 onnx==1.22.0 numpy==2.4.6 ml_dtypes==0.6.0
    /tmp/suite/bin/python tests/golden/make_onnx_suite.py [FOLDER-OF-ASSETS]

One line per case, sorted by name; the columns are those of `COLUMNS`. The `subject` is the op that the case is about: the
only op of its model, or for a case `.._expanded`, in which the function of an op is written out, that op. `class` is `core`,
or why the case is out of scope. `onnxruntime` is `pass`; `fail` if the result is another than the case expects; `error` if
there is no result. Tolerances are those of the suite's own runner (rtol 1e-3, atol 1e-7, NaN equals NaN), but integers and
booleans have to be equal.

onnxruntime is fed constants: not every element type of the suite can pass its Python interface. So inputs become
initializers, and outputs of such types are cast to f32 or int32 behind the model. No optimisation is on.
"""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
ASSETS = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / ".assets"
NODE = ASSETS / "onnx/onnx/backend/test/data/node"
COLUMNS = ("case", "subject", "op types", "dtypes", "opset", "onnxruntime", "class")
RTOL, ATOL = 1e-3, 1e-7

RANDOM = {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"}
CONTROL = {"If", "Loop", "Scan"}
# What numpy has no type for comes back from onnxruntime as one of these; the values of all are among theirs.
THROUGH = {TensorProto.BFLOAT16: TensorProto.FLOAT}
for type_name in TensorProto.DataType.keys():
    if type_name.startswith(("FLOAT4", "FLOAT6", "FLOAT8")):
        THROUGH[TensorProto.DataType.Value(type_name)] = TensorProto.FLOAT
    elif type_name.endswith(("INT2", "INT4")):
        THROUGH[TensorProto.DataType.Value(type_name)] = TensorProto.INT32

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)


def graphs(graph):
    """The graph and all below it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for below in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from graphs(below)


def nodes(model):
    return [node for graph in graphs(model.graph) for node in graph.node]


def name_of(node):
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def ports(model):
    return [port for graph in graphs(model.graph) for port in (*graph.input, *graph.output)]


def tensors(model):
    """The tensors that are stored in the model."""
    stored = [tensor for graph in graphs(model.graph) for tensor in graph.initializer]
    attributes = [attribute for node in nodes(model) for attribute in node.attribute]
    return stored + [attribute.t for attribute in attributes if attribute.HasField("t")]


def element_types(model):
    """The names of all element types that the model names: of its ports, its tensors, and what is cast to."""
    types = {port.type.tensor_type.elem_type for port in ports(model) if port.type.HasField("tensor_type")}
    types |= {tensor.data_type for tensor in tensors(model)}
    types |= {a.i for node in nodes(model) if node.op_type == "Cast" for a in node.attribute if a.name == "to"}
    return {TensorProto.DataType.Name(number).lower() for number in types}


def load(path):
    tensor = TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return tensor


def data(folder, kind):
    """The tensors `input_0.pb`, `input_1.pb` and so on, or those of the outputs."""
    files = sorted((folder / "test_data_set_0").glob(f"{kind}_*.pb"), key=lambda f: int(f.stem.rsplit("_")[-1]))
    return [load(file) for file in files]


def draws(node, values):
    """Whether a node gives random numbers. Dropout does in training, unless it drops nothing."""
    if node.op_type in RANDOM:
        return True
    if node.op_type != "Dropout" or len(node.input) < 3 or not node.input[2]:
        return False
    ratio = values.get(node.input[1], np.float32(0.5))
    return bool(values.get(node.input[2], True)) and float(ratio) != 0.0


def classify(model, folder):
    types = {port.type.WhichOneof("value") for port in ports(model)}
    domains = sorted({node.domain for node in nodes(model)} - {""})
    ops = {node.op_type for node in nodes(model)}
    if domains:
        return "domain " + ", ".join(domains)
    if ops & CONTROL:
        return "control flow"
    if "optional_type" in types or any(op.startswith("Optional") for op in ops):
        return "optionals"
    if "sequence_type" in types or any("Sequence" in op for op in ops):
        return "sequences"
    strings = any(len(a.strings) and a.name != "activations" for node in nodes(model) for a in node.attribute)
    if "string" in element_types(model) or any(op.startswith("String") for op in ops) or strings:
        return "strings"
    if "ImageDecoder" in ops:
        return "images"
    stored = (*model.graph.initializer, *data(folder, "input"))
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in stored if tensor.data_type != TensorProto.STRING}
    values = {name: value for name, value in values.items() if value.size == 1}
    return "random" if any(draws(node, values) for node in nodes(model)) else "core"


def baked(model, inputs):
    """The model with constants for inputs and with outputs that numpy has a type for."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    fed = {tensor.name for tensor in inputs}
    left = [port for port in model.graph.input if port.name not in fed]
    assert not left, left
    del model.graph.input[:]
    model.graph.initializer.extend(inputs)
    model.ir_version = min(model.ir_version, onnx.IR_VERSION)
    for port in model.graph.output:
        to = THROUGH.get(port.type.tensor_type.elem_type)
        if to is not None:
            name = port.name
            port.name = f"{name} as numpy has it"
            port.type.tensor_type.elem_type = to
            model.graph.node.append(helper.make_node("Cast", [name], [port.name], to=to))
    return model


def close(want, got):
    if want.dtype != got.dtype or want.shape != got.shape:
        return False
    if want.dtype.kind in "fc":
        return np.allclose(got, want, rtol=RTOL, atol=ATOL, equal_nan=True)
    return np.array_equal(got, want)


def expected(tensor):
    array = numpy_helper.to_array(tensor)
    to = THROUGH.get(tensor.data_type)
    return array if to is None else array.astype(helper.tensor_dtype_to_np_dtype(to))


def judge(model, folder):
    """What onnxruntime makes of a case of tensors."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        bytes_of = baked(model, data(folder, "input")).SerializeToString()
        session = onnxruntime.InferenceSession(bytes_of, options, providers=["CPUExecutionProvider"])
        outputs = session.run(None, {})
    except Exception as error:
        return "error", str(error)
    wanted = [expected(tensor) for tensor in data(folder, "output")]
    same = len(wanted) == len(outputs) and all(map(close, wanted, outputs))
    return ("pass", "") if same else ("fail", "")


def main_op(model):
    ops = {name_of(node) for node in model.graph.node}
    ops = ops - {"Constant"} or ops
    return ops.pop() if len(ops) == 1 else None


def subject(name, model):
    """The op that a case is about."""
    base = re.sub(r"_expanded.*", "", name)
    path = NODE / base / "model.onnx"
    return main_op(onnx.load(path)) if path.exists() else main_op(model)


def main():
    rows = []
    for folder in sorted(path for path in NODE.iterdir() if (path / "model.onnx").exists()):
        model = onnx.load(folder / "model.onnx")
        kind = classify(model, folder)
        verdict, why = judge(model, folder) if kind == "core" else ("-", "")
        if why:
            print(f"{folder.name}: {why}", file=sys.stderr)
        opsets = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
        about = subject(folder.name, model)
        if about is None:
            sys.exit(f"{folder.name}: it has several ops, and its name says no expansion: which one is it about?")
        ops = " ".join(sorted({name_of(node) for node in nodes(model)}))
        dtypes = " ".join(sorted(element_types(model)))
        rows.append((folder.name, about, ops, dtypes, str(max(opsets, default=0)), verdict, kind))
    lines = ["\t".join(row) + "\n" for row in (COLUMNS, *rows)]
    (HERE / "onnx_suite.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
