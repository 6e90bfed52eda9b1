"""Element by element: types, broadcasting, special values, attributes, opsets; matrices and Einsum."""
import itertools

import numpy as np

_SPECIAL = np.float32([-np.inf, -100, -3.5, -2.5, -1, -0.5, -0.0, 0, 0.25, 0.5, 1, 1.5, 2.5, 100, np.inf, np.nan])


def _of_one(cases):
    plain = ("Abs", "Neg", "Sign", "Floor", "Ceil", "Round", "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Erf",
             "Atan", "Sin", "Cos", "IsNaN", "IsInf", "Exp", "Sinh", "Asinh", "HardSwish", "Mish", "Identity")
    finite = _SPECIAL[np.isfinite(_SPECIAL)]
    for op in plain:
        # Outside of these, programs differ on purpose or by their approximations.
        values = finite if op in ("Sin", "Cos", "Sinh", "HardSwish", "Mish", "Softsign") else _SPECIAL
        cases.add(f"one_{op.lower()}", op, [np.clip(values, -80, 80) if op == "Sinh" else values], opset=20)
    for op, values in (("Sqrt", [0, 1, 4, 0.3]), ("Log", [0, 1, 4, 0.3]), ("Reciprocal", [2, -4, 0.3]), ("Acos", [-1, 0, 0.3, 1]),
                       ("Asin", [-1, 0, 0.3, 1]), ("Atanh", [-0.9, 0, 0.3]), ("Acosh", [1, 2, 30]), ("Cosh", [-3, 0, 3]), ("Tan", [-1, 0, 1.2])):
        cases.add(f"one_{op.lower()}", op, [np.float32(values)], opset=20)
    for op, kind in itertools.product(("Abs", "Neg", "Sign", "Relu"), (np.int8, np.int32, np.int64, np.float64)):
        cases.add(f"one_{op.lower()}_{kind.__name__}", op, [cases.whole(-9, 9, 5, dtype=kind)], opset=14, may_refuse=True)
    x = np.clip(_SPECIAL[:-1], -50, 50)
    for op, given in (
        ("LeakyRelu", {}), ("LeakyRelu", {"alpha": 0.3}), ("Elu", {}), ("Elu", {"alpha": 1.7}), ("Selu", {}), ("Selu", {"alpha": 2.0, "gamma": 0.5}),
        ("Celu", {}), ("Celu", {"alpha": 1.7}), ("HardSigmoid", {}), ("HardSigmoid", {"alpha": 0.4, "beta": 0.3}), ("ThresholdedRelu", {}),
        ("ThresholdedRelu", {"alpha": 0.4}), ("Shrink", {}), ("Shrink", {"lambd": 1.0, "bias": 0.25}), ("Gelu", {}), ("Gelu", {"approximate": "tanh"}),
        ("IsInf", {"detect_negative": 0}), ("IsInf", {"detect_positive": 0}),
    ):
        values = _SPECIAL if op == "IsInf" else x
        cases.add(f"activation_{op.lower()}_{'_'.join(given) or 'default'}", op, [values], given, opset=20)
    for low, high in itertools.product((None, -1.0), (None, 2.0)):
        # Infinity without a bound stays, but not in ONNX Runtime.
        inputs = [_SPECIAL[1:14], None if low is None else np.float32(low), None if high is None else np.float32(high)]
        cases.add(f"clip_{low}_{high}", "Clip", inputs, opset=13)
    cases.add("clip_6", "Clip", [_SPECIAL], {"min": -1.0, "max": 0.5}, opset=7)
    cases.add("clip_integers", "Clip", [cases.whole(-50, 50, 6), np.int8(-5), np.int8(9)], opset=13)
    slope = np.float32([[0.5], [2], [-1]])
    cases.add("prelu", "PRelu", [cases.real(2, 3, 4), slope], opset=16)


