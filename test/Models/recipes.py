"""Inputs for real models, from recipes.

A recipe is input sets split by " || "; a set is inputs split by "; "; an input is NAME=TYPE[DIMS]:KIND(ARGUMENTS):
    uniform(lo,hi)  normal(sd)  ints(lo,hi) both ends included  const(v)  list(a|b|...)
    image(lo,hi)    a smooth picture with edges and thin strokes, scaled to lo..hi (NCHW or NHWC)
    speech(peak)    voiced syllables with pauses and a little noise at 16 kHz, along the last axis longer than 1
    bytes(pad)      the bytes of a small text, padded with pad
Everything is seeded by model, set and input name.
"""
import re
import zlib

import numpy as np

TEXT = """import sys

def main():
    for number, word in enumerate(sys.argv):
        print(f"{number}: {word}")

main()
"""


def picture(rng, height, width):
    """Waves, blocks and strokes between 0 and 1."""
    y, x = np.mgrid[0:height, 0:width] / max(height, width)
    values = np.zeros((height, width))
    for _ in range(10):
        a, b, phase = rng.uniform(-9, 9), rng.uniform(-9, 9), rng.uniform(0, 2 * np.pi)
        values += rng.uniform(0.2, 1) * np.sin(a * x + b * y + phase)
    values = (values - values.min()) / max(np.ptp(values), 1e-9)
    for _ in range(8):
        top, left = rng.integers(0, height), rng.integers(0, width)
        values[top : top + height // 6 + 1, left : left + width // 5 + 1] = rng.uniform()
    for _ in range(50):
        top, left = rng.integers(0, height), rng.integers(0, width)
        tall, wide = rng.integers(3, max(4, height // 8)), rng.integers(1, 3)
        if rng.integers(2):
            tall, wide = wide, tall
        values[top : top + tall, left : left + wide] = 0.05
    return values


def speech(rng, samples, rate=16000):
    """Harmonics of a moving pitch under three formants, cut into syllables; peak 1."""
    t = np.arange(samples) / rate
    phase = 2 * np.pi * np.cumsum(120 + 25 * np.sin(2 * np.pi * 0.7 * t)) / rate
    voice = np.zeros(samples)
    for k in range(1, 25):
        formants = sum(np.exp(-(((k * 120 - centre) / width) ** 2)) for centre, width in ((600, 150), (1200, 200), (2600, 300)))
        voice += (0.05 + formants) * np.sin(k * phase + rng.uniform(0, 2 * np.pi))
    syllables = np.clip(np.sin(2 * np.pi * 3.1 * t), 0, 1) * (np.sin(2 * np.pi * 0.35 * t + 0.5) > -0.6)
    signal = voice * syllables + 0.02 * rng.standard_normal(samples)
    return signal / np.abs(signal).max()


def images(rng, dims, low, high):
    last = dims[-1] in (1, 3) and dims[1] not in (1, 3)
    height, width, channels = (dims[1], dims[2], dims[3]) if last else (dims[2], dims[3], dims[1])
    result = []
    for _ in range(dims[0]):
        base = picture(rng, height, width)
        planes = [np.clip(base * rng.uniform(0.7, 1) + 0.1 * picture(rng, height, width), 0, 1) for _ in range(channels)]
        result.append(np.stack(planes, -1 if last else 0))
    return low + np.stack(result) * (high - low)


def voices(rng, dims, peak):
    core = list(dims)
    while len(core) > 1 and core[-1] == 1:
        core.pop()
    return np.stack([speech(rng, core[-1]) * peak for _ in range(int(np.prod(core[:-1])))]).reshape(dims)


def text(dims, pad):
    data = np.full(int(np.prod(dims)), pad)
    content = np.frombuffer(TEXT.encode(), np.uint8)[: data.size]
    data[: content.size] = content
    return data.reshape(dims)


KINDS = {
    "uniform": lambda rng, dims, a: rng.uniform(float(a[0]), float(a[1]), dims),
    "normal": lambda rng, dims, a: rng.standard_normal(dims) * float(a[0]),
    "ints": lambda rng, dims, a: rng.integers(int(a[0]), int(a[1]) + 1, dims),
    "const": lambda rng, dims, a: np.full(dims, float(a[0])),
    "list": lambda rng, dims, a: np.array([float(v) for v in a[0].split("|")]).reshape(dims),
    "bytes": lambda rng, dims, a: text(dims, int(a[0])),
    "speech": lambda rng, dims, a: voices(rng, dims, float(a[0])),
    "image": lambda rng, dims, a: images(rng, dims, float(a[0]), float(a[1])),
}


def input_sets(model, recipe):
    """The input sets of a recipe, each a dictionary from input name to array."""
    sets = []
    for number, words in enumerate(recipe.split(" || ")):
        values = {}
        for item in words.split("; "):
            match = re.fullmatch(r"(.+)=(\w+)\[([\d,]*)\]:(\w+)\(([^)]*)\)", item)
            if not match:
                raise ValueError(f"{model}: cannot read the recipe {item!r}")
            name, dtype, dims, kind, arguments = match.groups()
            shape = [int(d) for d in dims.split(",") if d]
            rng = np.random.default_rng(zlib.crc32(f"{model}/{number}/{name}".encode()))
            value = KINDS[kind](rng, shape, [a.strip() for a in arguments.split(",")])
            values[name] = np.asarray(value).astype(dtype)
        sets.append(values)
    return sets
