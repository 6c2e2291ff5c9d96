#!/usr/bin/env python3
"""Further recordings of MultiWorkerMirroredStrategy with one to three processes, made by the harness of the given
recordings (`record/harness.py` beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_workers.py OUT/keras3/workers

    PYTHONPATH=RECORD:RECORD/helpers PYTHON tests/recordings/further_workers.py OUT/keras3/workers

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
The second line adds the sentences of errors. `pack.py OUT workers --name further_workers` packs them.
"""

import json
import pathlib
import re
import sys

from workers import FIT, LOOP, POLICY, ROLES, WRONG, WRONGS, add

WORKERS = ("worker",)
CHIEF = ("chief", "worker")

for name in ("no_cluster", "index_too_large", "index_not_number", "worker_not_list"):
    add(f"config_{name}", WRONG, WORKERS, config={"linger": 1}, tf_config=WRONGS[name])

for name, policy, files, rows, batch, roles in (
    ("auto_2_files0", "AUTO", 0, 9, 4, 2 * WORKERS),
    ("auto_2_files1", "AUTO", 1, 6, 4, 2 * WORKERS),
    ("auto_3_files5", "AUTO", 5, 3, 5, 3 * WORKERS),
    ("data_2_files3", "DATA", 3, 5, 4, 2 * WORKERS),
    ("data_3_files0", "DATA", 0, 20, 7, 3 * WORKERS),
    ("file_2_files0", "FILE", 0, 9, 4, 2 * WORKERS),
    ("file_2_files3", "FILE", 3, 5, 3, CHIEF),
    ("hint_2_files3", "HINT", 3, 5, 4, 2 * WORKERS),
    ("hint_3_files0", "HINT", 0, 20, 7, 3 * WORKERS),
    ("off_2_files3", "OFF", 3, 5, 3, 2 * WORKERS),
    ("off_3_files0", "OFF", 0, 11, 5, 3 * WORKERS),
):
    add(f"shard_further_{name}", POLICY, roles, config={"policy": policy, "files": files, "rows": rows, "batch": batch})

for name, rows, batch, optimizer, roles in (
    ("1_sgd", 10, 4, "sgd", WORKERS),
    ("3_sgd", 21, 8, "sgd", 3 * WORKERS),
    ("2_adam_uneven", 15, 5, "adam", 2 * WORKERS),
    ("chief_adam", 18, 7, "adam", CHIEF),
):
    add(f"loop_further_{name}", LOOP, roles, config={"rows": rows, "batch": batch, "optimizer": optimizer})

for name, policy, batch, roles in (
    ("1_auto", "AUTO", 8, WORKERS),
    ("2_auto_uneven", "AUTO", 9, 2 * WORKERS),
    ("2_off", "OFF", 6, 2 * WORKERS),
    ("3_off_uneven", "OFF", 10, 3 * WORKERS),
    ("chief_data", "DATA", 11, CHIEF),
):
    add(f"fit_further_{name}", FIT, roles, config={"policy": policy, "batch": batch})

add("roles_w", ROLES, WORKERS)
add("roles_w_w_w", ROLES, 3 * WORKERS)


def sentence(text):
    """What TensorFlow itself says in an error, without the nodes around it."""
    text = re.sub(r"^\{\{function_node [^}]*\}\} ?", "", text)
    return re.split(r"\n\t \[\[|\nAdditional GRPC|\n\nOriginal stack| \[Op:|(?<=source dataset): ", text)[0]


def add_sentences(folder):
    """Adds to each error of the workers its sentence, and whether Python itself raised it, as the given recordings have them."""
    for path in pathlib.Path(folder).glob("*/case.json"):
        recording = json.loads(path.read_text())
        for worker in recording["values"]["workers"]:
            for error in worker.values():
                if isinstance(error, dict) and error.get("type"):
                    error.update(sentence=sentence(error["text"]), python=error["text"].startswith("invalid literal"))
        path.write_text(json.dumps(recording, indent=1))


if __name__ == "__main__":
    add_sentences(sys.argv[1])
