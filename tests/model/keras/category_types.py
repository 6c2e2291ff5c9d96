#!/usr/bin/env python3
"""Writes the types that layers of categories have in Keras, by their output_mode and dtype:

    PYTHON tests/model/keras/category_types.py > tests/model/keras/category_types.keras2.json

PYTHON is one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

keras = tf.keras
layers = keras.layers
MODES = ("int", "one_hot", "multi_hot", "count")
TYPES = (None, "float32", "int32", "int64")
WORDS = [7, 2, 5, 8, 3]
MAKERS = {
    "IntegerLookup": lambda mode, **type_of: layers.IntegerLookup(vocabulary=WORDS, output_mode=mode, **type_of),
    "Hashing": lambda mode, **type_of: layers.Hashing(5, output_mode=mode, **type_of),
    "Discretization": lambda mode, **type_of: layers.Discretization([3.0, 5.0], output_mode=mode, **type_of),
    "CategoryEncoding": lambda mode, **type_of: layers.CategoryEncoding(num_tokens=10, output_mode=mode, **type_of),
}
cases = []


def record(maker, mode: str, dtype: str | None) -> None:
    columns = 1 if mode == "one_hot" else 4
    try:
        given = keras.Input((columns,), dtype="int64", name="x")
        layer = maker(mode, **({} if dtype is None else {"dtype": dtype}))
        model = keras.Model(given, layer(given))
    except ValueError:  # a combination that this version refuses
        return
    result = model(np.arange(2 * columns, dtype="int64").reshape(2, columns))
    cases.append({"model": json.loads(model.to_json()), "type": result.dtype.name, "shape": list(result.shape)})


for name, maker in MAKERS.items():
    for mode in MODES:
        for dtype in TYPES:
            if (name, mode) != ("CategoryEncoding", "int"):
                record(maker, mode, dtype)
if tf.__version__ > "2.16":
    record(lambda mode, **_: layers.IntegerLookup(vocabulary=WORDS, output_mode=mode, idf_weights=[1.0] * 5), "tf_idf", None)
json.dump({"made_with": f"tensorflow {tf.__version__}", "cases": cases}, sys.stdout)
print()
