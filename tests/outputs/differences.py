"""Parses two versions of a file, and yields every difference between them with its path inside the file.

    JSON    simulated.step_time_s          keys and indexes; the order of keys does not count
    CSV     rows.3.loss                    row and column; the order of columns does not count
    text    lines.12.words.4               a number in a line that is otherwise the same
            lines.12                       a line with other words; the width of columns does not count
    bytes   bytes                          a file that is no text
"""

import csv
import difflib
import io
import json
import math
import re
from typing import Any, NamedTuple


class Absent:
    def __repr__(self):
        return "(absent)"


ABSENT = Absent()
LARGEST_ALIGNED = 4000  # elements; longer stretches that differ are compared by index


class Difference(NamedTuple):
    path: str
    before: Any
    after: Any


def differences(name, before, after, tolerance, normalise):
    """before, after: bytes. normalise: two functions from text to text."""
    try:
        texts = [side.decode() for side in (before, after)]
    except UnicodeDecodeError:
        if before != after:
            yield Difference("bytes", described(before, after), described(after, before))
        return
    texts = [replace(text) for replace, text in zip(normalise, texts)]
    if texts[0] == texts[1]:
        return
    for parse, differ in PARSERS.get(name.rpartition(".")[2], ()):
        try:
            sides = [parse(text) for text in texts]
        except (ValueError, csv.Error):
            continue  # comments in JSON, or an empty text
        yield from differ(*sides, tolerance)
        return
    yield from differ_text(*texts, tolerance)


def described(these, those):
    first = next((i for i, (a, b) in enumerate(zip(these, those)) if a != b), min(len(these), len(those)))
    return f"{len(these)} bytes; from byte {first} on: {these[first:first + 16].hex()}"


# ---- Values


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_number(a, b, tolerance):
    if a == b or (a != a and b != b):
        return True
    if not (math.isfinite(a) and math.isfinite(b)):
        return False
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def number_of(text):
    """The number that a cell or a word is, or else its text."""
    if not NUMBER.fullmatch(text):
        return text
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def same_value(a, b, tolerance):
    if is_number(a) and is_number(b):
        return same_number(a, b, tolerance)
    return type(a) is type(b) and a == b


def paired(before, after, key):
    """Yields (index, element, other element): by index if both have the same length, else aligned by equal keys."""
    if len(before) == len(after):
        yield from ((i, *pair) for i, pair in enumerate(zip(before, after)))
        return
    keys = [[key(element) for element in side] for side in (before, after)]
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if keys[0][i] != keys[1][i]), shorter)
    end = next((i for i in range(shorter - start) if keys[0][-1 - i] != keys[1][-1 - i]), shorter - start)
    yield from ((i, before[i], after[i]) for i in range(start))
    middle = [side[start:len(side) - end] for side in keys]
    if max(map(len, middle)) <= LARGEST_ALIGNED:
        blocks = difflib.SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    else:
        blocks = [("replace", 0, len(middle[0]), 0, len(middle[1]))]
    for _, a0, a1, b0, b1 in blocks:
        for i in range(max(a1 - a0, b1 - b0)):
            a = before[start + a0 + i] if i < a1 - a0 else ABSENT
            b = after[start + b0 + i] if i < b1 - b0 else ABSENT
            yield (start + (b0 if a is ABSENT else a0) + i, a, b)


# ---- JSON


def object_of(members):
    if len(dict(members)) != len(members):
        raise ValueError("a key stands twice in one object")
    return dict(members)


def parse_json(text):
    return json.loads(text, object_pairs_hook=object_of)


def inside(path, key):
    return f"{path}.{key}" if path else str(key)


def differ_json(before, after, tolerance, path=""):
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from differ_json(before.get(key, ABSENT), after.get(key, ABSENT), tolerance, inside(path, key))
    elif isinstance(before, list) and isinstance(after, list):
        for i, a, b in paired(before, after, lambda element: json.dumps(element, sort_keys=True)):
            yield from differ_json(a, b, tolerance, inside(path, i))
    elif not same_value(before, after, tolerance):
        yield Difference(path, before, after)


# ---- CSV


def parse_csv(text):
    lines = list(csv.reader(io.StringIO(text), strict=True))
    if not lines or len(set(lines[0])) != len(lines[0]) or any(len(line) != len(lines[0]) for line in lines):
        raise ValueError("no table")
    return lines[0], [dict(zip(lines[0], map(number_of, line))) for line in lines[1:]]


def differ_csv(before, after, tolerance):
    (columns, rows), (other_columns, other_rows) = before, after
    for name in [*columns, *(name for name in other_columns if name not in columns)]:
        if name not in columns or name not in other_columns:
            yield Difference(f"columns.{name}", name if name in columns else ABSENT,
                             name if name in other_columns else ABSENT)
    shared = [name for name in columns if name in other_columns]
    for i, a, b in paired(rows, other_rows, lambda row: tuple(row[name] for name in shared)):
        if a is ABSENT or b is ABSENT:
            yield Difference(f"rows.{i}", a, b)
            continue
        for name in shared:
            if not same_value(a[name], b[name], tolerance):
                yield Difference(f"rows.{i}.{name}", a[name], b[name])


# ---- Text

NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?")
# A number that does not continue a word or a number, a word, or a single sign.
WORD = re.compile(rf"(?<![\w.)]){NUMBER.pattern}|[A-Za-z_]\w*|\d+(?:\.\d+)?|\S")


def words_of(line):
    return tuple(number_of(word) for word in WORD.findall(line))


def differ_text(before, after, tolerance):
    for i, a, b in paired(before.splitlines(), after.splitlines(), words_of):
        if a == b:
            continue
        if a is ABSENT or b is ABSENT:
            yield Difference(f"lines.{i + 1}", a, b)
            continue
        a_words, b_words = words_of(a), words_of(b)
        unequal = [j for j, pair in enumerate(zip(a_words, b_words)) if not same_value(*pair, tolerance)]
        if len(a_words) == len(b_words) and all(is_number(a_words[j]) and is_number(b_words[j]) for j in unequal):
            yield from (Difference(f"lines.{i + 1}.words.{j + 1}", a_words[j], b_words[j]) for j in unequal)
        else:
            yield Difference(f"lines.{i + 1}", a, b)


PARSERS = {"json": ((parse_json, differ_json),), "csv": ((parse_csv, differ_csv),)}
