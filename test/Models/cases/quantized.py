"""Quantised graphs, many to a model: every pair of types, zero points, groups, odd sizes, and sums that would saturate.

Each is compiled for each x86 target that this machine can run. Integer ops must give ONNX Runtime's very integers,
QLinear* those of the evaluator (ONNX Runtime rounds before it adds the zero point, the specification's reference after
it, which is a step where a sum lies between two). QDQ graphs may be one step from the float reading, which is ONNX
Runtime with its optimisations off; with `--allow=exact` they are that reading, rounding aside.
"""
import numpy as np
from case import Case, Judge
from onnx import TensorProto, helper, numpy_helper

_KINDS = {"u8": np.uint8, "i8": np.int8}


class Graph:
    """Collects independent nodes; each output is one case."""

    def __init__(self, name, seed):
        self.name, self.random = name, np.random.default_rng(seed)
        self.nodes, self.inputs, self.outputs, self.weights, self.values = [], [], [], [], {}

    def whole(self, kind, *shape):
        """Any value of the type is as likely as any other."""
        limits = np.iinfo(kind)
        return self.random.integers(limits.min, limits.max + 1, shape).astype(kind)

    def given(self, name, value):
        value = np.asarray(value)
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
        self.values[name] = value
        return name

    def known(self, name, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def case(self, name, kind):
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _product(graph, name, left, right, zeros, constant):
    a = graph.given(f"{name}_a", left)
    b = (graph.known if constant else graph.given)(f"{name}_b", right)
    inputs = [a, b, *(graph.known(f"{name}_z{side}", zero) for side, zero in zip("ab", zeros))]
    graph.node("MatMulInteger", inputs, name)
    graph.case(name, TensorProto.INT32)


def integer_products():
    """MatMulInteger and ConvInteger: exact, also where 16 bits would saturate."""
    graph = Graph("integers", 1)
    for left, a in _KINDS.items():
        for right, b in _KINDS.items():
            for m, k, n in ((37, 67, 35), (5, 3, 1), (1, 130, 40), (7, 1, 9), (64, 256, 64)):
                for constant in (False, True):
                    kind = "constant" if constant else "given"
                    _product(graph, f"matmul_{left}_{right}_{m}_{k}_{n}_{kind}", graph.whole(a, m, k),
                             graph.whole(b, k, n), (graph.whole(a), graph.whole(b)), constant)
            for constant in (False, True):
                # The largest products of one sign, and no zero point to make them smaller.
                _product(graph, f"full_{left}_{right}_{constant}", np.full((9, 515), np.iinfo(a).max, a),
                         np.full((515, 18), np.iinfo(b).min or np.iinfo(b).max, b), (a(0), b(0)), constant)
    stacked = graph.whole(np.uint8, 3, 2, 9, 12), graph.whole(np.int8, 3, 2, 12, 21)
    _product(graph, "matmul_stacked", *stacked, (np.uint8(7), np.int8(-3)), False)
    turned = graph.node("Transpose", [graph.given("turned_b", graph.whole(np.int8, 33, 50))], "turned", perm=[1, 0])
    graph.node("MatMulInteger", [graph.given("turned_a", graph.whole(np.uint8, 20, 50)), turned], "matmul_turned")
    graph.case("matmul_turned", TensorProto.INT32)
    rows = [graph.given("rows_a", graph.whole(np.uint8, 6, 20)), graph.known("rows_b", graph.whole(np.int8, 20, 11)),
            graph.known("rows_za", np.uint8(100)), graph.known("rows_zb", graph.whole(np.int8, 11))]
    graph.node("MatMulInteger", rows, "matmul_zero_per_column")
    graph.case("matmul_zero_per_column", TensorProto.INT32)
    x, w = graph.given("ci_x", graph.whole(np.uint8, 1, 5, 9, 8)), graph.known("ci_w", graph.whole(np.uint8, 7, 5, 3, 3))
    zeros = graph.known("ci_zx", np.uint8(90)), graph.known("ci_zw", np.uint8(31))
    graph.node("ConvInteger", [x, w, *zeros], "conv_integer", pads=[1, 0, 2, 1])
    graph.case("conv_integer", TensorProto.INT32)
    return graph


# channels, features, groups, kernel, stride, padding, dilation, size
_WINDOWS = ((16, 32, 1, 3, 1, 1, 1, 13), (3, 24, 1, 7, 2, 3, 1, 21), (32, 32, 32, 3, 1, 1, 1, 9), (12, 18, 3, 3, 2, 1, 1, 11),
            (8, 20, 1, 3, 1, 2, 2, 10), (64, 64, 1, 1, 1, 0, 1, 14), (5, 1, 1, 2, 1, 0, 1, 6))


def linear_ops():
    """QLinearConv and QLinearMatMul, exactly as they are specified."""
    graph = Graph("qlinear", 2)
    for window in _WINDOWS:
        channels, features, groups, kernel, stride, pad, dilation, size = window
        for left, right in (("u8", "i8"), ("u8", "u8"), ("i8", "i8")):
            a, b = _KINDS[left], _KINDS[right]
            name = "conv_" + "_".join(map(str, (left, right, *window)))
            each = right == "i8"  # a scale per feature
            scales = graph.random.random(features if each else ()) * 0.01 + 0.001
            zeros = np.zeros(features, b) if each else b(131)
            inputs = [graph.given(f"{name}_x", graph.whole(a, 2, channels, size, size)),
                      graph.known(f"{name}_xs", np.float32(0.02)), graph.known(f"{name}_xz", graph.whole(a)),
                      graph.known(f"{name}_w", graph.whole(b, features, channels // groups, kernel, kernel)),
                      graph.known(f"{name}_ws", np.asarray(scales, np.float32)), graph.known(f"{name}_wz", zeros),
                      graph.known(f"{name}_ys", np.float32(1.7)), graph.known(f"{name}_yz", graph.whole(a)),
                      graph.known(f"{name}_b", graph.random.integers(-3000, 3000, features).astype(np.int32))]
            graph.node("QLinearConv", inputs, name, group=groups, strides=[stride] * 2, pads=[pad] * 4,
                       dilations=[dilation] * 2, kernel_shape=[kernel] * 2)
            graph.case(name, helper.np_dtype_to_tensor_dtype(np.dtype(a)))
    for left, right in (("u8", "i8"), ("u8", "u8"), ("i8", "i8")):
        a, b = _KINDS[left], _KINDS[right]
        name = f"matmul_{left}_{right}"
        inputs = [graph.given(f"{name}_a", graph.whole(a, 23, 77)), graph.known(f"{name}_as", np.float32(0.013)),
                  graph.known(f"{name}_az", graph.whole(a)), graph.known(f"{name}_b", graph.whole(b, 77, 41)),
                  graph.known(f"{name}_bs", np.float32(0.021)), graph.known(f"{name}_bz", b(3)),
                  graph.known(f"{name}_ys", np.float32(0.9)), graph.known(f"{name}_yz", graph.whole(a))]
        graph.node("QLinearMatMul", inputs, name)
        graph.case(name, helper.np_dtype_to_tensor_dtype(np.dtype(a)))
    return graph


class _Pairs:
    """Pairs of QuantizeLinear and DequantizeLinear, as exporters write them."""

    def __init__(self, graph):
        self.graph = graph

    def pair(self, x, scale, zero, last=False):
        """x through a tensor of integers; `last` leaves the integers as a result."""
        g = self.graph
        parameters = [g.known(f"{x}_scale", np.float32(scale)), g.known(f"{x}_zero", zero)]
        q = g.node("QuantizeLinear", [x, *parameters], f"{x}_q")
        if last:
            g.case(q, helper.np_dtype_to_tensor_dtype(np.dtype(type(zero))))
            return q
        return g.node("DequantizeLinear", [q, *parameters], f"{x}_dq")

    def weight(self, name, shape, axis, symmetric=True):
        g = self.graph
        kind, count = np.int8 if symmetric else np.uint8, shape[axis]
        zeros = np.zeros(count, kind) if symmetric else np.full(count, 120, kind)
        inputs = [g.known(f"{name}_w", g.whole(kind, *shape)),
                  g.known(f"{name}_ws", (g.random.random(count) * 0.01 + 0.002).astype(np.float32)),
                  g.known(f"{name}_wz", zeros)]
        return g.node("DequantizeLinear", inputs, f"{name}_weight", axis=axis)


def paired_ops():
    """QDQ graphs. Each result is quantised straight from dequantised integers, so one step is all that may differ."""
    graph = Graph("qdq", 3)
    pairs, real = _Pairs(graph), lambda *shape: graph.random.normal(0, 1, shape).astype(np.float32)
    for kind, zero in (("u8", np.uint8(121)), ("i8", np.int8(-7))):
        def name(text, kind=kind):
            return f"{text}_{kind}"
        x = pairs.pair(graph.given(name("image"), real(1, 6, 10, 11)), 0.03, zero)
        bias = graph.known(name("bias"), real(10))
        conv = graph.node("Conv", [x, pairs.weight(name("conv"), (10, 6, 3, 3), 0), bias], name("conv_y"), pads=[1] * 4)
        pairs.pair(graph.node("Relu", [conv], name("relu")), 0.08, zero, last=True)
        unsigned = pairs.weight(name("conv_unsigned"), (9, 6, 2, 2), 0, symmetric=False)
        pairs.pair(graph.node("Conv", [x, unsigned], name("conv_unsigned_y"), strides=[2, 1]), 0.08, zero, last=True)
        depthwise = pairs.weight(name("depthwise"), (6, 1, 3, 3), 0)
        pairs.pair(graph.node("Conv", [x, depthwise], name("depthwise_y"), group=6), 0.05, zero, last=True)
        a = pairs.pair(graph.given(name("matrix"), real(2, 9, 26)), 0.031, zero)
        b = pairs.pair(graph.given(name("other"), real(2, 26, 17)), 0.027, zero)
        pairs.pair(graph.node("MatMul", [a, b], name("matmul_y")), 0.13, zero, last=True)
        pairs.pair(graph.node("MatMul", [a, pairs.weight(name("dense"), (26, 33), 1)], name("dense_y")), 0.09, zero, True)
        flat = graph.node("Reshape", [a, graph.known(name("flat_shape"), np.array([18, 26]))], name("flat"))
        gemm = [flat, pairs.weight(name("gemm"), (12, 26), 0), graph.known(name("gemm_bias"), real(12))]
        pairs.pair(graph.node("Gemm", gemm, name("gemm_y"), transB=1), 0.09, zero, last=True)
        y = pairs.pair(graph.given(name("second"), real(1, 6, 10, 11)), 0.02, zero)
        pairs.pair(graph.node("Add", [x, y], name("add_y")), 0.05, zero, last=True)
        pairs.pair(graph.node("Mul", [x, y], name("mul_y")), 0.05, zero, last=True)
        pairs.pair(graph.node("Concat", [x, y], name("concat_y"), axis=1), 0.03, zero, last=True)
        pairs.pair(graph.node("MaxPool", [x], name("max_y"), kernel_shape=[3, 3], pads=[1] * 4), 0.03, zero, last=True)
        pairs.pair(graph.node("AveragePool", [x], name("mean_y"), kernel_shape=[2, 2]), 0.03, zero, last=True)
        pairs.pair(graph.node("GlobalAveragePool", [x], name("global_y")), 0.004, zero, last=True)
        pairs.pair(graph.node("Sigmoid", [x], name("sigmoid_y")), 1 / 256, zero, last=True)
        pairs.pair(graph.node("Transpose", [x], name("turned_y"), perm=[0, 2, 3, 1]), 0.03, zero, last=True)
    return graph


def dynamic_ops():
    """DynamicQuantizeLinear before integer products, as quantising tools write it for weights alone."""
    graph = Graph("dynamic", 4)
    for name, op, x, w, attributes in (
            ("dense", "MatMulInteger", graph.random.normal(0.4, 1, (19, 45)), graph.whole(np.int8, 45, 37), {}),
            ("conv", "ConvInteger", graph.random.normal(-0.2, 1, (1, 4, 9, 9)), graph.whole(np.uint8, 8, 4, 3, 3),
             {"pads": [1, 1, 1, 1]})):
        given = graph.given(f"{name}_x", x.astype(np.float32))
        parts = [f"{name}_q", f"{name}_s", f"{name}_z"]
        graph.nodes.append(helper.make_node("DynamicQuantizeLinear", [given], parts))
        inputs = [parts[0], graph.known(f"{name}_w", w), parts[2], graph.known(f"{name}_wz", w.dtype.type(5))]
        graph.node(op, inputs, f"{name}_i", **attributes)
        graph.node("Cast", [f"{name}_i"], f"{name}_f", to=TensorProto.FLOAT)
        scale = graph.node("Mul", [parts[1], graph.known(f"{name}_ws", np.float32(0.017))], f"{name}_scale")
        graph.node("Mul", [f"{name}_f", scale], f"{name}_y")
        graph.case(f"{name}_y", TensorProto.FLOAT)
    return graph


# Builder of graphs, whose answers are right, and steps that an 8-bit result may differ.
GROUPS = {"integers": (integer_products, "plain", 0), "qlinear": (linear_ops, "evaluator", 0),
          "qdq": (paired_ops, "plain", 1), "dynamic": (dynamic_ops, "plain", 0)}  # fmt: skip
BUILDS = {"host": (), "host exact": ("--allow=exact",), "x86-64-v3": ("--target=x86-64-v3",),
          "x86-64-v2": ("--target=x86-64-v2",)}  # fmt: skip


def cases():
    for name, (builder, reference, steps) in GROUPS.items():
        def make(builder=builder):
            graph = builder()
            return graph.model(), [("", graph.values)]

        yield Case(name, make, builds=BUILDS, judge=Judge(reference, relative=1e-6, steps=steps), threads=(1, 2, 3),
                   each_output=True)  # fmt: skip
