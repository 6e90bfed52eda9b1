"""Quantised ops of com.microsoft."""
import numpy as np

_DOMAIN = "com.microsoft"
_KINDS = (("u8", np.uint8, 0, 255), ("i8", np.int8, -128, 127))


def add(cases):
    for family in (_linear, _products, _elementwise, _pools, _to_float, _recurrent):
        family(cases)


def _f(value):
    return np.array(value, np.float32)


def _linear(cases):
    for name, kind, low, high in (*_KINDS, ("u16", np.uint16, 0, 65535), ("i16", np.int16, -32768, 32767)):
        x, q = cases.real(3, 4, 5, scale=40), cases.whole(low, high, 3, 4, 5, dtype=kind)
        zero = np.array((low + high) // 2 + 3, kind)
        for op, value in (("QuantizeLinear", x), ("DequantizeLinear", q)):
            cases.add(f"q_{op[0].lower()}_{name}", op, [value, _f(0.37), zero], domain=_DOMAIN)
            cases.add(f"q_{op[0].lower()}_{name}_axis", op,
                      [value, np.abs(cases.real(4)) + _f(0.1), np.full(4, zero, kind)], {"axis": 1}, domain=_DOMAIN)


def _products(cases):
    for name, kind, low, high in _KINDS:
        a, b = cases.whole(low, high, 3, 4, dtype=kind), cases.whole(low, high, 4, 5, dtype=kind)
        za, zb = np.array(3, kind), np.array(7, kind)
        bias = cases.whole(-200, 200, 5, dtype=np.int32)
        gemm = [a, _f(0.02), za, b, _f(0.03), zb, bias]
        cases.add(f"q_gemm_{name}", "QGemm", [*gemm, _f(0.8), np.array(5, kind)], domain=_DOMAIN)
        cases.add(f"q_gemm_{name}_float", "QGemm", gemm, domain=_DOMAIN)
        cases.add(f"q_gemm_{name}_turned", "QGemm",
                  [np.ascontiguousarray(a.T), _f(0.02), za, np.ascontiguousarray(b.T), np.abs(cases.real(5)),
                   np.full(5, 7, kind), None, _f(2.5), np.array(5, kind)], {"transA": 1, "transB": 1}, domain=_DOMAIN)


def _elementwise(cases):
    for name, kind, low, high in _KINDS:
        a, b = cases.whole(low, high, 3, 4, 5, dtype=kind), cases.whole(low, high, 4, 5, dtype=kind)
        z, y = np.array(11, kind), np.array(20, kind)
        for op, scale in (("QLinearAdd", 0.061), ("QLinearMul", 0.63)):
            cases.add(f"q_{op.lower()}_{name}", op, [a, _f(0.033), z, b, _f(0.041), z, _f(scale), y], domain=_DOMAIN)
        cases.add(f"q_sigmoid_{name}", "QLinearSigmoid", [a, _f(0.05), z, _f(1 / 256), np.array(low, kind)],
                  domain=_DOMAIN)
        cases.add(f"q_leaky_{name}", "QLinearLeakyRelu", [a, _f(0.05), z, _f(0.031), y], {"alpha": 0.2}, domain=_DOMAIN)
        cases.add(f"q_softmax_{name}", "QLinearSoftmax", [a, _f(0.03), z, _f(1 / 256), np.array(low, kind)],
                  {"axis": -1, "opset": 13}, domain=_DOMAIN)
        cases.add(f"q_concat_{name}", "QLinearConcat",
                  [_f(0.07), y, a, _f(0.05), z, cases.whole(low, high, 3, 2, 5, dtype=kind), _f(0.09), y, a, _f(0.07), y],
                  {"axis": 1}, domain=_DOMAIN)


def _pools(cases):
    for name, kind, low, high in _KINDS:
        x, z, y = cases.whole(low, high, 2, 3, 6, 7, dtype=kind), np.array(11, kind), np.array(20, kind)
        cases.add(f"q_global_{name}", "QLinearGlobalAveragePool", [x, _f(0.05), z, _f(0.031), y], domain=_DOMAIN)
        cases.add(f"q_global_last_{name}", "QLinearGlobalAveragePool", [x, _f(0.05), z, _f(0.031), y],
                  {"channels_last": 1}, domain=_DOMAIN)
        for count in (0, 1):
            cases.add(f"q_average_{name}_{count}", "QLinearAveragePool", [x, _f(0.05), z, _f(0.031), y],
                      {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 1, 0, 1], "count_include_pad": count},
                      domain=_DOMAIN)


def _to_float(cases):
    for name, kind, low, high in _KINDS:
        b = cases.whole(low, high, 4, 5, dtype=kind)
        a, bias, scales = cases.real(3, 4), cases.real(5), np.abs(cases.real(5, scale=0.05))
        cases.add(f"q_dynamic_matmul_{name}", "DynamicQuantizeMatMul", [a, b, _f(0.03), np.array(4, kind)],
                  domain=_DOMAIN)
        cases.add(f"q_dynamic_matmul_{name}_columns", "DynamicQuantizeMatMul", [a, b, scales, None, bias],
                  domain=_DOMAIN)
        whole = cases.whole(0, 255, 2, 3, 4, dtype=np.uint8)
        cases.add(f"q_to_float_{name}", "MatMulIntegerToFloat",
                  [whole, b, _f(0.02), _f(0.03), np.array(99, np.uint8), np.array(4, kind), bias], domain=_DOMAIN)
        cases.add(f"q_to_float_{name}_columns", "MatMulIntegerToFloat", [whole, b, _f(0.02), scales], domain=_DOMAIN)


def _recurrent(cases):
    for direction, count in (("forward", 1), ("bidirectional", 2)):
        hidden, size = 3, 4
        for name, wide in (("", ()), ("_columns", (4 * hidden,))):
            inputs = [
                cases.real(5, 1, size), cases.whole(-127, 127, count, size, 4 * hidden),
                cases.whole(-127, 127, count, hidden, 4 * hidden), cases.real(count, 8 * hidden), None,
                cases.real(count, 1, hidden), cases.real(count, 1, hidden), None,
                np.abs(cases.real(count, *wide, scale=0.01)) + _f(0.001), np.zeros((count, *wide), np.int8),
                np.abs(cases.real(count, *wide, scale=0.01)) + _f(0.001), np.zeros((count, *wide), np.int8)]
            cases.add(f"q_lstm_{direction}{name}", "DynamicQuantizeLSTM", inputs,
                      {"hidden_size": hidden, "direction": direction}, domain=_DOMAIN, outputs=3,
                      constant=(1, 2, 8, 9, 10, 11))
