#!/usr/bin/env python3
"""Write the real-size test models with seeded weights, and an input for each.

    make_models.py [--to FOLDER] [NAME...]        all models into build/models by default

The nine light models of the onnx package keep their graphs and get weights that make every layer
count; bert_encoder is a BERT-base encoder spelled as PyTorch's exporter spells it. unrolled_decoder,
of 6,000 nodes, is made when it is named: it shows how long compiling takes. For each model
NAME.onnx there is NAME.npz with inputs named as the model names them. What is there is kept.
"""
import argparse
import os
import pathlib
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnx
from bert import build_bert
from decoder import build_decoder
from light import build_light, light_names

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "build" / "models"
NAMES = light_names() + ["bert_encoder"]
NAMED_ONLY = ["unrolled_decoder"]


def seed_of(name):
    """A model's seed depends on its name alone, so that models can be made one by one."""
    return zlib.crc32(name.encode())


def build(name):
    """-> (model, inputs by name)."""
    random = np.random.default_rng(seed_of(name))
    makers = {"bert_encoder": build_bert, "unrolled_decoder": build_decoder}
    return makers[name](random) if name in makers else build_light(name, random)


def write_atomically(path, write):
    """A file that exists is complete: an interrupted run leaves only a temporary one, and each run has one of its own."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    with open(temporary, "wb") as file:
        write(file)
    temporary.rename(path)


def make(name, folder):
    """Write NAME.onnx and NAME.npz unless both are there. -> True when something was written."""
    model_path, input_path = folder / f"{name}.onnx", folder / f"{name}.npz"
    if model_path.exists() and input_path.exists():
        return False
    model, inputs = build(name)
    onnx.checker.check_model(model)
    write_atomically(model_path, lambda file: file.write(model.SerializeToString()))
    write_atomically(input_path, lambda file: np.savez(file, **inputs))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, default=MODELS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES + NAMED_ONLY]
    if unknown:
        sys.exit(f"make_models.py: no model named {unknown[0]}; there are: {', '.join(NAMES + NAMED_ONLY)}")
    options.to.mkdir(parents=True, exist_ok=True)
    for name in options.names or NAMES:
        if make(name, options.to):
            size = (options.to / f"{name}.onnx").stat().st_size
            print(f"{name}: written, {size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
