"""Patterns in which * stands for any text and ? for one character. Brackets are ordinary characters here."""

import functools
import re


@functools.lru_cache(maxsize=None)
def expression(pattern):
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


def matches(text, pattern):
    return expression(pattern).fullmatch(text) is not None
