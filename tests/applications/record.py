#!/usr/bin/env python3
"""One training step of whole models under Keras 3, and under this program: eleven models of keras.applications, a BERT and a
decoder like GPT-2 from Keras' layers with attention masks.

    python3 -m venv tf && tf/bin/pip install tensorflow==2.21.0
    tf/bin/python tests/applications/record.py --windtunnel build/release/bin/windtunnel [MODEL...]

Each model is written by its own to_json(), filled by `fill` below (weights are not downloaded), and trained for one step
of SGD at batch 2, in float32 and in float64. `models.tar.gz` keeps the JSON, `steps.json` the counts and losses, which
tests/applications/applications_test.cpp compares. With --windtunnel the step is carried out by `windtunnel run`, too, from the same
weights, and a table says how far its loss and weights are from Keras', beside how far Keras' float32 is from its float64.
"""

import argparse
import gzip
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")
import keras
import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
BATCH, CLASSES, RATE = 2, 10, 0.01
APPLICATIONS = {
    "MobileNet": 64,
    "MobileNetV2": 64,
    "MobileNetV3Small": 64,
    "ResNet50": 64,
    "ResNet50V2": 64,
    "DenseNet121": 64,
    "EfficientNetB0": 64,
    "EfficientNetV2B0": 64,
    "InceptionV3": 128,
    "Xception": 96,
    "VGG16": 64,
}
WORDS, LENGTH, WIDTH, HEADS, LAYERS = 1000, 32, 128, 4, 2


def bits_of(name: str, count: int) -> np.ndarray:
    """SplitMix64 (Steele, Lea and Flood, 2014) of a counter that begins at the FNV-1a hash of the name."""
    seed = 14695981039346656037
    for byte in name.encode():
        seed = (seed ^ byte) * 1099511628211 % 2**64
    z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def fill(name: str, shape: tuple) -> np.ndarray:
    """A kernel is uniform with the variance 1 / fan-in, a scale or variance near 1, all else near 0."""
    count = int(np.prod(shape))
    u = ((bits_of(name, count) >> np.uint64(40)).astype(np.float64) / 2**23 - 1).reshape(shape)
    if len(shape) > 1:
        return (u * np.sqrt(3 / np.prod(shape[:-1]))).astype(np.float32)
    is_scale = name.endswith(("gamma", "variance"))
    return ((1 if is_scale else 0) + 0.1 * u).astype(np.float32)


def encoder(x, mask, causal: bool, number: int):
    layers = keras.layers
    attention = layers.MultiHeadAttention(HEADS, WIDTH // HEADS, name=f"attention_{number}")
    y = attention(x, x, use_causal_mask=True) if causal else attention(x, x, attention_mask=mask)
    x = layers.LayerNormalization(name=f"norm_{number}_a")(layers.Add(name=f"add_{number}_a")([x, y]))
    y = layers.Dense(4 * WIDTH, activation="gelu", name=f"wide_{number}")(x)
    y = layers.Dropout(0.0, name=f"dropout_{number}")(layers.Dense(WIDTH, name=f"narrow_{number}")(y))
    return layers.LayerNormalization(name=f"norm_{number}_b")(layers.Add(name=f"add_{number}_b")([x, y]))


def language_model(causal: bool):
    layers = keras.layers
    words = keras.Input((LENGTH,), dtype="int32", name="words")
    positions = keras.Input((LENGTH,), dtype="int32", name="positions")
    mask = keras.Input((LENGTH, LENGTH), name="mask")
    x = layers.Add(name="embedded")(
        [layers.Embedding(WORDS, WIDTH, name="word")(words), layers.Embedding(LENGTH, WIDTH, name="position")(positions)]
    )
    x = layers.LayerNormalization(name="norm")(x)
    for number in range(LAYERS):
        x = encoder(x, mask, causal, number)
    if causal:
        return keras.Model([words, positions], layers.Dense(WORDS, activation="softmax", name="next")(x), name="gpt2")
    first = layers.Cropping1D((0, LENGTH - 1), name="first")(x)
    pooled = layers.Dense(WIDTH, activation="tanh", name="pooler")(layers.Flatten(name="flat")(first))
    output = layers.Dense(CLASSES, activation="softmax", name="classes")(pooled)
    return keras.Model([words, positions, mask], output, name="bert")


def build(name: str):
    if name in ("BERT", "GPT2"):
        return language_model(name == "GPT2")
    size = APPLICATIONS[name]
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=CLASSES)
    config = json.loads(model.to_json())
    return keras.models.model_from_json(json.dumps(without_dropout(config)))


def without_dropout(value):
    """Random layers draw other numbers in other programs. The rates are 0."""
    if isinstance(value, list):
        return [without_dropout(each) for each in value]
    if isinstance(value, dict):
        return {
            key: 0.0 if key in ("rate", "drop_path_rate") and isinstance(each, float) else without_dropout(each)
            for key, each in value.items()
        }
    return value


