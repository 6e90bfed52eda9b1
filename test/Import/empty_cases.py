"""Tensors without elements, and tensors without dimensions."""
import numpy as np


def _nothing(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def _i64(*values):
    return np.array(values, np.int64)


def _empty(cases):
    for op in ("Relu", "Abs", "Exp", "Sigmoid", "Identity", "Softmax", "LogSoftmax", "IsNaN", "Erf", "Flatten", "Transpose", "Shape", "Size"):
        cases.add(f"empty_{op.lower()}", op, [_nothing(2, 0, 3)], opset=13)
    for op in ("Add", "Mul", "Less", "Max", "Sum", "Pow"):
        cases.add(f"empty_{op.lower()}", op, [_nothing(2, 0, 3), cases.real(3)], opset=13)
        cases.add(f"empty_{op.lower()}_broadcast", op, [_nothing(0, 3), cases.real(1, 3)], opset=13)
    cases.add("empty_matmul_rows", "MatMul", [_nothing(0, 3), cases.real(3, 4)])
    cases.add("empty_matmul_inner", "MatMul", [_nothing(2, 0), _nothing(0, 4)])
    cases.add("empty_matmul_batch", "MatMul", [_nothing(0, 2, 3), cases.real(3, 4)])
    cases.add("empty_gemm_inner", "Gemm", [_nothing(2, 0), _nothing(0, 4), cases.real(4)], opset=13)
    cases.add("empty_gemm_rows", "Gemm", [_nothing(0, 3), cases.real(3, 4), cases.real(4)], opset=13)
    cases.add("empty_conv_batch", "Conv", [_nothing(0, 2, 5, 5), cases.real(3, 2, 3, 3)])
    for op in ("MaxPool", "AveragePool"):
        cases.add(f"empty_{op.lower()}", op, [_nothing(0, 2, 5, 5)], {"kernel_shape": [2, 2]})
    cases.add("empty_globalaveragepool", "GlobalAveragePool", [_nothing(0, 2, 5, 5)])
    cases.add("empty_batch_norm", "BatchNormalization", [_nothing(0, 2, 3), *[np.abs(cases.real(2)) + np.float32(1) for _ in range(4)]], opset=15)
    cases.add("empty_layer_norm", "LayerNormalization", [_nothing(0, 4), cases.real(4)], opset=17)
    for axes in ([1], [0], [0, 1]):
        for op in ("ReduceSum", "ReduceProd", "ReduceSumSquare", "ReduceL1", "ReduceL2"):
            cases.add(f"empty_{op.lower()}_{len(axes)}{axes[0]}", op, [_nothing(2, 0), _i64(*axes)], {"keepdims": 0}, opset=18, constant=(1,))
    cases.add("empty_reducemax_other", "ReduceMax", [_nothing(0, 3), _i64(1)], {"keepdims": 0}, opset=18, constant=(1,))


def _moved(cases):
    x = cases.real(3, 4)
    cases.add("empty_concat", "Concat", [x, _nothing(0, 4), x], {"axis": 0})
    cases.add("empty_concat_all", "Concat", [_nothing(0, 4), _nothing(0, 4)], {"axis": 0})
    cases.add("empty_gather", "Gather", [x, _nothing(0, dtype=np.int64)], {"axis": 0})
    cases.add("empty_gather_elements", "GatherElements", [x, _nothing(0, 4, dtype=np.int64)], {"axis": 0})
    cases.add("empty_gather_nd", "GatherND", [x, _nothing(0, 2, dtype=np.int64)], opset=13)
    cases.add("empty_scatter_nd", "ScatterND", [x, _nothing(0, 2, dtype=np.int64), _nothing(0)], opset=16)
    cases.add("empty_scatter_elements", "ScatterElements", [x, _nothing(0, 4, dtype=np.int64), _nothing(0, 4)], {"axis": 0}, opset=16)
    cases.add("empty_slice", "Slice", [x, _i64(2), _i64(2), _i64(0)], opset=13, constant=(1, 2, 3))
    cases.add("empty_slice_of_nothing", "Slice", [_nothing(0, 4), _i64(1), _i64(3), _i64(1)], opset=13, constant=(1, 2, 3))
    cases.add("empty_split", "Split", [_nothing(0, 4), _i64(1, 3)], {"axis": 1}, opset=13, outputs=2, constant=(1,))
    cases.add("empty_pad", "Pad", [_nothing(0, 4), _i64(2, 0, 1, 0), np.float32(5)], opset=13, constant=(1,))
    cases.add("empty_expand", "Expand", [cases.real(1, 4), _i64(0, 4)], constant=(1,))
    cases.add("empty_tile", "Tile", [_nothing(0, 4), _i64(3, 2)], opset=13, constant=(1,))
    cases.add("empty_where", "Where", [_nothing(0, 4, dtype=bool), _nothing(0, 4), np.float32(1)])
    cases.add("empty_cast", "Cast", [_nothing(0, 4)], {"to": 7}, opset=13)
    cases.add("empty_unsqueeze", "Unsqueeze", [_nothing(0, 4), _i64(0)], opset=13, constant=(1,))
    cases.add("empty_reshape", "Reshape", [_nothing(0, 4), _i64(2, 0)], {"allowzero": 1}, opset=14, constant=(1,))
    cases.add("empty_reshape_copies", "Reshape", [_nothing(0, 4), _i64(0, 2, 2)], opset=14, constant=(1,))
    cases.add("empty_cumsum", "CumSum", [_nothing(2, 0), np.int64(1)], opset=14, constant=(1,))
    cases.add("empty_onehot", "OneHot", [_nothing(0, dtype=np.int64), np.int64(3), np.float32([0, 1])], opset=11, constant=(1,))
    cases.add("empty_range", "Range", [np.int64(3), np.int64(3), np.int64(1)], opset=11, constant=(0, 1, 2))
    cases.add("empty_constant_of_shape", "ConstantOfShape", [_i64(2, 0)], opset=9, constant=(0,))
    cases.add("empty_einsum", "Einsum", [_nothing(2, 0), _nothing(0, 3)], {"equation": "ij,jk->ik"}, opset=12)
    cases.add("empty_quantize", "QuantizeLinear", [_nothing(0, 3), np.float32(0.5), np.uint8(3)], opset=13)


def _scalars(cases):
    x, y = np.float32(1.25), np.float32(-0.5)
    for op in ("Relu", "Abs", "Exp", "Sigmoid", "Identity", "Shape", "Size", "Flatten", "Transpose", "Erf"):
        cases.add(f"scalar_{op.lower()}", op, [x], {"axis": 0} if op == "Flatten" else {}, opset=13)
    for op in ("Add", "Mul", "Less", "Max", "Pow"):
        cases.add(f"scalar_{op.lower()}", op, [x, y], opset=13)
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceProd"):
        cases.add(f"scalar_{op.lower()}", op, [x], opset=18)
    cases.add("scalar_reshape", "Reshape", [x, _nothing(0, dtype=np.int64)], opset=14, constant=(1,))
    cases.add("scalar_reshape_of_one", "Reshape", [cases.real(1, 1), _nothing(0, dtype=np.int64)], opset=14, constant=(1,))
    cases.add("scalar_reshape_up", "Reshape", [x, _i64(1, -1)], opset=14, constant=(1,))
    cases.add("scalar_expand", "Expand", [x, _i64(2, 3)], constant=(1,))
    cases.add("scalar_unsqueeze", "Unsqueeze", [x, _i64(0, 1)], opset=13, constant=(1,))
    cases.add("scalar_squeeze", "Squeeze", [cases.real(1, 1)], opset=13)
    cases.add("scalar_where", "Where", [np.array(True), x, y])
    cases.add("scalar_clip", "Clip", [x, np.float32(0), np.float32(1)], opset=13)
    cases.add("scalar_cast", "Cast", [x], {"to": 7}, opset=13)
    cases.add("scalar_gather", "Gather", [cases.real(4), np.int64(-1)], {"axis": 0})
    cases.add("scalar_gather_nd", "GatherND", [cases.real(4), _i64(2)], opset=13)
    cases.add("scalar_constant_of_shape", "ConstantOfShape", [_nothing(0, dtype=np.int64)], opset=9, constant=(0,))
    cases.add("scalar_quantize", "QuantizeLinear", [x, np.float32(0.5), np.uint8(3)], opset=13)
    cases.add("scalar_dequantize", "DequantizeLinear", [np.uint8(9), np.float32(0.5), np.uint8(3)], opset=13)
    cases.add("scalar_dynamic_quantize", "DynamicQuantizeLinear", [x], opset=11, outputs=3)
    cases.add("scalar_einsum", "Einsum", [cases.real(3), cases.real(3)], {"equation": "i,i->"}, opset=12)
    cases.add("scalar_matmul", "MatMul", [cases.real(3), cases.real(3)])
    cases.add("scalar_mod", "Mod", [np.int64(-7), np.int64(3)], opset=13)


def add(cases):
    _empty(cases)
    _moved(cases)
    _scalars(cases)
