#!/usr/bin/env python3
"""Files between this library and those of Python: each side writes what the other reads and compares byte for byte.

    python3 tensor-io/tests/python/exchange.py write FOLDER  writes with numpy, safetensors and gguf
    python3 tensor-io/tests/python/exchange.py check FOLDER  reads what `cargo run -p tensor-io --example exchange` wrote

`cargo xtask test --full` runs both directions. What each array holds is computed here, by the rules of `values`, and in the
example, by the same rules. Needs what `requirements.txt` names.
"""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFEndian
from safetensors import safe_open

import container
import gguf_files
import safetensors_files
from values import DTYPES, EXCHANGED, array, same

METADATA = {"made by": "python", "größe": "µ"}
NAMES = [f"{dtype}_{kind}" for dtype in DTYPES for kind in EXCHANGED]
# safetensors has no complex128, numpy no bfloat16.
SAFETENSORS = [name for name in NAMES if not name.startswith("c64")]
NUMPY = [name for name in NAMES if not name.startswith("bf16")]
SHARDS = 3


def swapped(value):
    """The same values in the other byte order, in the same memory order."""
    return value.astype(value.dtype.newbyteorder(">"), order="K")


def write(folder):
    half = len(NAMES) // 2
    (folder / "whole.tensors").write_bytes(container.container([NAMES]))
    (folder / "appended.tensors").write_bytes(container.container([NAMES[:half], NAMES[half:]]))
    safetensors_files.save(folder / "all.safetensors", {name: array(name) for name in SAFETENSORS}, METADATA)
    files = {f"model-{number + 1:05}-of-{SHARDS:05}.safetensors": SAFETENSORS[number::SHARDS] for number in range(SHARDS)}
    for file, names in files.items():
        safetensors_files.save(folder / file, {name: array(name) for name in names}, None)
    index = {"metadata": {"total_size": 0}, "weight_map": {name: file for file, names in files.items() for name in names}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    arrays = {name: array(name) for name in NUMPY}
    np.savez(folder / "stored.npz", **arrays)
    np.savez_compressed(folder / "deflated.npz", **arrays)
    for name, value in arrays.items():
        np.save(folder / f"{name}.little.npy", value)
        np.save(folder / f"{name}.big.npy", swapped(value))
    gguf_files.write(folder / "little.gguf", GGUFEndian.LITTLE, None, EXCHANGED)
    gguf_files.write(folder / "big.gguf", GGUFEndian.BIG, 8, EXCHANGED)
    return len(list(folder.iterdir()))


def compare(file, found, names, turned=True):
    assert sorted(found) == sorted(names), (file, sorted(set(found) ^ set(names)))
    for name, value in found.items():
        same(name, value, turned)


def check(folder):
    for file in ("whole.tensors", "appended.tensors"):
        found, metadata = container.read(folder / file)
        assert metadata == METADATA, (file, metadata)
        compare(file, found, NAMES)
    compare("all.safetensors", safetensors_files.load(folder / "all.safetensors"), SAFETENSORS, turned=False)
    with safe_open(folder / "all.safetensors", "np") as file:
        assert file.metadata() == METADATA, file.metadata()
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    files = sorted(set(index["weight_map"].values()))
    found = {file: safetensors_files.load(folder / file) for file in files}
    compare("the shards", {name: found[file][name] for name, file in index["weight_map"].items()}, SAFETENSORS, turned=False)
    assert index["metadata"]["total_size"] == sum(array(name).nbytes for name in SAFETENSORS), index["metadata"]
    for file in ("stored.npz", "deflated.npz"):
        with np.load(folder / file) as archive:
            compare(file, dict(archive), NUMPY)
    for name in NUMPY:
        same(name, np.load(folder / f"{name}.little.npy"))
        big = np.load(folder / f"{name}.big.npy")
        assert big.dtype.byteorder == ">" or big.itemsize == 1, name
        same(name, big.astype(big.dtype.newbyteorder("="), order="K"))
    return 6 + len(files) + 2 * len(NUMPY)


if __name__ == "__main__":
    verb, folder = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    count = {"write": write, "check": check}[verb](folder)
    print(f"{count} files:", "written by Python" if verb == "write" else "Python reads what was written, byte for byte")
