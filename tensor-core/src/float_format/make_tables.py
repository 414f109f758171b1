#!/usr/bin/env python3
"""Makes `decoded.tsv` and `encoded.tsv`, what `ml_dtypes` makes of narrow floats.

    pip install ml_dtypes==0.6.0 numpy==2.4.6 && python3 make_tables.py

`decoded.tsv`: for each code, the bits of its value as f32, `nan` for NaN. `encoded.tsv`: the bits of an f32, then its code in each
format, without saturation. Of `f8e8m0fnu` only codes are taken: a cast to it has rules of its own in ONNX.
"""

from pathlib import Path

import ml_dtypes
import numpy as np

HERE = Path(__file__).resolve().parent
FORMATS = {
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f6e2m3fn": ml_dtypes.float6_e2m3fn,
    "f6e3m2fn": ml_dtypes.float6_e3m2fn,
    "f4e2m1fn": ml_dtypes.float4_e2m1fn,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
}
BITS = {ml_dtypes.float4_e2m1fn: 4, ml_dtypes.float6_e2m3fn: 6, ml_dtypes.float6_e3m2fn: 6}


def bits(values):
    return ["nan" if np.isnan(v) else f"{b:08x}" for v, b in zip(values, values.view(np.uint32))]


columns = []
for dtype in FORMATS.values():
    codes = np.arange(256, dtype=np.uint8)
    codes &= 0xFF >> (8 - BITS.get(dtype, 8))
    columns.append(bits(codes.view(dtype).astype(np.float32)))
with open(HERE / "decoded.tsv", "w") as out:
    print("\t".join(FORMATS), file=out)
    for row in zip(*columns):
        print("\t".join(row), file=out)

signed = [name for name in FORMATS if name != "f8e8m0fnu"]
x = [0.0, np.inf, np.nan, 1e-45, 1e38, 3e38]
for name in signed:
    codes = np.arange(1 << (BITS.get(FORMATS[name], 8) - 1), dtype=np.uint8)
    values = np.sort(codes.view(FORMATS[name]).astype(np.float64))
    values = values[np.isfinite(values)]
    ends = [*values[:4], *values[5:-3:9], *values[-3:]]
    gaps = np.diff(values, append=2 * values[-1] - values[-2])
    middles = [(v + gaps[np.searchsorted(values, v)] / 2) for v in ends]
    x += ends + middles
x = np.unique(np.array(x, np.float32))
x = np.concatenate([x, np.nextafter(x[1:-1], np.float32(0)), np.nextafter(x[1:-2], np.float32(np.inf))])
x = np.unique(x)
x = np.concatenate([x, -x])
with open(HERE / "encoded.tsv", "w") as out:
    print("\t".join(["x", *signed]), file=out)
    codes = [x.astype(FORMATS[name]).view(np.uint8) for name in signed]
    for value, row in zip(x.view(np.uint32), zip(*codes)):
        print("\t".join([f"{value:08x}", *(f"{code:02x}" for code in row)]), file=out)
