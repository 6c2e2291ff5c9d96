#!/usr/bin/env python3
"""Event files of `windtunnel run` beside those of Keras' TensorBoard callback, both read by TensorFlow.

    for tf in tf2 tf3; do $tf/bin/python tests/keras_files/board.py build/release/bin/windtunnel; done

Needs TensorFlow and, for 2.21, `pip install tensorboard`. A model is trained by both from the same weights and rows, with
update_freq "epoch", "batch" and 2. Every tag, step and value that Keras writes has to be in our files, and nothing else.
TensorBoard's own EventAccumulator opens ours, too.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from record import tensorflow, version, write_safetensors

TOLERANCE = 1e-5


def scalars(tf, folder: pathlib.Path) -> dict:
    """The values by part (train, validation), tag and step."""
    found = {}
    for path in sorted(folder.glob("*/*tfevents*")):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                assert value.metadata.plugin_data.plugin_name == "scalars", value
                found[path.parent.name, value.tag, event.step] = float(tf.make_ndarray(value.tensor))
    return found


def main(windtunnel: str):
    tf = tensorflow()
    import numpy as np
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    keras, failures = tf.keras, 0
    for frequency in ("epoch", "batch", 2):
        keras.utils.set_random_seed(1)
        random = np.random.default_rng(2)
        x = random.normal(size=(12, 3)).astype("float32")
        y = random.integers(0, 2, (12, 1)).astype("int32")
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="softmax")])
        model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"])
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            model.save(place / "model.keras")
            write_safetensors(place / "rows.safetensors", {"x": x, "y": y})
            board = {"type": "TensorBoard", "log_dir": "logs", "update_freq": frequency}
            scenario = {
                "name": "board",
                "model": {"keras": "model.keras"},
                "dataset": {"type": "safetensors", "file": "rows.safetensors"},
                "training": {
                    "loop": "fit",
                    "loss": "sparse_categorical_crossentropy",
                    "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.1}},
                    "metrics": ["accuracy"],
                    "global_batch": 4,
                    "epochs": 2,
                    "evaluation": {"every": 1},
                    "callbacks": [board],
                },
            }
            (place / "board.json").write_text(json.dumps(scenario))
            command = [windtunnel, "run", str(place / "board.json"), "--out", str(place / "out")]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
            callback = keras.callbacks.TensorBoard(str(place / "theirs"), update_freq=frequency, write_graph=False)
            model.fit(x, y, batch_size=4, epochs=2, shuffle=False, validation_data=(x, y), verbose=0, callbacks=[callback])
            ours, theirs = scalars(tf, place / "out" / "logs"), scalars(tf, place / "theirs")
            farthest = max((abs(ours[key] - theirs[key]) for key in ours.keys() & theirs.keys()), default=1)
            for key in sorted(ours.keys() ^ theirs.keys()):
                print(f"  only {'ours' if key in ours else 'theirs'}: {key}")
            opened = EventAccumulator(str(place / "out" / "logs" / "train")).Reload()
            tags = opened.Tags()["tensors"]
            is_right = ours.keys() == theirs.keys() and farthest < TOLERANCE and "epoch_loss" in tags
            failures += not is_right
            print(f"{version(tf)} update_freq {frequency}: {len(ours)} scalars, {len(theirs)} of Keras, they differ by "
                  f"{farthest:.1e}; TensorBoard reads {', '.join(tags)}: {'ok' if is_right else 'WRONG'}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
