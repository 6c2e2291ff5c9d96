"""Differences that are meant, each with its reason.

    { "exceptions": [
      { "file": "*/run/scenario.resolved.json", "path": "platform.process_start", "before": "(absent)",
        "reason": "the time that a process needs to start stands in the platform file now" } ] }

file, path, before and after are patterns with * and ?; all that are given must match. Values are matched as the
comparison prints them.
"""

import json

from wildcard import matches

PATTERNS = ("file", "path", "before", "after")


class ExceptionsError(Exception):
    """The file of exceptions is not one."""


class Exceptions:
    def __init__(self, file):
        self.rows = read(file) if file else []
        self.covered = [0] * len(self.rows)

    def cover(self, facts):
        """Whether a difference is meant. facts: its file, path, before and after as texts."""
        for i, row in enumerate(self.rows):
            if all(matches(facts[name], row[name]) for name in PATTERNS if name in row):
                self.covered[i] += 1
                return True
        return False

    def used(self):
        return [(row, count) for row, count in zip(self.rows, self.covered) if count]

    def unused(self):
        return [row for row, count in zip(self.rows, self.covered) if not count]


def read(file):
    try:
        with open(file, encoding="utf-8") as text:
            tree = json.load(text)
    except (OSError, ValueError) as error:
        raise ExceptionsError(f"{file}: {error}") from error
    rows = tree.get("exceptions") if isinstance(tree, dict) else None
    if not isinstance(rows, list):
        raise ExceptionsError(f'{file}: no list "exceptions"; see tests/outputs/exceptions.py for the form')
    for i, row in enumerate(rows):
        where = f"{file}: exception {i + 1}"
        if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
            raise ExceptionsError(f"{where} is not an object of texts")
        unknown = sorted(set(row) - {*PATTERNS, "reason"})
        if unknown:
            raise ExceptionsError(f'{where}: unknown key "{unknown[0]}"; known: {", ".join(PATTERNS)}, reason')
        if not row.get("reason") or not row.get("file"):
            raise ExceptionsError(f'{where} needs a "file" and a "reason"')
    return rows


def described(row):
    patterns = ", ".join(f'{name} "{row[name]}"' for name in PATTERNS if name in row)
    return f"{patterns}: {row['reason']}"
