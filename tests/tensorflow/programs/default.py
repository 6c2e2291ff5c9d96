"""small, as windtunnel VERSION wrote it from small.json.

    python program.py

Needs TensorFlow with Keras 2: up to TensorFlow 2.15, or later with tf_keras of the same version:
pip install tensorflow==2.21.0 tf_keras==2.21.0
"""
import argparse
import importlib.util
import itertools
import json
import os
import sys

# tf.keras is Keras 2: that of tf_keras, where it is installed, and else TensorFlow's up to 2.15.
if importlib.util.find_spec('tf_keras'):
    os.environ['TF_USE_LEGACY_KERAS'] = '1'
import numpy as np
import tensorflow as tf

if tf.keras.Model.__module__.startswith('keras.src.models'):
    sys.exit('This program needs Keras 2: pip install tf_keras')
HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 8  # rows in a step

parser = argparse.ArgumentParser()
arguments = parser.parse_args()


def report(**values):
    print(json.dumps(values), flush=True)


strategy = tf.distribute.get_strategy()


stored = np.load(os.path.join(HERE, 'data.npz'))


def training_rows():
    rows = tf.data.Dataset.from_tensor_slices((stored['x'], stored['y']))
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


def scaled(loss):
    # The rows' losses over the nominal batch, also where the last batch is shorter.
    return tf.nn.compute_average_loss(loss, global_batch_size=BATCH)


def replica_step(inputs, labels):
    with tf.GradientTape() as tape:
        outputs = model(inputs, training=True)
        loss = scaled(loss_object(labels, outputs))
        if model.losses:  # penalties of regularizers
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def reset_metrics():
    for metric in metrics:
        metric.reset_state()


def results():
    return {metric.name: np.asarray(metric.result()).tolist() for metric in metrics}


@tf.function
def train_step(batch):
    losses = strategy.run(replica_step, args=batch)
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


with strategy.scope():
    model = make_model()
    load_weights(model)
    optimizer = tf.keras.optimizers.SGD(
        name='SGD',
        learning_rate=0.01,
        momentum=0.0,
        nesterov=False,
    )
    optimizer.build(model.trainable_variables)  # Keras 3 can't make variables in a step
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=False, reduction='none')
    metrics = []
rows = strategy.experimental_distribute_dataset(training_rows())
step = 0
for epoch in range(1):
    losses = []
    reset_metrics()
    for batch in rows:
        losses.append(float(train_step(batch)))
        report(step=step, loss=losses[-1])
        step += 1
    report(epoch=epoch, loss=float(np.mean(losses)), **results())
