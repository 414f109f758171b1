"""The operators of `make_onnx_sweeps.py` as the ONNX specification words them, one plain loop each, in f64.

Where the text and an engine differ, the text is followed:

- Pools: with `auto_pad` the number of windows does not depend on `ceil_mode` (`VALID` gives the same by both equations). A
  window that would start beyond the input and the padding before it is ignored; the part of a window that `ceil_mode` makes
  reach beyond the padding counts neither for `count_include_pad` nor for anything else.
- Windows that are smaller than the step between them need no padding: with `SAME_UPPER` and `SAME_LOWER` none is added, none taken
  away, and a transposed convolution has its additional elements at the end.
- Resizing: `length_resized` of the coordinates is the extent of the result, a whole number, also where the scale is a fraction
  (onnx.reference takes the unrounded product). Without sizes, an extent is `floor(extent * scale)` also with
  `tf_crop_and_resize`, as in shape inference and both engines, although the text has the extent of the region as a factor.
- `pytorch_half_pixel` maps to 0 where the result has one element (onnx.reference: -0.5, if the unrounded product is 1).
- `tf_half_pixel_for_nn` reaches beyond the last element with some of the modes, and takes that one.
- Antialiasing: the filter is continued by the elements at the ends, as in onnx.reference; the text says nothing about them.
"""

import itertools
import math

import numpy as np


