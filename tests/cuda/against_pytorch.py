#!/usr/bin/env python3
"""Times the training steps of bench.cpp in PyTorch, eager and compiled (with CUDA graphs). Prints lines of fields that are
separated by tabs: torch, model, rows, precision, way, ms, rows per second.

    tests/cuda/against_pytorch.py [WORD]     only models whose name contains it
"""

import statistics
import sys
import time

import torch

nn = torch.nn


def fashion_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1600, 64), nn.ReLU(), nn.Linear(64, 10)), (1, 28, 28), 10


def resnet50():
    import torchvision
    return torchvision.models.resnet50(), (3, 224, 224), 1000


def seconds_of_step(step):
    for _ in range(8):
        step()
    torch.cuda.synchronize()
    seconds, begin = [], time.perf_counter()
    while len(seconds) < 20 or (len(seconds) < 500 and time.perf_counter() - begin < 1):
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def measure(make, rows, tf32, compiled):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(1)
    model, shape, classes = make()
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), fused=True, capturable=compiled)
    images = torch.rand(rows, *shape, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(classes, (rows,), device="cuda")
    loss = nn.CrossEntropyLoss()
    forward = torch.compile(lambda x, y: loss(model(x), y), mode="reduce-overhead") if compiled else (
        lambda x, y: loss(model(x), y))

    def step():
        optimizer.zero_grad(set_to_none=True)
        forward(images, labels).backward()
        optimizer.step()

    return seconds_of_step(step)


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    for make, sizes in (fashion_cnn, (64, 1024)), (resnet50, (64, 256)):
        if word not in make.__name__:
            continue
        for rows in sizes:
            for tf32 in (False, True):
                for compiled in (False, True):
                    try:
                        seconds = measure(make, rows, tf32, compiled)
                    except Exception as error:  # no compiler, no torchvision: say so and go on
                        print(f"{make.__name__}, {rows} rows: {str(error).splitlines()[0]}", file=sys.stderr)
                        continue
                    torch._dynamo.reset()
                    print("torch", make.__name__, rows, "tf32" if tf32 else "float32",
                          "compiled" if compiled else "eager", f"{seconds * 1e3:.3f}", f"{rows / seconds:.0f}",
                          sep="\t", flush=True)


main()
