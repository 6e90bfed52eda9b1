#!/usr/bin/env python3
"""Writes small ONNX models without any package, for the tests of the command line.

    small_model.py KIND MODEL.onnx

KIND is one of the functions below. Weights are fixed numbers, so the files are the same every time.
"""
import struct
import sys


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


FLOAT, INT64, BOOL = 1, 7, 9


def tensor(name, shape, values, kind=FLOAT):
    raw = struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'q'}", *values)
    return b"".join(number(1, d) for d in shape) + number(2, kind) + message(8, name) + message(9, raw)


def value_info(name, shape, kind=FLOAT):
    dims = b"".join(message(1, message(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return message(1, name) + message(2, message(1, number(1, kind) + message(2, dims)))


def node(op, inputs, outputs, name, attributes=b"", domain=""):
    parts = [message(1, i) for i in inputs] + [message(2, o) for o in outputs]
    parts += [message(3, name), message(4, op), attributes, message(7, domain) if domain else b""]
    return b"".join(parts)


def model(nodes, weights, inputs, outputs, domains=("",), opset=17):
    graph = b"".join(message(1, n) for n in nodes) + message(2, "small") + b"".join(message(5, w) for w in weights)
    graph += b"".join(message(11, i) for i in inputs) + b"".join(message(12, o) for o in outputs)
    opsets = b"".join(message(8, (message(1, d) if d else b"") + number(2, opset if not d else 1)) for d in domains)
    return number(1, 8) + message(2, "small_model.py") + message(7, graph) + opsets


def integer(name, value):
    """An attribute of a node."""
    return message(5, message(1, name) + number(3, value) + number(20, 2))


def real(name, value):
    return message(5, message(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1))


def dense():
    """y = relu(x @ w + b): f32[2,8] to f32[2,4]"""
    weights = [((7 * i) % 11 - 5) / 8 for i in range(32)]
    return model(
        [
            node("MatMul", ["x", "w"], ["product"], "dense/product"),
            node("Add", ["product", "b"], ["sum"], "dense/sum"),
            node("Relu", ["sum"], ["y"], "dense/relu"),
        ],
        [tensor("w", [8, 4], weights), tensor("b", [4], [0.5, -0.5, 1.0, 0.0])],
        [value_info("x", [2, 8])],
        [value_info("y", [2, 4])],
    )


def neutral():
    """y = exp(x * 1) turned twice: work that can go."""
    nodes = [
        node("Mul", ["x", "one"], ["a"], "times"),
        node("Transpose", ["a"], ["b"], "there"),
        node("Exp", ["b"], ["c"], "exp"),
        node("Transpose", ["c"], ["y"], "back"),
    ]
    return model(nodes, [tensor("one", [1], [1.0])], [value_info("x", [2, 8])], [value_info("y", [2, 8])])


def chain():
    """y = tanh(tanh(tanh(p) - p) * c), p = x @ w, z = exp(x): f32[2,8] to f32[2,4], f32[2,8]"""
    weights = [((5 * i) % 13 - 6) / 8 for i in range(32)]
    return model(
        [
            node("MatMul", ["x", "w"], ["product"], "product"),
            node("Tanh", ["product"], ["t1"], "first"),
            node("Sub", ["t1", "product"], ["difference"], "difference"),
            node("Tanh", ["difference"], ["t2"], "second"),
            node("Mul", ["t2", "c"], ["scaled"], "scaled"),
            node("Tanh", ["scaled"], ["y"], "third"),
            node("Exp", ["x"], ["z"], "other"),
        ],
        [tensor("w", [8, 4], weights), tensor("c", [4], [2.0, 1.5, 0.5, 3.0])],
        [value_info("x", [2, 8])],
        [value_info("y", [2, 4]), value_info("z", [2, 8])],
    )


def batched():
    """y = relu(x @ w) for any number of rows, and the places where y is not 0."""
    weights = [((7 * i) % 11 - 5) / 8 for i in range(32)]
    nodes = [
        node("MatMul", ["x", "w"], ["product"], "dense/product"),
        node("Relu", ["product"], ["y"], "dense/relu"),
        node("NonZero", ["y"], ["places"], "places"),
    ]
    outputs = [value_info("y", ["rows", 4]), value_info("places", [2, "count"], INT64)]
    return model(nodes, [tensor("w", [8, 4], weights)], [value_info("x", ["rows", 8])], outputs)


def foreign():
    """A node of somebody else's domain."""
    nodes = [node("FancyNorm", ["x"], ["y"], "block/norm", domain="com.acme")]
    return model(nodes, [], [value_info("x", [2, 8])], [value_info("y", [2, 8])], ("", "com.acme"))


def custom():
    """Ops of examples/custom-ops, with a batch that is not known."""
    nodes = [
        node("SoftClip", ["x"], ["bent"], "clip", real("bound", 2.0), "com.acme"),
        node("WindowedScore", ["bent", "w"], ["y"], "score", integer("stride", 2), "com.acme"),
    ]
    weights = [tensor("w", [3], [0.5, -1.0, 0.25])]
    return model(nodes, weights, [value_info("x", ["batch", 9])], [value_info("y", ["batch", 4])], ("", "com.acme"))


def misdeclared():
    """An output of another shape than the file says."""
    nodes = [node("Relu", ["x"], ["y"], "relu")]
    return model(nodes, [], [value_info("x", [2, 8])], [value_info("y", [16])])


def mismatch():
    """Inner dimensions that do not fit: 8 and 5."""
    nodes = [node("MatMul", ["x", "w"], ["y"], "dense/product")]
    return model(nodes, [tensor("w", [5, 4], [0.0] * 20)], [value_info("x", [2, 8])], [value_info("y", [2, 4])])


def sums():
    """y = softmax(tanh(x @ w)), z = mean(x): sums and functions, where rounding shows."""
    weights = [((7 * i) % 113 - 56) / 97 for i in range(300)]
    nodes = [
        node("MatMul", ["x", "w"], ["product"], "product"),
        node("Tanh", ["product"], ["bent"], "bent"),
        node("Softmax", ["bent"], ["y"], "share"),
        node("ReduceMean", ["x"], ["z"], "mean", integer("keepdims", 0)),
    ]
    outputs = [value_info("y", [5, 3]), value_info("z", [])]
    return model(nodes, [tensor("w", [100, 3], weights)], [value_info("x", [5, 100])], outputs)


def recurrent():
    """A recurrence: a program with a loop."""
    nodes = [node("Relu", ["x"], ["h"], "first"), node("RNN", ["h", "w", "r"], ["y"], "second", integer("hidden_size", 3))]
    weights = [tensor("w", [1, 3, 4], [i / 7 - 1 for i in range(12)]), tensor("r", [1, 3, 3], [0.4 - i / 9 for i in range(9)])]
    return model(nodes, weights, [value_info("x", [5, 2, 4])], [value_info("y", [5, 1, 2, 3])])


def noise():
    """y = x + random numbers, which are drawn without an input."""
    shape = message(5, message(1, "shape") + number(8, 2) + number(20, 7))
    nodes = [node("RandomNormal", [], ["r"], "draw", shape), node("Add", ["x", "r"], ["y"], "sum")]
    return model(nodes, [], [value_info("x", [2])], [value_info("y", [2])])


def irregular():
    """Ops that are functions in C, most with results of a size that data decide; any number of rows."""
    seed = real("seed", 3.0)
    nodes = [
        node("TopK", ["x", "two"], ["best", "at"], "top"),
        node("Unique", ["x"], ["different"], "unique"),
        node("NonZero", ["x"], ["places"], "nonzero"),
        node("ReduceMax", ["x"], ["peak"], "peak", message(5, message(1, "keepdims") + number(3, 0) + number(20, 2))),
        node("Mul", ["weights", "peak"], ["scores"], "scores"),
        node("NonMaxSuppression", ["boxes", "scores", "two", "half"], ["kept"], "suppress"),
        node("RandomUniform", [], ["row"], "draw", seed + message(5, message(1, "shape") + number(8, 6) + number(20, 7))),
        node("Add", ["x", "row"], ["noise"], "noise"),
        node("Compress", ["x", "mask"], ["picked"], "compress", message(5, message(1, "axis") + number(3, 1) + number(20, 2))),
    ]
    weights = [
        tensor("two", [1], [2], INT64),
        tensor("half", [1], [0.5]),
        tensor("boxes", [1, 3, 4], [0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 5, 1, 6]),
        tensor("weights", [1, 1, 3], [0.9, 0.8, 0.7]),
        number(1, 6) + number(2, BOOL) + message(8, "mask") + message(9, bytes([1, 0, 0, 1, 1, 0])),
    ]
    outputs = [value_info("best", ["rows", 2]), value_info("at", ["rows", 2], INT64), value_info("different", ["count"])]
    outputs += [value_info("places", [2, "full"], INT64), value_info("kept", ["boxes_kept", 3], INT64)]
    outputs += [value_info("noise", ["rows", 6]), value_info("picked", ["rows", 3])]
    return model(nodes, weights, [value_info("x", ["rows", 6])], outputs)


def network():
    """Layers over any number of rows, large enough for several chunks: products, functions, sums, a choice of elements."""
    first = [((7 * i) % 113 - 56) / 560 for i in range(64 * 256)]
    second = [((5 * i) % 97 - 48) / 970 for i in range(256 * 64)]
    nodes = [
        node("MatMul", ["x", "first"], ["a"], "first"),
        node("Tanh", ["a"], ["b"], "bent"),
        node("MatMul", ["b", "second"], ["c"], "second"),
        node("Add", ["c", "x"], ["d"], "skip"),
        node("Softmax", ["d"], ["y"], "share"),
        node("Transpose", ["d"], ["e"], "turn"),
        node("MatMul", ["e", "y"], ["square"], "square"),
        node("TopK", ["d", "three"], ["best", "at"], "top"),
    ]
    weights = [tensor("first", [64, 256], first), tensor("second", [256, 64], second), tensor("three", [1], [3], INT64)]
    outputs = [value_info("y", ["rows", 64]), value_info("square", [64, 64]), value_info("best", ["rows", 3])]
    return model(nodes, weights, [value_info("x", ["rows", 64])], outputs)


def lookup():
    """y = table[i]: an index that the data decides."""
    nodes = [node("Gather", ["table", "i"], ["y"], "lookup")]
    table = tensor("table", [3, 2], [1, 2, 3, 4, 5, 6])
    return model(nodes, [table], [value_info("i", [2], INT64)], [value_info("y", [2, 2])])


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write(globals()[sys.argv[1]]())
