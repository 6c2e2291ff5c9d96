#!/usr/bin/env python3
"""Stores everything that the program gives for the shipped scenarios, and compares two such stores after parsing.

    tests/outputs/outputs.py store build/release/bin/windtunnel before
    tests/outputs/outputs.py store build/release/bin/windtunnel after --profile before/profile.json
    tests/outputs/outputs.py compare before after --exceptions FILE

A change that only moves code must leave every number, key and text as it was. What is run is a table in cases.py,
what is replaced before texts are compared a table in normalise.py, and the form of FILE stands in exceptions.py.
Exit codes: 0 done or equal, 1 a difference (or a command that did not end by itself), 2 the arguments are wrong.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # no files beside the sources

from compare import CompareError, Comparison
from exceptions import ExceptionsError
from store import Store, StoreError


def arguments_of(words):
    repository = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)

    store = commands.add_parser("store", help="runs every command with one binary, and stores the outputs")
    store.add_argument("binary", metavar="BINARY")
    store.add_argument("folder", metavar="FOLDER", help="is replaced whole if it is a store")
    store.add_argument("--repository", default=repository,
                       help="folder with scenarios/ and tests/measurements/; default: that of this script")
    store.add_argument("--scenarios", help="folder of the shipped scenarios; default: REPOSITORY/scenarios")
    store.add_argument("--profile", help="kernel times of this machine from another store, instead of new ones")
    store.add_argument("--only", help="only cases whose GROUP/NAME/COMMAND matches, as in 'scenarios/quickstart*/*'")
    store.add_argument("--quick", action="store_true",
                       help="leaves out the three commands that take most of the time (SLOW in cases.py)")
    store.add_argument("--jobs", type=int, default=2, help="commands at once; default: 2")
    store.add_argument("--timeout", type=float, default=1800, help="seconds for one command; default: 1800")

    compare = commands.add_parser("compare", help="prints each difference between two stores")
    compare.add_argument("before", metavar="BEFORE")
    compare.add_argument("after", metavar="AFTER")
    compare.add_argument("--exceptions", metavar="FILE", help="differences that are meant, with their reasons")
    compare.add_argument("--tolerance", type=float, default=0.0,
                         help="relative difference up to which numbers are equal; default: 0, exactly equal")
    compare.add_argument("--only", help="only cases whose GROUP/NAME/COMMAND matches")
    compare.add_argument("--most", type=int, default=5, help="differences printed for each group; default: 5")
    compare.add_argument("--all", action="store_true", help="prints each difference of each group")
    return parser.parse_args(words)


def main(words):
    options = arguments_of(words)
    try:
        job = Store(options).make if options.command == "store" else Comparison(options).run
        return 0 if job() else 1
    except (StoreError, CompareError, ExceptionsError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
