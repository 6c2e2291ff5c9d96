"""What a program says that times training steps for against_frameworks.py: the number of parameters of each case, then
the seconds of so many steps whenever it is asked "CASE STEPS"."""

import sys
import time


def serve(cases):
    """`cases` has a pair for each case: the number of its trainable parameters, and its step."""
    print(*(parameters for parameters, _ in cases), flush=True)
    for line in sys.stdin:
        case, steps = map(int, line.split())
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            cases[case][1]()
            seconds.append(time.perf_counter() - start)
        print(*(f"{each:.9f}" for each in seconds), flush=True)
