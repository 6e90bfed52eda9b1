"""Networks of real size with seeded weights (make_models.py), and the bundled sample: every way to run them."""
import make_models
import numpy as np
import tool
from case import Case

CHECKS = ("JIT", ".so", ".o", "bits", "bytes")


def made(name):
    make_models.MODELS.mkdir(parents=True, exist_ok=True)
    make_models.make(name, make_models.MODELS)
    return read(make_models.MODELS / f"{name}.onnx")


def read(path):
    """A model file and the inputs that lie beside it."""
    with np.load(path.with_suffix(".npz")) as arrays:
        return path, [("", dict(arrays))]


def cases():
    ways = {"sample": lambda: read(tool.ROOT / "examples/sample/sample.onnx")}
    ways |= {name: lambda name=name: made(name) for name in make_models.NAMES}
    for name, make in ways.items():
        yield Case(name, make, CHECKS, threads=(2, 1, 3, 5, 8, 16))
