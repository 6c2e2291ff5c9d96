#!/usr/bin/env python3
"""Sets every integer that a user can give to values at the borders of what fits, and requires an answer.

    tests/faults/boundaries.py build/dev/bin/windtunnel                    everything, several thousand runs
    tests/faults/boundaries.py build/dev/bin/windtunnel --cases 40 --seed 7    a random part of it

The integers are: every key of scenarios/schema/scenario.json, every key of platforms/schema/platform.json that a
platform of platforms/ has, and the options of the commands in the table below. An answer is exit code 0, 1 or 2,
without a signal and within a limit of memory. Exit code 3 is a fault of windtunnel, and fails here. A training
that was accepted may take days if the user wants so many steps. It is ended after --seconds. Only `run` may take
so long, and only if it has printed how far it is or how long it will take.
"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

repository = pathlib.Path(__file__).resolve().parents[2]

border = [-(2**63), -(2**31) - 1, -1, 0, 1, 2**15, 2**16, 2**24, 2**31 - 1, 2**31, 2**32, 2**32 + 1, 10**12,
          2**53 + 1, 2**62, 2**63 - 1, 2**63, 10**30]

# What a sanitizer finds must differ from the exit codes of windtunnel.
sanitizers = {"ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1:detect_leaks=0",
              "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1"}

small_mlp = {"zoo": "mlp", "features": 4, "layers": 1, "units": 3, "classes": 3}
small_data = {"type": "synthetic", "rows": 8}
base = {
    "name": "boundary",
    "platform": "workstation_2x4090",
    "strategy": {"type": "mirrored"},
    "model": small_mlp,
    "dataset": small_data,
    "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 2},
}

# What else an object needs, so that a key in it has a meaning.
around = {
    "strategy.num_packs": {"strategy": {"type": "mirrored", "cross_device_ops": "nccl"}},
    "time.steps": {"time": {"jitter": 0.01}},
    "faults.0.factor": {"faults": [{"slow": "GPU:1"}]},
    "faults.0.from_step": {"faults": [{"slow": "GPU:1", "factor": 2}]},
    "faults.0.step": {"faults": [{"kill": "worker:0"}]},
    "training.checkpointing.every": {"training": {"epochs": 1}},
}

# {} is the integer.
commands = [
    "run scenarios/linear_fit.json --threads {}",
    "run scenarios/quickstart.json --replicas {}",
    "run scenarios/multi_worker_2x2.json --replicas 1,{}",
    "run scenarios/tpu_v3_8.json --replicas {}",
    "verify strategies scenarios/mirrored_small_batch.json --steps {}",
    "verify collectives --ranks {}",
    "verify collectives --ranks {}-{}",
    "collective --platform dgx_a100 --sizes 1KiB --ranks {}",
    "collective --platform dgx_a100 --sizes 1KiB --concurrent {}",
    "collective --platform dgx_a100 --sizes 1KiB --op broadcast --root {}",
    "collective --platform dgx_a100 --sizes 1KiB --ngpus {}",
    "collective --platform dgx_a100 --sizes 1KiB --launch threads --ngpus {}",
    "collective --platform dgx_a100 --sizes 1KiB --rank-order 0,{}",
    "collective --platform dgx_a100 --sizes {}",
    "collective --platform dgx_a100 -b 1 -e {}",
    "collective --platform dgx_a100 -b 1KiB -e 1MiB -f {}",
    "collective --platform dgx_h100 --sizes 1KiB --set machines={}",
    "collective --platform dgx_h100 --sizes 1KiB --ranks 8 --set machines={}",
    "collective --platform dgx_h100 --sizes 1KiB --op all_to_all --set machines={}",
    "collective --platform tpu_v4 --sizes 1KiB --set slices={}",
] + [f"collective --platform dgx_a100 --sizes 1MiB --algorithm {algorithm} --option {option}={{}}"
     for algorithm, options in [("ring", ["segments", "lanes"]), ("parameter_server", ["servers"]),
                                ("binomial_tree", ["segments"]), ("tensorflow_ring", ["subdivisions"]),
                                ("hierarchical_copy", ["packs"]), ("torus_ring", ["shape"])]
     for option in options]


class Keys:
    """All integers of a scenario's schema: the dotted path, the scenario around it, and the range."""

    def __init__(self):
        self.schema = json.loads((repository / "scenarios/schema/scenario.json").read_text())
        self.found = []
        self.walk(self.schema, [], {})

    def walk(self, node, path, extra):
        if "$ref" in node:
            return self.definition(node["$ref"].split("/")[-1], path, extra)
        kinds = node.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "integer" in kinds or "number" in kinds:
            self.found.append((path, extra, node))
        for name, inside in node.get("properties", {}).items():
            self.walk(inside, path + [name], extra)
        if "items" in node:
            self.walk(node["items"], path + ["0"], extra)
        if isinstance(node.get("additionalProperties"), dict):
            key = {"logical": "GPU:0", "experimental_assign_to_logical_device": "dense"}.get(path[-1], "x")
            self.walk(node["additionalProperties"], path + [key], extra)
        for inside in node.get("anyOf", []):
            self.walk(inside, path, extra)

    def definition(self, name, path, extra):
        for choice in self.schema["definitions"][name]["anyOf"]:
            constants = {key: row["const"] for key, row in choice.get("properties", {}).items() if "const" in row}
            if path == ["model"] and not constants:
                continue
            added = dict(extra)
            for key, value in constants.items():
                added[".".join(path + [key])] = value
            if constants.get("type") == "constant":
                added.update({".".join(path + ["x"]): [1, 2, 3, 4], ".".join(path + ["y"]): 1,
                              ".".join(path + ["rows"]): 8})
            elif constants.get("type") == "synthetic":
                added[".".join(path + ["rows"])] = 8
            elif path[-1] == "dataset" and constants.get("type"):
                continue  # a file: its other keys are those of synthetic rows
            self.walk({**choice, "properties": {key: row for key, row in choice.get("properties", {}).items()
                                                if "const" not in row}}, path, added)


