#!/usr/bin/env python3
"""GGUF files, written by the Python package of ggml.

    python3 tensor-io/tests/python/gguf_files.py  writes fixtures/little.gguf and fixtures/big.gguf

Needs gguf (0.19.0), numpy (2.4.6) and ml_dtypes (0.6.0).
"""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFValueType, GGUFWriter, quants

from values import SHAPES, array

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

TYPES = "f32 f64 f16 bf16 i8 i16 i32 i64".split()


def write(path, endian, alignment, kinds=SHAPES):
    writer = GGUFWriter(path, "test", endianess=endian)
    if alignment:
        writer.add_custom_alignment(alignment)
    limits = {"uint": 2**64 - 1, "int": -(2**63)}
    for bits in (8, 16, 32, 64):
        getattr(writer, f"add_uint{bits}")(f"u{bits}", limits["uint"] >> 64 - bits)
        getattr(writer, f"add_int{bits}")(f"i{bits}", limits["int"] >> 64 - bits)
    writer.add_float32("f32", -1.5)
    writer.add_float64("f64", 0.1)
    writer.add_bool("yes", True)
    writer.add_bool("no", False)
    writer.add_string("text", "µ\nß")
    writer.add_array("integers", [1, -2, 3])
    writer.add_array("floats", [0.5, -0.25])
    writer.add_array("bools", [True, False, True])
    writer.add_array("texts", ["", "a", "µß"])
    writer.add_key_value("bytes", [0, 127, 255], GGUFValueType.ARRAY, sub_type=GGUFValueType.UINT8)
    for dtype in TYPES:
        for kind in kinds:
            name = f"{dtype}_{kind}"
            value = np.ascontiguousarray(array(name)).reshape(kinds[kind])
            raw = None
            if dtype == "bf16":
                value, raw = value.view(np.uint16), GGMLQuantizationType.BF16
            writer.add_tensor(name, value, raw_dtype=raw)
    if endian == GGUFEndian.LITTLE:
        ramp = np.stack([np.arange(32, dtype=np.float32) - 16, np.arange(32, dtype=np.float32) * 0.5])
        for name in ("Q8_0", "Q4_0"):
            kind = GGMLQuantizationType[name]
            writer.add_tensor(f"{name}_matrix", quants.quantize(ramp, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(FIXTURES / "little.gguf", GGUFEndian.LITTLE, None)
    write(FIXTURES / "big.gguf", GGUFEndian.BIG, 8)
