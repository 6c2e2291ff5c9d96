#!/usr/bin/env python3
"""What it costs to time large machines, and how that grows: wall time, processor time and memory of the program.

    tests/benchmarks/large_machines.py build/release/bin/windtunnel

Each row is one command, run once. The memory is the largest of its processes, one of which simulates.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BERT = os.path.join(ROOT, "scenarios/multi_worker_32_dgx_a100.json")
POD = os.path.join(ROOT, "scenarios/tpu_v4_resnet50.json")


def collective(platform, parameter, *more):
    return ["collective", "--platform", platform, "--set", parameter, "--op", "all_reduce", *more, "--json"]


def rows(out):
    for machines in (8, 32, 128, 512, 2048):
        where = f"{8 * machines} GPUs, "
        yield where + "1 GiB, what NCCL chooses, DGX H100", collective(
            "dgx_h100", f"machines={machines}", "--sizes", "1GiB")
        yield where + "64 MiB by NVLSTree, DGX H100", collective(
            "dgx_h100", f"machines={machines}", "--sizes", "64MiB", "--algorithm", "nvls_tree")
        yield where + "4 MiB by Tree, DGX A100", collective(
            "dgx_a100", f"machines={machines}", "--sizes", "4MiB", "--algorithm", "tree")
        yield where + "1 GiB by Ring, DGX A100", collective(
            "dgx_a100", f"machines={machines}", "--sizes", "1GiB", "--algorithm", "ring")
        yield where + "a step of BERT-large, DGX A100", [
            "run", BERT, "--set", f"platform.set.machines={machines}", "--out", out]
    for chips, slice_ in ((64, "4x4x4"), (512, "8x8x8"), (3072, "12x16x16"), (4096, "16x16x16")):
        yield f"{chips} chips, a step of ResNet-50, TPU v4 {slice_}", [
            "run", POD, "--set", f"platform.set.slice={slice_}", "--set", "dataset.rows=1048576", "--out", out]
    for platform, slice_ in (("tpu_v3", "16x32"), ("tpu_v3", "32x32"), ("tpu_v5p", "16x16x24"),
                             ("tpu_v7", "16x24x24")):
        yield f"64 MiB, {platform} {slice_}", collective(platform, f"slice={slice_}", "--sizes", "64MiB")
    yield "all-to-all of 64 MiB over 512 GPUs, DGX H100", [
        "collective", "--platform", "dgx_h100", "--set", "machines=64", "--op", "all_to_all", "--sizes", "64MiB",
        "--json"]
    yield "explain: BERT-large on 256 GPUs, DGX A100", ["explain", BERT]


def figure(words, text):
    """What the command found: the time of the collective or of the step, and larger pieces if it played any."""
    if words[0] == "collective":
        found = json.loads(text)
        note = " (larger pieces)" if any("pieces" in warning for warning in found["warnings"]) else ""
        return f"{found['rows'][0]['time_us'] / 1000:.3f} ms{note}"
    return "" if words[0] == "explain" else f"{step_of(words[-1]) * 1000:.3f} ms"


def step_of(folder):
    with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
        return json.load(file)["simulated"]["step_time_s"]


def measure(program, words):
    """Runs the command in a process of its own, so that its peak of memory is that of this command alone."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        began = time.monotonic()
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wall = time.monotonic() - began
        use = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = figure(words, done.stdout) if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
        with os.fdopen(writer, "w") as pipe:
            json.dump([wall, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024, said], pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        result = json.load(pipe)
    os.waitpid(child, 0)
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("| what | wall s | CPU s | MiB | result |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in rows(os.path.join(folder, "out")):
            wall, processor, memory, said = measure(os.path.abspath(sys.argv[1]), words)
            print(f"| {name} | {wall:.2f} | {processor:.2f} | {memory:.0f} | {said} |", flush=True)


if __name__ == "__main__":
    main()
