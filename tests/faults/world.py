"""A temporary folder in which programs run and are killed, and what must hold of the folders that they leave."""

import copy
import hashlib
import json
import os
import pathlib
import signal
import subprocess

RECORD = ".run"  # of a run that was killed after its folder was in place

SCENARIO = {
    "name": "small",
    "model": "linear",
    "dataset": {"type": "synthetic", "rows": 50, "shuffle": {}},
    "training": {
        "loop": "custom",
        "loss": "mse",
        "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.02, "momentum": 0.9}},
        "global_batch": 12,
        "epochs": 8,
        "checkpointing": {},
        "save_weights": "weights.safetensors",
    },
    "seed": 3,
}


class Fault(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Fault(text)


def listing(folder):
    """The bytes of each file by name, as hashes. A folder that is not there has none."""
    if not folder.exists():
        return None
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name != RECORD}


def receive_signals():
    """A shell starts commands in the background (`&`) with SIGINT ignored, and they pass that on."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class World:
    def __init__(self, programs, folder, kills, random):
        self.windtunnel = programs / "windtunnel"
        self.writer = programs / "faults_writer"
        self.calls = programs / "libfaults_calls.so"
        self.folder = folder
        self.kills = kills  # None: a short round
        self.random = random
        for program in (self.windtunnel, self.writer, self.calls):
            expect(program.exists(), f"{program} is missing; build windtunnel_cli, faults_writer and faults_calls")

    def fresh(self, name):
        """The same programs in another folder, which is empty."""
        other = copy.copy(self)
        other.folder = self.folder / name
        other.folder.mkdir()
        (other.folder / "small.json").write_text(json.dumps(SCENARIO))
        return other

    @property
    def scenario(self):
        return self.folder / "small.json"

    # ---- Running

    def start(self, words, environment=(), **streams):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL,
                   "preexec_fn": receive_signals} | streams
        return subprocess.Popen([str(word) for word in words], env=os.environ | dict(environment), cwd=self.folder,
                                text=True, errors="replace", **streams)

    def call(self, words, environment=(), **streams):
        process = self.start(words, environment, **streams)
        process.results, process.messages = process.communicate(timeout=300)
        return process

    def run_words(self, out, *overrides):
        words = [self.windtunnel, "run", self.scenario, "--out", out, "--threads", "1"]
        for each in overrides:
            words += ["--set", each]
        return words

    def complete(self, words, environment=()):
        process = self.call(words, environment)
        expect(process.returncode == 0, f"{words} ended with {process.returncode}: {process.messages}")
        return process

    def crash_points(self, words, environment=()):
        """The names of the places at which a command can be killed, in their order."""
        log = self.folder / "crash_points"
        log.unlink(missing_ok=True)
        self.complete(words, {"WINDTUNNEL_CRASH_LOG": str(log)} | dict(environment))
        return log.read_text().splitlines()

    def crash(self, words, number, environment=()):
        process = self.call(words, {"WINDTUNNEL_CRASH_AT": str(number)} | dict(environment))
        expect(process.returncode == -signal.SIGKILL,
               f"{words} passed crash point {number} with {process.returncode}: {process.messages}")

    # ---- Looking

    def beside(self, out):
        """What lies beside a folder of results and begins with its name, hidden or not."""
        return sorted(path.name for path in out.parent.iterdir()
                      if path != out and path.name.lstrip(".").startswith(out.name + "."))

    def expect_nothing_beside(self, out):
        expect(not self.beside(out), f"left over beside {out}: {self.beside(out)}")

    def unfinished(self, out):
        return sorted(out.parent.glob(out.name + ".unfinished-*"))


def newest_checkpoint(folder):
    """The file that an index of checkpoints names, or None without an index."""
    index = pathlib.Path(folder) / "checkpoint"
    if not index.exists():
        return None
    name = json.loads(index.read_text().splitlines()[0].split(": ", 1)[1])
    return pathlib.Path(folder) / f"{name}.safetensors"
