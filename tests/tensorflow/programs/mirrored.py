"""small, as windtunnel VERSION wrote it from small.json.

    python program.py

With --cpus it runs without GPUs: logical CPUs stand in for them.

Needs TensorFlow 2.16 or later, with Keras 3: pip install tensorflow==2.21.0
"""
import argparse
import itertools
import json
import os
import sys

import numpy as np
import tensorflow as tf

if not tf.keras.Model.__module__.startswith('keras.src.models'):
    sys.exit('This program needs Keras 3: TensorFlow 2.16 or later')
HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 8  # rows of all 2 replicas in a step

parser = argparse.ArgumentParser()
parser.add_argument('--cpus', action='store_true', help='logical CPUs in place of GPUs and TPUs')
arguments = parser.parse_args()


def report(**values):
    print(json.dumps(values), flush=True)


if arguments.cpus:
    tf.config.set_visible_devices([], 'GPU')
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices('CPU')[0],
        [tf.config.LogicalDeviceConfiguration()] * 2,
    )


def device(name):
    """The device, or with --cpus the logical CPU of the same number."""
    return name.replace('GPU', 'CPU') if arguments.cpus else name

cross_device_ops = tf.distribute.NcclAllReduce(num_packs=2) if not arguments.cpus else None
strategy = tf.distribute.MirroredStrategy(
    devices=[device('/GPU:0'), device('/GPU:1')],
    cross_device_ops=cross_device_ops,
)


stored = np.load(os.path.join(HERE, 'data.npz'))


def training_rows():
    rows = tf.data.Dataset.from_tensor_slices((stored['x'], stored['y']))
    rows = rows.batch(BATCH)
    return rows


def evaluation_rows():
    rows = tf.data.Dataset.from_tensor_slices((stored['evaluation_x'], stored['evaluation_y']))
    rows = rows.batch(BATCH)
    return rows


def make_model():
    layers = tf.keras.layers
    mlp = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(6,), name='input_1'),
            layers.Dense(name='dense', units=8, activation='relu'),
            layers.Dense(name='dense_1', units=3, activation='softmax'),
        ],
        name='mlp',
    )
    return mlp


def load_weights(model):
    """Gives the model the weights that the scenario's training begins with."""
    weights = np.load(os.path.join(HERE, 'weights.npz'))
    rows = {}  # of a variable in shards, those that earlier shards have taken
    for variable in model.weights:
        name = getattr(variable, 'path', variable.name).split(':')[0]
        name, _, shard = name.partition('/part_')
        while name not in weights and '/' in name:
            name = name.split('/', 1)[1]
        if name not in weights:
            sys.exit(f'weights.npz has no {variable.name}')
        value = weights[name]
        if shard:
            first = rows.get(name, 0)
            rows[name] = first + variable.shape[0]
            value = value[first:rows[name]]
        variable.assign(value)


class Report(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        report(epoch=epoch, **{name: float(value) for name, value in logs.items()})


with strategy.scope():
    model = make_model()
    load_weights(model)
    optimizer = tf.keras.optimizers.SGD(
        name='SGD',
        learning_rate=0.01,
        momentum=0.0,
        nesterov=False,
    )
    model.compile(
        optimizer=optimizer,
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=False),
        metrics=[tf.keras.metrics.SparseCategoricalAccuracy(name='accuracy')],
        jit_compile=False,
    )
model.fit(
    training_rows(),
    epochs=2,
    validation_data=evaluation_rows(),
    callbacks=[
        Report(),
        tf.keras.callbacks.EarlyStopping(
            monitor='val_loss',
            min_delta=0.0,
            patience=2,
            mode='auto',
            restore_best_weights=False,
            start_from_epoch=0,
        ),
    ],
    verbose=0,
)
