"""Runs every case with one binary, and stores what it prints and writes.

A store is a folder: inputs/ has the files that were read, GROUP/NAME/COMMAND/ the outputs of a case (stdout.*,
stderr.txt, outcome.json with the command and its exit code, results/), stored.json facts about the store itself,
profile.json the kernel times that stand in for measuring. A refused command is stored like any other.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from cases import SLOW, all_cases
from wildcard import matches

FORMAT = "windtunnel outputs"
VARIABLES = ("TF_CONFIG", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR")  # would change what is printed
# A scenario whose text has one of these measures this machine's kernels.
MEASURES = ('"this_machine"', '"measured"')
BY_PROFILE = 'time.compute={"profile":"profile.json"}'
OWN_FAULT = 3  # the program's exit code for a fault of its own
TIMED_OUT = "timed out"  # in place of an exit code


class StoreError(Exception):
    """The store cannot be made as requested."""


def text_of(output):
    """The output of a command that was stopped may be missing, or bytes."""
    return output.decode(errors="backslashreplace") if isinstance(output, bytes) else output or ""


class Store:
    def __init__(self, options):
        self.options = options
        self.binary = pathlib.Path(options.binary).resolve()
        self.final = pathlib.Path(options.folder).resolve()
        self.folder = self.final.with_name(f"{self.final.name}.unfinished-{os.getpid()}")
        self.environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        self.running = {}  # folder of a case: when it began
        self.codes = {}  # by folder of a case
        self.seconds = {}

    def make(self):
        """Returns whether every command came to its own end, whatever its exit code."""
        if not os.access(self.binary, os.X_OK):
            raise StoreError(f"{self.binary} is not a program; build it first")
        if self.final.exists() and not (self.final / "stored.json").is_file():
            raise StoreError(f"{self.final} exists and is not a store; name another folder")
        try:
            self.fill()
            self.replace()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return all(code != TIMED_OUT and code >= 0 for code in self.codes.values())

    def fill(self):
        start = time.monotonic()
        measuring = self.copy_inputs()
        scenarios = sorted(path.stem for path in (self.folder / "inputs/scenarios").glob("*.json"))
        cases = all_cases(scenarios, {name: (BY_PROFILE,) for name in measuring})
        if self.options.quick:
            cases = [case for case in cases if case.folder not in SLOW]
        if self.options.only:
            cases = [case for case in cases if matches(case.folder, self.options.only)]
        if not cases:
            raise StoreError(f"--only {self.options.only}: no case has such a name")
        by_profile = [case.folder for case in cases if BY_PROFILE in case.arguments]
        if by_profile:
            self.get_profile(measuring[0])
        self.run_all(cases)
        facts = {
            "format": FORMAT,
            "version": self.run("--version").stdout.strip(),
            "folder": str(self.folder),  # where the commands ran: the comparison replaces it
            "only": self.options.only,
            "quick": self.options.quick,
            "by_profile": by_profile,
            "wall_seconds": round(time.monotonic() - start, 1),
            "seconds": self.seconds,
        }
        (self.folder / "stored.json").write_text(json.dumps(facts, indent=2) + "\n")
        self.print_summary(len(cases), facts["wall_seconds"])

    def copy_inputs(self):
        """Returns the names of the scenarios that measure kernels."""
        repository = pathlib.Path(self.options.repository)
        shipped = pathlib.Path(self.options.scenarios or repository / "scenarios")
        inputs = self.folder / "inputs"
        shutil.copytree(shipped, inputs / "scenarios")
        shutil.copytree(repository / "tests/measurements", inputs / "measurements")
        for more in sorted(pathlib.Path(__file__).parent.glob("*.json")):
            if (inputs / "scenarios" / more.name).exists():
                raise StoreError(f"{more} has the name of a shipped scenario; rename it")
            shutil.copy(more, inputs / "scenarios")
        texts = {path.stem: path.read_text() for path in sorted((inputs / "scenarios").glob("*.json"))}
        return [name for name, text in texts.items() if any(mark in text for mark in MEASURES)]

    def get_profile(self, scenario):
        """Kernel times differ from measurement to measurement. Therefore all commands, and both stores, use the same."""
        if self.options.profile:
            shutil.copy(self.options.profile, self.folder / "profile.json")
            return
        done = self.run("calibrate", f"inputs/scenarios/{scenario}.json", "--as", "profile.json")
        if done.returncode != 0:
            raise StoreError(f"kernels could not be measured: {done.stderr}")

    # ---- Commands

    def run(self, *arguments, timeout=None):
        return subprocess.run([self.binary, *arguments], cwd=self.folder, env=self.environment, timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="backslashreplace")

    def run_case(self, case):
        self.running[case.folder] = start = time.monotonic()
        folder = self.folder / case.folder
        folder.mkdir(parents=True)
        try:
            done = self.run(*case.arguments, timeout=self.options.timeout)
            code, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            code = TIMED_OUT
            stdout, stderr = (text_of(late.stdout), text_of(late.stderr))
        (folder / case.stdout).write_text(stdout)
        (folder / "stderr.txt").write_text(stderr)
        outcome = {"arguments": list(case.arguments), "exit_code": code}
        (folder / "outcome.json").write_text(json.dumps(outcome, indent=2) + "\n")
        if case.results and not case.keeps_results:
            shutil.rmtree(self.folder / case.results, ignore_errors=True)
        self.seconds[case.folder] = round(time.monotonic() - start, 2)
        self.codes[case.folder] = code
        del self.running[case.folder]

    def run_all(self, cases):
        start = time.monotonic()
        is_terminal = sys.stderr.isatty()
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            left = {pool.submit(self.run_case, case) for case in cases}
            try:
                while left:
                    done, left = concurrent.futures.wait(left, timeout=0.5 if is_terminal else 10)
                    for each in done:
                        each.result()
                    self.show_progress(len(cases) - len(left), len(cases), time.monotonic() - start, is_terminal)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def show_progress(self, done, of, seconds, is_terminal):
        running = ", ".join(sorted(self.running.copy()))
        text = f"{done} of {of} commands, {seconds:.0f} s" + (f"; running: {running}" if running else "")
        if is_terminal:
            sys.stderr.write(f"\r{text[:shutil.get_terminal_size().columns - 1]}\033[K" + ("\n" if done == of else ""))
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    # ---- The end

    def replace(self):
        replaced = self.final.with_name(f"{self.final.name}.replaced-{os.getpid()}")
        if self.final.exists():
            self.final.rename(replaced)
        self.folder.rename(self.final)
        shutil.rmtree(replaced, ignore_errors=True)

    def print_summary(self, cases, seconds):
        counts = collections.Counter(str(code) for code in self.codes.values())
        codes = ", ".join(f"{counts[code]} with exit code {code}" for code in sorted(counts))
        print(f"stored {cases} commands in {seconds:.0f} s: {codes}")
        for folder, code in sorted(self.codes.items()):
            if code in (OWN_FAULT, TIMED_OUT) or code < 0:  # below 0: the signal that ended it
                print(f"  {folder}: exit code {code}, a fault of the program")
        print(f"outputs: {self.final}")
