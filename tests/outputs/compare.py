"""Compares two stores after parsing, and prints each difference that no exception covers."""

import collections
import json
import pathlib
import re
from typing import Any, NamedTuple

from cases import SLOW
from differences import ABSENT, differences, is_number
from exceptions import Exceptions, described
from normalise import normalised
from store import FORMAT
from wildcard import matches

PROFILE = "profile.json"
LONGEST = 160  # characters of a value that are printed


class CompareError(Exception):
    """One of the folders is not a store."""


class Found(NamedTuple):
    file: str
    path: str
    before: Any
    after: Any

    def group(self):
        """The file and path without the case and the indexes: differences of one kind share them."""
        parts = self.file.split("/")
        if len(parts) > 2 and parts[0] != "inputs":
            parts[1] = "*"
        return "/".join(parts), re.sub(r"(^|\.)\d+(?=\.|$)", r"\1*", self.path)


class Side:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.facts = json.loads((self.folder / "stored.json").read_text())
        except (OSError, ValueError) as error:
            raise CompareError(f"{folder} is not a store: {error}") from error
        if self.facts.get("format") != FORMAT:
            raise CompareError(f'{folder}/stored.json is not of the format "{FORMAT}"')
        self.files = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        self.files.discard("stored.json")

    def read(self, file):
        return (self.folder / file).read_bytes()

    def constants(self):
        """The versions of the model's constants in the results; 0: made before results had one."""
        versions = set()
        for file in self.files:
            if not file.endswith("/results.json"):
                continue
            try:
                versions.add(json.loads(self.read(file)).get("constants_version", 0))
            except (ValueError, AttributeError):  # the comparison of this file says that it is not JSON
                pass
        return versions

    def normalise(self, text):
        return normalised(text, self.facts["folder"])


def printed(value):
    if isinstance(value, (str, type(ABSENT))):
        return str(value) if isinstance(value, str) else repr(value)
    return json.dumps(value)


def shortened(text):
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def counted(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def change(before, after):
    """The relative change of two numbers, for people."""
    if not (is_number(before) and is_number(after)) or before == 0:
        return ""
    return f"  ({(after - before) / abs(before) * 100:+.3g} %)"


class Comparison:
    def __init__(self, options):
        self.options = options
        self.sides = [Side(options.before), Side(options.after)]
        self.exceptions = Exceptions(options.exceptions)
        self.skipped = []  # folders of the cases that used different kernel times
        self.found = collections.defaultdict(list)
        self.equal = self.unequal = 0

    def run(self):
        """Returns whether every difference is meant, and every exception needed."""
        self.compare_profiles()
        self.compare_constants()
        for file in sorted(self.sides[0].files | self.sides[1].files):
            if self.is_selected(file):
                self.compare_file(file)
        self.print_found()
        self.print_exceptions()
        count = sum(map(len, self.found.values()))
        print(f"{counted(self.equal, 'file')} equal, {self.unequal} unequal; "
              f"{counted(count, 'difference')} without an exception")
        return count == 0 and not self.unused()

    def unused(self):
        """Exceptions that match nothing, where everything was compared."""
        parts = [self.options.only, *(side.facts[name] for side in self.sides for name in ("only", "quick"))]
        return [] if any(parts) else self.exceptions.unused()

    def is_selected(self, file):
        if file == PROFILE or any(file.startswith(f"{folder}/") for folder in self.skipped):
            return False
        only = [side.facts["only"] for side in self.sides] + [self.options.only]
        case = "/".join(file.split("/")[:3])
        if case in SLOW and any(side.facts["quick"] for side in self.sides):
            return False
        return file.startswith("inputs/") or all(matches(case, pattern) for pattern in only if pattern)

    def compare_profiles(self):
        """Two measurements of the same kernels are never equal, and everything that follows from them differs."""
        texts = [side.read(PROFILE) if PROFILE in side.files else None for side in self.sides]
        if None in texts or texts[0] == texts[1]:
            return
        self.skipped = sorted(set(self.sides[0].facts["by_profile"]) | set(self.sides[1].facts["by_profile"]))
        print(f"each store measured this machine's kernels, so that {len(self.skipped)} commands are not compared; "
              f"make the second one with --profile {self.sides[0].folder / PROFILE}")
        self.add(Found(PROFILE, "", "kernel times of one measurement", "kernel times of another"))

    def compare_constants(self):
        """Times that moved because the constants did are no fault: CHANGELOG.md says by how much."""
        versions = [sorted(side.constants()) for side in self.sides]
        if versions[0] != versions[1]:
            print("the model's constants have different versions, {} and {}: CHANGELOG.md says what moved".format(
                *(", ".join(map(str, some)) or "none" for some in versions)))

    def compare_file(self, file):
        is_there = [file in side.files for side in self.sides]
        if not all(is_there):
            found = [Found(file, "", *("(a file)" if there else ABSENT for there in is_there))]
        else:
            contents = [side.read(file) for side in self.sides]
            if contents[0] == contents[1]:
                self.equal += 1
                return
            normalise = [side.normalise for side in self.sides]
            found = [Found(file, *each)
                     for each in differences(file, *contents, self.options.tolerance, normalise)]
        self.equal += not found
        self.unequal += bool(found)
        for each in found:
            self.add(each)

    def add(self, found):
        facts = {"file": found.file, "path": found.path, "before": printed(found.before),
                 "after": printed(found.after)}
        if not self.exceptions.cover(facts):
            self.found[found.group()].append(found)

    # ---- What is printed

    def print_found(self):
        for (file, path), group in sorted(self.found.items()):
            print(f"{file}  {path or '(whole)'}: {counted(len(group), 'difference')}")
            shown = group if self.options.all else group[: self.options.most]
            for found in shown:
                print(f"  {found.file}  {found.path}")
                print(f"    before: {shortened(printed(found.before))}")
                print(f"    after:  {shortened(printed(found.after))}{change(found.before, found.after)}")
            if len(shown) < len(group):
                print(f"  and {len(group) - len(shown)} more, which --all prints")
            print()

    def print_exceptions(self):
        for row, count in self.exceptions.used():
            print(f"covers {count}: {described(row)}")
        for row in self.unused():
            print(f"matches nothing, remove it: {described(row)}")
