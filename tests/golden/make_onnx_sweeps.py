#!/usr/bin/env python3
"""Makes `onnx_sweeps_*.npz`: ONNX models of one node over the attributes of pools, convolutions, resizing and einsum, and at the
edges of what operators take: the ends of integers, NaN, equal elements, no elements.

    python3 -m venv /tmp/goldens && /tmp/goldens/bin/pip install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
    /tmp/goldens/bin/python tests/golden/make_onnx_sweeps.py

What is expected is a formula of the ONNX specification, evaluated in f64 and rounded once (`sweep_formulas.py`). Each case is
also given to onnxruntime and to the reference evaluator of the onnx package, and says who agrees. Of the cases of a family,
at least three in four (of those at the edges, half) must have an engine that agrees; the others are those in which the engines deviate from the text of
the specification or refuse the model, and the formulas say how the text was read.

An archive has four arrays: `cases`, UTF-8 lines, one a case: what it is, a tab, who agrees; `models`, the bytes of all
models; `lists`, for each case the length of its model, the number of its inputs and of its outputs, then for each of these
tensors the number that ONNX has for its dtype, its rank and its extents; `values`, the bytes of the elements of all tensors.
"""

import itertools
import math
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

import sweep_formulas as formulas

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)

def eighths(shape, seed):
    """Multiples of 1/8, of which sums are exact."""
    return (np.random.default_rng(seed).integers(-31, 32, shape) / 8).astype(np.float32)


class Family:
    """The cases of one archive."""

    def __init__(self, name):
        self.name, self.seen = name, set()
        self.cases, self.models, self.lists, self.values = [], [], [], []
        self.agreeing = 0

    def add(self, op, opset, inputs, expect, absent=(), constants=(), engines=True, **attributes):
        """Keeps the case; `inputs` by name, of which `constants` are initializers, and `absent` are left out. Without `engines` no
        engine is asked, since they divide by 0."""
        text = ", ".join(f"{key}={value}" for key, value in attributes.items() if value is not None)
        described = lambda n, a: f"{n}={a.tolist()}" if n in constants else f"{n}: {a.dtype}{list(a.shape)}"  # noqa: E731
        name = f"{op}-{opset}({', '.join(described(n, a) for n, a in inputs.items())}) {text}"
        drawn = (name, *(a.tobytes() for a in inputs.values())) if self.name == "edges" else name
        if drawn in self.seen:
            return
        self.seen.add(drawn)
        expect = [np.asarray(e) for e in (expect if isinstance(expect, list) else [expect])]
        model = one_node(op, opset, inputs, expect, absent, constants, attributes)
        feeds = {n: a for n, a in inputs.items() if n not in constants}
        agrees = [who for who, run in ENGINES.items() if engines and same(run, model, feeds, expect)]
        self.agreeing += bool(agrees)
        self.cases.append(f"{name}\t{', '.join(agrees + ['formula'])}")
        self.models.append(model)
        self.lists += [len(model), len(feeds), len(expect)]
        for array in [*feeds.values(), *expect]:
            self.lists += [helper.np_dtype_to_tensor_dtype(array.dtype), array.ndim, *array.shape]
            self.values.append(array.tobytes())

    def write(self, least=0.75):
        path = Path(__file__).resolve().parent / f"onnx_sweeps_{self.name}.npz"
        np.savez_compressed(
            path,
            cases=np.frombuffer("\n".join(self.cases).encode(), np.uint8),
            models=np.frombuffer(b"".join(self.models), np.uint8),
            lists=np.array(self.lists, np.int64),
            values=np.frombuffer(b"".join(self.values), np.uint8),
        )
        count = len(self.cases)
        print(f"{self.name}: {count} cases, {self.agreeing} with an engine that agrees, {path.stat().st_size} bytes")
        assert self.agreeing >= least * count


