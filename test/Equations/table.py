"""The table of cases that equations are judged by: operands, attributes, and results that NumPy computed.

    case("relu", "keeps the sign of NaN", [x], [np.maximum(x, 0)])
    case("reduce", "sum of two axes", [x], [x.sum((0, 2))], kind="+", axes=[0, 2])

An operand is an array (its dtype is the element type), or None when it is absent. A result is an array, or None when it
is not compared. References say what an op means by the ONNX specification or by its textbook definition, in plain
loops or NumPy; they are not made from the equations. `write` makes the file that `equation-cases` reads.
"""
import ml_dtypes
import numpy as np

NAMES = {
    np.bool_: "b1", np.int8: "i8", np.int16: "i16", np.int32: "i32", np.int64: "i64", np.uint8: "u8", np.uint16: "u16",
    np.uint32: "u32", np.uint64: "u64", np.float16: "f16", np.float32: "f32", np.float64: "f64",
    ml_dtypes.bfloat16: "bf16", ml_dtypes.float8_e4m3fn: "f8e4m3fn", ml_dtypes.float8_e5m2: "f8e5m2",
    ml_dtypes.int4: "i4", ml_dtypes.uint4: "u4", ml_dtypes.float4_e2m1fn: "f4e2m1",
}
ELEMENT = {np.dtype(kind): name for kind, name in NAMES.items()}

# How far a float may be off, relative and absolute; a few roundings of the type. Integers are exact.
TOLERANCE = {"f64": 1e-12, "f32": 3e-6, "f16": 2e-3, "bf16": 1.6e-2}

cases = []
seeds = np.random.default_rng(20240607)


def normal(*shape, dtype=np.float32):
    """Random numbers around 0 in which every element differs from every other."""
    return seeds.standard_normal(shape).astype(dtype)


def integers(low, high, *shape, dtype=np.int64):
    return seeds.integers(low, high, shape).astype(dtype)


def f32(*values):
    return np.array(values, np.float32)


def case(op, special, operands, results, tolerance=None, **attributes):
    """Adds a case. `results` is None when the op must be refused on these operands."""
    operands = [None if each is None else np.asarray(each) for each in operands]
    if results is not None:
        results = [None if each is None else np.asarray(each) for each in results]
    if tolerance is None:
        kinds = [ELEMENT[each.dtype] for each in results or [] if each is not None]
        tolerance = max([TOLERANCE.get(kind, 0) for kind in kinds], default=0)
    cases.append((f"{op} {special}", tolerance, attributes, operands, results))


def tensor_text(array):
    if array is None:
        return "-"
    element = ELEMENT[array.dtype]
    shape = "x".join(map(str, array.shape)) or "-"
    is_float = element.startswith(("f", "bf"))
    values = [repr(float(each)) if is_float else str(int(each)) for each in array.reshape(-1)]
    return " ".join([element, shape, *values])


def attribute_text(value):
    if isinstance(value, (list, tuple)):
        return " ".join(map(attribute_text, value))
    return value if isinstance(value, str) else str(value)


def write(path, op=None):
    """Writes all cases, or those of one op; their names must differ."""
    names = [name for name, *_ in cases]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"several cases are called {twice}"
    with open(path, "w") as file:
        for name, tolerance, attributes, operands, results in cases:
            if op not in (None, name.split(" ")[0]):
                continue
            file.write(f"case {name} | {tolerance}\n")
            for key, value in attributes.items():
                file.write(f"attribute {key} {attribute_text(value)}\n")
            for each in operands:
                file.write(f"operand {tensor_text(each)}\n")
            for each in results if results is not None else []:
                file.write(f"result {tensor_text(each)}\n")
            if results is None:
                file.write("refused\n")