def _of_two(cases):
    a, b = cases.real(2, 3, 1), cases.real(3, 4)
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"):
        cases.add(f"two_{op.lower()}", op, [a, b], opset=16)
        for kind in (np.int32, np.int64, np.float64):
            x, y = cases.whole(-9, 9, 3, 4, dtype=kind), cases.whole(1, 9, 4, dtype=kind)
            cases.add(f"two_{op.lower()}_{kind.__name__}", op, [x, y], opset=16, may_refuse=True)
    for op in ("Max", "Min", "Sum", "Mean"):
        cases.add(f"many_{op.lower()}", op, [a, b, cases.real(1, 1, 4)], opset=13)
        cases.add(f"single_{op.lower()}", op, [a], opset=13)
    cases.add("pow_signs", "Pow", [np.float32([-2, -2, 0, 4, 9]), np.float32([2, 3, 0, 0.5, -0.5])], opset=15)
    for base, power in itertools.product((np.float32, np.int32, np.int64), (np.float32, np.int64, np.int32)):
        x, y = cases.whole(1, 5, 4, dtype=base), cases.whole(0, 4, 4, dtype=power)
        cases.add(f"pow_{base.__name__}_{power.__name__}", "Pow", [x, y], opset=15)
    for kind, fmod in itertools.product((np.int32, np.int8, np.uint8, np.int64), (0, 1)):
        x, y = cases.whole(0 if kind == np.uint8 else -20, 20, 8, dtype=kind), cases.whole(1, 6, 8, dtype=kind)
        if kind != np.uint8:
            y[::2] *= -1
        cases.add(f"mod_{kind.__name__}_{fmod}", "Mod", [x, y], {"fmod": fmod}, opset=13)
    cases.add("mod_float", "Mod", [cases.real(8, scale=9), cases.real(8, scale=3)], {"fmod": 1}, opset=13)
    for direction, kind in itertools.product(("LEFT", "RIGHT"), (np.uint8, np.uint32, np.uint64)):
        x, y = cases.whole(0, 200, 8, dtype=kind), cases.whole(0, 7, 8, dtype=kind)
        cases.add(f"shift_{direction.lower()}_{kind.__name__}", "BitShift", [x, y], {"direction": direction}, opset=11)
    for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        x, y = cases.whole(-100, 100, 2, 3, dtype=np.int32), cases.whole(-100, 100, 3, dtype=np.int32)
        cases.add(f"two_{op.lower()}", op, [x, y], opset=18)
    for op in ("And", "Or", "Xor"):
        cases.add(f"two_{op.lower()}", op, [cases.whole(0, 1, 2, 3).astype(bool), cases.whole(0, 1, 3).astype(bool)], opset=13)
    cases.add("where", "Where", [cases.whole(0, 1, 3, 1).astype(bool), a, b], opset=16)


def _casts(cases):
    kinds = (np.float32, np.float64, np.float16, np.int8, np.uint8, np.int32, np.int64, bool)
    numbers = {np.float32: 1, np.float64: 11, np.float16: 10, np.int8: 3, np.uint8: 2, np.int32: 6, np.int64: 7, bool: 9}
    for source, target in itertools.product(kinds, kinds):
        x = np.array([0, 1, 2.5, 3.75, 100, 0.3]).astype(source)
        cases.add(f"cast_{source.__name__}_{target.__name__}", "Cast", [x], {"to": numbers[target]}, opset=13)
    cases.add("cast_negative", "Cast", [np.float32([-1.7, -0.2, -100.9])], {"to": 6}, opset=13)


def _products(cases):
    for number, (a, b) in enumerate((((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
                                     ((2, 3), (5, 3, 4)), ((5, 1, 2, 3), (6, 3, 4)), ((3,), (5, 3, 4)), ((5, 2, 3), (3,)))):
        cases.add(f"matmul_{number}", "MatMul", [cases.whole(-4, 4, *a, dtype=np.float32), cases.whole(-4, 4, *b, dtype=np.float32)], opset=13)
    for number, (ta, tb, c) in enumerate(itertools.product((0, 1), (0, 1), (None, (), (4,), (2, 1), (1, 4), (2, 4)))):
        a = cases.whole(-4, 4, *((3, 2) if ta else (2, 3)), dtype=np.float32)
        b = cases.whole(-4, 4, *((4, 3) if tb else (3, 4)), dtype=np.float32)
        bias = None if c is None else cases.whole(-4, 4, *c, dtype=np.float32)
        given = {"transA": ta, "transB": tb, "alpha": 0.5, "beta": 2.0}
        cases.add(f"gemm_{number}", "Gemm", [a, b, bias], given, opset=(11, 13)[number % 2])
    extents = {"i": 2, "j": 3, "k": 4, "b": 2, "l": 5}
    for number, equation in enumerate((
        "ij,jk->ik", "ij,jk", "bij,bjk->bik", "ii->i", "ii", "ij->ji", "ij->", "i,j->ij", "ij,ij->", "ijk->kij", "...ij,...jk->...ik",
        "ij...->...ji", "b...i,b...i->b...", "ij,kj,lk->il", "bii->bi", " i j , j k -> i k ", "ij,j->i", "ki,kj->ij",
    )):
        inputs = []
        for term in equation.split("->")[0].replace(" ", "").split(","):
            shape = [extents[c] for c in term.replace("...", "")]
            at = term.find("...")
            if at >= 0:
                shape[at:at] = [3, 2]
            inputs.append(cases.whole(-4, 4, *shape, dtype=np.float32))
        cases.add(f"einsum_{number}", "Einsum", inputs, {"equation": equation}, opset=12)


def add(cases):
    _of_one(cases)
    _of_two(cases)
    _casts(cases)
    _products(cases)
