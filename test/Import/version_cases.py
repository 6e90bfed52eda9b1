"""Every version of an op since opset 7, and f16 and f64 beside f32, on operands that all versions take.

What moved between attributes and inputs stands in the families of the ops; here it is that no version is missing and none
means something else.
"""
import numpy as np
import onnx

_IMAGE = dict(kernel_shape=[2, 2])


def _operands(cases, kind):
    """op -> (inputs, attributes)."""
    x, y, image = cases.real(2, 3, 4, dtype=kind), cases.real(3, 4, dtype=kind), cases.real(1, 4, 5, 6, dtype=kind)
    inside, above = np.clip(x, -0.9, 0.9), np.abs(x) + kind(1.1)
    one = ("Abs", "Neg", "Ceil", "Floor", "Exp", "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Elu", "Selu", "LeakyRelu", "HardSigmoid",
           "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Asinh", "Erf", "Sign", "Identity", "Softmax", "LogSoftmax", "Hardmax", "Flatten",
           "Transpose", "Shape", "Size", "Round", "IsNaN", "IsInf", "Celu", "ThresholdedRelu", "Shrink", "Mish", "HardSwish", "Gelu",
           "MeanVarianceNormalization", "Swish", "Dropout")
    table = {op: ([x], {}) for op in one}
    table |= {op: ([above], {}) for op in ("Sqrt", "Log", "Reciprocal", "Acosh")}
    table |= {op: ([inside], {}) for op in ("Asin", "Acos", "Atanh")}
    table |= {op: ([x, y], {}) for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "Less", "Greater", "LessOrEqual", "GreaterOrEqual",
                                          "PRelu")}
    table |= {op: ([image], {}) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "MeanVarianceNormalization")}
    table |= {op: ([image], _IMAGE) for op in ("MaxPool", "AveragePool", "LpPool")}
    # Without axes all are reduced, in every version.
    table |= {f"Reduce{op}": ([above], {}) for op in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")}
    table |= {op: ([x], {"axis": 1}) for op in ("ArgMax", "ArgMin", "LpNormalization")}
    whole = np.int64([2, 0])
    table |= {
        "MatMul": ([x, cases.real(4, 5, dtype=kind)], {}),
        "Gemm": ([y, cases.real(4, 2, dtype=kind), cases.real(2, dtype=kind)], {}),
        "Conv": ([image, cases.real(2, 4, 3, 2, dtype=kind), cases.real(2, dtype=kind)], {"strides": [2, 1]}),
        "ConvTranspose": ([image, cases.real(4, 2, 3, 2, dtype=kind)], {"strides": [2, 1]}),
        "Pow": ([above, y], {}), "Equal": ([np.int64([1, 2]), np.int64([1, 3])], {}), "Concat": ([x, x], {"axis": 1}),
        "Gather": ([x, whole], {"axis": 1}), "GatherElements": ([x, np.int64([[[1, 0, 1, 2]]])], {"axis": 1}),
        "GatherND": ([x, np.int64([[1, 2]])], {}), "Reshape": ([x, np.int64([4, -1])], {}), "Expand": ([y, np.int64([2, 1, 1])], {}),
        "Tile": ([y, np.int64([2, 1])], {}), "Where": ([y > 0, y, -y], {}), "CumSum": ([x, np.int32(1)], {}),
        "DepthToSpace": ([image], {"blocksize": 2}), "SpaceToDepth": ([image[..., :4, :4]], {"blocksize": 2}),
        "BatchNormalization": ([image, *[np.abs(cases.real(4, dtype=kind)) + kind(0.1) for _ in range(4)]], {"epsilon": 0.1}),
        "InstanceNormalization": ([image, cases.real(4, dtype=kind), cases.real(4, dtype=kind)], {"epsilon": 0.1}),
        "LayerNormalization": ([x, cases.real(4, dtype=kind)], {"epsilon": 0.1}), "RMSNormalization": ([x, cases.real(4, dtype=kind)], {}),
        "LRN": ([image], {"size": 3, "alpha": 0.5}), "Einsum": ([y, y], {"equation": "ij,kj->ik"}),
        "GridSample": ([image, np.clip(cases.real(1, 2, 3, 2, dtype=kind), -2, 2)], {}),
        "ScatterND": ([x, np.int64([[1, 2]]), cases.real(1, 4, dtype=kind)], {}),
        "ScatterElements": ([x, np.int64([[[1, 0, 1, 2]]]), cases.real(1, 1, 4, dtype=kind)], {"axis": 1}),
        "Clip": ([x], {}), "Trilu": ([x], {}), "ReverseSequence": ([x, np.int64([1, 2, 2])], {}), "Not": ([y > 0], {}), "And": ([y > 0, y < 1], {}),
        "Or": ([y > 0, y < -1], {}), "Xor": ([y > 0, y < 1], {}), "BitShift": ([np.uint8([1, 2]), np.uint8([1, 3])], {"direction": "LEFT"}),
        "Mod": ([np.int64([5, -5]), np.int64([3, 3])], {}), "ConstantOfShape": ([np.int64([2, 3])], {}), "EyeLike": ([y], {}),
        "OneHot": ([np.int64([1, 0]), np.int64(3), np.float32([2, 5])], {}), "QuantizeLinear": ([y, np.array(0.1, kind), np.uint8(3)], {}),
        "DequantizeLinear": ([np.uint8([1, 200]), np.float32(0.1), np.uint8(3)], {}), "Cast": ([x], {"to": 6}),
    }
    return table


def _versions():
    """op -> the opsets from 7 on in which it changed, the one that holds at 7 included."""
    found = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "" and not schema.deprecated:
            found.setdefault(schema.name, set()).add(max(schema.since_version, 7))
    return found


# Operands whose values decide shapes are constants.
_CONSTANT = {"Reshape": (1,), "Expand": (1,), "Tile": (1,), "ConstantOfShape": (0,), "OneHot": (1,), "CumSum": (1,)}
_NEWEST = 26  # that ONNX Runtime knows
# What ONNX Runtime does not compute: by element type, and in old versions.
_NO_ANSWER = {
    np.float32: (),
    # The last four round sums once there and twice here: of those that cancel little is left.
    np.float16: ("Celu", "MeanVarianceNormalization", "IsInf", "CumSum", "QuantizeLinear", "Gemm", "Conv", "GridSample",
                 "InstanceNormalization"),
    np.float64: (
        "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "AveragePool", "Celu", "Clip", "Conv", "ConvTranspose", "Cosh", "Elu", "Erf", "Gelu",
        "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "GridSample", "Hardmax", "HardSigmoid", "HardSwish", "InstanceNormalization",
        "LeakyRelu", "LpPool", "LRN", "MaxPool", "Mean", "MeanVarianceNormalization", "Mish", "PRelu", "QuantizeLinear", "Selu", "Sinh", "Softplus",
        "Softsign", "Tan", "ThresholdedRelu"),
}


def add(cases):
    versions = _versions()
    for kind in (np.float32, np.float16, np.float64):
        for op, (inputs, attributes) in _operands(cases, kind).items():
            if op in _NO_ANSWER[kind] or (kind != np.float32 and not any(value.dtype == kind for value in inputs)):
                continue
            known = [opset for opset in versions[op] if opset <= _NEWEST]
            for opset in sorted(versions[op]):
                # Before opset 8 these did not broadcast. In 22 ONNX Runtime has no GlobalLpPool.
                unbroadcast = op in ("Max", "Min", "Sum", "Mean") and opset < 8
                if unbroadcast and kind != np.float32:
                    continue
                given = [inputs[1]] * 2 if unbroadcast else inputs
                asked = 7 if op == "GlobalLpPool" else min(opset, max(known))
                cases.add(f"{op.lower()}_{opset}_{kind.__name__}", op, given, attributes, opset=opset, constant=_CONSTANT.get(op, ()), asked=asked)
