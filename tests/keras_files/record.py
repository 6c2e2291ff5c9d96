#!/usr/bin/env python3
"""Small models in the files of TensorFlow 2.15 (Keras 2) and 2.21 (Keras 3), and our files read back by both.

    python3 -m venv tf2 && tf2/bin/pip install tensorflow==2.15.1
    python3 -m venv tf3 && tf3/bin/pip install tensorflow==2.21.0
    for tf in tf2 tf3; do $tf/bin/python tests/keras_files/record.py write FOLDER; done
    python3 tests/keras_files/record.py pack FOLDER
    for tf in tf2 tf3; do $tf/bin/python tests/keras_files/record.py check FOLDER build/release/bin/windtunnel; done

`write` trains each model for a few steps and saves it in every format that the version has, with rows and its predictions.
`pack` makes files.tar.gz of them, which tests/keras_files/keras_files_test.cpp reads. `check` trains a further step from
each model's .keras file by `windtunnel run`, which saves .keras and .weights.h5, and by TensorFlow; loads ours in TensorFlow;
and compares all weights and predictions.
"""

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

HERE = pathlib.Path(__file__).parent
ROWS = 4
TOLERANCE = 1e-5


def tensorflow():
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")
    import tensorflow as tf

    return tf


def models(tf) -> dict:
    keras, layers = tf.keras, tf.keras.layers
    dense = keras.Sequential(
        [keras.Input((5,)), layers.Dense(6, activation="relu"), layers.Dense(4), layers.Dense(3, activation="softmax")]
    )
    conv = keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            layers.Conv2D(3, 3, activation="relu", name="first"),
            layers.BatchNormalization(),
            layers.SeparableConv2D(4, 3),
            layers.DepthwiseConv2D(2),
            layers.Flatten(),
            layers.Dense(3, activation="softmax"),
        ]
    )
    words = keras.Input((6,), dtype="int32")
    x = layers.Embedding(10, 4)(words)
    x = layers.Bidirectional(layers.GRU(3, return_sequences=True))(x)
    x = layers.MultiHeadAttention(2, 3)(x, x)
    x = layers.LayerNormalization()(x)
    x = layers.TimeDistributed(layers.Dense(4))(x)
    x = layers.LSTM(3, return_sequences=True)(x)
    x = layers.RNN([layers.LSTMCell(3), layers.GRUCell(2), layers.LSTMCell(2)], return_sequences=True)(x)
    x = layers.RNN(layers.SimpleRNNCell(3))(x)
    inner = keras.Sequential([keras.Input((3,)), layers.Dense(4), layers.BatchNormalization(), layers.Dense(3)])
    sequence = keras.Model(words, layers.Dense(2)(inner(x)))
    left, right = keras.Input((3,), name="left"), keras.Input((2,), name="right")
    both = layers.Concatenate()([layers.Dense(3, name="zeta")(left), layers.Dense(2, name="alpha")(right)])
    both = layers.PReLU()(layers.GroupNormalization(1)(both))
    two = keras.Model([left, right], [layers.Dense(2, name="a")(both), layers.Dense(1, name="b")(both)])
    return {"dense": dense, "conv": conv, "sequence": sequence, "two": two}


def rows_of(np, model, name: str):
    random = np.random.default_rng(len(name))
    inputs = []
    for tensor in model.inputs:
        shape = (ROWS, *tensor.shape[1:])
        whole = "int" in str(tensor.dtype)
        inputs.append(random.integers(0, 10, shape).astype("int32") if whole else random.normal(size=shape).astype("float32"))
    labels = [random.uniform(size=(ROWS, *tensor.shape[1:])).astype("float32") for tensor in model.outputs]
    return inputs, labels


def one_or_list(values):
    return values[0] if len(values) == 1 else values


def train(tf, model, inputs, labels, rate=0.1):
    model.compile(tf.keras.optimizers.SGD(rate), one_or_list(["mse"] * len(labels)))
    model.train_on_batch(one_or_list(inputs), one_or_list(labels))


def predictions(model, inputs):
    outputs = model(one_or_list(inputs), training=False)
    return [output.numpy() for output in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]


def version(tf) -> str:
    return "keras3" if hasattr(tf.keras, "ops") else "keras2"


