"""Kills of `windtunnel sweep`: nothing is lost, nothing is there twice, and the tables are those of a whole sweep."""

import json
import os
import resource
import shutil
import signal
import time

from world import expect

SHORT = {"kills": 4, "points": 40}
LONG = {"kills": 100, "points": 500}
CRASHES = 6  # of a short round
TABLES = ("sweep.csv", "sweep.json")

SCENARIO = {
    "name": "swept",
    "platform": "dgx_a100",
    "strategy": {"type": "mirrored"},
    "model": "mlp",
    "dataset": {"type": "synthetic", "rows": 4096},
    "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 8},
    "numerics": "none",
}


def run(world):
    sweeps = Sweeps(world)
    checks = [kills, injected, torn_line, full_disk, two_at_once, changed_inputs, interrupted, lost_process]
    counted = [check(sweeps) for check in checks]
    return f"{sweeps.points} points: " + "; ".join(text for text in counted if text)


class Sweeps:
    def __init__(self, world, size=None):
        self.world = world
        size = size or (SHORT if world.kills is None else LONG)
        self.wanted, self.points = size["kills"], size["points"]
        self.out = world.folder / "out"
        self.scenario, self.sweep = world.folder / "swept.json", world.folder / "sweep.json"
        self.scenario.write_text(json.dumps(SCENARIO))
        # Nine devices are one too many, so these points are refused, and have a row.
        self.sweep.write_text(json.dumps({
            "name": "a sweep", "scenario": "swept.json",
            "axes": [{"devices": [1, 2, 3, 8, 9]}, {"batch": f"1..{self.points // 5}"}]}))
        begin = time.monotonic()
        world.complete(self.words(out="whole", processes=1))
        self.duration = time.monotonic() - begin
        self.whole = self.tables(world.folder / "whole")

    def words(self, *more, out=None, processes=2):
        return [self.world.windtunnel, "sweep", self.sweep, "--out", out or self.out, "--processes", processes, *more]

    def tables(self, folder):
        return [(folder / name).read_bytes() for name in TABLES]

    def journal(self):
        """The whole lines of the journal."""
        path = self.out / "journal.jsonl"
        text = path.read_text() if path.exists() else ""
        return text[:text.rfind("\n") + 1].splitlines()

    def expect_rows(self, before, when):
        """After a kill: the lines that were there are there, and none is there twice."""
        lines = self.journal()
        expect(lines[:len(before)] == before, f"{when}: lines of the journal are lost")
        numbers = [json.loads(line)[0] for line in lines[1:]]
        expect(len(set(numbers)) == len(numbers), f"{when}: points are there twice")
        return lines

    def expect_whole(self, when):
        self.world.complete(self.words())
        expect(self.tables(self.out) == self.whole, f"{when}: other tables than those of a whole sweep")
        expect(len(self.expect_rows([], when)) == self.points + 1, f"{when}: other rows in the journal")
        self.world.expect_nothing_beside(self.out)

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)