def put(tree, path, value):
    """Sets a value and makes the objects and lists above it."""
    for step, after in zip(path, path[1:] + [None]):
        step = int(step) if isinstance(tree, list) else step
        new = value if after is None else ([] if after == "0" else {})
        if isinstance(tree, list):
            if not tree:
                tree.append(new)
            elif after is None:
                tree[step] = new
        elif after is None or not isinstance(tree.get(step), (dict, list)):
            tree[step] = new
        tree = tree[step]


def merge(tree, other):
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict):
            merge(tree[key], value)
        else:
            tree[key] = value


def scenario_with(path, extra, value):
    tree = json.loads(json.dumps(base))
    if path[0] in ("model", "dataset", "strategy"):
        tree[path[0]] = {}
    for key, constant in extra.items():
        put(tree, key.split("."), constant)
    merge(tree, json.loads(json.dumps(around.get(".".join(path), {}))))
    if path[0] == "model":
        tree["numerics"] = "none"  # many models are there for shapes only
    if tree["strategy"].get("type") == "tpu":
        tree["platform"] = "tpu_v3"
    if "experimental_assign_to_logical_device" in path:
        put(tree, ["strategy", "computation_shape"], [1, 1, 1, 2])
    put(tree, path, value)
    if path[-1] == "global_batch":
        del tree["training"]["per_replica_batch"]
    if "computation_shape" in path:
        tree["strategy"]["computation_shape"] = [1, 1, 1, value]
    return tree


def values_for(node):
    """The borders, and one less and more than the range that the schema states."""
    limits = [node[key] for key in ("minimum", "maximum", "exclusiveMinimum") if key in node]
    return sorted({*border, *(limit + step for limit in limits for step in (-1, 0, 1))})


def platform_cases(values):
    schema = (repository / "platforms/schema/platform.json").read_text()
    seen = set()
    for file in sorted((repository / "platforms").glob("*.json")):
        if file.name == "devices.json":
            continue
        for path in integers_of(json.loads(without_comments(file.read_text())), []):
            shape = ".".join("#" if step.isdigit() else step for step in path)
            if shape in seen or f'"{[step for step in path if not step.isdigit()][-1]}"' not in schema:
                continue
            seen.add(shape)
            for value in values:
                override = f"{'.'.join(path)}={value}"
                yield f"{file.stem} {override}", ["collective", "--platform", file.stem, "--sizes", "1KiB",
                                                  "--ranks", "2", "--set", override], None


def without_comments(text):
    part = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return part.sub(lambda found: found.group(1) or " ", text)


def integers_of(tree, path):
    if isinstance(tree, bool):
        return
    if isinstance(tree, int):
        yield path
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else []:
        yield from integers_of(value, path + [str(key)])


def all_cases():
    for path, extra, node in Keys().found:
        for value in values_for(node):
            tree = scenario_with(path, extra, value)
            for command in (["validate", "--memory"], ["run"]):
                yield f"{'.'.join(path)}={value}", command + ["SCENARIO"], tree
    for command in commands:
        for value in border:
            words = command.replace("{}", str(value))
            yield words, words.split(), None
    yield from platform_cases(border)


# What `run` prints of a training that takes long: that planning does (src/cli/run.cpp), an estimate of its steps
# (src/cli/progress.cpp), or how far it is.
progress = re.compile(r"planning a step with \d+ weights takes |steps that are left take about |^step \d+ of \d+, loss .* left$|^evaluation: step \d+ of \d+, .* left$", re.MULTILINE)


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def limit(self):
        if self.options.memory > 0:
            resource.setrlimit(resource.RLIMIT_AS, (self.options.memory << 30,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def failure(self, command, tree):
        """Empty, or what is wrong."""
        words = [str(self.options.binary)] + command
        if tree is not None:
            file = self.folder / "scenario.json"
            file.write_text(json.dumps(tree, indent=1))
            words = [str(file) if word == "SCENARIO" else word for word in words]
        if command[0] == "run" and "--replicas" not in command:
            words += ["--out", str(self.folder / "out")]
        process = subprocess.Popen(words, cwd=repository, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=self.limit, env={**os.environ, **sanitizers})
        try:
            text = process.communicate(timeout=self.options.seconds)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[1].decode(errors="replace")
            if command[0] != "run":
                return f"no answer after {self.options.seconds} s"
            return "" if progress.search(text) else f"no progress within {self.options.seconds} s: {text.strip()[-400:]}"
        if process.returncode in (0, 1, 2):
            return ""
        return f"exit code {process.returncode}: {text.strip()[-400:]}"


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("binary", type=pathlib.Path)
    reader.add_argument("--cases", type=int, help="only so many, drawn by --seed")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--only", default="", help="only cases with this text, as time.steps or --ranks")
    reader.add_argument("--seconds", type=float, default=60, help="limit for a case")
    reader.add_argument("--memory", type=int, default=8, help="limit for a case's address space, in GiB; 0: none, for a build with the address sanitizer")
    options = reader.parse_args()
    options.binary = options.binary.resolve()

    cases = [case for case in all_cases() if options.only in case[0]]
    if options.cases is not None:
        cases = random.Random(options.seed).sample(cases, min(options.cases, len(cases)))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, pathlib.Path(folder))
        for label, command, tree in cases:
            failure = runner.failure(command, tree)
            if failure:
                failed += 1
                print(f"FAILED {label}: {' '.join(command)}\n  {json.dumps(tree) if tree else ''}\n  {failure}",
                      flush=True)
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