def write(folder: pathlib.Path):
    tf = tensorflow()
    import numpy as np

    tf.keras.utils.set_random_seed(1)
    own = folder / version(tf)
    own.mkdir(parents=True, exist_ok=True)
    for name, model in models(tf).items():
        inputs, labels = rows_of(np, model, name)
        for _ in range(3):
            train(tf, model, inputs, labels)
        model.save(own / f"{name}.keras")
        model.save(own / f"{name}.h5")
        model.save_weights(own / f"{name}.weights.h5")
        if version(tf) == "keras2":
            model.save_weights(own / f"{name}_only.h5")
        (own / f"{name}.json").write_text(model.to_json())
        values = {
            "inputs": [x.tolist() for x in inputs],
            "predictions": [y.tolist() for y in predictions(model, inputs)],
        }
        (own / f"{name}_values.json").write_text(json.dumps(values))
    print(f"{version(tf)}: {len(list(own.iterdir()))} files")


def pack(folder: pathlib.Path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folder.glob("keras?/*")):
            info = tarfile.TarInfo(str(path.relative_to(folder)))
            info.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(info, file)
    with (HERE / "files.tar.gz").open("wb") as file:
        file.write(gzip.compress(packed.getvalue(), 9, mtime=0))
    print(f"{HERE / 'files.tar.gz'}: {(HERE / 'files.tar.gz').stat().st_size} bytes")


def write_safetensors(path: pathlib.Path, tensors: dict):
    header, data = {}, b""
    for name, tensor in tensors.items():
        kind = {"float32": "F32", "int32": "I32"}[str(tensor.dtype)]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def farthest(np, left, right) -> float:
    assert len(left) == len(right) and all(a.shape == b.shape for a, b in zip(left, right)), "other shapes"
    return max(float(np.max(np.abs(a - b))) if a.size else 0.0 for a, b in zip(left, right))


def check(folder: pathlib.Path, windtunnel: str):
    tf = tensorflow()
    import numpy as np

    failures = 0
    for source in sorted((folder / version(tf)).glob("*.keras")):
        name = source.stem
        model = tf.keras.models.load_model(source, compile=False)
        inputs, labels = rows_of(np, model, name)
        for saved in ("ours.keras", "ours.weights.h5"):
            with tempfile.TemporaryDirectory() as place:
                place = pathlib.Path(place)
                x = [f"x{i}" for i in range(len(inputs))]
                y = [f"y{i}" for i in range(len(labels))]
                write_safetensors(place / "rows.safetensors", dict(zip(x + y, inputs + labels)))
                scenario = {
                    "name": "check",
                    "model": {"keras": str(source.resolve())},
                    "strategy": {"type": "mirrored"},
                    "platform": {"virtual": {"devices": 2}},
                    "dataset": {"type": "safetensors", "file": "rows.safetensors", "x": one_or_list(x), "y": one_or_list(y)},
                    "training": {
                        "loop": "fit",
                        "loss": one_or_list(["mse"] * len(y)),
                        "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.1}},
                        "global_batch": ROWS,
                        "save_weights": saved,
                    },
                }
                if name in ("conv", "sequence"):  # batch statistics are those of a replica
                    del scenario["platform"], scenario["strategy"]
                (place / "check.json").write_text(json.dumps(scenario))
                command = [windtunnel, "run", str(place / "check.json"), "--out", str(place / "out")]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
                ours = place / "out" / saved
                if saved.endswith(".keras"):
                    loaded = tf.keras.models.load_model(ours, compile=False)
                else:
                    loaded = tf.keras.models.load_model(source, compile=False)
                    loaded.load_weights(ours)
                theirs = tf.keras.models.load_model(source, compile=False)
                train(tf, theirs, inputs, labels)
                weights = farthest(np, loaded.get_weights(), theirs.get_weights())
                outputs = farthest(np, predictions(loaded, inputs), predictions(theirs, inputs))
                moved = farthest(np, loaded.get_weights(), model.get_weights())
                is_right = weights < TOLERANCE and outputs < TOLERANCE < moved
                failures += not is_right
                print(f"{version(tf)} {name:9} {saved:16} weights differ by {weights:.1e}, predictions by {outputs:.1e}, "
                      f"the step moved weights by {moved:.1e}: {'ok' if is_right else 'WRONG'}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    actions = {"write": write, "pack": pack, "check": check}
    if len(sys.argv) < 3 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    actions[sys.argv[1]](pathlib.Path(sys.argv[2]), *sys.argv[3:])
