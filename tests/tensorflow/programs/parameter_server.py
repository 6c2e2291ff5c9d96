"""small, as windtunnel VERSION wrote it from small.json.

One process for each file of tf_config/, which is the value of the variable TF_CONFIG:

    TF_CONFIG='$(cat tf_config/worker-0.json)' python program.py

kubernetes.json and job.sbatch start all of them: kubectl apply -f kubernetes.json, sbatch job.sbatch.

With --cpus it runs without GPUs: logical CPUs stand in for them.

Needs TensorFlow with Keras 2: up to TensorFlow 2.15, or later with tf_keras of the same version:
pip install tensorflow==2.21.0 tf_keras==2.21.0

The program has nothing for:
- the semantics keras3: TensorFlow has parameter servers with Keras 2 alone
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
BATCH = 8  # rows of a replica in a step

parser = argparse.ArgumentParser()
parser.add_argument('--cpus', action='store_true', help='logical CPUs in place of GPUs and TPUs')
arguments = parser.parse_args()


def report(**values):
    print(json.dumps(values), flush=True)


if arguments.cpus:
    tf.config.set_visible_devices([], 'GPU')
else:
    shown = [gpu for i, gpu in enumerate(tf.config.list_physical_devices('GPU')) if i in [0]]
    tf.config.set_visible_devices(shown, 'GPU')


def device(name):
    """The device, or with --cpus the logical CPU of the same number."""
    return name.replace('GPU', 'CPU') if arguments.cpus else name

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ('worker', 'ps'):
    server = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type,
                                  task_index=resolver.task_id, protocol='grpc')
    server.join()  # serves the coordinator until it is ended
strategy = tf.distribute.ParameterServerStrategy(
    resolver,
    variable_partitioner=tf.distribute.experimental.partitioners.MinSizePartitioner(
        min_shard_bytes=262144,
        max_shards=2,
    ),
)


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
def train_step(iterator):
    losses = strategy.run(replica_step, args=next(iterator))
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
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)


@tf.function
def rows_of_worker():
    return strategy.distribute_datasets_from_function(lambda context: training_rows().repeat())


iterator = iter(coordinator.create_per_worker_dataset(rows_of_worker))
step = 0
for epoch in range(1):
    scheduled = []
    reset_metrics()
    for i in range(5):
        scheduled.append(coordinator.schedule(train_step, args=(iterator,)))
    coordinator.join()
    losses = [float(loss.fetch()) for loss in scheduled]
    for loss in losses:
        report(step=step, loss=loss)
        step += 1
    report(epoch=epoch, loss=float(np.mean(losses)), **results())
