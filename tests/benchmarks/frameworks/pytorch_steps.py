"""Training steps of PyTorch for against_frameworks.py: the models of models.py by PyTorch's own layers, images with
channels last.

    pytorch_steps.py THREADS
"""

import os
import sys

# OpenBLAS's threads spin for a while after a product, on cores that are others' by then: end that at once.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
import torch
from torch import nn

from models import CASES, CLASSES, HEADS, HIDDEN, LAYERS, WIDTH, WORDS
from serve import serve


def fashion_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1600, 64), nn.ReLU(), nn.Linear(64, CLASSES))


def normalized(channels, filters, size, stride=1):
    return nn.Sequential(nn.Conv2d(channels, filters, size, stride, size // 2, bias=False), nn.BatchNorm2d(filters))


class Block(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.first, self.second = normalized(channels, filters, 3, stride), normalized(filters, filters, 3)
        self.shortcut = normalized(channels, filters, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        return torch.relu(self.shortcut(x) + self.second(torch.relu(self.first(x))))


def small_resnet():
    layers, channels = [normalized(3, 16, 3), nn.ReLU()], 16
    for stage in range(3):
        for block in range(3):
            layers.append(Block(channels, 16 << stage, 2 if stage > 0 and block == 0 else 1))
            channels = 16 << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES))


class Recurrent(nn.Module):
    """With one bias for each gate, as Keras' LSTM has it; Keras' GRU has two, as PyTorch's."""

    def __init__(self, layer, has_one_bias):
        super().__init__()
        self.layer, self.dense = layer(64, 128, batch_first=True), nn.Linear(128, CLASSES)
        self.layer.bias_hh_l0.requires_grad = not has_one_bias

    def forward(self, x):
        return self.dense(self.layer(x)[0][:, -1])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.Sequential(*(
            nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, dropout=0, batch_first=True) for _ in range(LAYERS)))
        self.dense = nn.Linear(WIDTH, CLASSES)

    def forward(self, words):
        return self.dense(self.layers(self.words(words)).mean(1))


BUILDERS = {"fashion_cnn": fashion_cnn, "small_resnet": small_resnet, "transformer": Transformer,
            "lstm": lambda: Recurrent(nn.LSTM, True), "gru": lambda: Recurrent(nn.GRU, False)}


def prepare(name, batch, shape, words):
    model = BUILDERS[name]()
    shape = (batch, *shape)
    rows = torch.randint(words, shape) if words else torch.rand(shape)
    if rows.dim() == 4:
        model, rows = model.to(memory_format=torch.channels_last), rows.permute(0, 3, 1, 2)
    labels = torch.randint(CLASSES, (batch,))
    trained = [each for each in model.parameters() if each.requires_grad]
    optimizer, loss = torch.optim.Adam(trained), nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        value = loss(model(rows), labels)
        value.backward()
        optimizer.step()
        return value.item()

    step()
    return sum(each.numel() for each in trained), step


torch.set_num_threads(int(sys.argv[1]))
serve([prepare(*case) for case in CASES])
