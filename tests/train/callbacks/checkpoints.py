#!/usr/bin/env python3
"""Writes which files Keras' ModelCheckpoint leaves where it saves the best after some steps, and what is the best:

    PYTHON tests/train/callbacks/checkpoints.py > tests/train/callbacks/checkpoints.keras2.json

PYTHON is one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

keras = tf.keras
EPOCHS, BATCH, RATE = 4, 4, 0.3
random = np.random.default_rng(3)
x = random.standard_normal((18, 3)).astype("float32")
y = random.standard_normal((18, 1)).astype("float32")
kernel = random.standard_normal((3, 1)).astype("float32")
CASES = {
    "loss_often": {"monitor": "loss", "save_freq": 2},
    "loss_once_an_epoch": {"monitor": "loss", "save_freq": 5},
    "loss_seldom": {"monitor": "loss", "save_freq": 3},
    "loss_across_epochs": {"monitor": "loss", "save_freq": 7},
    "metric_max": {"monitor": "mae", "save_freq": 4, "mode": "max"},
    "metric_every_step": {"monitor": "mae", "save_freq": 1, "mode": "min"},
    "threshold": {"monitor": "loss", "save_freq": 6, "initial_value_threshold": 1.7},
    "threshold_early": {"monitor": "loss", "save_freq": 4, "initial_value_threshold": 1.7},
    "evaluation": {"monitor": "val_loss", "save_freq": 3},
    "named_by_results": {"monitor": "loss", "save_freq": 5, "file": "{epoch:02d}-{batch}-{loss:.3f}-{mae:.2f}"},
}


def run(arguments: dict) -> dict:
    options = dict(arguments)
    name = options.pop("file", "{epoch}-{batch}") + ".weights.h5"
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, name="dense")])
    model.compile(keras.optimizers.SGD(RATE), "mse", metrics=["mae"])
    model.set_weights([kernel, np.zeros(1, "float32")])
    with tempfile.TemporaryDirectory() as folder:
        callback = keras.callbacks.ModelCheckpoint(
            f"{folder}/{name}", save_weights_only=True, save_best_only=True, **options
        )
        error = None
        try:
            model.fit(
                x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0, shuffle=False, callbacks=[callback], validation_data=(x, y)
            )
        except TypeError as problem:
            error = str(problem)
        files = sorted(path.name.removesuffix(".weights.h5") for path in pathlib.Path(folder).iterdir())
    best = callback.best if callback.best is not None and np.isfinite(callback.best) else None
    return {"arguments": arguments, "files": files, "best": None if best is None else float(best), "error": error}


with contextlib.redirect_stderr(io.StringIO()):
    cases = {name: run(arguments) for name, arguments in CASES.items()}
recorded = {
    "made_with": f"tensorflow {tf.__version__}",
    "epochs": EPOCHS,
    "batch": BATCH,
    "rate": RATE,
    "x": x.ravel().tolist(),
    "y": y.ravel().tolist(),
    "kernel": kernel.ravel().tolist(),
    "cases": cases,
}
json.dump(recorded, sys.stdout, indent=1)
print()
