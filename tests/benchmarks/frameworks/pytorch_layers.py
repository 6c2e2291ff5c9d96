"""PyTorch's layers for the cases of bench_layers: shapes are those of Keras, and images lie channels last."""

import torch
from torch import nn


class Sequence(nn.Module):
    """A recurrent layer, of which only the sequence is wanted."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell(64, 128, batch_first=True)

    def forward(self, x):
        return self.cell(x)[0]


class Attention(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)[0]


def depthwise():
    return nn.Conv2d(64, 64, 3, groups=64)


# By the first word of the case's name, but for the bilinear UpSampling2D.
LAYERS = {
    "SimpleRNN": lambda: Sequence(nn.RNN),
    "GRU": lambda: Sequence(nn.GRU),
    "LSTM": lambda: Sequence(nn.LSTM),
    "Conv1D": lambda: nn.Conv1d(64, 128, 5),
    "Conv3D": lambda: nn.Conv3d(16, 32, 3),
    "Conv2DTranspose": lambda: nn.ConvTranspose2d(64, 32, 2, 2),
    "DepthwiseConv2D": depthwise,
    "SeparableConv2D": lambda: nn.Sequential(depthwise(), nn.Conv2d(64, 64, 1)),
    "MaxPooling2D": lambda: nn.MaxPool2d(2),
    "AveragePooling2D": lambda: nn.AvgPool2d(2),
    "GlobalAveragePooling2D": lambda: nn.AdaptiveAvgPool2d(1),
    "UpSampling2D": lambda: nn.Upsample(scale_factor=2),
    "UpSampling2D bilinear": lambda: nn.Upsample(scale_factor=2, mode="bilinear"),
    "BatchNormalization": lambda: nn.BatchNorm2d(64),
    "LayerNormalization": lambda: nn.LayerNorm(512),
    "GroupNormalization": lambda: nn.GroupNorm(8, 64),
    "Embedding": lambda: nn.Embedding(10000, 128),
    "MultiHeadAttention": lambda: Attention(128, 4, batch_first=True),
    "Softmax": lambda: nn.Softmax(-1),
    "GELU": nn.GELU,
    "ELU": nn.ELU,
    "Tanh": nn.Tanh,
    "PReLU": lambda: nn.PReLU(64),
    "Dropout": lambda: nn.Dropout(0.5),
}
# Layers whose channels PyTorch has behind the batch.
OF_CHANNELS = ("Conv", "Depthwise", "Separable", "Max", "Average", "Global", "Up", "Batch", "Group", "PReLU")


def layer(name, has_gradients, words, shape):
    """What runs the layer once, in training mode."""
    module = LAYERS[name.split("[")[0].strip()]()
    rows = torch.randint(words, shape) if words else torch.rand(shape) * 2 - 1
    if name.startswith(OF_CHANNELS):
        rows = rows.movedim(-1, 1)  # a view, so it lies channels last
        if rows.dim() == 4:
            module = module.to(memory_format=torch.channels_last)
    if not words:
        rows.requires_grad_(has_gradients)
    dy = torch.rand_like(module(rows))

    def run():
        with torch.set_grad_enabled(has_gradients):
            y = module(rows)
            if has_gradients:
                rows.grad = None
                module.zero_grad(set_to_none=True)
                (y * dy).sum().backward()

    return run
