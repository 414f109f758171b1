#!/usr/bin/env python3
"""Makes the golden outputs of the real models, and the example images.

    python3 -m venv /tmp/goldens && /tmp/goldens/bin/pip install onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6 \
        pillow==13.0.0
    cargo xtask assets
    /tmp/goldens/bin/python tests/golden/make_goldens.py

The outputs come from onnxruntime on the CPU, and those named exact from the reference of the onnx package in f64, so
they are independent of this project. Everything here is
deterministic: inputs are drawn from fixed texts with the font inside pillow, sessions use one thread, archives carry
no time. The files and what they hold are described in README.md beside this script.
"""

import json
import platform
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.reference
import onnxruntime
import PIL
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
ASSETS = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / ".assets"
MAGIKA = ASSETS / "magika/magika/models/standard_v3_3"
PPOCR = ASSETS / "rapidocr_onnxruntime/rapidocr_onnxruntime/models"

# The large outputs are stored rounded to multiples of this. Most of a softmax over 6,625 characters is tiny and does not
# compress; rounded so, it does, and no stored value is further than half of it (6e-8) from what onnxruntime gave.
# Values from 0.5 up are multiples of 2**-24 in f32 anyway.
STEP = 2.0**-23

VERSIONS = {
    "onnxruntime": onnxruntime.__version__,
    "numpy": np.__version__,
    "pillow": PIL.__version__,
    "machine": platform.machine(),
}


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class GlobalMaxPool(onnx.reference.op_run.OpRun):
    """That of the package (1.23.2) drops the axes that it reduces."""

    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


