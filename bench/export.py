#!/usr/bin/env python3
"""Networks as PyTorch exports them, with seeded weights: MobileNetV2, a BERT encoder, a small GPT.

    export.py FOLDER [NAME...]

Needs torch, which nothing else here does: run it once, wherever torch is, and put the files into build/models. Each
network becomes NAME.onnx with open batch (and length), and NAME.npz with one set of inputs. Modules are written out in
primitive calls, as model code is, so that the files have the spelling of a real export.
"""
import math
import pathlib
import sys

import numpy as np
import torch
from torch import nn


class InvertedResidual(nn.Module):
    def __init__(self, inner, outer, stride, expand):
        super().__init__()
        hidden = inner * expand
        self.skips = stride == 1 and inner == outer
        layers = [] if expand == 1 else [convolution(inner, hidden, 1, 1)]
        layers += [convolution(hidden, hidden, 3, stride, groups=hidden)]
        layers += [nn.Conv2d(hidden, outer, 1, bias=False), nn.BatchNorm2d(outer)]
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x) if self.skips else self.layers(x)


def convolution(inner, outer, window, stride, groups=1):
    conv = nn.Conv2d(inner, outer, window, stride, window // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outer), nn.ReLU6())


class MobileNetV2(nn.Module):
    """Width 1.0; rows are expansion, channels, repetitions, first stride."""

    ROWS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self):
        super().__init__()
        layers, inner = [convolution(3, 32, 3, 2)], 32
        for expand, outer, count, stride in self.ROWS:
            for number in range(count):
                layers.append(InvertedResidual(inner, outer, stride if number == 0 else 1, expand))
                inner = outer
        layers.append(convolution(inner, 1280, 1, 1))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, image):
        return self.classifier(self.features(image).mean([2, 3]))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        shares = torch.softmax(scores + mask, dim=-1)
        mixed = torch.matmul(shares, v).permute(0, 2, 1, 3)
        return self.out(mixed.reshape(x.shape))


class LayerNorm(nn.Module):
    """In primitive calls, as many models have it."""

    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = (x - mean).pow(2).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + 1e-5) * self.weight + self.bias


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.first_norm = Attention(width, heads), nn.LayerNorm(width)
        self.up, self.down, self.second_norm = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.LayerNorm(width)

    def forward(self, x, mask):
        x = self.first_norm(x + self.attention(x, mask))
        h = self.up(x)
        h = h * 0.5 * (1.0 + torch.erf(h / math.sqrt(2.0)))
        return self.second_norm(x + self.down(h))


class Bert(nn.Module):
    """Embeddings, four layers and a mask of what is padding."""

    def __init__(self, words=2000, width=256, heads=4, layers=4):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))

    def forward(self, ids, attention_mask):
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])))
        mask = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
        for layer in self.layers:
            x = layer(x, mask)
        return x


class GptLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.first_norm, self.attention = LayerNorm(width), Attention(width, heads)
        self.second_norm, self.up, self.down = LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        x = x + self.attention(self.first_norm(x), mask)
        h = self.up(self.second_norm(x))
        h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))))
        return x + self.down(h)


class Gpt(nn.Module):
    """A decoder with a causal mask and the tanh spelling of GELU."""

    def __init__(self, words=2000, width=256, heads=4, layers=3, context=256):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.layers = nn.ModuleList(GptLayer(width, heads) for _ in range(layers))
        self.norm, self.head = LayerNorm(width), nn.Linear(width, words, bias=False)
        self.register_buffer("causal", torch.triu(torch.full((context, context), -1e9), diagonal=1))

    def forward(self, ids):
        length = ids.shape[1]
        x = self.words(ids) + self.places(torch.arange(length))
        for layer in self.layers:
            x = layer(x, self.causal[:length, :length])
        return self.head(self.norm(x))


def draw_ids(*shape):
    return torch.randint(0, 2000, shape)


NETWORKS = {
    "torch_mobilenetv2": lambda: (MobileNetV2(), {"image": torch.randn(1, 3, 224, 224)}, {"image": {0: "batch"}}),
    "torch_bert": lambda: (Bert(), {"ids": draw_ids(1, 128), "attention_mask": torch.ones(1, 128, dtype=torch.int64)},
                           {name: {0: "batch", 1: "length"} for name in ("ids", "attention_mask")}),
    "torch_gpt": lambda: (Gpt(), {"ids": draw_ids(1, 64)}, {"ids": {0: "batch", 1: "length"}}),
}  # fmt: skip


def settle(network):
    """Statistics of batch normalisation as after training, not 0 and 1."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.data.uniform_(0.8, 1.2)
            module.bias.data.normal_(0, 0.1)
    return network.eval()


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(NETWORKS)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        torch.manual_seed(7)
        network, inputs, axes = NETWORKS[name]()
        torch.onnx.export(settle(network), tuple(inputs.values()), str(folder / f"{name}.onnx"), input_names=list(inputs),
                          output_names=["y"], dynamic_axes=axes, opset_version=17, dynamo=False)  # fmt: skip
        np.savez(folder / f"{name}.npz", **{key: value.numpy() for key, value in inputs.items()})
        print(name, (folder / f"{name}.onnx").stat().st_size, flush=True)


if __name__ == "__main__":
    main()
