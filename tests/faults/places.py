"""Places that cannot be written are refused before the work, and closed or full streams harm no file."""

import os
import resource
import shutil

from runs import Runs
from world import expect


def run(world):
    checks = [output_folders, files_of_other_commands, names_in_a_scenario, full_output, full_disk, closed_streams,
              names_that_are_not_text, foreign_files]
    runs = Runs(world)
    for check in checks:
        check(world, runs)
    return f"{len(checks)} kinds of places"


def refused(world, words, text):
    """Exit code 2 before any step is trained."""
    process = world.call(words)
    expect(process.returncode == 2 and text in process.messages and " rows/s" not in process.messages,
           f"{words} ended with {process.returncode}, without \"{text}\": {process.messages}")


def output_folders(world, runs):
    (world.folder / "file").write_text("1")
    refused(world, world.run_words("file"), "is a file, and would be replaced")
    refused(world, world.run_words("file/out"), "Not a directory")
    refused(world, world.run_words("/proc/out"), "cannot write \"/proc/out\"")
    refused(world, world.run_words("x" * 250), "File name too long")
    expect((world.folder / "file").read_text() == "1", "a file was replaced")


def files_of_other_commands(world, runs):
    collective = [world.windtunnel, "collective", "--platform", "dgx_a100", "--sizes", "1MiB"]
    refused(world, collective + ["--trace", "nowhere/t.json"], "name another file with --trace")
    refused(world, collective + ["--dot", world.folder], "name another file with --dot")
    refused(world, [world.windtunnel, "export", "dgx_a100", "--as", "dot", "--out", "nowhere/x"], "with --out")
    refused(world, [world.windtunnel, "calibrate", world.scenario, "--as", "nowhere/x"], "with --as")


def names_in_a_scenario(world, runs):
    refused(world, runs.words("a", "training.save_weights=checkpoints"), "cannot write \"checkpoints\"")
    refused(world, runs.words("a", "training.save_weights=" + "x" * 300), "File name too long")


def full_output(world, runs):
    for words in ([world.windtunnel, "list"], runs.words("a")):
        with open("/dev/full", "w") as full:
            process = world.call(words, stdout=full)
        expect(process.returncode == 3 and "[write] standard output: " in process.messages,
               f"{words} into a full disk ended with {process.returncode}: {process.messages}")
    expect(runs.state() == "a", "the results are lost when the summary cannot be printed")


def full_disk(world, runs):
    """Files that cannot grow beyond a limit stand for a disk on which little is free."""
    world.complete(runs.words("a"))
    for limit in (0, 100, 400, 1000, 2000, 4000):
        def restrict():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        # Python ignores SIGXFSZ, and so the program does, which then gets an error as from a full disk.
        process = world.call(runs.words("b"), preexec_fn=restrict, restore_signals=False)
        expect(process.returncode == 3 and "File too large" in process.messages,
               f"{limit} bytes: {process.returncode}: {process.messages}")
        expect(runs.state() == "a", f"{limit} bytes: the earlier results are lost")
        for folder in runs.checkpoints():
            expect(str(folder.parent) in process.messages or limit == 0, f"{folder} is not named: {process.messages}")
        world.complete(runs.words("b"))
        world.expect_nothing_beside(runs.out)
        world.complete(runs.words("a"))


def closed_streams(world, runs):
    """The first files that a program opens would have the numbers of its closed streams."""
    dgx = world.folder / "dgx"
    described = world.run_words(dgx, "platform=dgx_a100", "strategy={\"type\": \"mirrored\"}")
    world.complete(described)
    whole = (dgx / "results.json").read_bytes()
    for closed, code in (("2>&-", 0), ("0<&-", 0), ("0<&- 2>&-", 0), (">&-", 3), ("0<&- >&- 2>&-", 3)):
        shutil.rmtree(dgx)
        process = world.call(["sh", "-c", f"exec \"$@\" {closed}", "sh", *described])
        expect(process.returncode == code, f"{closed}: {process.returncode}: {process.messages}")
        expect((dgx / "results.json").read_bytes() == whole, f"{closed} changed the results")


def names_that_are_not_text(world, runs):
    name = world.folder / os.fsdecode(b"o\xff")
    refused(world, [name if word == runs.out else word for word in runs.words("a")], "UTF-8")
    expect(not name.exists(), f"a refused run made {name!r}")
    world.expect_nothing_beside(name)


def foreign_files(world, runs):
    world.complete(runs.words("a"))
    thesis = runs.out / "thesis.tex"
    thesis.write_text("years")
    refused(world, runs.words("b"), "contains \"thesis.tex\", which no run has written")
    expect(thesis.read_text() == "years", "a file of the user is lost")
    thesis.unlink()
    expect(runs.state() == "a", "a refused run changed the results")
    world.expect_nothing_beside(runs.out)
