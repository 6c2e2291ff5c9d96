"""Ctrl-C and SIGTERM end a run in order."""

import json
import os
import signal
import time

from world import expect, newest_checkpoint

SIMULATED = ("platform=dgx_a100", "strategy={\"type\": \"mirrored\"}")
LONG = (*SIMULATED, "training.epochs=1000000", "training.checkpointing.every=20")


def run(world):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        interrupt(world, number)
    keep_complete_results(world)
    end_several(world)
    return "3 signals end a run in order, and the run continues from its checkpoints"


def interrupted(world, out, number, words=None):
    """The messages of a run that was interrupted after its first checkpoint."""
    process = world.start(words or world.run_words(out, *LONG), start_new_session=True)
    limit = time.monotonic() + 60
    while not any(newest_checkpoint(path / "checkpoints") for path in world.unfinished(out)):
        expect(process.poll() is None and time.monotonic() < limit, "no checkpoint appeared")
        time.sleep(0.01)
    os.killpg(process.pid, number)  # the helper of the simulations, too, as a terminal does
    results, messages = process.communicate(timeout=60)
    expect(process.returncode == -number, f"{number.name}: ended with {process.returncode}: {messages}")
    return messages


def check_incomplete(place, messages, number):
    expect((place / "results.json").exists(), f"no results in {place}: {messages}")
    results = json.loads((place / "results.json").read_text())
    steps = len(results["steps"])
    expect(results["outcome"] == "interrupted", f"the results are not marked: {results['outcome']}")
    expect(f"interrupted by {number.name} after {steps} of " in messages, messages)
    expect(f"its results are incomplete, and lie in {place}\n" in messages, messages)
    expect(f"its checkpoints are in {place}/checkpoints; " in messages, messages)
    expect(len((place / "steps.csv").read_text().splitlines()) == steps + 1, "steps.csv has other steps")
    return steps


def interrupt(world, number):
    out = world.folder / number.name
    check_incomplete(out, interrupted(world, out, number), number)
    world.expect_nothing_beside(out)
    newest = newest_checkpoint(out / "checkpoints")
    epochs = 20 * int(newest.stem.split("-")[1]) + 1
    both = [*SIMULATED, f"training.epochs={epochs}", "training.checkpointing.every=1000000"]
    world.complete(world.run_words("continued", *both, f"training.checkpointing.restore={out}/checkpoints"))
    world.complete(world.run_words("whole", *both))
    expect((world.folder / "continued/weights.safetensors").read_bytes() ==
           (world.folder / "whole/weights.safetensors").read_bytes(), "other weights after an interruption")


def keep_complete_results(world):
    """Incomplete results don't replace those of an earlier run."""
    out = world.folder / "kept"
    world.complete(world.run_words(out))
    before = (out / "results.json").read_bytes()
    messages = interrupted(world, out, signal.SIGINT)
    check_incomplete(world.folder / "kept.unfinished-1", messages, signal.SIGINT)
    expect((out / "results.json").read_bytes() == before, "complete results were replaced")
    process = world.complete(world.run_words(out))
    expect(f"its checkpoints are in {world.folder}/kept.unfinished-1/checkpoints" in process.messages,
           f"the next run doesn't name the checkpoints: {process.messages}")


def end_several(world):
    """After an interruption, further scenarios of the command are not run, and leave nothing."""
    other, around = world.folder / "other.json", world.folder / "several"
    other.write_text(world.scenario.read_text().replace("\"small\"", "\"other\""))
    words = world.run_words(around, *LONG)
    words.insert(3, other)
    messages = interrupted(world, around / "small", signal.SIGINT, words)
    check_incomplete(around / "small", messages, signal.SIGINT)
    expect(f"not run: {other}\n" in messages, messages)
    expect([path.name for path in around.iterdir()] == ["small"], f"left over: {sorted(around.iterdir())}")
