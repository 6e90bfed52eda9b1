#!/usr/bin/env python3
"""Show the network's answer, and the picture too when its file is given.

    show.py MODEL OUTPUT.npz [INPUT.npz]
"""
import sys

import numpy as np
import onnx

INK = " .:-=+*#%@"


def show_picture(picture):
    # Two rows become one line: a character is about twice as tall as wide.
    rows = (picture[0::2] + picture[1::2]) / 2
    levels = np.clip(rows * len(INK), 0, len(INK) - 1).astype(int)
    for row in levels:
        print("  " + "".join(INK[level] for level in row).rstrip())


def show_answer(labels, probability):
    for place in probability.argsort()[::-1]:
        print(f"{labels[place]:9} {100 * probability[place]:5.1f} %")


def main(model_path, output_path, input_path=None):
    properties = {entry.key: entry.value for entry in onnx.load(model_path).metadata_props}
    if input_path:
        show_picture(np.load(input_path)["picture"][0, 0])
    show_answer(properties["labels"].split(","), np.load(output_path)["probability"][0])


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