def rows_for(model):
    """Inputs and labels by the same fill. Images are between 0 and 255."""
    rows = []
    for number, given in enumerate(model.inputs):
        name = ("words", "positions", "mask")[number] if len(model.inputs) > 1 else "image"
        shape = (BATCH, *given.shape[1:])
        bits = bits_of(name, int(np.prod(shape))).reshape(shape)
        if name == "positions":
            rows.append(np.broadcast_to(np.arange(LENGTH, dtype=np.int32), shape).copy())
        elif name == "words":
            rows.append((bits % np.uint64(WORDS)).astype(np.int32))
        elif name == "mask":  # nobody looks at the last quarter
            rows.append(np.broadcast_to(np.arange(LENGTH) < 3 * LENGTH // 4, shape).astype(np.float32))
        else:
            rows.append((bits >> np.uint64(56)).astype(np.float32))
    shape = (BATCH, *model.output.shape[1:-1])
    labels = (bits_of("labels", int(np.prod(shape))).reshape(shape) % np.uint64(model.output.shape[-1])).astype(np.int32)
    return rows, labels


def step_in(kind: str, name: str):
    """Loss, and weights before and after, by their paths."""
    keras.backend.set_floatx(kind)
    keras.utils.clear_session()
    model = build(name)
    before = {}
    for weight in model.weights:
        if weight.path.endswith("/count"):  # of the rows that a Normalization has seen
            before[weight.path] = np.zeros((), np.int64)
            continue
        before[weight.path] = fill(weight.path, tuple(weight.shape))
        weight.assign(before[weight.path].astype(kind))
    for layer in model.layers:
        if isinstance(layer, keras.layers.Normalization):
            layer.finalize_state()  # as load_weights does
    rows, labels = rows_for(model)
    optimizer = keras.optimizers.SGD(RATE)
    with tf.GradientTape() as tape:
        predictions = model([row.astype(kind) if row.dtype == np.float32 else row for row in rows], training=True)
        losses = keras.losses.sparse_categorical_crossentropy(labels, predictions)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, [w.value for w in model.trainable_weights])
    optimizer.apply(gradients, model.trainable_weights)
    after = {weight.path: np.asarray(weight.value).astype(np.float64) for weight in model.weights if weight.path in before}
    return model, float(loss), before, after, rows, labels


# ---- This program


def write_safetensors(path: pathlib.Path, tensors: dict) -> None:
    header, body = {}, b""
    for name, array in tensors.items():
        kind = {"float32": "F32", "int32": "I32", "int64": "I64"}[array.dtype.name]
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def read_safetensors(path: pathlib.Path) -> dict:
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            kind = {"F32": np.float32, "I64": np.int64}[entry["dtype"]]
            found[name] = np.frombuffer(data[begin:end], dtype=kind).reshape(entry["shape"])
    return found


def step_here(windtunnel: str, model, before: dict, rows: list, labels) -> tuple:
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "model.json").write_text(model.to_json())
        write_safetensors(place / "weights.safetensors", before)
        write_safetensors(place / "rows.safetensors", {**{f"x{i}": row for i, row in enumerate(rows)}, "y": labels})
        scenario = {
            "name": "step",
            "model": {"keras_json": "model.json", "weights": "weights.safetensors"},
            "dataset": {
                "type": "safetensors",
                "file": "rows.safetensors",
                "x": [f"x{i}" for i in range(len(rows))],
                "y": "y",
            },
            "training": {
                "loop": "fit",
                "loss": "sparse_categorical_crossentropy",
                "optimizer": {"class_name": "SGD", "config": {"learning_rate": RATE}},
                "global_batch": BATCH,
                "steps": 1,
                "save_weights": "after.safetensors",
            },
        }
        (place / "step.json").write_text(json.dumps(scenario))
        command = [windtunnel, "run", str(place / "step.json"), "--out", str(place / "out")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr[-3000:])
        results = json.loads((place / "out/results.json").read_text())
        return results["steps"][0]["loss"], read_safetensors(place / "out/after.safetensors")


def distance(ours: dict, theirs: dict) -> float:
    """The largest difference of a weight, relative to the largest element of its tensor."""
    return max(
        float(np.max(np.abs(ours[path] - value)) / max(np.max(np.abs(value)), 1e-30)) for path, value in theirs.items()
    )


# ---- All models


def kept() -> tuple:
    """The models and steps of earlier runs."""
    if not (HERE / "models.tar.gz").exists():
        return {}, {}
    with tarfile.open(HERE / "models.tar.gz") as tar:
        texts = {entry.name[: -len(".json")]: tar.extractfile(entry).read().decode() for entry in tar}
    return texts, json.loads((HERE / "steps.json").read_text())


def packed(models: dict) -> bytes:
    tar_bytes = io.BytesIO()
    with tarfile.open(fileobj=tar_bytes, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in sorted(models.items()):
            entry = tarfile.TarInfo(f"{name}.json")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(tar_bytes.getvalue(), compresslevel=9, mtime=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=[*APPLICATIONS, "BERT", "GPT2"])
    parser.add_argument("--windtunnel", help="the program to compare with")
    arguments = parser.parse_args()
    texts, steps = kept()
    print("model               parameters     loss  loss here: off  weights: off  float32 off float64 (loss, weights)")
    for name in arguments.models:
        _, exact_loss, _, exact, _, _ = step_in("float64", name)
        model, loss, before, after, rows, labels = step_in("float32", name)
        texts[name] = model.to_json()
        own = abs(loss - exact_loss) / abs(exact_loss), distance(after, exact)
        steps[name] = {
            "parameters": model.count_params(),
            "loss": loss,
            "loss_in_float64": exact_loss,
            "float32_off_float64": own[1],
        }
        line = f"{name:18} {model.count_params():11} {loss:8.5f}"
        if arguments.windtunnel:
            here, weights = step_here(arguments.windtunnel, model, before, rows, labels)
            off = abs(here - loss) / abs(loss), distance(weights, after)
            line += f"        {off[0]:8.1e}      {off[1]:8.1e}"
            is_near = off[0] <= max(1e-5, 2 * own[0]) and off[1] <= max(1e-4, 2 * own[1])
            line += f"    {own[0]:8.1e} {own[1]:8.1e}  {'ok' if is_near else 'FAR'}"
        print(line, flush=True)
        (HERE / "models.tar.gz").write_bytes(packed(texts))
        (HERE / "steps.json").write_text(json.dumps(steps, indent=1) + "\n")


if __name__ == "__main__":
    main()
