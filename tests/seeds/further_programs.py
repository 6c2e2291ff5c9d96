#!/usr/bin/env python3
"""Further recordings of the documents' programs, with other numbers of replicas, rows, epochs and classes, made by the
functions of the given recordings (`record/helpers/programs.py`):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/seeds/further_programs.py OUT/keras3/programs
    tests/seeds/further_programs.py OUT            # what TensorFlow says in each error, without nodes
    tests/recordings/pack.py OUT programs --name further_programs

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3). The archive
belongs beside this file.
"""

import json
import pathlib
import re
import sys

TUTORIALS = {
    "each_epoch_3": dict(replicas=3, per_replica=5, n_train=47, n_test=19, epochs=2, variant="each_epoch"),
    "as_indented_3": dict(replicas=3, per_replica=4, n_train=38, n_test=20, epochs=3, variant="as_indented"),
    "function_3": dict(replicas=3, per_replica=4, n_train=38, n_test=20, epochs=2, variant="function"),
    "iterator_out_2": dict(replicas=2, per_replica=4, n_train=61, n_test=27, epochs=2, variant="iterator"),
    "iterator_3": dict(replicas=3, per_replica=4, n_train=130, n_test=20, epochs=2, variant="iterator"),
    "shuffled_3": dict(replicas=3, per_replica=4, n_train=50, n_test=20, epochs=2, variant="each_epoch", shuffle=True),
}
# replicas, data, whether the model is compiled inside of the scope
FITS = [(3, "dataset_1000", True), (4, "dataset_100", False), (3, "numpy", False), (1, "numpy", True), (2, "dataset_1000", False)]

# kind, replicas, classes
LOOPS = [("binary", 3, 1), ("binary", 4, 1), ("softmax", 3, 3), ("softmax", 1, 5), ("softmax", 4, 2), ("softmax_central", 3, 4)]

# communication, and the port of a TF_CONFIG, if there is one
WORKERS = [("ring", 21790), ("nccl", None), ("ring", None), ("old", None)]


def register() -> None:
    import programs

    for name, config in TUTORIALS.items():
        programs.tutorial_case(name, **config)
    for replicas, data, compiles_inside in FITS:
        programs.fit_case(replicas, data, compiles_inside, False)
    for kind, replicas, classes in LOOPS:
        programs.loop_case(kind, replicas, False, classes=classes)
    programs.ops_case("ReductionToOneDevice", False)
    for kind, port in WORKERS:
        programs.worker_case(kind, port, False)


def add_sentences(folder: pathlib.Path) -> None:
    for path in folder.rglob("case.json"):
        case = json.loads(path.read_text())
        for error in filter(None, case["errors"].values()):
            text = re.sub(r"^\{\{function_node [^}]*\}\} ", "", error["text"])
            error["sentence"] = re.sub(r" \[Op:\w+\].*$", "", text, flags=re.DOTALL)
            error["python"] = error["type"] in ("AttributeError", "TypeError", "StopIteration")
        path.write_text(json.dumps(case, indent=1))


if __name__ == "__main__":
    add_sentences(pathlib.Path(sys.argv[1]))
else:
    register()
