#!/usr/bin/env python3
"""Native containers, written and read from the description of the format alone (`tensor-io/src/container.rs`).

    python3 tensor-io/tests/python/container.py  writes fixtures/version_1.tensors and fixtures/appended_1.tensors

Needs numpy (2.4.6) and ml_dtypes (0.6.0). The fixtures of a version are never made anew once it is released.
"""

import struct
import zlib
from pathlib import Path

import numpy as np

from values import DTYPES, SHAPES, array

TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures"

CODES = "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool c32 c64".split()
METADATA = {"made by": "python", "größe": "µ"}


def sealed(part):
    part = part.ljust(60, b"\0")
    assert len(part) == 60
    return part + struct.pack("<I", zlib.crc32(part))


def directory(tensors, metadata):
    out = b""
    for name, (value, offset, device) in tensors.items():
        column = value.flags.f_contiguous and not value.flags.c_contiguous
        data = value.tobytes(order="F" if column else "C")
        code = 1 + CODES.index(name.split("_")[0])
        label, device = name.encode(), device.encode()
        out += struct.pack("<IIHBBI", len(label), value.ndim, len(device), code, column, zlib.crc32(data))
        out += struct.pack("<QQ", offset, len(data)) + struct.pack(f"<{value.ndim}Q", *value.shape) + label + device
    out += struct.pack("<I", len(metadata))
    for key, value in metadata.items():
        key, value = key.encode(), value.encode()
        out += struct.pack("<II", len(key), len(value)) + key + value
    return out


def container(states):
    """A file with one state, or with several that were appended; each is a list of names."""
    head = sealed(struct.pack("<8sII", b"\x89TNF\r\n\x1a\n", 1, 64))
    slots, body, tensors, start = [bytes(64), bytes(64)], b"", {}, 192
    for generation, names in enumerate(states, 1):
        for name in names:
            value = array(name)
            body += bytes(-(start + len(body)) % 64)
            tensors[name] = value, start + len(body), "vulkan:1" if name == "f32_vector" else ""
            column = value.flags.f_contiguous and not value.flags.c_contiguous
            body += value.tobytes(order="F" if column else "C")
        body += bytes(-len(body) % 8)
        text = directory(tensors, METADATA)
        at = start + len(body)
        body += text
        numbers = generation, at, len(text), len(tensors), start + len(body)
        slots[(generation - 1) % 2] = sealed(struct.pack("<5QI", *numbers, zlib.crc32(text)))
    return head + slots[0] + slots[1] + body


def write():
    names = [f"{dtype}_{kind}" for dtype in CODES for kind in SHAPES]
    (FIXTURES / "version_1.tensors").write_bytes(container([names]))
    (FIXTURES / "appended_1.tensors").write_bytes(container([["i16_vector"], ["bool_cube"], ["f64_turned"]]))


def read(path):
    """All tensors of a container, and its metadata."""
    file = path.read_bytes()

    def unseal(at):
        part = file[at : at + 64]
        assert zlib.crc32(part[:60]) == struct.unpack("<I", part[60:])[0], (path, at)
        return part

    assert struct.unpack("<8sII", unseal(0)[:16]) == (b"\x89TNF\r\n\x1a\n", 1, 64), path
    slots = [struct.unpack("<5QI", unseal(at)[:44]) for at in (64, 128) if any(file[at : at + 64])]
    _, at, count, tensors, end, crc = max(slots)
    text = file[at : at + count]
    assert zlib.crc32(text) == crc and end == len(file), path
    place, found = 0, {}
    for _ in range(tensors):
        label, rank, device, code, column, sum_, offset, size = struct.unpack_from("<IIHBBIQQ", text, place)
        place += 32
        shape = struct.unpack_from(f"<{rank}Q", text, place)
        place += 8 * rank
        name = text[place : place + label].decode()
        place += label + device
        data = file[offset : offset + size]
        assert offset % 64 == 0 and zlib.crc32(data) == sum_, (path, name)
        found[name] = np.frombuffer(data, DTYPES[CODES[code - 1]]).reshape(shape, order="F" if column else "C")
    (pairs,) = struct.unpack_from("<I", text, place)
    place, metadata = place + 4, {}
    for _ in range(pairs):
        key, value = struct.unpack_from("<II", text, place)
        place += 8
        metadata[text[place : place + key].decode()] = text[place + key : place + key + value].decode()
        place += key + value
    assert place == len(text), path
    return found, metadata


if __name__ == "__main__":
    write()
