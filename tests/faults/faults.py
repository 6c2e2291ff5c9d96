#!/usr/bin/env python3
"""Kills the program while it writes, fills its disk, closes its streams, and shows that nothing is lost.

    tests/faults/faults.py build/release/bin                      a short round, as ctest runs it
    tests/faults/faults.py build/release/bin --kills 500          500 random kills, and every injected crash point
    tests/faults/faults.py build/release/bin --only signals

BIN is a build's folder of programs: windtunnel, faults_writer (writer.cpp) and libfaults_calls.so (calls.cpp). Each part prints what it
counted, and ends at the first fault with the folder in which it happened. Exit codes: 0 no fault, 1 a fault.
"""

import argparse
import os
import pathlib
import random
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # no files beside the sources

import calls
import injected
import kills
import places
import signals
import sweeps
import ways
from world import Fault, World

# In this order: what fails first is the smallest.
MEMORY = "/dev/shm"
PARTS = {"ways": ways.run, "places": places.run, "signals": signals.run, "injected": injected.run, "kills": kills.run,
         "calls": calls.run, "sweeps": sweeps.run}


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", metavar="BIN", type=pathlib.Path)
    parser.add_argument("--kills", type=int, help="random kills; every injected crash point is tried, too. "
                                                  "Default: a few kills, and a few of the crash points")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices; default: 1")
    parser.add_argument("--dir", default=MEMORY if os.access(MEMORY, os.W_OK) else None,
                        help="where the temporary folder is made; default: in memory, where there is such a place, "
                             "since a kill of a process loses nothing that was written to a file system")
    parser.add_argument("--only", choices=PARTS, help="one part; default: all")
    parser.add_argument("--without", choices=PARTS, help="leaves out one part")
    return parser.parse_args(words)


def main(words):
    options = arguments_of(words)
    with tempfile.TemporaryDirectory(prefix="windtunnel_faults_", dir=options.dir) as folder:
        world = World(options.bin.resolve(), pathlib.Path(folder), options.kills, random.Random(options.seed))
        for name, part in PARTS.items():
            if options.only not in (None, name) or options.without == name:
                continue
            begin = time.monotonic()
            try:
                counted = part(world.fresh(name))
            except Fault as fault:
                print(f"{name}: {fault} (seed {options.seed})", file=sys.stderr)
                return 1
            print(f"{name}: {counted}; {time.monotonic() - begin:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
