"""Random kills of `windtunnel run`, one run or two at once, into a folder that earlier ones have written."""

import signal
import time

from runs import VARIANTS, Runs
from world import expect

SHORT = 10


def run(world):
    runs = Runs(world)
    begin = time.monotonic()
    world.complete(runs.words("a"))
    duration = time.monotonic() - begin
    wanted = SHORT if world.kills is None else world.kills
    started = killed = refused = 0
    while killed < wanted:
        started += 1
        if started % 4 == 0:
            refused += race(world, runs)
        killed += kill(world, runs, duration, f"run {started}")
        if started % 10 == 0:
            runs.expect_clean_end(f"after {started} runs")
    runs.expect_clean_end("at the end")
    return (f"{killed} kills of {started} runs: 0 torn, 0 lost, 0 left over; {runs.resumed} continued; "
            f"{refused} of {started // 4} races refused the second run")


def kill(world, runs, duration, when):
    variant = world.random.choice(sorted(VARIANTS))
    before, kept, place = runs.state(), set(runs.checkpoints()), runs.out.stat().st_ino
    process = world.start(runs.words(variant))
    time.sleep(world.random.uniform(0, duration))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    runs.expect_nothing_lost(before, variant, when)
    # A run whose results are in place may remove what it has superseded, before it is killed.
    if runs.out.stat().st_ino == place:
        lost = kept - set(runs.checkpoints())
        expect(not lost, f"{when}: checkpoints of an earlier run are lost: {sorted(map(str, lost))}")
    new = sorted(set(runs.checkpoints()) - kept)
    if new and world.random.random() < 0.5:
        runs.resume(variant, new[0], when)
    return process.returncode == -signal.SIGKILL


def race(world, runs):
    """Two runs at once: both finish one after the other, or the second is refused and says why."""
    processes = {variant: world.start(runs.words(variant)) for variant in VARIANTS}
    finished = []
    for variant, process in processes.items():
        _, messages = process.communicate()
        if process.returncode == 0:
            finished.append(variant)
        else:
            expect(process.returncode == 2 and "another run (process" in messages,
                   f"two runs at once: {variant} ended with {process.returncode}: {messages}")
    expect(finished, "two runs at once refused each other")
    expect(runs.state() in finished, f"two runs at once: {finished} finished, and {runs.state()} is in place")
    return len(processes) - len(finished)
