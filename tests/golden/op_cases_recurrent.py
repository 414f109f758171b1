"""Cases of recurrent layers, for `make_op_cases.py`: every attribute of the standard, as onnxruntime computes it.

`tools` is the module that makes the file. Results other than the first are the entry's `more`.
"""

import numpy as np
import onnx
import onnxruntime
from onnx import helper

GATES = {"rnn": 1, "gru": 3, "lstm": 4}
USUAL = {"rnn": ["Tanh"], "gru": ["Sigmoid", "Tanh"], "lstm": ["Sigmoid", "Tanh", "Tanh"]}
WORDS = {
    "Relu": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "Affine": "affine", "LeakyRelu": "leaky_relu",
    "ThresholdedRelu": "thresholded_relu", "ScaledTanh": "scaled_tanh", "HardSigmoid": "hard_sigmoid", "Elu": "elu",
    "Softsign": "softsign", "Softplus": "softplus",
}  # fmt: skip
WITH_ALPHA = ["Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu"]
WITH_BETA = ["Affine", "ScaledTanh", "HardSigmoid"]
ORDER = ["x", "w", "r", "b", "l", "h", "c", "p"]
# The engine computes in f32, step after step, with functions of its own.
ULP = 512


def tensors(tools, cell, directions, seed, names, extents, lengths):
    time, batch, features, hidden = extents
    rows = GATES[cell] * hidden
    shapes = {
        "x": (time, batch, features),
        "w": (directions, rows, features),
        "r": (directions, rows, hidden),
        "b": (directions, 2 * rows),
        "h": (directions, batch, hidden),
        "c": (directions, batch, hidden),
        "p": (directions, 3 * hidden),
    }
    made = {n: tools.eighths(shapes[n], seed + at, np.float32, 12) for at, n in enumerate(ORDER) if n in names and n in shapes}
    if lengths is not None:
        made["l"] = np.int32(lengths)
    return {n: made[n] for n in ORDER if n in made}


def call_of(cell, inputs, direction, functions, alphas, betas, clip, own):
    given = [n if n in inputs else "_" for n in ORDER]
    while given[-1] == "_":
        given.pop()
    alphas, betas = list(alphas), list(betas)
    count = len(USUAL[cell])
    words = []
    for at, function in enumerate(functions):
        place = ("back_" if at >= count else "") + "fgh"[at % count]
        words.append(f"{place} = {WORDS[function]}")
        if function in WITH_ALPHA:
            words.append(f"{place}_alpha = {alphas.pop(0)}")
        if function in WITH_BETA:
            words.append(f"{place}_beta = {betas.pop(0)}")
    if clip is not None:
        words.append(f"clip = {clip}")
    words += [f"{name} = {str(bool(value)).lower()}" for name, value in own.items()]
    return f"{cell}({', '.join(given)}, direction = {direction}, {', '.join(words)})"


def layer(tools, cell, seed, direction="forward", names="xwr", functions=None, alphas=(), betas=(), clip=None, lengths=None,
          extents=(4, 3, 2, 3), **own):  # fmt: skip
    directions = 2 if direction == "bidirectional" else 1
    inputs = tensors(tools, cell, directions, seed, names, extents, lengths)
    functions = functions or USUAL[cell] * directions
    attributes = {"direction": direction, "activations": functions, "hidden_size": extents[3], **own}
    if alphas:
        attributes["activation_alpha"] = list(alphas)
    if betas:
        attributes["activation_beta"] = list(betas)
    if clip is not None:
        attributes["clip"] = clip
    given = [n if n in inputs else "" for n in ORDER]
    while not given[-1]:
        given.pop()
    results = ["y", "last_h", "last_c"][: 3 if cell == "lstm" else 2]
    node = helper.make_node(cell.upper(), given, results, **attributes)
    tensor_type = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [node],
        "f",
        [helper.make_tensor_value_info(n, tensor_type(a.dtype), a.shape) for n, a in inputs.items()],
        [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in results],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    made = session.run(None, inputs)
    own.setdefault(*{"rnn": (None, None), "gru": ("linear_before_reset", 0), "lstm": ("input_forget", 0)}[cell])
    own.pop(None, None)
    call = call_of(cell, inputs, direction, functions, alphas, betas, clip, own)
    tools.case(call, inputs, made[0], "onnxruntime", ULP)
    tools.CASES[-1]["more"] = [tools.typed(array) for array in made[1:]]


def layers(tools):
    for at, cell in enumerate(GATES):
        seed = 100 * (at + 1)
        every = "xwrbhcp" if cell == "lstm" else "xwrbh"
        layer(tools, cell, seed)
        layer(tools, cell, seed + 10, names=every)
        for turn, direction in enumerate(["forward", "reverse", "bidirectional"]):
            layer(tools, cell, seed + 20 + turn, direction, names=every, lengths=[4, 1, 3])
        layer(tools, cell, seed + 30, "bidirectional", names="xwr", clip=0.5)
        layer(tools, cell, seed + 31, "reverse", names=every, clip=0.25, lengths=[2, 4, 4])
        layer(tools, cell, seed + 40, names=every, extents=(1, 1, 5, 1))
        layer(tools, cell, seed + 41, "bidirectional", names=every, extents=(7, 2, 1, 4))


def gates(tools):
    for before in [0, 1]:
        for turn, direction in enumerate(["forward", "bidirectional"]):
            layer(tools, "gru", 600 + turn, direction, names="xwrbh", linear_before_reset=before, lengths=[3, 4, 2])
        layer(tools, "gru", 610, names="xwrbh", linear_before_reset=before, clip=0.5)
    for names in ["xwrbhc", "xwrbhcp"]:
        layer(tools, "lstm", 620, names=names, input_forget=1)
        layer(tools, "lstm", 630, "bidirectional", names=names, input_forget=1, clip=0.75)


def functions(tools):
    for at, function in enumerate(WORDS):
        alpha = [0.375] if function in WITH_ALPHA else []
        beta = [0.625] if function in WITH_BETA else []
        layer(tools, "rnn", 700 + at, names="xwrbh", functions=[function], alphas=alpha, betas=beta)
        layer(tools, "gru", 830 + at, names="xwrbh", functions=["HardSigmoid", function], alphas=[0.25, *alpha], betas=[0.5, *beta])
        layer(tools, "lstm", 740 + at, names="xwrbhcp", functions=["Sigmoid", function, function],
              alphas=alpha + [0.5] * len(alpha), betas=beta + [0.25] * len(beta), extents=(3, 2, 2, 2))  # fmt: skip
    layer(tools, "gru", 760, "bidirectional", names="xwrbh", functions=["HardSigmoid", "Tanh", "Sigmoid", "LeakyRelu"],
          alphas=[0.25, 0.125], betas=[0.5])  # fmt: skip
    layer(tools, "lstm", 770, "bidirectional", names="xwrbhcp", functions=["Sigmoid", "Softsign", "Elu", "HardSigmoid", "Tanh", "Affine"],
          alphas=[1.5, 0.25, 0.5], betas=[0.5, 0.125])  # fmt: skip


FAMILIES = [layers, gates, functions]
