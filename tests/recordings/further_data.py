#!/usr/bin/env python3
"""Further recordings of datasets, made by the harness of the given recordings (`record/harness.py` beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_data.py OUT/keras3/data
RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
    tests/recordings/further_data.py OUT        # what TensorFlow says in each error, without nodes

`pack.py OUT data --name further_data` packs them.
"""

import json
import pathlib
import re
import sys
import types


def helpers() -> types.ModuleType:
    """The helpers of the given recordings, without the line that looks for tables which only the recorder had."""
    path = next(pathlib.Path(place) / "data.py" for place in sys.path if (pathlib.Path(place) / "data.py").exists())
    module = types.ModuleType("data_helpers")
    module.__file__ = str(path)
    text = path.read_text().replace("TABLE_TEXT = segments()", "")
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


dSPLITS = (
    ("default", "range"), ("default", "slices"), ("one2", "file"), ("mirrored1", "off"), ("mirrored2", "generator"),
    ("mirrored3", "slices"), ("mirrored4", "range"), ("mirrored4", "file"), ("mirrored4", "generator"),
    ("central2", "off"), ("central3", "range"), ("central3", "file"), ("central4", "off"),
)
AUTOSHARDS = (
    ("AUTO", "files"), ("AUTO", "hint"), ("DATA", "shuffled"), ("DATA", "text"), ("DATA", "list_files"), ("DATA", "hint"),
    ("FILE", "text"), ("FILE", "list_files"), ("FILE", "shuffled"), ("FILE", "hint"), ("HINT", "files"),
    ("HINT", "shuffled"), ("HINT", "list_files"), ("OFF", "files"), ("OFF", "shuffled"), ("OFF", "hint"),
)
SHUFFLES = (
    (1, 5, 3, None, None), (17, 6, 0, None, None), (17, 17, None, None, "batch"), (17, 6, 11, True, "repeat"),
    (9, 20, None, False, "repeat"), (30, 7, 123456789012, None, "take"), (12, 4, None, None, "cache"),
)


def register() -> None:
    data = helpers()
    for strategy, source in SPLITS:
        data.kase(f"split_{strategy}_{source}_further", rows=["P13", "P14"])(data.splits(strategy, source))
    for strategy in ("mirrored4", "central3", "one0"):
        data.kase(f"from_function_{strategy}_further", rows=["AP5"])(data.from_function(strategy))
    for policy, source in AUTOSHARDS:
        data.kase(f"autoshard_{policy.lower()}_{source}_further", rows=["G15"])(data.autoshard(policy, source))
    for rows, buffer, seed, again, after in SHUFFLES:
        data.kase(f"shuffle_{rows}_{buffer}_{seed}_{again}_{after}_further", rows=["P12"])(
            data.shuffles(rows, buffer, seed, again, after))


def add_sentences(folder: pathlib.Path) -> None:
    for path in folder.rglob("case.json"):
        case = json.loads(path.read_text())
        for error in filter(None, case["errors"].values()):
            text = re.sub(r"\{\{function_node [^}]*\}\} ", "", error["text"])
            text = re.sub(r"^\s*\d+ root error\(s\) found\.\s*\(0\) \w+:\s+", "", text)
            text = re.sub(r" \[Op:\w+\].*$", "", text, flags=re.DOTALL)
            text = re.sub(r"\n\t \[\[.*$", "", text, flags=re.DOTALL)
            error["sentence"] = re.sub(r"\n\nDetected at node.*$", "", text, flags=re.DOTALL)
            error["python"] = error["type"] in ("AttributeError", "StopIteration", "TypeError")
        path.write_text(json.dumps(case, indent=1))


if __name__ == "__main__":
    add_sentences(pathlib.Path(sys.argv[1]))
else:
    register()
