#!/usr/bin/env python3
"""Runs a sweep with more points than it can finish, and samples the memory of its processes.

The processes that time points must not grow after the first third of the time. The process that collects their rows
keeps each row until it writes the tables, and may grow by what a row takes. Exit code 1: something grew by more.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

SCENARIO = {
    "name": "soak", "platform": "dgx_a100", "strategy": {"type": "mirrored"}, "model": "mlp",
    "dataset": {"type": "synthetic", "rows": 4096},
    "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 8},
    "numerics": "none",
}
SWEEP = {"name": "soak", "scenario": "scenario.json", "axes": [{"batch": "1..20000"}, {"devices": [1, 2, 3, 8, 9]},
                                                               {"strategy": ["mirrored", "central_storage"]}]}
ALLOWED_GROWTH = 0.05  # of a process that times points
ALLOWED_BYTES = 4 << 20
ALLOWED_OF_ROW = 4096  # bytes of the process that collects the rows
ENDS_WITHIN = 600  # seconds in which an interrupted sweep writes the tables of its rows, on a busy machine, too


def below(process):
    """The numbers of a process and of all that it started."""
    found = [process]
    for path in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            for child in path.read_text().split():
                found += below(int(child))
        except OSError:
            pass
    return found


def memory_of(process):
    """Bytes that belong to this process alone. A process that was forked shares what its parent had."""
    try:
        lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Private_Dirty:", "Private_Clean:")))


def rows_in(folder):
    path = folder / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def sample(program, folder, seconds):
    """The process that collects, by process the samples (seconds, bytes, rows), and what went wrong."""
    (folder / "scenario.json").write_text(json.dumps(SCENARIO))
    (folder / "sweep.json").write_text(json.dumps(SWEEP))
    out = folder / "out"
    process = subprocess.Popen([program, "sweep", folder / "sweep.json", "--out", out, "--processes", "2"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    samples, begin = {}, time.monotonic()
    while time.monotonic() - begin < seconds and process.poll() is None:
        time.sleep(min(1, seconds / 60))
        rows = rows_in(out)
        for each in below(process.pid):
            memory = memory_of(each)
            if memory:
                samples.setdefault(each, []).append((time.monotonic() - begin, memory, rows))
    if process.poll() is not None:
        return process.pid, samples, "the sweep ended before its time"
    os.killpg(process.pid, signal.SIGTERM)  # a program that is started in the background ignores SIGINT
    try:
        process.wait(ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return process.pid, samples, f"the interrupted sweep didn't end within {ENDS_WITHIN} s"
    return process.pid, samples, ""


def judge(collector, samples, seconds):
    faults = 0
    print(f"{'process':<24}{'at 1/3':>12}{'at the end':>12}{'rows':>10}")
    for number, taken in samples.items():
        if taken[-1][0] - taken[0][0] < seconds / 2:
            continue  # one simulation, and not a process of the sweep
        third = taken[len(taken) // 3]
        before = max(memory for at, memory, _ in taken if at <= third[0])
        after = max(memory for _, memory, _ in taken)
        rows = taken[-1][2] - third[2]
        allowed = ALLOWED_BYTES + ALLOWED_OF_ROW * rows * (number == collector) + ALLOWED_GROWTH * before
        faults += after - before > allowed
        name = "collects rows" if number == collector else f"times points, {number}"
        print(f"{name:<24}{before / 1e6:>9.1f} MB{after / 1e6:>9.1f} MB{rows:>10}"
              + ("  GROWS" if after - before > allowed else ""))
    return faults


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("program", type=pathlib.Path)
    reader.add_argument("--minutes", type=float, default=30)
    options = reader.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        collector, samples, wrong = sample(options.program.resolve(), pathlib.Path(folder), options.minutes * 60)
    if wrong:
        print(wrong)
    return 1 if judge(collector, samples, options.minutes * 60) or wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
