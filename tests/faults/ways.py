"""The three ways to write a folder, each killed at every one of its steps."""

import json
import shutil

from world import RECORD, expect, listing

# The second environment stands for a file system that cannot exchange two names in one step.
FILE_SYSTEMS = ({}, {"WINDTUNNEL_NO_EXCHANGE": "1"})
LINES = 4


def run(world):
    crashes = 0
    for environment in FILE_SYSTEMS:
        for way in (replace, add, journal):
            crashes += way(world, environment)
    return f"{crashes} crash points of the three ways: 0 torn, 0 lost, 0 left over"


def crash_each(world, words, prepare, check, environment):
    """Kills the command at each of its steps, each time from the same beginning."""
    prepare()
    points = world.crash_points(words, environment)
    for number in range(1, len(points) + 1):
        prepare()
        world.crash(words, number, environment)
        check(f"after a crash at \"{points[number - 1]}\" ({number})")
    return len(points)


def clear(world):
    for path in world.folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "small.json":
            path.unlink()


def is_whole(folder, version):
    """Every file of the manifest is there, is as large as it says, and has this version."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for file in manifest["files"]:
        text = (folder / file["name"]).read_text()
        if version not in text or len(text.encode()) != file["bytes"]:
            return False
    return len(manifest["files"]) == 4


def replace(world, environment):
    out = world.folder / "out"

    def write(version):
        return [world.writer, "replace", out, version]

    def is_put_back():
        # With three renames there is a moment without the folder, in which the old one has a spare name.
        return environment and not out.exists() and is_whole(world.folder / ".out.exchanged", "old")

    def check_new(when):
        expect(not out.exists() or is_whole(out, "new"), f"torn {when}")
        finish(when)

    def check_replaced(when):
        expect(is_put_back() or is_whole(out, "old") or is_whole(out, "new"), f"torn or lost {when}")
        finish(when)

    def finish(when):
        kept = [path / "checkpoints" for path in world.unfinished(out) if (path / RECORD).exists()]
        for folder in kept:
            complete = [name for name in listing(folder) or {} if not name.startswith(".")]
            expect(all((folder / name).read_text() == "new" for name in complete), f"a torn checkpoint {when}")
        world.complete(write("new"), environment)
        expect(is_whole(out, "new"), f"the next run is not whole {when}")
        world.expect_nothing_beside(out)

    def begin_with_old():
        clear(world)
        world.complete(write("old"))

    crashes = crash_each(world, write("new"), lambda: clear(world), check_new, environment)
    return crashes + crash_each(world, write("new"), begin_with_old, check_replaced, environment)


def add(world, environment):
    out = world.folder / "out"
    words = [world.writer, "add", out, "new report"]

    def begin_without():
        clear(world)
        world.complete([world.writer, "replace", out, "old"])

    def begin_with_another():  # of another size
        begin_without()
        world.complete([world.writer, "add", out, "an old report"])

    def check(when):
        report = (out / "report.html").read_text() if (out / "report.html").exists() else None
        expect(report in (None, "an old report", "new report"), f"torn {when}")
        for name in ("steps.csv", "weights/final", "checkpoints/ckpt-1"):
            expect((out / name).read_text() == "old", f"{name} is lost {when}")
        # The file is ours at every moment: the next run replaces it with the rest.
        world.complete([world.writer, "replace", out, "new"], environment)
        expect(is_whole(out, "new"), f"the next run is not whole {when}")
        world.expect_nothing_beside(out)

    def check_another(when):
        expect((out / "report.html").exists(), f"the old report is lost {when}")
        check(when)

    crashes = crash_each(world, words, begin_without, check, environment)
    return crashes + crash_each(world, words, begin_with_another, check_another, environment)


def journal(world, environment):
    out = world.folder / "sweep"
    words = [world.writer, "journal", out, LINES]
    expected = [f"line {number}" for number in range(LINES)]

    def check(when):
        lines = (out / "journal.jsonl").read_text().split("\n")[:-1] if out.exists() else []
        expect(lines == expected[:len(lines)], f"torn {when}: {lines}")
        world.complete(words, environment)
        expect((out / "journal.jsonl").read_text().splitlines() == expected, f"not continued {when}")
        world.expect_nothing_beside(out)

    def check_continued(when):
        expect((out / "journal.jsonl").read_text().startswith("line 0\nline 1\n"), f"lines are lost {when}")
        check(when)

    def begin_with_two():
        clear(world)
        world.complete([world.writer, "journal", out, 2])

    crashes = crash_each(world, words, lambda: clear(world), check, environment)
    return crashes + crash_each(world, words, begin_with_two, check_continued, environment)