def reference_in_f64(path):
    """A model with every f32 made f64: its answers show how far an engine in f32 is off."""
    model = onnx.load(path)
    float32, float64 = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE

    def widen(tensor):
        if tensor.data_type == float32:
            wide = onnx.numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(onnx.numpy_helper.from_array(wide, tensor.name))

    for tensor in model.graph.initializer:
        widen(tensor)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                widen(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == float32:
                attribute.i = float64
    for value in [*model.graph.output, *model.graph.value_info]:
        if value.type.tensor_type.elem_type == float32:
            value.type.tensor_type.elem_type = float64
    return onnx.reference.ReferenceEvaluator(model, new_ops=[GlobalMaxPool])


def write_json(path, values):
    path.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# --- Magika ------------------------------------------------------------------------------------------------------


def magika_features(content, config):
    """Magika's features: the stripped beginning, padded behind, then the stripped end, padded in front."""
    block, padding = config["block_size"], config["padding_token"]
    beginning = list(content[:block].lstrip()[: config["beg_size"]])
    end = list(content[-block:].rstrip()[-config["end_size"] :])
    beginning += [padding] * (config["beg_size"] - len(beginning))
    end = [padding] * (config["end_size"] - len(end)) + end
    return beginning + end


def write_binary_samples(folder):
    """The samples that are no text; the table is longer than one block, so that its beginning and end differ."""
    rows = [f"{n},{n * n % 97},station {n % 7},{n / 8:.3f}" for n in range(300)]
    (folder / "table.csv").write_text("number,residue,station,eighth\n" + "\n".join(rows) + "\n")
    image = Image.new("RGB", (24, 16), (250, 250, 240))
    ImageDraw.Draw(image).ellipse((4, 2, 19, 13), fill=(200, 60, 40))
    image.save(folder / "dot.png")
    with zipfile.ZipFile(folder / "archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("notes.md", "library.rs"):
            archive.writestr(zipfile.ZipInfo(name), (folder / name).read_bytes(), zipfile.ZIP_DEFLATED)


def make_magika():
    folder = HERE / "magika"
    write_binary_samples(folder / "samples")
    config = json.loads((MAGIKA / "config.min.json").read_text())
    samples = sorted(path.name for path in (folder / "samples").iterdir())
    features = np.array(
        [magika_features((folder / "samples" / name).read_bytes(), config) for name in samples], np.int32
    )
    model = session(MAGIKA / "model.onnx")
    together = model.run(["target_label"], {"bytes": features})[0]
    alone = np.concatenate([model.run(["target_label"], {"bytes": row[None]})[0] for row in features])
    reference = reference_in_f64(MAGIKA / "model.onnx")
    exact = np.concatenate([reference.run(None, {"bytes": row[None]})[0] for row in features]).astype(np.float32)
    np.savez_compressed(folder / "magika.npz", bytes=features, batch_8=together, batch_1=alone, exact=exact)
    labels = config["target_labels_space"]
    write_json(
        folder / "magika.json",
        {
            "versions": VERSIONS | {"magika": "1.0.3"},
            "samples": [
                {"file": name, "label": labels[int(row.argmax())], "score": round(float(row.max()), 6)}
                for name, row in zip(samples, together)
            ],
        },
    )


# --- PP-OCRv4 ----------------------------------------------------------------------------------------------------

INK, PAPER = (20, 24, 60), (246, 244, 236)


def text_line(text, height, width=None, ink=INK, paper=PAPER, noise_seed=None):
    """A line of text as an RGB image, left-aligned, as wide as asked or as the text needs."""
    font = ImageFont.load_default(size=height * 0.68)
    left, _, right, _ = font.getbbox(text)
    width = width or int(right - left + height * 0.5)
    image = Image.new("RGB", (width, height), paper)
    ImageDraw.Draw(image).text((height * 0.2, height / 2), text, fill=ink, font=font, anchor="lm")
    if noise_seed is not None:
        noise = np.random.default_rng(noise_seed).integers(-12, 13, (height, width, 3))
        image = Image.fromarray(np.clip(np.asarray(image).astype(np.int16) + noise, 0, 255).astype(np.uint8))
    return image


def planes(images):
    """RGB images of one size as u8 [n, 3, height, width] with the planes blue, green, red: what the models expect."""
    return np.stack([np.asarray(image)[:, :, ::-1].transpose(2, 0, 1) for image in images])


def normalise(pixels):
    """Pixels 0..255 to -1..1, each operation in f32: what the models are fed."""
    half = np.float32(0.5)
    return (pixels.astype(np.float32) / np.float32(255) - half) / half


def run_one(model, pixels):
    return model.run(None, {model.get_inputs()[0].name: normalise(pixels)})[0]


def rounded(output):
    """The output in f32, rounded to multiples of STEP."""
    return (np.round(output.astype(np.float64) / STEP) * STEP).astype(np.float32)


def characters(model):
    """Class 0 is the blank, then the list in the model's metadata, then the space."""
    listed = model.get_modelmeta().custom_metadata_map["character"].splitlines()
    return [""] + listed + [" "]


def ctc_text(rows, alphabet):
    """The best class of each step, repetitions merged, blanks (class 0) dropped."""
    best = rows.argmax(axis=1)
    kept = [int(c) for step, c in enumerate(best) if c != 0 and (step == 0 or c != best[step - 1])]
    return "".join(alphabet[c] for c in kept)


RECOGNITION = {
    "recognition_320": [("Tenfold 2026", 320, None)],
    "recognition_320_batch_2": [("tensor compiler", 320, 1), ("10 x 48 = 480", 320, 2)],
    "recognition_777": [("The quick brown fox jumps over it", 777, 3)],
}


def make_recognition(folder):
    model = session(PPOCR / "ch_PP-OCRv4_rec_infer.onnx")
    alphabet = characters(model)
    cases = {}
    for name, lines in RECOGNITION.items():
        pixels = planes([text_line(text, 48, width, noise_seed=seed) for text, width, seed in lines])
        output = run_one(model, pixels)
        np.savez_compressed(folder / f"{name}.npz", pixels=pixels, output=rounded(output))
        cases[name] = {
            "drawn": [text for text, _, _ in lines],
            "read": [ctc_text(rows, alphabet) for rows in output],
            "shape": list(output.shape),
        }
    return cases, len(alphabet)


def make_direction(folder):
    model = session(PPOCR / "ch_ppocr_mobile_v2.0_cls_infer.onnx")
    texts = ["Tenfold 2026", "upside down", "tensor", "plan and run", "graph 123"]
    turned = [False, True, False, True, True]
    images = [text_line(text, 48, 192, noise_seed=seed) for seed, text in enumerate(texts)]
    pixels = planes([image.rotate(180) if turn else image for image, turn in zip(images, turned)])
    together = run_one(model, pixels)
    alone = np.concatenate([run_one(model, one[None]) for one in pixels])
    np.savez_compressed(folder / "direction.npz", pixels=pixels, batch_5=together, batch_1=alone)
    names = ["0", "180"]
    return {
        "classes": names,
        "drawn": ["180" if turn else "0" for turn in turned],
        "read": [names[int(row.argmax())] for row in together],
    }


def make_detection(folder):
    model = session(PPOCR / "ch_PP-OCRv4_det_infer.onnx")
    page = Image.new("RGB", (256, 128), PAPER)
    page.paste(text_line("Tenfold 2026", 36), (12, 14))
    page.paste(text_line("two lines", 30, paper=(200, 220, 240)), (60, 76))
    pixels = planes([page])
    output = run_one(model, pixels)
    np.savez_compressed(folder / "detection.npz", pixels=pixels, output=rounded(output))
    return {"shape": list(output.shape), "share_of_text": round(float((output > 0.3).mean()), 6)}


EXAMPLES = {
    "example_line.png": ("Tenfold reads 2026", 56, INK, PAPER),
    "example_tall.png": ("Any colour, any height", 96, (250, 240, 200), (30, 80, 110)),
}


def make_examples():
    """Draws the example images and says what the model reads when they are scaled to its height."""
    model = session(PPOCR / "ch_PP-OCRv4_rec_infer.onnx")
    alphabet = characters(model)
    read = {}
    for name, (text, height, ink, paper) in EXAMPLES.items():
        image = text_line(text, height, ink=ink, paper=paper)
        image.save(HERE / name, optimize=True)
        scaled = image.resize((-(-image.width * 48 // height), 48), Image.Resampling.BILINEAR)
        read[name] = {"drawn": text, "read": ctc_text(run_one(model, planes([scaled]))[0], alphabet)}
    return read


def make_ppocr():
    folder = HERE / "ppocr"
    folder.mkdir(parents=True, exist_ok=True)
    recognition, classes = make_recognition(folder)
    write_json(
        folder / "ppocr.json",
        {
            "versions": VERSIONS | {"rapidocr-onnxruntime": "1.4.4"},
            "rounded_to": STEP,
            "classes": classes,
            "recognition": recognition,
            "direction": make_direction(folder),
            "detection": make_detection(folder),
            "examples": make_examples(),
        },
    )


if __name__ == "__main__":
    make_magika()
    make_ppocr()
