"""small, as windtunnel VERSION wrote it from small.json.

One process for each file of tf_config/, which is the value of the variable TF_CONFIG:

    TF_CONFIG='$(cat tf_config/chief-0.json)' python program.py

kubernetes.json and job.sbatch start all of them: kubectl apply -f kubernetes.json, sbatch job.sbatch.

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


def task():
    """The role of this process, and its number."""
    task = json.loads(os.environ.get('TF_CONFIG', '{}')).get('task', {})
    return task.get('type', 'worker'), task.get('index', 0)


def is_chief():
    cluster = json.loads(os.environ.get('TF_CONFIG', '{}')).get('cluster', {})
    return task()[0] == 'chief' or 'chief' not in cluster and task() == ('worker', 0)


if arguments.cpus:
    tf.config.set_visible_devices([], 'GPU')


def device(name):
    """The device, or with --cpus the logical CPU of the same number."""
    return name.replace('GPU', 'CPU') if arguments.cpus else name

communication = tf.distribute.experimental.CommunicationOptions(
    timeout_seconds=10.0,
    implementation='RING' if arguments.cpus else 'NCCL',
)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=communication)


stored = np.load(os.path.join(HERE, 'data.npz'))


def training_rows():
    rows = tf.data.Dataset.from_tensor_slices((stored['x'], stored['y']))
    rows = rows.batch(BATCH)
    options = tf.data.Options()
    policies = tf.data.experimental.AutoShardPolicy
    options.experimental_distribute.auto_shard_policy = policies.AUTO
    rows = rows.with_options(options)
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
    folder = os.path.join(HERE, 'checkpoints')
    if not is_chief() and task()[0] != 'evaluator':
        folder += '-' + '-'.join(str(part) for part in task())
    checkpoints = tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=optimizer),
        folder,
        max_to_keep=None,
    )
rows = strategy.experimental_distribute_dataset(training_rows())
step = 0
for epoch in range(2):
    losses = []
    reset_metrics()
    for batch in rows:
        losses.append(float(train_step(batch)))
        report(step=step, loss=losses[-1])
        step += 1
    report(epoch=epoch, loss=float(np.mean(losses)), **results())
    if epoch + 1 in range(2, 3, 2):
        checkpoints.save()
