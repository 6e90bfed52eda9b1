"""Models as people publish them: compiled once, with the sizes that they leave open left open.

The evaluator and the library must come within the model's tolerance of plain ONNX Runtime on every set of inputs;
`kumiko inspect` must understand each file. A model that cannot be brought is skipped.
"""
import get_real
import recipes
from case import Case, Judge


def cases():
    for row in get_real.table():
        def make(row=row):
            get_real.REAL.mkdir(parents=True, exist_ok=True)
            path = get_real.get(row, get_real.REAL)
            sets = recipes.input_sets(row["name"], row["inputs"])
            return path, [(f"set {number}", inputs) for number, inputs in enumerate(sets)]

        yield Case(row["name"], make, ("inspect", "evaluator", ".so"), judge=Judge("plain", float(row["tolerance"])), threads=(2,))
