"""Training steps of TensorFlow for against_frameworks.py: a tf.function with tape, loss and Adam.

    tensorflow_steps.py THREADS            serves them
    tensorflow_steps.py --models FOLDER    writes each model's JSON into the folder
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import keras
import tensorflow as tf

from models import BUILDERS, CASES, CLASSES
from serve import serve


def write_models(folder):
    for name, builder in BUILDERS.items():
        with open(os.path.join(folder, name + ".json"), "w") as out:
            out.write(builder(keras).to_json())


def prepare(name, batch, shape, words):
    model = BUILDERS[name](keras)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    shape = (batch, *shape)
    rows = tf.random.uniform(shape, maxval=words, dtype=tf.int32) if words else tf.random.uniform(shape)
    labels = tf.random.uniform((batch,), maxval=CLASSES, dtype=tf.int64)

    @tf.function
    def step(rows, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(rows, training=True))
        optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))
        return value

    step(rows, labels)
    return sum(int(tf.size(each)) for each in model.trainable_variables), lambda: step(rows, labels).numpy()


if sys.argv[1] == "--models":
    write_models(sys.argv[2])
else:
    tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[1]))
    tf.config.threading.set_inter_op_parallelism_threads(1)
    serve([prepare(*case) for case in CASES])
