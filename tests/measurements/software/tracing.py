# Usage: python tracing.py REPLICAS   (0: no strategy)
import os, sys, time
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf, numpy as np

most = 8
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * most)
replicas = int(sys.argv[1])
strategy = (tf.distribute.get_strategy() if replicas == 0 else
            tf.distribute.MirroredStrategy([f"/CPU:{i}" for i in range(replicas)]))
n = max(replicas, 1)
rows = 4 * n
x = np.ones((rows, 4), np.float32)

def dataset():
    d = tf.data.Dataset.from_tensors((x, x)).repeat()
    return d

def model_of(layers):
    return tf.keras.Sequential([tf.keras.Input((4,))] + [tf.keras.layers.Dense(4) for _ in range(layers)])

def timed(call):
    wall, own = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - own

def function(layers):
    with strategy.scope():
        model = model_of(layers)
        optimizer = tf.keras.optimizers.SGD(0.01)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(x, training=True) - y) ** 2) / rows
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss
    @tf.function
    def train(batch):
        losses = strategy.run(step, args=batch)
        return strategy.reduce("SUM", losses, axis=None)
    iterator = iter(strategy.experimental_distribute_dataset(dataset()))
    first = timed(lambda: train(next(iterator)).numpy())
    later = [timed(lambda: train(next(iterator)).numpy()) for _ in range(5)]
    return first, later

def fit(layers):
    with strategy.scope():
        model = model_of(layers)
        model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    call = lambda: model.fit(dataset(), epochs=1, steps_per_epoch=1, verbose=0)
    first = timed(call)
    later = [timed(call) for _ in range(3)]
    return first, later

import statistics
function(1); fit(1)  # what the first function of a process takes beside
name = "default" if replicas == 0 else "mirrored"
for way, make in (("function", function), ("fit", fit)):
    for layers in ((2, 8, 20, 50) if n <= 2 else (2, 8, 20)):
        walls, cpus = [], []
        for _ in range(3 if n <= 2 else 2):
            first, later = make(layers)
            walls.append(first[0] - statistics.median(l[0] for l in later))
            cpus.append(first[1] - statistics.median(l[1] for l in later))
        print(f'"TensorFlow {tf.__version__}, logical CPUs, 2 shared cores",{n},{layers},{name} {way},'
              f"{statistics.median(walls)*1e3:.0f},{min(walls)*1e3:.0f},{min(cpus)*1e3:.0f}", flush=True)
