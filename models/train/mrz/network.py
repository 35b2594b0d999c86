"""The line reader: a fully convolutional network, a strip of 32 rows in, 38 logits per four columns out."""
import torch
from torch import nn

SYMBOLS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'
BLANK = len(SYMBOLS)
CLASSES = BLANK + 1
HEIGHT = 32
STRIDE = 4


def convolve(inputs, outputs, size, stride=1, padding=None, groups=1):
    if padding is None:
        padding = tuple(side // 2 for side in size)
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding, groups=groups, bias=False), nn.BatchNorm2d(outputs)
    )


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return torch.relu(x + self.layers(x))


def separable(channels):
    return Residual(
        convolve(channels, channels, (3, 3), groups=channels), nn.ReLU(), convolve(channels, channels, (1, 1))
    )


def along(channels):
    return Residual(convolve(channels, channels, (1, 3)))


class Reader(nn.Module):
    """Input `[n,1,32,w]`, w a multiple of 4, normalised as `strips.normalise` does; output `[n,w/4,38]` logits."""

    def __init__(self, middle=48, wide=80):
        super().__init__()
        self.body = nn.Sequential(
            convolve(1, 16, (3, 3), 2), nn.ReLU(),
            convolve(16, 16, (3, 3), groups=16), nn.ReLU(),
            convolve(16, 24, (1, 1)), nn.ReLU(),
            convolve(24, middle, (3, 3), 2), nn.ReLU(),
            separable(middle), separable(middle), separable(middle),
            convolve(middle, wide, (HEIGHT // STRIDE, 1), padding=0), nn.ReLU(),
            along(wide), along(wide), along(wide), along(wide),
        )
        self.head = nn.Conv2d(wide, CLASSES, 1)

    def forward(self, x):
        return self.head(self.body(x)).permute(0, 2, 3, 1).reshape(x.shape[0], -1, CLASSES)


class Exported(nn.Module):
    """The same for one strip: its shape is known to the engine by the network alone."""

    def __init__(self, reader):
        super().__init__()
        self.reader = reader

    def forward(self, x):
        return self.reader.head(self.reader.body(x)).permute(0, 2, 3, 1).reshape(1, -1, CLASSES)
