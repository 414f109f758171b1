"""Cases of indexed reads and writes, and of windows and samples beside the usual ones, for `make_op_cases.py`.

`tools` is the module that makes the file: its `case` and `ort` add cases.
"""

import numpy as np


def reads(tools):
    for dtype in tools.FLOATS + tools.INTEGERS:
        x = np.arange(1, 13).reshape(3, 4).astype(dtype)
        tools.case("gather_elements(x, i, axis = 1)", {"x": x, "i": np.int64([[0, -1, 2], [1, 1, 1], [3, -4, 0]])},
                   np.array([[1, 4, 3], [6, 6, 6], [12, 9, 9]]).astype(dtype), "math")  # fmt: skip
        tools.case("gather_nd(x, i, batch_dims = 1)", {"x": x, "i": np.int64([[0], [-1], [2]])},
                   np.array([1, 8, 11]).astype(dtype), "math")  # fmt: skip
        tools.case("reverse_sequence(x, l, time_axis = 1, batch_axis = 0)", {"x": x, "l": np.int64([0, 2, 4])},
                   np.array([[1, 2, 3, 4], [6, 5, 7, 8], [12, 11, 10, 9]]).astype(dtype), "math")  # fmt: skip
    f = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    tools.ort("reverse_sequence(x, l, time_axis = 0, batch_axis = 1)", "ReverseSequence",
              {"x": f, "l": np.int64([2, 0, 1])}, time_axis=0, batch_axis=1)  # fmt: skip
    tools.ort("gather_elements(x, i, axis = 2)", "GatherElements", {"x": f, "i": np.int32([[[3, -1]], [[0, 1]]])}, axis=2)
    tools.ort("gather_nd(x, i, batch_dims = 0)", "GatherND", {"x": f, "i": np.int64([[0, 2], [-1, 0]])})


def writes(tools):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    i, u = np.int64([[0, 2], [-1, 0]]), np.float32([[10, 20], [30, 40]])
    for reduction in ["none", "add", "mul", "max", "min"]:
        tools.ort(f"scatter_elements(x, i, u, axis = 0, reduction = {reduction})", "ScatterElements",
                  {"x": x, "i": i, "u": u}, axis=0, reduction=reduction)  # fmt: skip
        tools.ort(f"scatter_nd(x, i, u, reduction = {reduction})", "ScatterND",
                  {"x": x, "i": np.int64([[0], [-1]]), "u": np.arange(8, dtype=np.float32).reshape(2, 4) - 3},
                  reduction=reduction)  # fmt: skip


def windows(tools):
    x, w = tools.eighths((1, 2, 4, 3), 41), tools.eighths((2, 3, 3, 2), 42)
    tools.ort("conv_transpose(x, w, strides = [2, 1], dilations = [1, 2], pads = [1, 0, 0, 1], output_padding = [1, 0], groups = 1)",
              "ConvTranspose", {"x": x, "w": w}, 1, strides=[2, 1], dilations=[1, 2], pads=[1, 0, 0, 1],
              output_padding=[1, 0])  # fmt: skip
    tools.ort("lp_pool(x, kernel = [2, 2], strides = [1, 1], dilations = [1, 1], pads = [0, 1, 1, 0], ceil = false, p = 2)",
              "LpPool", {"x": x}, 2, kernel_shape=[2, 2], pads=[0, 1, 1, 0])  # fmt: skip
    grid = np.float32([[[[-0.5, -0.875], [0.25, 0.125]], [[1.375, 0.75], [-1.625, 1.25]]]])
    for mode in ["linear", "nearest", "cubic"]:
        for padding in ["zeros", "border", "reflection"]:
            tools.ort(f"grid_sample(x, g, mode = {mode}, padding = {padding}, align_corners = true)", "GridSample",
                      {"x": x, "g": grid}, 64, mode=mode, padding_mode=padding, align_corners=1)  # fmt: skip


FAMILIES = [reads, writes, windows]
