"""Quantised ops: rounding of halves, saturation, zero points, axes, blocks, and the integer products."""
import itertools

import ml_dtypes
import numpy as np


def _range(kind):
    info = np.iinfo(kind)
    return info.min, info.max


def _linear(cases):
    halves = np.float32([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 1e9, -1e9, 100.4, 127.5])
    for kind, opset in itertools.product((np.uint8, np.int8), (10, 13, 19, 21)):
        zero = np.array(kind(3))
        cases.add(f"quantize_{kind.__name__}_{opset}", "QuantizeLinear", [halves, np.float32(0.5), zero], opset=opset)
        q = cases.whole(*_range(kind), 3, 4, dtype=kind)
        cases.add(f"dequantize_{kind.__name__}_{opset}", "DequantizeLinear", [q, np.float32(0.3), zero], opset=opset)
    cases.add("quantize_no_zero", "QuantizeLinear", [halves, np.float32(0.5)], opset=13)
    for kind in (np.uint16, np.int16):
        cases.add(f"quantize_{kind.__name__}", "QuantizeLinear", [halves * 1000, np.float32(0.5), np.array(kind(7))], opset=21)
        q = cases.whole(*_range(kind), 3, 4, dtype=kind)
        cases.add(f"dequantize_{kind.__name__}", "DequantizeLinear", [q, np.float32(0.3), np.array(kind(7))], opset=21)
    cases.add("dequantize_int32", "DequantizeLinear", [cases.whole(-10**6, 10**6, 5, dtype=np.int32), np.float32(0.25)], opset=13)
    x = cases.real(3, 4, 2, scale=40)
    for axis in (0, 1, -1):
        n = x.shape[axis]
        scale, zero = np.abs(cases.real(n)) + np.float32(0.2), cases.whole(-20, 20, n)
        cases.add(f"quantize_axis_{axis}", "QuantizeLinear", [x, scale, zero], {"axis": axis}, opset=13)
        q = cases.whole(-128, 127, 3, 4, 2)
        cases.add(f"dequantize_axis_{axis}", "DequantizeLinear", [q, scale, zero], {"axis": axis}, opset=13)
    scale, zero = np.abs(cases.real(3, 2, 2)) + np.float32(0.2), cases.whole(-20, 20, 3, 2, 2)
    cases.add("quantize_blocks", "QuantizeLinear", [x, scale, zero], {"axis": 1, "block_size": 2}, opset=21)
    cases.add("dequantize_blocks", "DequantizeLinear", [cases.whole(-128, 127, 3, 4, 2), scale, zero], {"axis": 1, "block_size": 2}, opset=21)
    half = x.astype(np.float16)
    cases.add("quantize_f16", "QuantizeLinear", [half, np.float16(0.5), np.int8(2)], opset=19)
    cases.add("dequantize_f16", "DequantizeLinear", [cases.whole(-128, 127, 6), np.float16(0.5), np.int8(2)], opset=19)
    for kind in (ml_dtypes.int4, ml_dtypes.uint4):
        q = np.arange(0, 8).astype(kind)
        cases.add(f"dequantize_{np.dtype(kind).name}", "DequantizeLinear", [q, np.float32(0.3), np.array(2, kind)], opset=21, constant=(0, 2), may_refuse=True)
    for number, values in enumerate((cases.real(3, 4, scale=5), np.abs(cases.real(6)), -np.abs(cases.real(6)), np.zeros(4, np.float32))):
        cases.add(f"dynamic_quantize_{number}", "DynamicQuantizeLinear", [values], opset=11, outputs=3)


def _products(cases):
    for signed_a, signed_b in itertools.product((np.uint8, np.int8), (np.uint8, np.int8)):
        a, b = cases.whole(*_range(signed_a), 2, 3, 5, dtype=signed_a), cases.whole(*_range(signed_b), 5, 4, dtype=signed_b)
        za, zb = np.array(signed_a(9)), np.array(signed_b(5))
        name = f"{signed_a.__name__}_{signed_b.__name__}"
        cases.add(f"matmul_integer_{name}", "MatMulInteger", [a, b, za, zb], opset=10, may_refuse=True)
        cases.add(f"matmul_integer_plain_{name}", "MatMulInteger", [a, b], opset=10, may_refuse=True)
        columns = cases.whole(0, 30, 4, dtype=signed_b)
        cases.add(f"matmul_integer_columns_{name}", "MatMulInteger", [a, b, za, columns], opset=10, may_refuse=True)
        qlinear = [a, np.float32(0.02), za, b, np.float32(0.03), zb, np.float32(0.5), np.array(signed_a(11))]
        cases.add(f"qlinear_matmul_{name}", "QLinearMatMul", qlinear, opset=10, may_refuse=True)
    for number, (kind, group) in enumerate(itertools.product((np.uint8, np.int8), (1, 2))):
        x = cases.whole(0, 100, 1, 4, 6, 5, dtype=kind)
        w = cases.whole(-60, 60, 6, 4 // group, 3, 2)
        given = {"group": group, "strides": [2, 1], "pads": [1, 0, 2, 1]}
        if kind == np.uint8:
            unsigned = cases.whole(0, 100, 6, 4 // group, 3, 2, dtype=np.uint8)
            cases.add(f"conv_integer_{number}", "ConvInteger", [x, unsigned, np.uint8(7), np.uint8(40)], given, opset=10)
        scales = np.abs(cases.real(6)) * np.float32(0.02) + np.float32(0.01)
        inputs = [x, np.float32(0.1), np.array(kind(17)), w, scales, np.zeros(6, np.int8), np.float32(0.6), np.array(kind(30)),
                  cases.whole(-900, 900, 6, dtype=np.int32)]
        cases.add(f"qlinear_conv_{number}", "QLinearConv", inputs, given, opset=10)
        inputs[4:6] = [np.float32(0.02), np.int8(3 if kind == np.uint8 else 0)]
        cases.add(f"qlinear_conv_tensor_{number}", "QLinearConv", inputs[:8], given, opset=10)


def add(cases):
    _linear(cases)
    _products(cases)
