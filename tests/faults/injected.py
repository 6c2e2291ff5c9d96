"""`windtunnel run` is killed at the steps of writing that it passes: all of them, or some in a short round."""

import signal

from runs import Runs
from world import expect

SHORT = 12


def run(world):
    runs = Runs(world)
    points = world.crash_points(runs.words("b"))
    cases = [(number, is_replacing) for number in range(1, len(points) + 1) for is_replacing in (False, True)]
    if world.kills is None:
        cases = world.random.sample(cases, SHORT)
    for number, is_replacing in cases:
        crash(world, runs, number, points[min(number, len(points)) - 1], is_replacing)
    return (f"{len(cases)} of {2 * len(points)} crash points of run: 0 torn, 0 lost, 0 left over, "
            f"{runs.resumed} continued")


def crash(world, runs, number, point, is_replacing):
    when = f"a crash at \"{point}\" ({number})"
    runs.clear()
    if is_replacing:
        world.complete(runs.words("a"))
    process = world.call(runs.words("b"), {"WINDTUNNEL_CRASH_AT": str(number)})
    # Replacing a folder passes more steps than making one.
    expect(process.returncode in (0, -signal.SIGKILL), f"{when}: {process.messages}")
    runs.expect_nothing_lost("a" if is_replacing else None, "b", when)
    for folder in runs.checkpoints()[:1]:
        runs.resume("b", folder, when)
    world.complete(runs.words("b"))
    world.expect_nothing_beside(runs.out)
