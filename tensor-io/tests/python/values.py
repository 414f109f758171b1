"""The arrays that all fixtures hold; `tests/files/support.rs` has the same rules in Rust.

Element k of an array, in row-major logical order: bool: whether 3 divides k; integers: the type's smallest for k = 0, its
largest for k = 1, else k; floats: k / 2 - 1; complex numbers: that plus k i. An array is called `DTYPE_KIND`; the kinds are
the shapes below: `turned` and `plane` are column-major, `strided` is every second element of a larger array, from the end.
"""

import ml_dtypes
import numpy as np

DTYPES = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "i16": np.int16,
    "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "bool": np.bool_, "c32": np.complex64, "c64": np.complex128,
}  # fmt: skip

SHAPES = {"scalar": (), "empty": (0, 3), "vector": (5,), "cube": (2, 3, 4), "turned": (2, 3, 4)}

# What the two sides exchange beyond the fixtures.
EXCHANGED = SHAPES | {
    "single": (1,), "nothing": (0,), "matrix": (4, 2), "plane": (4, 2), "row": (1, 3), "hyper": (2, 1, 3, 2),
    "units": (1, 1, 1, 1), "gap": (2, 0, 3), "strided": (3, 4),
}  # fmt: skip
COLUMN_MAJOR = ("turned", "plane")


def array(name):
    """The array called `name`."""
    dtype, kind = name.split("_")
    shape = EXCHANGED[kind]
    k = np.arange(int(np.prod(shape)))
    if dtype == "bool":
        flat = k % 3 == 0
    elif dtype[0] in "iu":
        limits = np.iinfo(DTYPES[dtype])
        flat = k.astype(DTYPES[dtype])
        flat[:1] = limits.min
        flat[1:2] = limits.max
    else:
        flat = (k / 2 - 1 + (1j * k if dtype[0] == "c" else 0)).astype(DTYPES[dtype])
    if kind == "strided":
        larger = np.zeros((2 * shape[0], 2 * shape[1]), flat.dtype)
        larger[::-2, ::-2] = flat.reshape(shape)
        return larger[::-2, ::-2]
    return np.asarray(flat.reshape(shape), order="F" if kind in COLUMN_MAJOR else "C")


def same(name, found, turned=True):
    """Whether `found` is the array called `name`, column-major where it should be (unless the format can't)."""
    expect = array(name)
    assert found.dtype == expect.dtype and found.shape == expect.shape, (name, found.dtype, found.shape)
    assert found.tobytes(order="C") == expect.tobytes(order="C"), name
    # What is contiguous in no order is written row-major.
    column = expect.flags.f_contiguous and not expect.flags.c_contiguous
    assert not turned or (found.flags.f_contiguous and not found.flags.c_contiguous) == column, name
