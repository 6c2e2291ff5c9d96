"""Trains a model with two inputs and two outputs by Keras' fit, and keeps what it logged.

    python3 -m venv tf && tf/bin/pip install tensorflow==2.21.0     # keras3
    tf/bin/python make.py keras3
    python3 -m venv tf && tf/bin/pip install tensorflow==2.15.1     # keras2
    tf/bin/python make.py keras2

`rows.csv` has the rows. Under KERAS/ stand the model as Keras writes it, its first weights, and `history.json`: the logs of
each epoch with one device, and under MirroredStrategy on two logical CPUs. `weighted_history.json` has them for rows that
count by two weights, one for each output, and for an evaluation after each epoch.
"""

import json
import os
import struct
import sys

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow as tf

ROWS, BATCH, EPOCHS = 48, 12, 3
KINDS = ["small", "middle, or so", "large"]


def rows():
    draw = np.random.default_rng(3)
    a, b = draw.normal(size=(ROWS, 3)).astype(np.float32), draw.normal(size=(ROWS, 2)).astype(np.float32)
    price = (a.sum(axis=1) - b[:, 0]).astype(np.float32)
    kind = (np.abs(a[:, 0]) + b[:, 1] > 0).astype(np.int64) + (a[:, 2] > 0.5)
    weights = draw.uniform(0.25, 2, (2, ROWS)).astype(np.float32)
    return a, b, price, kind, *weights


def write_csv(a, b, price, kind, weight_of_price, weight_of_kind):
    with open("rows.csv", "w") as file:
        file.write("a0,a1,a2,b0,b1,price,kind,weight_of_price,weight_of_kind\n")
        for i in range(ROWS):
            numbers = [str(number) for number in (*a[i], *b[i], price[i])]
            file.write(",".join(numbers) + f',"{KINDS[kind[i]]}",{weight_of_price[i]},{weight_of_kind[i]}\n')


def make_model():
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((2,), name="b")
    left = tf.keras.layers.Dense(4, "relu", name="left")(a)
    right = tf.keras.layers.Dense(4, "tanh", name="right")(b)
    both = tf.keras.layers.Concatenate(name="both")([left, right])
    price = tf.keras.layers.Dense(1, name="price")(both)
    kind = tf.keras.layers.Dense(3, "softmax", name="kind")(both)
    return tf.keras.Model([a, b], [price, kind], name="two")


def names_of(model):
    return {f"{layer.name}/{kind}": value for layer in model.layers if layer.get_weights()
            for kind, value in zip(("kernel", "bias"), layer.get_weights())}


def store(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        raw = np.ascontiguousarray(value, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def train(strategy, weights, is_weighted, a, b, price, kind, *weights_of_rows):
    with strategy.scope():
        model = make_model()
        for layer in model.layers:
            if layer.get_weights():
                layer.set_weights([weights[f"{layer.name}/{name}"] for name in ("kernel", "bias")])
        model.compile(optimizer=tf.keras.optimizers.SGD(0.1),
                      loss={"kind": "sparse_categorical_crossentropy", "price": "mse"},
                      loss_weights={"kind": 2.0, "price": 0.5},
                      metrics={"kind": ["accuracy"], "price": ["mae"]},
                      weighted_metrics={"kind": ["accuracy"], "price": ["mse"]} if is_weighted else None)
    rows = ((a, b), (price, kind), weights_of_rows) if is_weighted else ((a, b), (price, kind))
    data = tf.data.Dataset.from_tensor_slices(rows).batch(BATCH)
    logs = model.fit(data, epochs=EPOCHS, verbose=0, validation_data=data if is_weighted else None).history
    return {name: [float(value) for value in values] for name, values in logs.items()}


os.chdir(os.path.dirname(os.path.abspath(__file__)))
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
data = rows()
write_csv(*data)
tf.keras.utils.set_random_seed(1)
model = make_model()
with open(f"{folder}/model.json", "w") as file:
    file.write(model.to_json())
store(f"{folder}/first.safetensors", names_of(model))
for is_weighted in (False, True):
    history = {}
    for replicas in (1, 2):
        strategy = (tf.distribute.get_strategy() if replicas == 1 else
                    tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)]))
        history[str(replicas)] = train(strategy, names_of(model), is_weighted, *data)
    with open(f"{folder}/{'weighted_' if is_weighted else ''}history.json", "w") as file:
        json.dump(history, file, indent=1)
