#!/usr/bin/env python3
"""Further recordings of callbacks, and of optimizers under a mirrored strategy of three replicas, made by the harness of
the given recordings (`record/harness.py` beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_optimizers.py OUT/keras3/optimizers

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
`pack.py OUT optimizers --name further_optimizers` packs them.
"""

import optimizers as cases
from harness import case, clean
from optimizers import fit

FALLING = [1.0, 0.8, 0.7, 0.69, 0.695, 0.71, 0.6, 0.62, 0.61, 0.63]
RISING = [0.1, 0.3, 0.29, 0.35, 0.34, 0.33, 0.32, 0.4]
NANS = [1.0, float("nan"), 0.9, float("nan"), float("nan"), 0.95, 0.8]

# The recording keeps the text of each of these lines, from which the callback is read.
fit("further_stop_min", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', mode='min', patience=2), FALLING, "mode min")
fit("further_stop_delta", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', min_delta=0.05, patience=2), FALLING, "least improvement")
fit("further_stop_negative_delta", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', min_delta=-0.05, patience=2), FALLING, "its absolute value counts")
fit("further_stop_start", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', patience=1, start_from_epoch=4, restore_best_weights=True), FALLING, "warm-up")
fit("further_stop_baseline", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', patience=3, baseline=0.65), FALLING, "baseline that is reached late")
fit("further_stop_baseline_never", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', patience=2, baseline=0.1, restore_best_weights=True), FALLING, "baseline that is never reached")
fit("further_stop_rising", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', mode='max', patience=3, restore_best_weights=True), RISING, "mode max")
fit("further_stop_nan", lambda keras: keras.callbacks.EarlyStopping(monitor='val_loss', patience=2, restore_best_weights=True), NANS, "NaN is no improvement")
fit("further_stop_loss", lambda keras: keras.callbacks.EarlyStopping(monitor='loss', patience=1, min_delta=0.1, restore_best_weights=True), [], "the training's own loss", epochs=12)
fit("further_plateau_default", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='val_loss', patience=2), FALLING, "defaults but for patience")
fit("further_plateau_factor", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='val_loss', factor=0.5, patience=1, cooldown=1), FALLING, "factor and cooldown")
fit("further_plateau_min_lr", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='val_loss', factor=0.2, patience=1, min_lr=0.03), FALLING, "least rate")
fit("further_plateau_rising", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='val_loss', mode='max', patience=1, min_delta=0.03), RISING, "mode max")
fit("further_plateau_negative_delta", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='val_loss', patience=1, min_delta=-0.02), FALLING, "Keras 3 takes its absolute value")
fit("further_plateau_nan", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='val_loss', patience=1), NANS, "NaN is no improvement")
fit("further_plateau_loss", lambda keras: keras.callbacks.ReduceLROnPlateau(monitor='loss', patience=1, min_delta=0.2, factor=0.5), [], "the training's own loss", epochs=8)
fit("further_rate_function", lambda keras: keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5 if epoch > 1 else rate), [], "function of epoch and rate", epochs=5)

# Under MirroredStrategy each of three replicas takes two of the six rows. Where the loss is infinite, it is so on all of
# them. Keras 3 raises where an optimizer sums gradients or writes variables under a condition: these are not applicable.
MIRRORED = {
    "sgd": {"optimizer": "SGD", "options": {"learning_rate": 0.1, "momentum": 0.9}},
    "adam": {"optimizer": "Adam", "options": {"learning_rate": 0.05}},
    "clipnorm": {"optimizer": "SGD", "options": {"learning_rate": 0.1, "clipnorm": 0.1}},
    "clipvalue": {"optimizer": "Adam", "options": {"learning_rate": 0.05, "clipvalue": 0.02}},
    "global_clipnorm": {"optimizer": "RMSprop", "options": {"learning_rate": 0.05, "global_clipnorm": 0.1}},
    "ema": {"optimizer": "SGD", "options": {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.8}},
    "ema_overwrite": {"optimizer": "SGD", "options": {"learning_rate": 0.1, "use_ema": True, "ema_overwrite_frequency": 3}},
    "decay": {"optimizer": "AdamW", "options": {"learning_rate": 0.05, "weight_decay": 0.1}},
    "accumulation": {"optimizer": "SGD", "options": {"learning_rate": 0.1, "gradient_accumulation_steps": 3}},
    "schedule": {
        "optimizer": "SGD",
        "options": {
            "learning_rate": ["ExponentialDecay", {"initial_learning_rate": 0.1, "decay_steps": 2, "decay_rate": 0.5}]
        },
    },
    "scale_dynamic": {
        "inner": ["SGD", {"learning_rate": 0.1}],
        "options": {"initial_scale": 8.0, "dynamic_growth_steps": 2},
        "infinite_at": [3],
    },
    "scale_clipnorm": {
        "inner": ["Adam", {"learning_rate": 0.05, "clipnorm": 0.1}],
        "options": {"initial_scale": 8.0, "dynamic_growth_steps": 2},
        "infinite_at": [2, 5],
    },
}


