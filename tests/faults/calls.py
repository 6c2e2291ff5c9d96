"""Every command that writes files is killed before each call by which it changes one, and each call fails as on a disk
that is full or read-only from then on (calls.cpp stands between). Afterwards there are the old files or the new ones,
whole, and the next run leaves nothing else."""

import json
import re
import shutil
import signal

from world import Fault, expect, listing

SHORT = 4  # calls for each command and kind of fault
FAULTS = ("kill", "ENOSPC", "EROFS")


def commands(world):
    """Each: its name, what it writes, and the words with which it writes one version (a) or another (b)."""
    program, folder = world.windtunnel, world.folder
    described = folder / "described.json"
    scenario = json.loads(world.scenario.read_text())
    scenario.update({"platform": {"virtual": {"devices": 2}}, "strategy": {"type": "mirrored"}, "name": "described"})
    described.write_text(json.dumps(scenario))
    for version, rate in (("a", "0.02"), ("b", "0.01")):
        (folder / f"{version}.json").write_text(described.read_text().replace("0.02", rate))
    (folder / "points.json").write_text(json.dumps({"name": "points", "scenario": "a.json",
                                                    "axes": [{"devices": [1, 2]}]}))
    xml = folder / "a.xml"
    world.complete([program, "export", "dgx1_v100", "--as", "simgrid", "--out", xml])
    collective = [program, "collective", "--platform", "dgx_a100", "--sizes", "1MiB", "--algorithm"]
    algorithms = {"a": "ring", "b": "tree"}
    machines = {"a": "dgx1_v100", "b": "dgx_a100"}

    def of_file(suffix, words):
        target = folder / f"written{suffix}"
        return target, lambda version: words(version, target)

    def of_folder(words):
        target = folder / "written"
        return target, lambda version: words(version, target)

    return {
        "run": of_folder(lambda v, out: [program, "run", folder / f"{v}.json", "--out", out, "--threads", "1", "--set",
                                         "training.epochs=2"]),
        "run --report": of_folder(lambda v, out: [program, "run", folder / f"{v}.json", "--out", out, "--report",
                                                  "--threads", "1", "--set", "training.epochs=1"]),
        "export tensorflow": of_folder(lambda v, out: [program, "export", "tensorflow", folder / f"{v}.json", "--out",
                                                       out]),
        "export --as dot": of_file(".dot", lambda v, out: [program, "export", machines[v], "--as", "dot", "--out", out]),
        "collective --trace": of_file(".trace.json", lambda v, out: [*collective, algorithms[v], "--trace", out]),
        "collective --dot": of_file(".graph.dot", lambda v, out: [*collective, algorithms[v], "--dot", out]),
        "collective --report": of_folder(lambda v, out: [*collective, algorithms[v], "--report", "--out", out]),
        "calibrate --step": of_file(".platform.json", lambda v, out: [
            program, "calibrate", folder / "a.json", "--step", "2=115ms" if v == "a" else "2=120ms", "--as", out]),
        "recommend --report": of_folder(lambda v, out: [
            program, "recommend", folder / "a.json", "--target", "10" if v == "a" else "20", "--set",
            "platform=workstation_2x4090", "--report", "--out", out]),
    }


def run(world):
    counted = {fault: 0 for fault in FAULTS}
    for name, (target, words) in commands(world).items():
        try:
            writer = Writer(world, target, words)
            for fault in FAULTS:
                counted[fault] += writer.meet(fault)
        except Fault as found:
            raise Fault(f"{name}: {found}") from found
        remove(target)
    return (f"{counted['kill']} kills before a call, {counted['ENOSPC']} calls on a full disk, {counted['EROFS']} on a "
            f"read-only one, of {len(commands(world))} commands that write: 0 torn, 0 lost, 0 left over")


# A run adds its report to results that are in place, and names it in the manifest beforehand.
TEMPORARY = re.compile(r"\..*\.[0-9]+-[0-9]+\.tmp")  # a file that is not complete; the next run removes it
ADDED = {"report.json", "report.html", "manifest.json"}


class Writer:
    def __init__(self, world, target, words):
        self.world, self.target, self.words = world, target, words
        self.whole = {}
        for version in ("a", "b"):
            remove(target)
            world.complete(words(version))
            self.whole[version] = listing_of(target)
        expect(self.whole["a"] and self.whole["a"] != self.whole["b"], "both versions have the same files")

    def environment(self, **faults):
        return {"LD_PRELOAD": str(self.world.calls), **{f"FAULTS_{name}": str(value) for name, value in faults.items()}}

    def count(self):
        """The calls of a run that replaces what another one has written."""
        log = self.world.folder / "calls.log"
        log.unlink(missing_ok=True)
        self.begin()
        self.world.complete(self.words("b"), self.environment(LOG=log))
        return log.read_text().splitlines()

    def begin(self):
        remove(self.target)
        self.world.complete(self.words("a"))

    def is_in_place(self, version):
        """Whether all files of a version are there; of those that are added later, some may be missing."""
        files, whole = listing_of(self.target), self.whole[version]
        if files == whole or not isinstance(files, dict):
            return files == whole
        files = {name: content for name, content in files.items() if not TEMPORARY.fullmatch(name)}
        kept = {name: content for name, content in whole.items() if name not in ADDED}
        rest = {name: content for name, content in files.items() if name not in kept}
        return (kept == {name: content for name, content in files.items() if name in kept} and "report.json" in whole
                and all(name in ADDED and (name == "manifest.json" or whole[name] == content)
                        for name, content in rest.items()))

    def meet(self, fault):
        calls = self.count()
        numbers = range(1, len(calls) + 1)
        if self.world.kills is None:
            numbers = self.world.random.sample(numbers, min(SHORT, len(calls)))
        for number in numbers:
            self.meet_one(fault, number, f"{fault} at call {number} of {len(calls)}, {calls[number - 1]}")
        return len(numbers)

    def meet_one(self, fault, number, when):
        self.begin()
        faults = {"KILL": number} if fault == "kill" else {"FAIL": f"{number}:{fault}"}
        process = self.world.call(self.words("b"), self.environment(**faults))
        state = [version for version in self.whole if self.is_in_place(version)]
        if fault == "kill":
            expect(process.returncode in (0, -signal.SIGKILL), f"{when}: {process.returncode}: {process.messages}")
        else:
            expect(process.returncode in (0, 2, 3), f"{when}: {process.returncode}: {process.messages}")
            expect(process.returncode != 0 or listing_of(self.target) == self.whole["b"],
                   f"{when}: exit code 0, and the new files are not there")
            expect(process.returncode == 0 or process.messages.strip(), f"{when}: no message")
        expect(state, f"{when}: torn or lost: {listing_of(self.target)}; {process.messages}")
        self.world.complete(self.words("b"))
        expect(listing_of(self.target) == self.whole["b"], f"{when}: the next run is not whole")
        expect(not self.world.beside(self.target), f"{when}: left over: {self.world.beside(self.target)}")


def listing_of(target):
    return listing(target) if target.is_dir() else target.exists() and target.read_bytes()


def remove(target):
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