def kills(sweeps):
    random = sweeps.world.random
    killed = 0
    while killed < sweeps.wanted:
        before = sweeps.journal()
        process = sweeps.world.start(sweeps.words(processes=random.choice([1, 2, 3])))
        time.sleep(random.uniform(0, sweeps.duration / 2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        lines = sweeps.expect_rows(before, f"kill {killed}")
        if len(lines) == sweeps.points + 1:
            sweeps.expect_whole(f"kill {killed}")
            sweeps.clear()
    sweeps.expect_whole("after all kills")
    return f"{killed} kills"


def injected(large):
    """A loss of power at each step of writing that a small sweep passes."""
    sweeps = Sweeps(large.world.fresh("injected"), SHORT)
    names = sweeps.world.crash_points(sweeps.words())
    numbers = range(1, len(names) + 1)
    if sweeps.world.kills is None:
        numbers = sweeps.world.random.sample(numbers, CRASHES)
    for number in numbers:
        sweeps.clear()
        # By chance two processes' lines are written together, so that the last of these points may not be there.
        process = sweeps.world.call(sweeps.words(), {"WINDTUNNEL_CRASH_AT": str(number)})
        expect(process.returncode in (0, -signal.SIGKILL), f"crash point {number}: {process.messages}")
        sweeps.expect_whole(f"crash point {number}, {names[number - 1]}")
    return f"{len(numbers)} of {len(names)} crash points of a sweep of {sweeps.points}"


def torn_line(sweeps):
    """The journal of a sweep that was not finished, which the manifest names without a size, ends in half a line."""
    lines = sweeps.journal()
    journal, manifest = sweeps.out / "journal.jsonl", sweeps.out / "manifest.json"
    journal.write_text("\n".join(lines[:-3]) + "\n" + lines[-3][:7])
    named = json.loads(manifest.read_text())
    for entry in named["files"]:
        if entry["name"] == journal.name:
            del entry["bytes"]
    manifest.write_text(json.dumps(named))
    sweeps.expect_whole("a torn line")


def full_disk(sweeps):
    for limit in (600, 2000, 5000):
        sweeps.clear()

        def restrict():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = sweeps.world.call(sweeps.words(), preexec_fn=restrict, restore_signals=False)
        expect(process.returncode in (1, 3) and "File too large" in process.messages,
               f"{limit} bytes: {process.returncode}: {process.messages}")
        if sweeps.journal():
            expect(process.returncode == 1, f"{limit} bytes: {process.returncode}: {process.messages}")
        sweeps.expect_whole(f"a disk that was full at {limit} bytes")


def two_at_once(sweeps):
    sweeps.clear()
    first = sweeps.world.start(sweeps.words(processes=1))
    while not (sweeps.out / "journal.jsonl").exists():
        time.sleep(0.001)
    second = sweeps.world.call(sweeps.words())
    first.communicate()
    expect(first.returncode == 0, f"the first of two sweeps ended with {first.returncode}")
    is_refused = second.returncode == 2 and "another run" in second.messages
    # A slow start of the second leaves it the whole sweep of the first.
    expect(is_refused or second.returncode == 0, f"the second of two: {second.returncode}: {second.messages}")
    sweeps.expect_whole("two at once")


def changed_inputs(sweeps):
    """Another scenario, other axes and another journal are refused, and the rows stay."""
    before = sweeps.journal()
    for path in (sweeps.scenario, sweeps.sweep):
        text = path.read_text()
        other = text.replace("4096", "8192") if path == sweeps.scenario else text.replace("[1, 2,", "[2, 1,")
        expect(other != text, "nothing has changed")
        path.write_text(other)
        process = sweeps.world.call(sweeps.words())
        expect(process.returncode == 2 and "--restart" in process.messages,
               f"a changed {path.name}: {process.returncode}: {process.messages}")
        path.write_text(text)
    expect(sweeps.journal() == before, "rows are lost because an input had changed")
    sweeps.world.complete(sweeps.words("--restart"))
    sweeps.expect_whole("a restart")


def interrupted(sweeps):
    sweeps.clear()
    process = sweeps.world.start(sweeps.words(processes=1), start_new_session=True)
    while len(sweeps.journal()) < 3:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    _, messages = process.communicate()
    expect(process.returncode == -signal.SIGINT and "the same command continues" in messages,
           f"SIGINT: {process.returncode}: {messages}")
    expect(sweeps.journal(), "the rows are lost")
    sweeps.expect_whole("an interruption")


def lost_process(sweeps):
    """A process that is killed by the operating system costs no row."""
    sweeps.clear()
    process = sweeps.world.start(sweeps.words(processes=2))
    killed = 0
    while process.poll() is None:
        children = open(f"/proc/{process.pid}/task/{process.pid}/children").read().split() if killed < 3 else []
        for child in children[:1]:
            os.kill(int(child), signal.SIGKILL)
            killed += 1
        time.sleep(sweeps.duration / 10)
    process.communicate()
    expect(process.returncode == 0 and killed > 0, f"{killed} killed processes: {process.returncode}")
    return f"{killed} killed processes of a sweep"