def optimizer_of(keras, k3: bool, config: dict):
    if "inner" not in config:
        return cases.made(keras, k3, config["optimizer"], config["options"])[0]
    inner = getattr(keras.optimizers, config["inner"][0])(**config["inner"][1])
    return keras.mixed_precision.LossScaleOptimizer(inner, **config["options"])


def mirrored(name: str, config: dict) -> None:
    @case("mirrored_" + name, rows=["P8", "G10"], devices={"CPU": 3}, doc=f"{config} on three mirrored replicas")
    def _(rec):
        np, tf, keras, k3 = cases.nets()
        rec.value("config", {**config, "net": "dense", "replicas": 3})
        rec.text("helpers", cases.HELPERS)
        if "gradient_accumulation_steps" in config["options"] and not k3:
            return rec.value("skipped", "not in this Keras")
        strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
        with strategy.scope():
            model, x, y = cases.build("dense", np, keras)
            opt = optimizer_of(keras, k3, config)
            if k3 or "inner" not in config:
                cases.prebuild(tf, k3, opt, model)
        rec.text("model.json", model.to_json()), rec.weights("initial", model)
        rec.tensor("x", x), rec.tensor("y", y)
        is_scaled = "inner" in config

        def replica(x, y, factor):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(x, training=True) - y)) / 3
                used = loss * factor
                used = opt.scale_loss(used) if k3 else opt.get_scaled_loss(used) if is_scaled else used
            grads = raw = tape.gradient(used, model.trainable_variables)
            if is_scaled and not k3:
                grads = opt.get_unscaled_gradients(grads)
            opt.apply_gradients(zip(grads, model.trainable_variables))
            return loss, raw

        @tf.function
        def step(x, y, factor):
            loss, grads = strategy.run(replica, args=(x, y, factor))
            total = lambda v: strategy.reduce("SUM", v, axis=None)
            return total(loss), [total(g) for g in grads]

        def dealt(rows):
            return strategy.experimental_distribute_values_from_function(
                lambda context: tf.constant(rows[2 * context.replica_id_in_sync_group :][:2])
            )

        def state(i):
            scale = float(np.asarray(opt.dynamic_scale if k3 else opt.loss_scale))
            counter = int(np.asarray(opt.step_counter if k3 else opt.dynamic_counter))
            return {"step": i, "scale": scale, "counter": counter, "iterations": int(np.asarray(opt.iterations))}

        losses, rates, counts = [], [], []
        by_step = [state(0)] if is_scaled else []
        for i in range(8):
            factor = tf.constant(np.inf if i + 1 in config.get("infinite_at", []) else 1.0, "float32")
            try:
                loss, grads = step(dealt(x[i]), dealt(y[i]), factor)
            except RuntimeError as error:
                sentence = clean(str(error)).split("`merge_call`")[-1].split(". ")[0]
                return rec.value("skipped", "TensorFlow raises RuntimeError: `merge_call`" + sentence)
            if is_scaled:
                by_step.append(state(i + 1))
            else:
                for j, g in enumerate(grads):
                    rec.tensor("grads/step%d/%02d" % (i + 1, j), g)
                rates.append(float(np.asarray(opt.learning_rate)))
                counts.append(int(np.asarray(opt.iterations)))
            losses.append(float(loss))
            rec.weights("weights/step%d" % (i + 1), model)
        rec.tensor("losses", np.array(losses, "float32")), rec.weights("final", model)
        if is_scaled:
            rec.value("scale_by_step", by_step)
        else:
            rec.tensor("rates", np.array(rates, "float32")), rec.value("iterations_after_step", counts)


for name, config in MIRRORED.items():
    mirrored(name, config)
