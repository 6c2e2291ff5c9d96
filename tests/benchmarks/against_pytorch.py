#!/usr/bin/python3
"""Our matrix products, convolutions, layers and training steps beside PyTorch's (oneDNN, OpenBLAS), in turn.

    tests/benchmarks/against_pytorch.py BUILD/bin/bench_contraction [--pairs 15] [--only WORDS] [--isa avx2]
    tests/benchmarks/against_pytorch.py BUILD/bin/bench_layers [--pairs 15] [--only WORDS]
    tests/benchmarks/against_pytorch.py BUILD/bin/bench_train_step [--pairs 60]

Needs python3-torch, and libopenblas0-pthread for a fast torch.mm. Both sides use as many threads as there are
CPUs, or --threads N. A pair is a few runs of ours, then as many of PyTorch's; the first of each turn warms up
and isn't counted. Prints medians and the ratio PyTorch's seconds / ours, the median over pairs: above 1 we are
faster. PyTorch's threads spin while they wait: on a busy machine they lose many times more than ours, and only
--threads 1, or OMP_WAIT_POLICY=passive, compares anything.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import time

# OpenBLAS's threads spin for a while after a product, on cores that are ours by then: end that at once.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "frameworks"))
from pytorch_layers import layer


def train_step(batch):
    """fashion_cnn of the zoo. Ours also counts its accuracy."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1600, 64), nn.ReLU(), nn.Linear(64, 10)).to(memory_format=torch.channels_last)
    optimizer, loss = torch.optim.Adam(model.parameters()), nn.CrossEntropyLoss()
    images = torch.rand(batch, 1, 28, 28).to(memory_format=torch.channels_last)
    labels = torch.randint(10, (batch,))

    def step():
        with torch.enable_grad():
            optimizer.zero_grad(set_to_none=True)
            loss(model(images), labels).backward()
            optimizer.step()

    return step


def prepare(fields):
    """The case as PyTorch does it, channels last."""
    kind, name, numbers = fields[0], fields[1], [int(field) for field in fields[3:]]
    if kind == "train_step":
        return train_step(*numbers)
    if kind.startswith("layer"):
        return layer(name, has_gradients=kind != "layer", words=numbers[0], shape=numbers[1:])
    if kind == "product":
        m, n, k = numbers
        a, b, c = torch.randn(m, k), torch.randn(k, n), torch.empty(m, n)
        return lambda: torch.mm(a, b, out=c)
    batch, size, channels, out_channels, kernel, stride, padding = numbers
    x = torch.randn(batch, channels, size, size).to(memory_format=torch.channels_last)
    w = torch.randn(out_channels, channels, kernel, kernel).to(memory_format=torch.channels_last)
    if kind == "forward":
        return lambda: torch.conv2d(x, w, None, stride, padding)
    dy = torch.randn_like(torch.conv2d(x, w, None, stride, padding))
    mask = [kind == "input_gradient", kind == "filter_gradient", False]
    pair = lambda number: [number, number]
    return lambda: torch.ops.aten.convolution_backward(
        dy, x, w, None, pair(stride), pair(padding), pair(1), False, [0, 0], 1, mask)


def timed(run, runs):
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--isa")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    threads = options.threads
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)

    command = [options.program, "--serve", "--threads", str(threads)]
    command += ["--isa", options.isa] if options.isa else []
    ours = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    count, isa, peak = ours.stdout.readline().split("\t")
    cases = [ours.stdout.readline().rstrip("\n").split("\t") for _ in range(int(count))]

    def ask(index, runs):
        print(index, runs, file=ours.stdin, flush=True)
        return [float(word) for word in ours.stdout.readline().split()]

    print(f"{threads} threads, {isa}, {float(peak) / 1e9:.0f} GFLOP/s at most; PyTorch {torch.__version__}; "
          f"load {os.getloadavg()[0]:.1f}")
    print(f"{'case':54} {'ours':>7} {'PyTorch':>7}         {'ratio':>6} {'share of peak':>14}")
    ratios = {}
    with torch.no_grad():
        for index, fields in enumerate(cases):
            kind, name, flops = fields[0], fields[1], float(fields[2])
            if options.only not in name:
                continue
            theirs, runs = prepare(fields), 1 + (max(3, min(8, int(4e8 / flops))) if flops else 5)
            our_seconds, their_seconds, pairs = [], [], []
            for _ in range(options.pairs):
                time.sleep(0.03)  # until the other side's threads have stopped spinning
                ours_now = ask(index, runs)[1:]
                time.sleep(0.03)
                theirs_now = timed(theirs, runs)[1:]
                our_seconds += ours_now
                their_seconds += theirs_now
                pairs.append(statistics.median(theirs_now) / statistics.median(ours_now))
            us, them, ratio = (statistics.median(values) for values in (our_seconds, their_seconds, pairs))
            ratios.setdefault(kind, []).append(ratio)
            if flops:
                print(f"{name:54} {flops / us / 1e9:7.1f} {flops / them / 1e9:7.1f} GFLOP/s {ratio:6.2f} "
                      f"{100 * flops / us / float(peak):13.1f} %", flush=True)
            else:
                print(f"{name:54} {1e3 * us:7.2f} {1e3 * them:7.2f} ms      {ratio:6.2f}", flush=True)
            if kind == "train_step":
                batch = int(fields[3])
                print(f"{'':54} {batch / us:7.0f} {batch / them:7.0f} images/s")
    for kind, values in ratios.items():
        mean = math.exp(statistics.fmean(map(math.log, values)))
        print(f"{kind:16} {len(values):3} cases, geometric mean {mean:.2f}, least {min(values):.2f}")
    ours.stdin.close()
    ours.wait()


main()
