"""Ops of random sizes, types and attributes, large enough to be timed.

They come from the recipes of test/Sizes, with larger extents; lines have the form of bench/variants.txt.
"""
import math
import random
import re
import sys

import probe

sys.path.insert(0, str(probe.ROOT / "test" / "Sizes"))
import cases  # noqa: E402
import more_cases  # noqa: E402,F401  its recipes join those of cases

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 49, 64, 77, 96, 100, 128, 129, 197, 256, 300, 384, 512, 768, 1000, 1024,
           2047, 2048, 4096, 10000, 30522, 100000, 1000000]
FEWEST, MOST = 1 << 15, 1 << 22  # elements of the largest tensor
ATTEMPTS = 200


def elements(line):
    """Of the largest operand or of what an attribute says about the result."""
    given = line.partition(" | ")[0]
    return max((math.prod(map(int, filter(None, shape.split(",")))) for shape in re.findall(r"\[([\d,]*)\]", given)), default=1)


def random_line(op, rng):
    """One large application of the op; None where its recipe has none."""
    types, recipe = cases.recipes[op]
    for _ in range(ATTEMPTS):
        cases.EXTENTS[:] = rng.sample(EXTENTS, 3)
        element = types[0] if rng.random() < 0.5 else rng.choice(types)
        lines = [line for line in recipe(op, element) if FEWEST <= elements(line) <= MOST]
        if lines:
            return rng.choice(lines)
    return None


def random_lines(count, seed, names):
    rng = random.Random(seed)
    ops = [op for op in cases.recipes if not names or op in names]
    found = (random_line(ops[number % len(ops)], rng) for number in range(count))
    return [line for line in found if line]
