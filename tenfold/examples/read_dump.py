#!/usr/bin/env python3
"""Reads a dump of intermediate values with numpy and shows each, the first with NaN marked.

    tenfold run model.onnx --random 1 --dump values.npz
    python3 tenfold/examples/read_dump.py values.npz
"""

import sys

import numpy as np

found = False
with np.load(sys.argv[1]) as dump:
    for name in dump.files:
        value = dump[name]
        count = int(np.isnan(value).sum()) if value.dtype.kind in "fc" else 0
        mark = "  <- first NaN" if count and not found else ""
        found = found or count > 0
        print(f"{name}  {value.dtype} {list(value.shape)}  {count} NaN of {value.size}{mark}")
