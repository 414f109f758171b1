#!/usr/bin/env python3
"""safetensors files, written and read by the format's own library.

    python3 tensor-io/tests/python/safetensors_files.py  writes fixtures/*.safetensors and the index of shards

Needs safetensors (0.8.0), numpy (2.4.6) and ml_dtypes (0.6.0). The library calls `c32` `complex64`, and has no `c64`.
"""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors import TensorSpec, deserialize, serialize_file

from values import DTYPES, SHAPES, array

TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures"

NAMES = [f"{dtype}_{kind}" for dtype in DTYPES if dtype != "c64" for kind in SHAPES]
SHARDS = {"model-00001-of-00002.safetensors": ["f32_cube", "i64_vector"], "model-00002-of-00002.safetensors": ["f16_cube"]}


TYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16, "I64": np.int64, "I32": np.int32,
    "I16": np.int16, "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.bool_,
    "C64": np.complex64,
}  # fmt: skip


def save(path, values, metadata):
    """Writes values by name; a value may come with the name of its type."""
    kept, specs = [], {}
    for name, value in values.items():
        dtype, value = value if isinstance(value, tuple) else (str(value.dtype), value)
        kept.append(np.ascontiguousarray(value))
        pointer, count = kept[-1].ctypes.data, kept[-1].nbytes
        specs[name] = TensorSpec(dtype=dtype, shape=value.shape, data_ptr=pointer, data_len=count)
    serialize_file(specs, path, metadata)


def load(path):
    parts = deserialize(path.read_bytes())
    return {name: np.frombuffer(part["data"], TYPES[part["dtype"]]).reshape(part["shape"]) for name, part in parts}


def write():
    save(FIXTURES / "all.safetensors", {name: array(name) for name in NAMES}, {"made by": "python \"µ\""})
    eighths = {
        "e4m3": ("float8_e4m3fn", np.array([[0x38, 0x40], [0xB8, 0x7E]], np.uint8)),
        "e5m2": ("float8_e5m2", np.array([0x3C, 0x40, 0xBC], np.uint8)),
        "f32_vector": array("f32_vector"),
    }
    save(FIXTURES / "eighths.safetensors", eighths, None)
    for file, names in SHARDS.items():
        save(FIXTURES / file, {name: array(name) for name in names}, {"format": "np"})
    weights = {name: file for file, names in SHARDS.items() for name in names}
    index = {"metadata": {"total_size": 24 * 4 + 5 * 8 + 24 * 2}, "weight_map": weights}
    (FIXTURES / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


if __name__ == "__main__":
    write()