def windows(spatial, kernel, strides, dilations, pads, auto_pad, ceil):
    """The padding before, the padding after and the number of windows of each axis."""
    n = len(spatial)
    before, after, count = [0] * n, [0] * n, [0] * n
    for i in range(n):
        span = dilations[i] * (kernel[i] - 1) + 1
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            count[i] = -(-spatial[i] // strides[i])
            total = max((count[i] - 1) * strides[i] + span - spatial[i], 0)
            small, large = total // 2, total - total // 2
            before[i], after[i] = (small, large) if auto_pad == "SAME_UPPER" else (large, small)
            continue
        if auto_pad == "NOTSET" and pads:
            before[i], after[i] = pads[i], pads[n + i]
        free = spatial[i] + before[i] + after[i] - span
        rounds_up = ceil and auto_pad == "NOTSET"
        count[i] = (-(-free // strides[i]) if rounds_up else free // strides[i]) + 1
        if rounds_up and (count[i] - 1) * strides[i] >= spatial[i] + before[i]:
            count[i] -= 1
    return before, after, count


def pool(op, x, kernel_shape, strides, dilations, ceil_mode=0, pads=None, auto_pad="NOTSET", count_include_pad=0, p=2,
         storage_order=None):  # fmt: skip
    spatial = x.shape[2:]
    before, after, count = windows(spatial, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    out = np.zeros((*x.shape[:2], *count))
    indices = np.zeros(out.shape, np.int64)
    order = "F" if storage_order else "C"
    for at in itertools.product(*map(range, count)):
        inside, padded = [], 0
        for tap in itertools.product(*map(range, kernel_shape)):
            place = [o * s + k * d for o, s, k, d in zip(at, strides, tap, dilations)]
            padded += all(q < b + e + a for q, b, e, a in zip(place, before, spatial, after))
            place = [q - b for q, b in zip(place, before)]
            if all(0 <= q < e for q, e in zip(place, spatial)):
                inside.append(tuple(place))
        for n, c in np.ndindex(x.shape[:2]):
            values = [float(x[(n, c, *q)]) for q in inside]
            where = (n, c, *at)
            if op == "MaxPool":
                best = int(np.argmax(values))
                out[where] = values[best]
                plane = n * x.shape[1] + c
                indices[where] = plane * math.prod(spatial) + np.ravel_multi_index(inside[best], spatial, order=order)
            elif op == "AveragePool":
                out[where] = sum(values) / (padded if count_include_pad else len(values))
            else:
                out[where] = sum(abs(v) ** p for v in values) ** (1 / p)
    return [out.astype(np.float32), indices] if op == "MaxPool" else [out.astype(np.float32)]


def conv(x, w, b=None, strides=None, dilations=None, group=1, pads=None, auto_pad="NOTSET"):
    spatial, kernel = x.shape[2:], w.shape[2:]
    before, _, count = windows(spatial, kernel, strides, dilations, pads, auto_pad, False)
    out = np.zeros((x.shape[0], w.shape[0], *count))
    for n, m, *at in np.ndindex(out.shape):
        first = m // (w.shape[0] // group) * w.shape[1]
        total = float(b[m]) if b is not None else 0.0
        for c, *tap in np.ndindex(w.shape[1:]):
            place = [o * s + k * d - p for o, s, k, d, p in zip(at, strides, tap, dilations, before)]
            if all(0 <= q < e for q, e in zip(place, spatial)):
                total += float(x[(n, first + c, *place)]) * float(w[(m, c, *tap)])
        out[(n, m, *at)] = total
    return out.astype(np.float32)


def conv_transpose(x, w, b=None, strides=None, dilations=None, group=1, pads=None, auto_pad="NOTSET", output_padding=None,
                   output_shape=None):  # fmt: skip
    spatial, kernel = x.shape[2:], w.shape[2:]
    n = len(spatial)
    more = output_padding or [0] * n
    full = [strides[i] * (spatial[i] - 1) + more[i] + dilations[i] * (kernel[i] - 1) + 1 for i in range(n)]
    if output_shape is None and auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        output_shape = [e * s for e, s in zip(spatial, strides)]
    if output_shape is not None:
        total = [f - o for f, o in zip(full, output_shape)]
        small = [max(t, 0) // 2 for t in total]
        before = small if auto_pad == "SAME_UPPER" else [max(t, 0) - s for t, s in zip(total, small)]
    else:
        pads = pads if pads and auto_pad == "NOTSET" else [0] * 2 * n
        before, output_shape = pads[:n], [full[i] - pads[i] - pads[n + i] for i in range(n)]
    out = np.zeros((x.shape[0], w.shape[1] * group, *(max(o, 0) for o in output_shape)))
    if b is not None:
        out += b.astype(np.float64).reshape(1, -1, *[1] * n)
    per_group = x.shape[1] // group
    for batch, c, *at in np.ndindex(x.shape):
        for m, *tap in np.ndindex(w.shape[1:]):
            place = [i * s + k * d - p for i, s, k, d, p in zip(at, strides, tap, dilations, before)]
            if all(0 <= q < o for q, o in zip(place, output_shape)):
                where = (batch, c // per_group * w.shape[1] + m, *place)
                out[where] += float(x[(batch, c, *at)]) * float(w[(c, m, *tap)])
    return out.astype(np.float32)


def cubic(x, a):
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def place(i, length, resized, scale, mode, region):
    """Where index `i` of the result lies."""
    if mode == "half_pixel":
        return (i + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        return length / 2 * (1 - resized / (scale * length)) + (i + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (i + 0.5) / scale - 0.5 if resized > 1 else 0.0
    if mode == "align_corners":
        return i * (length - 1) / (resized - 1) if resized > 1 else 0.0
    if mode == "asymmetric":
        return i / scale
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) / scale
    start, end = region
    if resized > 1:
        return start * (length - 1) + i * (end - start) * (length - 1) / (resized - 1)
    return 0.5 * (start + end) * (length - 1)


def nearest(x, mode):
    return int({
        "round_prefer_floor": math.ceil(x - 0.5), "round_prefer_ceil": math.floor(x + 0.5), "floor": math.floor(x),
        "ceil": math.ceil(x),
    }[mode])  # fmt: skip


def weights(x, length, scale, mode, a, antialias, exclude):
    """The elements around `x` and their weights, which add up to 1."""
    shrinks = min(scale, 1.0) if antialias else 1.0
    radius = (1 if mode == "linear" else 2) / shrinks
    kernel = (lambda t: max(1 - abs(t), 0.0)) if mode == "linear" else (lambda t: cubic(t, a))
    taps = [(k, kernel((k - x) * shrinks)) for k in range(math.ceil(x - radius), math.floor(x + radius) + 1)]
    if exclude:
        taps = [(k, w) for k, w in taps if 0 <= k < length]
    total = sum(w for _, w in taps)
    if total == 0:
        return [(0, 0.0)]
    return [(min(max(k, 0), length - 1), w / total) for k, w in taps]


def extents(shape, axes, scales, sizes, policy):
    """The scale and the extent of the result for each axis."""
    if sizes is None:
        # The product is one of f32, as the scales are.
        return [(float(s), int(np.floor(np.float32(shape[axis]) * s))) for axis, s in zip(axes, scales)]
    ratios = [int(size) / shape[axis] for axis, size in zip(axes, sizes)]
    if policy == "stretch":
        return [(ratio, int(size)) for ratio, size in zip(ratios, sizes)]
    common = min(ratios) if policy == "not_larger" else max(ratios)
    return [(common, math.floor(common * shape[axis] + 0.5)) for axis in axes]


def resize(x, roi=None, scales=None, sizes=None, mode="nearest", coordinate_transformation_mode="half_pixel",
           nearest_mode="round_prefer_floor", cubic_coeff_a=-0.75, exclude_outside=0, antialias=0, axes=None,
           keep_aspect_ratio_policy="stretch", extrapolation_value=0.0, old=False):  # fmt: skip
    # The first version read the element at or before the place, and mapped as `asymmetric` does.
    coordinates, nearest_mode = ("asymmetric", "floor") if old else (coordinate_transformation_mode, nearest_mode)
    axes = [axis % x.ndim for axis in (axes if axes is not None else range(x.ndim))]
    out, outside = x.astype(np.float64), np.zeros(x.shape, bool)
    for nth, (axis, (scale, resized)) in enumerate(zip(axes, extents(x.shape, axes, scales, sizes, keep_aspect_ratio_policy))):
        length = x.shape[axis]
        region = (float(roi[nth]), float(roi[len(axes) + nth])) if roi is not None else (0.0, 1.0)
        rows, beyond = [], []
        for i in range(resized):
            at = place(i, length, resized, scale, coordinates, region)
            beyond.append(coordinates == "tf_crop_and_resize" and not 0 <= at <= length - 1)
            if mode == "nearest":
                taps = [(min(max(nearest(at, nearest_mode), 0), length - 1), 1.0)]
            else:
                taps = weights(at, length, scale, mode, cubic_coeff_a, antialias, exclude_outside)
            rows.append(sum(np.take(out, k, axis) * w for k, w in taps))
        if not rows:
            return np.zeros([0])
        out = np.stack(rows, axis)
        flags = np.array(beyond).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        outside = np.broadcast_to(np.take(outside, [0] * resized, axis) | flags, out.shape)
    return np.where(outside, extrapolation_value, out).astype(np.float32)
