#!/usr/bin/env python3
"""What the graph level makes of whole models: kernels before and after, transposes left, memory.

    account.py [NAME...]

Models are those of test/Models/real.tsv (`get_real.py` brings them) and the files of build/models. Columns:
nodes of the file; ops after import, which is one kernel each without fusion; kernels, with all sizes given and with
sizes left open; transposes that are left in the graph between other ops; arena over the largest sum of what lives at once,
at the shapes of the first inputs. The last line counts models with more than half as many kernels as nodes.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import probe
from systems import KUMIKO

REAL, MODELS = probe.ROOT / "build" / "real", probe.ROOT / "build" / "models"
OP = re.compile(r"^ +(?:(%\w+)(?::\d+)? = )?nn\.(\w+) ?(.*)$")
NO_KERNEL = {"constant", "reshape", "bitcast", "yield", "check", "symbol"}


def models():
    """Name and file of each."""
    with open(probe.ROOT / "test" / "Models" / "real.tsv", newline="") as file:
        names = [row["name"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return [REAL / f"{name}.onnx" for name in names] + sorted(MODELS.glob("*.onnx"))


def dims(path):
    """--dim for each size that the file leaves open, from the inputs beside it."""
    inputs = np.load(path.with_suffix(".npz"))
    options = []
    for value in onnx.load(path, load_external_data=False).graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if value.name in inputs and not (dim.HasField("dim_value") and dim.dim_value >= 0):
                name = dim.dim_param if dim.dim_param not in ("", "?", "-1") else f"{value.name}[{axis}]"
                options += ["--dim", f"{name}={inputs[value.name].shape[axis]}"]
    return options


def kumiko(*arguments):
    run = subprocess.run([KUMIKO, "compile", *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip().splitlines()[0])
    return run.stdout


def ops_after(path, stage, options):
    """(result, op, rest of the line) of each op."""
    lines = kumiko(path, f"--stop-after={stage}", *options).splitlines()
    return [match.groups() for match in map(OP.match, lines) if match]


def interior_transposes(path, options):
    """Transposes between two ops: neither of an input nor of what only a result is."""
    ops = ops_after(path, "optimize", options)
    made = {result: op for result, op, _ in ops if result}
    used = {name for _, _, rest in ops for name in re.findall(r"%\w+", rest.split(":")[0])}
    return sum(op == "transpose" and result in used and bool(set(re.findall(r"%\w+", rest.split(":")[0])) & made.keys())
               for result, op, rest in ops)


def account(path, folder):
    sizes = dims(path)
    before = sum(op not in NO_KERNEL for _, op, _ in ops_after(path, "import", sizes))
    after = {}
    for kind, options in (("given", sizes), ("open", [])):
        after[kind] = json.loads(kumiko(path, "-o", folder / "m.so", "--explain=json", *options))
    nodes, given, opened = after["given"]["nodes"], len(after["given"]["kernels"]), len(after["open"]["kernels"])
    bound = after["given"]["arena_lower_bound"]
    arena = f"{after['given']['arena_bytes'] / bound:.3f}" if bound else "-"
    print(f"{path.stem:20} {nodes:6} {before:6} {given:8} {opened:6} {max(given, opened) / nodes:7.2f}"
          f" {interior_transposes(path, sizes):11} {arena:>7}", flush=True)  # fmt: skip
    return 2 * max(given, opened) > nodes


def main():
    print(f"{'model':20} {'nodes':>6} {'ops':>6} {'kernels':>8} {'open':>6} {'share':>7} {'transposes':>11} {'arena':>7}")
    over = []
    with tempfile.TemporaryDirectory() as folder:
        for path in models():
            if sys.argv[1:] and path.stem not in sys.argv[1:]:
                continue
            try:
                if account(path, pathlib.Path(folder)):
                    over.append(path.stem)
            except (RuntimeError, OSError) as error:
                print(f"{path.stem:20} {error}", flush=True)
    print(f"{len(over)} with more than half as many kernels as nodes: {', '.join(over) or 'none'}")


if __name__ == "__main__":
    main()
