#!/usr/bin/env python3
"""Writes what Keras' CSVLogger writes for four epochs, of which every second one is evaluated: log.keras2.csv with
tensorflow==2.15.1, and log.keras3.csv with tensorflow==2.21.0, beside this script.

    PYTHON tests/train/callbacks/log_epochs.py
"""

import importlib.metadata
import pathlib

import numpy as np
import tensorflow as tf

keras = tf.keras
version = 3 if importlib.metadata.version("keras").startswith("3.") else 2
rng = np.random.default_rng(3)
x, y = rng.standard_normal((12, 4)).astype("float32"), rng.standard_normal((12, 3)).astype("float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
model.compile("sgd", "mse", metrics=["mae"])
log = pathlib.Path(__file__).with_name(f"log.keras{version}.csv")
callbacks = [
    keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=1, min_delta=1),
    keras.callbacks.CSVLogger(str(log), separator=";"),
]
model.fit(
    x, y, batch_size=4, epochs=4, verbose=0, validation_data=(x, y), validation_freq=2, callbacks=callbacks
)
