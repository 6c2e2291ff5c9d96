#!/usr/bin/env python3
"""Whole training steps beside TensorFlow's and PyTorch's, in turn in one run.

    tests/benchmarks/against_frameworks.py BUILD/bin/bench_models --tensorflow PYTHON --pytorch PYTHON [--pairs 30]

PYTHON is an interpreter with that library, such as tf/bin/python after `python3 -m venv tf && tf/bin/pip install
tensorflow==2.21.0`, and /usr/bin/python3 with Debian's python3-torch. Models come from frameworks/models.py: TensorFlow
writes their JSON, which ours reads; PyTorch builds them from its own layers, and all must have as many parameters. All
use the same number of threads (as many as there are CPUs, or --threads N), and Adam.

A pair is a few steps of ours, then of theirs; the first of each turn warms up and isn't counted. Printed are medians,
and the ratio theirs / ours with the interval that covers the median of the pairs with 95 % (order statistics): above 1
we are faster.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "frameworks")
sys.path.insert(0, FOLDER)
from models import CASES


class Program:
    """One that serves steps (frameworks/serve.py)."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.parameters = [int(word) for word in self.process.stdout.readline().split()]

    def seconds(self, case, steps):
        time.sleep(0.03)  # until the other side's threads have stopped spinning
        print(case, steps, file=self.process.stdin, flush=True)
        return [float(word) for word in self.process.stdout.readline().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def interval(ratios):
    """The order statistics between which the median lies with 95 %."""
    ordered, count = sorted(ratios), len(ratios)
    below, rank = 0.0, 0
    while below + math.comb(count, rank) / 2**count <= 0.025:
        below += math.comb(count, rank) / 2**count
        rank += 1
    return ordered[max(0, rank - 1)], ordered[count - max(1, rank)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--tensorflow", required=True)
    parser.add_argument("--pytorch", required=True)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as models:
        steps_of_tensorflow = os.path.join(FOLDER, "tensorflow_steps.py")
        subprocess.run([options.tensorflow, steps_of_tensorflow, "--models", models], check=True)
        with open(os.path.join(models, "cases"), "w") as out:
            for name, batch, _, words in CASES:
                print(name, batch, words, file=out)
        threads = str(options.threads)
        ours = Program([options.program, "--serve", "--threads", threads, models])
        peers = {"TensorFlow": Program([options.tensorflow, steps_of_tensorflow, threads]),
                 "PyTorch": Program([options.pytorch, os.path.join(FOLDER, "pytorch_steps.py"), threads])}
        for name, peer in peers.items():
            if peer.parameters != ours.parameters:
                sys.exit(f"{name} trains {peer.parameters} parameters, and we {ours.parameters}")
        compare(ours, peers, options)
        for program in [ours, *peers.values()]:
            program.close()


def compare(ours, peers, options):
    print(f"{options.threads} threads, {options.pairs} pairs; load {os.getloadavg()[0]:.1f}")
    print(f"{'a training step of':24} {'ours':>9}", *(f"{name:>12} {'ratio (95 %)':>22}" for name in peers))
    for index, (name, batch, _, _) in enumerate(CASES):
        if options.only not in name:
            continue
        steps = 1 + max(2, min(8, int(0.2 / ours.seconds(index, 2)[-1])))
        our_seconds, theirs, ratios = [], {peer: [] for peer in peers}, {peer: [] for peer in peers}
        for _ in range(options.pairs):
            for peer, program in peers.items():
                now = ours.seconds(index, steps)[1:]
                other = program.seconds(index, steps)[1:]
                our_seconds += now
                theirs[peer] += other
                ratios[peer].append(statistics.median(other) / statistics.median(now))
        row = f"{name + ', batch ' + str(batch):24} {1e3 * statistics.median(our_seconds):6.2f} ms"
        for peer in peers:
            low, high = interval(ratios[peer])
            row += (f" {1e3 * statistics.median(theirs[peer]):9.2f} ms"
                    f" {statistics.median(ratios[peer]):9.2f} ({low:.2f} to {high:.2f})")
        print(row, flush=True)


main()
