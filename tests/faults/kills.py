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
    killed = refused = 0
    for number in range(wanted):
        if number % 4 == 3:
            refused += race(world, runs)
        killed += kill(world, runs, duration, f"kill {number + 1}")
        if number % 10 == 9:
            runs.expect_clean_end(f"after {number + 1} kills")
    runs.expect_clean_end("at the end")
    return (f"{wanted} kills, {killed} of them in time: 0 torn, 0 lost, 0 left over; {runs.resumed} continued; "
            f"{refused} of {wanted // 4} races refused the second run")


def kill(world, runs, duration, when):
    variant = world.random.choice(sorted(VARIANTS))
    before, kept = runs.state(), set(runs.checkpoints())
    process = world.start(runs.words(variant))
    time.sleep(world.random.uniform(0, 1.1 * duration))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    runs.expect_nothing_lost(before, variant, when)
    # A run that finished, or was killed when its results were in place, may remove what it has superseded.
    if process.returncode != 0 and runs.state() == before:
        lost = kept - set(runs.checkpoints())
        expect(not lost, f"{when}: checkpoints of an earlier run are lost: {sorted(map(str, lost))}")
    new = sorted(set(runs.checkpoints()) - kept)
    if new and world.random.random() < 0.25:
        runs.resume(variant, new[0], when)
    return process.returncode != 0


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