def one_node(op, opset, inputs, expect, absent, constants, attributes):
    names = list(inputs)
    if absent:
        # Inputs that are left out stand where the operator has them.
        names = [n if n in inputs else "" for n in ["x", "roi", "scales", "sizes"]]
        while not names[-1]:
            names.pop()
    tensor_type = helper.np_dtype_to_tensor_dtype
    outputs = [f"y{i}" for i in range(len(expect))]
    attributes = {key: value for key, value in attributes.items() if value is not None}
    graph = helper.make_graph(
        [helper.make_node(op, names, outputs, **attributes)],
        "f",
        [helper.make_tensor_value_info(n, tensor_type(a.dtype), a.shape) for n, a in inputs.items() if n not in constants],
        [helper.make_tensor_value_info(n, tensor_type(a.dtype), None) for n, a in zip(outputs, expect)],
        [onnx.numpy_helper.from_array(a, n) for n, a in inputs.items() if n in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def onnxruntime_runs(model, feeds):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def reference_runs(model, feeds):
    return ReferenceEvaluator(onnx.load_from_string(model)).run(None, feeds)


ENGINES = {"onnxruntime": onnxruntime_runs, "onnx.reference": reference_runs}


def same(run, model, feeds, expect):
    try:
        got = run(model, feeds)
    except Exception:  # Whatever an engine refuses, it refuses in its own way.
        return False
    return all(close(np.asarray(g), e) for g, e in zip(got, expect))


def close(got, expect):
    if got.shape != expect.shape or got.dtype != expect.dtype:
        return False
    if expect.dtype.kind != "f":
        return bool((got == expect).all())
    return np.allclose(got, expect, rtol=1e-4, atol=1e-4, equal_nan=True)


def sample(count, seed, **axes):
    """Combinations of one choice of every axis, drawn from a fixed seed."""
    product = list(itertools.product(*axes.values()))
    random.Random(seed).shuffle(product)
    return [dict(zip(axes, choice)) for choice in product[:count]]


PADS = ["none", "even", "before", "after", "SAME_UPPER", "SAME_LOWER", "VALID"]


def padding(kind, spans):
    """The attributes of one kind of padding, below the extents of the window."""
    wide = [min(2, span - 1) for span in spans]
    zero = [0] * len(spans)
    lists = {"even": wide[:1] * len(spans) * 2, "before": wide + zero, "after": [max(w - 1, 0) for w in wide] + wide}
    if kind == "even":
        return {"pads": [min(wide)] * 2 * len(spans)}
    return {"pads": lists[kind]} if kind in lists else {} if kind == "none" else {"auto_pad": kind}


SPATIAL = {1: [[7], [8], [9], [10]], 2: [[5, 7], [6, 6], [8, 5]], 3: [[4, 5, 4], [5, 4, 6]]}
KERNELS = {1: [[2], [3], [4]], 2: [[2, 3], [3, 3], [3, 1]], 3: [[2, 2, 2], [3, 2, 1]]}
STRIDES = {1: [[1], [2], [3]], 2: [[1, 1], [2, 2], [2, 3]], 3: [[2, 2, 2], [1, 2, 3]]}
DILATIONS = {1: [[1], [2]], 2: [[1, 1], [2, 1], [2, 2]], 3: [[1, 1, 1], [1, 2, 1]]}


def fits(spatial, kernel, dilations, pads):
    """Whether there is at least one window."""
    if "SAME" in str(pads.get("auto_pad")):
        return True
    n = len(spatial)
    listed = pads.get("pads", [0] * 2 * n)
    return all(spatial[i] + listed[i] + listed[n + i] > dilations[i] * (kernel[i] - 1) for i in range(n))


POOL_OPSETS = {"MaxPool": [10, 11, 12, 22], "AveragePool": [19, 22], "LpPool": [18, 22]}


def pools():
    family = Family("pools")
    seed = 0
    for rank in (1, 2, 3):
        axes = dict(
            op=list(POOL_OPSETS), ceil=[0, 1], pads=PADS, dilations=DILATIONS[rank], strides=STRIDES[rank],
            kernel=KERNELS[rank], spatial=SPATIAL[rank], option=[0, 1, 2],
        )  # fmt: skip
        for draw in sample([130, 110, 50][rank - 1], rank, **axes):
            seed += 1
            op, kernel, dilations = draw["op"], draw["kernel"], draw["dilations"]
            pads = padding(draw["pads"], [d * (k - 1) + 1 for k, d in zip(kernel, dilations)])
            if not fits(draw["spatial"], kernel, dilations, pads):
                continue
            opset = random.Random(seed).choice(POOL_OPSETS[op])
            attributes = dict(kernel_shape=kernel, strides=draw["strides"], dilations=dilations, ceil_mode=draw["ceil"], **pads)
            options = {"MaxPool": ("storage_order", [None, 0, 1]), "AveragePool": ("count_include_pad", [0, 1, 1]),
                       "LpPool": ("p", [1, 2, 3])}  # fmt: skip
            option, values = options[op]
            attributes[option] = values[draw["option"]]
            x = eighths((2, 2, *draw["spatial"]) if rank == 1 else (1, 2, *draw["spatial"]), seed)
            # Indices are the second result of a MaxPool that has an order.
            expect = formulas.pool(op, x, **attributes)
            if op == "MaxPool" and attributes[option] is None:
                expect = expect[:1]
            family.add(op, opset, {"x": x}, expect, **attributes)
    family.write()


def convolutions():
    family = Family("convolutions")
    seed = 1000
    for rank, transposed in itertools.product((1, 2, 3), (False, True)):
        axes = dict(
            pads=PADS, dilations=DILATIONS[rank], strides=STRIDES[rank], kernel=KERNELS[rank], spatial=SPATIAL[rank],
            groups=[1, 2, "all"], bias=[0, 1], more=[0, 1, 2] if transposed else [0],
        )  # fmt: skip
        for draw in sample([40, 45, 12][rank - 1], rank + 10, **axes):
            seed += 1
            kernel, dilations, strides = draw["kernel"], draw["dilations"], draw["strides"]
            spatial = [n // 2 + 1 for n in draw["spatial"]] if transposed else draw["spatial"]
            pads = padding(draw["pads"], [d * (k - 1) + 1 for k, d in zip(kernel, dilations)])
            channels = 4 if draw["groups"] != 1 else 3
            groups = channels if draw["groups"] == "all" else draw["groups"]
            filters = groups if draw["groups"] == "all" else 2
            attributes = dict(strides=strides, dilations=dilations, group=groups, **pads)
            x = eighths((1, channels, *spatial), seed)
            if not transposed:
                if not fits(spatial, kernel, dilations, pads):
                    continue
                inputs = {"x": x, "w": eighths((filters, channels // groups, *kernel), seed + 1000)}
                if draw["bias"]:
                    inputs["b"] = eighths((filters,), seed + 2000)
                expect = formulas.conv(*inputs.values(), **attributes)
                family.add("Conv", random.Random(seed).choice([1, 11, 22]), inputs, expect, **attributes)
                continue
            per_group = 1 if draw["groups"] == "all" else 2
            inputs = {"x": x, "w": eighths((channels, per_group, *kernel), seed + 1000)}
            if draw["bias"]:
                inputs["b"] = eighths((per_group * groups,), seed + 2000)
            # Output padding stays below the stride.
            if draw["more"] == 1 and "auto_pad" not in pads:
                attributes["output_padding"] = [s - 1 for s in strides]
            if draw["more"] == 2 and draw["pads"] != "VALID":
                attributes.pop("pads", None)
                full = [s * (n - 1) + d * (k - 1) + 1 for s, n, d, k in zip(strides, spatial, dilations, kernel)]
                attributes["output_shape"] = [max(f - 1 - i, 1) for i, f in enumerate(full)]
            expect = formulas.conv_transpose(*inputs.values(), **attributes)
            if 0 in expect.shape:
                continue
            family.add("ConvTranspose", random.Random(seed).choice([1, 11, 22]), inputs, expect, **attributes)
    family.write()


COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
               "tf_half_pixel_for_nn", "tf_crop_and_resize"]  # fmt: skip
MODES = ["nearest round_prefer_floor", "nearest round_prefer_ceil", "nearest floor", "nearest ceil", "linear",
         "linear exclude", "linear antialias", "cubic", "cubic exclude", "cubic antialias"]  # fmt: skip
SCALES = [0.5, 0.6, 0.75, 1.0, 1.5, 2.0, 2.6, 3.0]
SIZES = [1, 2, 3, 4, 5, 7, 8, 9]


def resizes():
    family = Family("resizes")
    axes = dict(coordinates=COORDINATES, mode=MODES, opset=[10, 11, 13, 18, 19], given=["scales", "sizes"], shape=[0, 1, 2, 3],
                extra=range(6))  # fmt: skip
    draws = sample(600, 20, **axes)
    # Every pair of a mode and coordinates first, in the last opset that has them.
    first = [d for d in sample(10_000, 21, **axes) if d["opset"] == (11 if d["coordinates"] == "tf_half_pixel_for_nn" else 19)]
    pairs = list({(d["coordinates"], d["mode"]): d for d in first}.values())
    for seed, draw in enumerate(pairs + draws):
        if len(family.cases) == 300:
            break
        resize(family, draw, seed)
    family.write()


def resize(family, draw, seed):
    """Adds the case unless the opset lacks what was drawn."""
    r = random.Random(seed)
    opset, coordinates, (mode, *word) = draw["opset"], draw["coordinates"], draw["mode"].split()
    word = word[0] if word else ""
    since = {"half_pixel_symmetric": 19, "tf_half_pixel_for_nn": 11}.get(coordinates, 11)
    if coordinates == "tf_half_pixel_for_nn" and (opset != 11 or mode != "nearest"):
        return
    shape = [[1, 1, 4, 5], [1, 2, 6, 3], [1, 1, 7], [2, 5, 4]][draw["shape"]]
    rank = len(shape)
    x = eighths(shape, seed + 3000)
    resized = [-2, -1] if draw["extra"] % 2 == 0 and rank == 4 else [-1]
    attributes = dict(mode=mode)
    if opset == 10:
        if mode == "cubic" or word not in ("", "floor") or coordinates != "asymmetric" or draw["given"] == "sizes":
            return
    elif opset < since or (word == "antialias" and opset < 18):
        return
    else:
        attributes |= dict(coordinate_transformation_mode=coordinates)
        attributes |= dict(nearest_mode=word) if mode == "nearest" else {}
        attributes |= dict(exclude_outside=1) if word == "exclude" else {}
        attributes |= dict(antialias=1) if word == "antialias" else {}
        attributes |= dict(cubic_coeff_a=-0.5) if mode == "cubic" and draw["extra"] > 3 else {}
    named = opset >= 18 and draw["extra"] in (1, 4)
    if named:
        resized = resized[::-1] if draw["extra"] == 4 else resized
        # The reference evaluator takes no negative ones.
        attributes["axes"] = resized if seed % 5 == 0 else [axis + rank for axis in resized]
    full = resized if named else list(range(-rank, 0))
    inputs = {"x": x}
    if coordinates == "tf_crop_and_resize" and opset > 10:
        region = {axis: r.choice([(0.0, 1.0), (0.25, 0.75), (-0.25, 0.5), (0.5, 1.25), (0.75, 0.25)]) for axis in resized}
        ends = [region.get(axis, (0.0, 1.0)) for axis in full]
        inputs["roi"] = np.float32([e[0] for e in ends] + [e[1] for e in ends])
        attributes["extrapolation_value"] = 10.0
    if draw["given"] == "scales":
        by = {axis: r.choice(SCALES) for axis in resized}
        inputs["scales"] = np.float32([by.get(axis, 1.0) for axis in full])
    else:
        by = {axis: r.choice(SIZES) for axis in resized}
        inputs["sizes"] = np.int64([by.get(axis, shape[axis]) for axis in full])
        if named and draw["extra"] == 4:
            attributes["keep_aspect_ratio_policy"] = r.choice(["not_larger", "not_smaller"])
    expect = formulas.resize(**inputs, **attributes, old=opset == 10)
    if 0 in expect.shape:
        return
    absent = () if opset == 10 else ("roi", "scales", "sizes")
    constants = [n for n in inputs if n != "x"]
    if 11 <= opset < 13:
        # Nothing may be left out yet; an empty list stands for it.
        none = np.zeros(0, np.float32)
        inputs = {"x": x, "roi": inputs.get("roi", none), "scales": inputs.get("scales", none),
                  **({"sizes": inputs["sizes"]} if "sizes" in inputs else {})}  # fmt: skip
        constants, absent = [n for n in inputs if n != "x"], ()
    absent = tuple(n for n in absent if n not in inputs)
    family.add("Resize", opset, inputs, expect, absent, constants, **attributes)


EINSUMS = [
    "ij,jk->ik", "ij,jk", "ij->ji", "ii->i", "ii", "ij->", "i,i->", "i,j->ij", "bij,bjk->bik", "...ij,...jk->...ik",
    "...ij->...ji", "...ii->...i", "i...->...", "...i,i->...", "...,...->...", "ij...,jk...->ik...", "bhqd,bhkd->bhqk",
    "bhwc,hkc->bhwk", "i,ij,j->", "ij,jk,kl->il", "ij,jk,kl,lm->im", "i,i,i->i", "ab,bc,cd->da", "iij,j->ij", "iii->i",
    "ijj->i", "ij,ij->ij", "ij,ij->", "ij,kl->ijkl", "ij,k->", "ij,jk->", "ba", "cb,ba", "...a,...b", "...ij,jk->...ik",
    "i...j,j...->i...", "abc->cab", "abc,c->ba", "ij, jk -> ik", "a,b,c->cab", "aa,ab->b", "...,i->i...", "Ab,bA->A",
    "...abc,...c->...", "ij,ji->", "bij,bij->b", "ijk,jil->kl", "ijkl->", "aab,bc->ac", "...k,k...->...", "abc,cd,de->abe",
]  # fmt: skip
EXTENTS = {letter: 2 + at % 4 for at, letter in enumerate("abcdehijklmqwA")}


def einsums():
    family = Family("einsums")
    for seed, (equation, broadcast) in enumerate(itertools.product(EINSUMS, range(3))):
        left = equation.replace(" ", "").split("->")[0].split(",")
        if broadcast and "..." not in equation:
            continue
        inputs = {}
        for at, term in enumerate(left):
            # What an ellipsis stands for: one axis, axes of different numbers, axes that are broadcast.
            hidden = [[3], [2, 3][at % 2 :], [1 if at % 2 else 2, 3]][broadcast]
            before, _, after = term.partition("...")
            shape = [EXTENTS[c] for c in before] + (hidden if "..." in term else []) + [EXTENTS[c] for c in after]
            inputs[f"x{at}"] = eighths(shape, 5000 + seed * 7 + at) / 2
        wide = np.einsum(equation, *(a.astype(np.float64) for a in inputs.values()))
        family.add("Einsum", 12, inputs, wide.astype(np.float32), equation=equation)
    family.write()


inf, nan = math.inf, math.nan
SIGNED, UNSIGNED = [np.int8, np.int16, np.int32, np.int64], [np.uint8, np.uint16, np.uint32, np.uint64]


def quotient(a, b):
    """Toward zero; 0 by convention where b is 0."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def wrapped(values, dtype):
    """The low bits of integers of any size."""
    bits = np.iinfo(dtype).bits
    low = [int(v) % 2**bits for v in values]
    return np.array([v - 2**bits if np.issubdtype(dtype, np.signedinteger) and v >= 2 ** (bits - 1) else v for v in low], dtype)


def divisions(family):
    """Every pair of the ends of a dtype and small numbers; the engines see those that do not trap."""
    meanings = [
        ("Div", {}, quotient),
        ("Mod", {}, lambda a, b: 0 if b == 0 else a % b),
        ("Mod", {"fmod": 1}, lambda a, b: 0 if b == 0 else a - quotient(a, b) * b),
    ]
    for dtype, (op, attributes, meaning) in itertools.product(SIGNED + UNSIGNED, meanings):
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        values = sorted({low, low + 1, high, high - 1, 0, 1, 2, 3, 7, *([-1, -2, -3, -7] if low < 0 else [])})
        pairs = list(itertools.product(values, values))
        traps = [(a, b) for a, b in pairs if b == 0 or (a, b) == (low, -1)]
        for chosen, engines in [([p for p in pairs if p not in traps], True), (traps, False)]:
            a, b = (np.array([p[i] for p in chosen], dtype) for i in (0, 1))
            expect = wrapped([meaning(*p) for p in chosen], dtype)
            opset = 14 if op == "Div" else 13
            family.add(op, opset, {"a": a, "b": b}, expect, engines=engines, **attributes)
    values = [0.0, 1.0, -1.0, 2.5, -2.5, 7.0, -7.0, 3e38, -3e38, inf, -inf, nan]
    pairs = list(itertools.product(values, values))
    a, b = (np.array([p[i] for p in pairs], np.float32) for i in (0, 1))
    with np.errstate(all="ignore"):
        family.add("Mod", 13, {"a": a, "b": b}, np.fmod(a, b), fmod=1)
        family.add("Div", 14, {"a": a, "b": b}, a / b)


def extremes(family):
    """NaN passes through maxima; of equal elements the first counts."""
    x = np.float32([[1, nan, 3, 3], [2, 2, -1, 2], [-inf, nan, nan, inf], [-0.0, 0.0, -0.0, 0.0], [5, 4, 4, 5]])
    y = np.float32([[nan], [2], [0], [0], [4.5]])
    for op, pair, reduce, arg in [
        ("Max", np.maximum, np.max, np.argmax),
        ("Min", np.minimum, np.min, np.argmin),
    ]:
        family.add(op, 13, {"x": x, "y": y}, pair(x, y))
        family.add(op, 13, {"x": x, "y": y, "z": x[:, ::-1].copy()}, pair(pair(x, y), x[:, ::-1]))
        for axis in (0, 1, -1):
            family.add(f"Reduce{op}", 13, {"x": x}, reduce(x, axis=axis), axes=[axis], keepdims=0)
        # numpy counts NaN as the extreme, and so does the op table.
        for values in (x[[1, 3, 4]], x):
            for last in (0, 1):
                flipped = values[:, ::-1] if last else values
                expect = arg(flipped, axis=1)
                expect = values.shape[1] - 1 - expect if last else expect
                family.add(f"Arg{op}", 13, {"x": values.copy()}, expect, axis=1, keepdims=0, select_last_index=last)
    for dtype in (np.int32, np.int64, np.float32):
        ties = np.array([[3, 1, 3, 2, 3, 1], [0, 0, 0, 0, 0, 0]], dtype)
        top_k(family, ties)
    top_k(family, np.float32([[nan, 1, nan, -inf, inf, 1], [0.0, -0.0, nan, 0.0, -1, 1]]))


def top_k(family, x):
    for largest, k in itertools.product((0, 1), (1, 3, 6)):
        # Stable, NaN above all numbers.
        key = lambda row: lambda i: (not np.isnan(row[i]), -row[i] if not np.isnan(row[i]) else 0, i)  # noqa: E731
        rising = lambda row: lambda i: (bool(np.isnan(row[i])), row[i] if not np.isnan(row[i]) else 0, i)  # noqa: E731
        order = np.int64([sorted(range(x.shape[1]), key=(key if largest else rising)(row))[:k] for row in x])
        expect = [np.take_along_axis(x, order, 1), order]
        family.add("TopK", 11, {"x": x, "k": np.int64([k])}, expect, constants=["k"], axis=-1, largest=largest)


def softmaxes(family):
    """A row of -inf alone or with inf has no distribution: NaN. An axis without elements gives none."""
    rows = np.float32([[-inf] * 3, [inf, 0, 1], [-inf, 0, -inf], [nan, 0, 1], [3e38, -3e38, 3e38], [-inf, inf, 0]])
    for op, opset in itertools.product(["Softmax", "LogSoftmax"], (11, 13)):
        for x in [rows, np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)]:
            with np.errstate(all="ignore"):
                wide = x.astype(np.float64)
                shifted = wide - wide.max(1, keepdims=True) if x.shape[1] else wide
                total = np.exp(shifted).sum(1, keepdims=True)
                expect = shifted - np.log(total) if op == "LogSoftmax" else np.exp(shifted) / total
            family.add(op, opset, {"x": x}, expect.astype(np.float32), axis=1)


def attentions(family):
    """A query that may attend to no key gives zeros."""
    q, k, v = (eighths((1, 1, n, 4), 7000 + n) for n in (3, 5, 6))
    k, v = k[:, :, :5], v[:, :, :5]
    sees = np.array([[1, 0, 1, 1, 0], [0] * 5, [0, 0, 0, 0, 1]], bool)
    for mask in (sees, np.where(sees, np.float32(0.5), np.float32(-inf))):
        bias = np.where(sees, 0.5 if mask.dtype != bool else 0.0, -inf)
        scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3) / 2 + bias
        most = scores.max(-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isinf(most), 0, most))
        weights /= np.maximum(weights.sum(-1, keepdims=True), 1e-300)
        expect = (weights @ v.astype(np.float64)).astype(np.float32)
        assert (expect[0, 0, 1] == 0).all()
        family.add("Attention", 24, {"q": q, "k": k, "v": v, "mask": mask}, expect)


def large_integers(family):
    """Numbers beyond 32 bits and beyond what f32 and f64 hold exactly."""
    big = np.int64([2**40, -(2**40), 2**40 + 1, 2**53 + 1, 2**63 - 1, -(2**63)])
    choice = np.array([True, False, True, True, False, False])
    family.add("Where", 16, {"c": choice, "a": big, "b": big[::-1].copy()}, np.where(choice, big, big[::-1]))
    index = np.int64([[0, -1], [3, 2]])
    family.add("Gather", 13, {"x": big, "i": index}, big[index], axis=0)
    limits = [np.array(v, np.int64) for v in (2**40, 2**40 + 10, 3)]
    family.add("Range", 11, dict(zip(["s", "l", "d"], limits)), np.arange(2**40, 2**40 + 10, 3, dtype=np.int64))
    types = {"to": helper.np_dtype_to_tensor_dtype}
    for dtype in (np.float32, np.float64, np.uint64, np.bool_):
        family.add("Cast", 13, {"x": big[:4]}, big[:4].astype(dtype), to=types["to"](np.dtype(dtype)))
    # To other types the low bits are kept.
    for dtype in (np.int8, np.uint16, np.uint32):
        odd = np.int64([2**40 + 5, -(2**40) + 300, -1])
        family.add("Cast", 13, {"x": odd}, wrapped(odd, dtype), to=types["to"](np.dtype(dtype)))
    family.add("Add", 14, {"a": big, "b": np.int64([1])}, wrapped([int(v) + 1 for v in big], np.int64))
    family.add("Mul", 14, {"a": np.int64([2**20, 3]), "b": np.int64([2**20, 2**40])}, np.int64([2**40, 3 * 2**40]))
    family.add("ReduceSum", 13, {"x": big[:4]}, big[:4].sum(keepdims=False), keepdims=0)
    family.add("Equal", 13, {"a": big, "b": big + np.int64([0, 1, 0, 1, 0, 0])}, np.array([True, False, True, False, True, True]))
    family.add("ArgMax", 13, {"x": np.int64([2**53, 2**53 + 1, 2**53])}, np.array(1, np.int64), axis=0, keepdims=0)
    top_k(family, np.int64([[2**53, 2**53 + 1, 2**40, -(2**60), 2**53 + 1, 0]]))


def edges():
    family = Family("edges")
    for make in (divisions, extremes, softmaxes, attentions, large_integers):
        make(family)
    family.write(least=0.5)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for make in [pools, convolutions, resizes, einsums, edges]:
        if not wanted or make.__name__ in wanted:
            make()
