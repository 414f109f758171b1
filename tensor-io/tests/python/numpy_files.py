#!/usr/bin/env python3
"""Writes the files that the tests read, with numpy.

    python3 tensor-io/tests/python/numpy_files.py  writes fixtures/ (made with numpy 2.4.6)

Every array has the shape (2, 3) unless its name says otherwise, and logical elements 0 to 5 in row-major order; the
value of element k depends on the dtype as in `values`, which the tests repeat in Rust.
"""

from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures"

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def values(dtype):
    """Element k: true for multiples of 3; the type's smallest, then 1 to 4, then its largest; k/2 - 1; that plus k i."""
    k = np.arange(6)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return (k % 3 == 0).reshape(2, 3)
    if kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([limits.min, 1, 2, 3, 4, limits.max], dtype).reshape(2, 3)
    real = k / 2 - 1
    return (real + 1j * k if kind == "c" else real).astype(dtype).reshape(2, 3)


def arrays():
    """All dtypes in both byte orders and both memory orders, by name."""
    made = {}
    for dtype in DTYPES:
        for order, letter in (("row", "C"), ("col", "F")):
            native = values(dtype)
            made[f"{dtype}_le_{order}"] = np.asarray(native.astype(native.dtype.newbyteorder("<")), order=letter)
            made[f"{dtype}_be_{order}"] = np.asarray(native.astype(native.dtype.newbyteorder(">")), order=letter)
    return made


def special():
    return {
        "scalar": np.array(2.5, np.float32),
        "vector": np.arange(6, dtype=np.int16),
        "empty": np.zeros((0, 3), np.float64),
        "cube_col": np.asarray(np.arange(24, dtype=np.int32).reshape(2, 3, 4), order="F"),
        "strided": np.arange(24, dtype=np.int32).reshape(4, 6)[::2, ::3],
    }


def write():
    FIXTURES.mkdir(exist_ok=True)
    np.savez(FIXTURES / "stored.npz", **arrays())
    np.savez_compressed(FIXTURES / "deflated.npz", zeros=np.zeros((100, 100)), **special())
    for name in ("float32_le_row", "float32_le_col", "complex128_be_col"):
        np.save(FIXTURES / f"{name}.npy", arrays()[name])
    with open(FIXTURES / "version_2.npy", "wb") as file:
        np.lib.format.write_array(file, values("uint16"), version=(2, 0))
    with open(FIXTURES / "version_3.npy", "wb") as file:
        np.lib.format.write_array(file, values("uint16"), version=(3, 0))
    np.save(FIXTURES / "text.npy", np.array(["no", "tensor"]))
    np.save(FIXTURES / "structure.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))


if __name__ == "__main__":
    write()
