#!/usr/bin/env python3
"""Further recordings of tf.estimator, made by the harness of the given recordings (`record/harness.py` beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/train/estimator/further.py OUT

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1. Of the log, the lines of an Estimator are kept,
and an error's text is its sentence.
"""

import tempfile

import numpy as np
import servers
from harness import case

for strategy in ("none", "one", "central"):
    for how in ("train", "train_and_evaluate"):

        @case(f"further_custom_{strategy}_{how}", rows=["E1", "E3", "E4"], devices={"CPU": 2}, timeout=120)
        def _(rec, strategy=strategy, how=how):
            servers.custom(rec, strategy, how)

    for batch in (4, 6):

        @case(f"further_linear_{strategy}_{batch}", rows=["E2"], devices={"CPU": 2}, timeout=120)
        def _(rec, strategy=strategy, batch=batch):
            servers.linear(rec, strategy, batch)


@case("further_configs", rows=["E1"], devices={"CPU": 1}, timeout=120)
def _(rec):
    servers.configs(rec)


for optimizer in ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"):

    @case(f"further_optimizer_{optimizer}", rows=["E2"], devices={"CPU": 2}, timeout=120)
    def _(rec, optimizer=optimizer):
        import tensorflow as tf

        rec.value("config", {"optimizer": optimizer, "batch": 4, "steps": 3})
        x = np.arange(12, dtype="float32").reshape(6, 2) / 6
        y = (x.sum(1, keepdims=True) * 0.5 + 0.25).astype("float32")
        rec.tensor("x", x)
        rec.tensor("y", y)

        def data():
            return tf.data.Dataset.from_tensor_slices(({"a": x[:, :1], "b": x}, y)).batch(4)

        columns = [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b", shape=(2,))]
        config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), tf_random_seed=1)
        regressor = tf.estimator.LinearRegressor(feature_columns=columns, config=config, optimizer=optimizer)
        regressor.train(lambda: data().repeat(), steps=3)
        rec.value("variables", sorted(regressor.get_variable_names()))
        for name in regressor.get_variable_names():
            rec.tensor("after3/" + name, np.asarray(regressor.get_variable_value(name)))
        rec.value("evaluate", regressor.evaluate(data))
        rec.value("predict", [row["predictions"].tolist() for row in regressor.predict(data)])
