"""Recurrent layers and control flow.

RNN, GRU and LSTM at sizes around vectors and tiles, in all directions, with lengths, peepholes and clipping; LSTMs
that exporters wrote as Loop, as Scan and as primitive nodes; If and Loop that data decide. A cell is one kernel, or two
where a product waits for another. Those with open sizes are compiled once into a library that runs every set of inputs,
some of them again.
"""
import functools
import itertools

import numpy as np
import onnx
import tool
from case import Case
from onnx import TensorProto, helper, numpy_helper

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


class Graph:
    """A model under construction, with inputs drawn from a seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.inputs, self.weights, self.feeds = [], [], [], {}

    def weight(self, name, shape, scale=1.0):
        return self.constant(name, (self.random.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def give(self, name, array):
        array = np.asarray(array)
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
        self.feeds[name] = array
        return name

    def draw(self, name, shape):
        return self.give(name, self.random.standard_normal(shape).astype(np.float32))

    def node(self, op, inputs, outputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{op}_{len(self.nodes)}", **attributes))
        return outputs[0]

    def model(self, outputs, opset=17):
        results = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs]
        graph = helper.make_graph(self.nodes, "g", self.inputs, results, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def layer(kind, steps, batch, inputs, hidden, direction="forward", lengths=None, peepholes=False, bias=True, initial=True,
          **attributes):
    graph = Graph(steps * 1000 + hidden)
    directions = 2 if direction == "bidirectional" else 1
    rows = GATES[kind] * hidden
    names = [graph.draw("x", (steps, batch, inputs)),
             graph.weight("W", (directions, rows, inputs), inputs**-0.5),
             graph.weight("R", (directions, rows, hidden), hidden**-0.5),
             graph.weight("B", (directions, 2 * rows), 0.3) if bias else "",
             graph.give("lengths", np.array(lengths, np.int32)) if lengths else ""]
    states = ["h0", "c0"] if kind == "LSTM" else ["h0"]
    names += [graph.draw(name, (directions, batch, hidden)) if initial else "" for name in states]
    if peepholes:
        names.append(graph.weight("P", (directions, 3 * hidden), 0.3))
    outputs = ["Y", "Y_h"] + (["Y_c"] if kind == "LSTM" else [])
    graph.node(kind, names, outputs, hidden_size=hidden, direction=direction, **attributes)
    return graph.model([(name, TensorProto.FLOAT) for name in outputs]), graph.feeds


def cell(graph, x, h, c, hidden, tag):
    """An LSTM cell from primitive nodes. -> names of the new h and c."""
    def node(op, inputs, **attributes):
        return graph.node(op, inputs, [f"{tag}{len(graph.nodes)}"], **attributes)

    sums = node("Add", [node("Add", [node("MatMul", [x, "W"]), node("MatMul", [h, "R"])]), "B"])
    gates = [f"{tag}g{i}" for i in range(4)]
    graph.node("Split", [sums], gates, axis=1)
    i, f, o = (node("Sigmoid", [gates[n]]) for n in (0, 1, 3))
    fresh = node("Mul", [i, node("Tanh", [gates[2]])])
    c = node("Add", [node("Mul", [f, c]), fresh])
    return node("Mul", [o, node("Tanh", [c])]), c


def begin(steps, batch, inputs, hidden):
    graph = Graph(steps * 100 + hidden)
    graph.draw("x", (steps, batch, inputs))
    graph.draw("h0", (batch, hidden))
    graph.draw("c0", (batch, hidden))
    graph.weight("W", (inputs, 4 * hidden), inputs**-0.5)
    graph.weight("R", (hidden, 4 * hidden), hidden**-0.5)
    graph.weight("B", (4 * hidden,), 0.3)
    return graph


def body(name, nodes, inputs, outputs):
    infos = [helper.make_tensor_value_info(n, kind, shape) for n, kind, shape in inputs]
    return helper.make_graph(nodes, name, infos, [helper.make_tensor_value_info(n, k, s) for n, k, s in outputs])


def as_loop(steps, batch, inputs, hidden):
    graph, inner = begin(steps, batch, inputs, hidden), Graph(0)
    inner.node("Gather", ["x", "turn"], ["xt"], axis=0)
    h, c = cell(inner, "xt", "h", "c", hidden, "b")
    inner.node("Identity", [h], ["part"])
    inner.node("Identity", ["on"], ["more"])
    state = [batch, hidden]
    loop = body("body", inner.nodes,
                [("turn", TensorProto.INT64, []), ("on", TensorProto.BOOL, []), ("h", TensorProto.FLOAT, state),
                 ("c", TensorProto.FLOAT, state)],
                [("more", TensorProto.BOOL, []), (h, TensorProto.FLOAT, state), (c, TensorProto.FLOAT, state),
                 ("part", TensorProto.FLOAT, state)])
    graph.constant("count", np.int64(steps))
    graph.node("Loop", ["count", "", "h0", "c0"], ["hn", "cn", "y"], body=loop)
    return graph.model([(name, TensorProto.FLOAT) for name in ("hn", "cn", "y")]), graph.feeds


def as_scan(steps, batch, inputs, hidden, backwards):
    graph, inner = begin(steps, batch, inputs, hidden), Graph(0)
    h, c = cell(inner, "xt", "h", "c", hidden, "b")
    inner.node("Identity", [h], ["part"])
    state = [batch, hidden]
    scan = body("body", inner.nodes,
                [("h", TensorProto.FLOAT, state), ("c", TensorProto.FLOAT, state),
                 ("xt", TensorProto.FLOAT, [batch, inputs])],
                [(h, TensorProto.FLOAT, state), (c, TensorProto.FLOAT, state), ("part", TensorProto.FLOAT, state)])
    graph.node("Scan", ["h0", "c0", "x"], ["hn", "cn", "y"], body=scan, num_scan_inputs=1,
               scan_input_directions=[backwards], scan_output_directions=[backwards])
    return graph.model([(name, TensorProto.FLOAT) for name in ("hn", "cn", "y")]), graph.feeds


def as_scan8(batch, steps):
    """Before operator set 9: running sums of each sequence of a batch, forwards and backwards."""
    graph = Graph(29)
    graph.draw("start", (batch, 5))
    graph.draw("x", (batch, steps, 5))
    nodes = [helper.make_node("Add", ["s", "a"], ["sum"]), helper.make_node("Mul", ["sum", "b"], ["part"])]
    row = [5]
    scan = body("body", nodes, [("s", TensorProto.FLOAT, row), ("a", TensorProto.FLOAT, row), ("b", TensorProto.FLOAT, row)],
                [("sum", TensorProto.FLOAT, row), ("part", TensorProto.FLOAT, row)])
    graph.node("Scan", ["", "start", "x", "x"], ["last", "y"], body=scan, num_scan_inputs=2, directions=[0, 1])
    model = graph.model([("last", TensorProto.FLOAT), ("y", TensorProto.FLOAT)], opset=8)
    return model, graph.feeds


def as_nodes(steps, batch, inputs, hidden):
    graph = begin(steps, batch, inputs, hidden)
    h, c, parts = "h0", "c0", []
    for step in range(steps):
        graph.constant(f"at{step}", np.int64(step))
        xt = graph.node("Gather", ["x", f"at{step}"], [f"x{step}"], axis=0)
        h, c = cell(graph, xt, h, c, hidden, f"s{step}_")
        parts.append(graph.node("Unsqueeze", [h, graph.constant(f"zero{step}", np.array([0]))], [f"p{step}"]))
    graph.node("Concat", parts, ["y"], axis=0)
    graph.node("Identity", [c], ["cn"])
    return graph.model([(name, TensorProto.FLOAT) for name in ("y", "cn")]), graph.feeds


def choice(value):
    graph = Graph(7)
    graph.draw("x", (3, 17))
    graph.give("c", np.array(value))
    graph.weight("w", (17, 9))
    yes = body("yes", [helper.make_node("MatMul", ["x", "w"], ["a"])], [], [("a", TensorProto.FLOAT, [3, 9])])
    no = body("no", [helper.make_node("Slice", ["x", "begin", "end", "axis"], ["s"]), helper.make_node("Exp", ["s"], ["b"])],
              [], [("b", TensorProto.FLOAT, [3, 9])])
    for name, number in (("begin", 2), ("end", 11), ("axis", 1)):
        graph.constant(name, np.array([number]))
    graph.node("If", ["c"], ["r"], then_branch=yes, else_branch=no)
    graph.node("Neg", ["r"], ["y"])
    return graph.model([("y", TensorProto.FLOAT)]), graph.feeds


def doubling(limit, count):
    """Doubles x until its sum is above a limit, or the turns are over; both are data."""
    graph = Graph(3)
    graph.give("x", np.linspace(0.1, 1, 11, dtype=np.float32))
    graph.give("limit", np.float32(limit))
    graph.give("count", np.int64(count))
    graph.give("on", np.array(True))
    nodes = [helper.make_node("Add", ["v", "v"], ["next"]),
             helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
             helper.make_node("Less", ["sum", "limit"], ["more"]),
             helper.make_node("Cast", ["turn"], ["t"], to=TensorProto.FLOAT),
             helper.make_node("Add", ["a", "t"], ["total"])]
    loop = body("body", nodes,
                [("turn", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("v", TensorProto.FLOAT, [11]),
                 ("a", TensorProto.FLOAT, [])],
                [("more", TensorProto.BOOL, []), ("next", TensorProto.FLOAT, [11]), ("total", TensorProto.FLOAT, [])])
    graph.constant("zero", np.float32(0))
    graph.node("Loop", ["count", "on", "x", "zero"], ["r", "t"], body=loop)
    graph.node("Exp", ["t"], ["e"])
    return graph.model([("r", TensorProto.FLOAT), ("e", TensorProto.FLOAT)]), graph.feeds


def open_sizes(model, names):
    """The model with names for the axes of its inputs in `names`, and without shapes that follow from them."""
    for info in model.graph.input:
        for axis, name in names.get(info.name, {}).items():
            info.type.tensor_type.shape.dim[axis].dim_param = name
    inner = [attribute.g for node in model.graph.node for attribute in node.attribute if attribute.HasField("g")]
    for graph in [model.graph, *inner]:
        del graph.value_info[:]
    for info in [*model.graph.output, *(info for graph in inner for info in [*graph.input, *graph.output])]:
        if info.type.tensor_type.shape.dim:
            info.type.tensor_type.ClearField("shape")
    return model


def opened(make, sizes, names):
    """One model for several sizes."""
    made = [make(*size) for size in sizes]
    return open_sizes(made[0][0], names), [feeds for _, feeds in made]


def resized(array, shape):
    """The numbers of an array, again and again, in another shape."""
    return np.resize(array, shape).astype(array.dtype)


def open_layer(kind, hidden=12, **options):
    names = {"x": {0: "steps", 1: "batch"}, "h0": {1: "batch"}, "c0": {1: "batch"}, "lengths": {0: "batch"}}
    sizes = [(6, 3), (1, 1), (9, 17), (6, 3)]

    def make(steps, batch):
        lengths = [max(1, steps - i % 4) for i in range(batch)] if options.get("lengths") else None
        return layer(kind, steps, batch, 5, hidden, **{**options, "lengths": lengths})

    return opened(make, sizes, names)


def squeezing():
    """Takes an axis away when it is 1; only a matrix can follow, and what the condition says is a size."""
    graph = Graph(11)
    graph.draw("x", (3, 8, 1))
    for name, value in (("last", 2), ("one", 1)):
        graph.constant(name, np.array([value]))
    graph.node("Shape", ["x"], ["shape"])
    graph.node("Gather", ["shape", "last"], ["size"])
    graph.node("Equal", ["size", "one"], ["c"])
    yes = body("yes", [helper.make_node("Squeeze", ["x", "last"], ["a"])], [], [("a", TensorProto.FLOAT, None)])
    no = body("no", [helper.make_node("Identity", ["x"], ["b"])], [], [("b", TensorProto.FLOAT, None)])
    graph.node("If", ["c"], ["r"], then_branch=yes, else_branch=no)
    graph.weight("w", (8, 5))
    graph.weight("v", (5,))
    graph.node("Gemm", ["r", "w", "v"], ["y"])
    model, feeds = graph.model([("y", TensorProto.FLOAT)]), graph.feeds
    return open_sizes(model, {"x": {0: "rows", 2: "last_size"}}), [feeds, {"x": resized(feeds["x"], (1, 8, 1))}]


def windows(rate):
    """By a rate that is data: frames of one of two sizes, of which the other may be too long for the signal."""
    graph = Graph(13)
    graph.draw("x", (2, 1, 40))
    graph.give("rate", np.int64(rate))
    graph.constant("high", np.int64(16))
    graph.weight("wide", (4, 1, 32))
    graph.weight("narrow", (4, 1, 16))
    graph.node("Equal", ["rate", "high"], ["c"])

    def branch(name, weight, stride):
        nodes = [helper.make_node("Conv", ["x", weight], [name], strides=[stride]),
                 helper.make_node("ReduceMean", [name], [name + "m"], axes=[2], keepdims=0)]
        return body(name, nodes, [], [(name + "m", TensorProto.FLOAT, None)])

    graph.node("If", ["c"], ["y"], then_branch=branch("a", "wide", 4), else_branch=branch("b", "narrow", 2))
    return graph.model([("y", TensorProto.FLOAT)]), graph.feeds


def open_windows():
    model, feeds = windows(16)
    open_sizes(model, {"x": {0: "batch", 2: "samples"}})
    short = {"x": resized(feeds["x"], (3, 1, 20)), "rate": np.array(8)}
    return model, [feeds, {**feeds, "rate": np.array(8)}, short, feeds]


def counted(count):
    """Partial sums of x, as many as an input says."""
    graph = Graph(17)
    graph.draw("x", (7,))
    graph.give("count", np.int64(count))
    nodes = [helper.make_node("Add", ["v", "x"], ["next"]), helper.make_node("Identity", ["on"], ["more"]),
             helper.make_node("Tanh", ["next"], ["part"])]
    loop = body("body", nodes,
                [("turn", TensorProto.INT64, []), ("on", TensorProto.BOOL, []), ("v", TensorProto.FLOAT, [7])],
                [("more", TensorProto.BOOL, []), ("next", TensorProto.FLOAT, [7]), ("part", TensorProto.FLOAT, [7])])
    graph.node("Loop", ["count", "", "x"], ["last", "all"], body=loop)
    graph.node("Exp", ["all"], ["y"])
    return graph.model([("last", TensorProto.FLOAT), ("y", TensorProto.FLOAT)]), graph.feeds


def nonzeros():
    """In each turn the positions of what is above a rising limit, which are some other number every time."""
    graph = Graph(19)
    graph.draw("x", (40,))
    nodes = [helper.make_node("Cast", ["turn"], ["t"], to=TensorProto.FLOAT),
             helper.make_node("Mul", ["t", "step"], ["limit"]), helper.make_node("Greater", ["x", "limit"], ["above"]),
             helper.make_node("NonZero", ["above"], ["at"]), helper.make_node("Cast", ["at"], ["places"], to=TensorProto.FLOAT),
             helper.make_node("ReduceSum", ["places"], ["sum"], keepdims=0), helper.make_node("Add", ["s", "sum"], ["total"]),
             helper.make_node("Identity", ["on"], ["more"])]
    graph.constant("step", np.float32(0.2))
    graph.constant("count", np.int64(9))
    graph.constant("zero", np.float32(0))
    loop = body("body", nodes,
                [("turn", TensorProto.INT64, []), ("on", TensorProto.BOOL, []), ("s", TensorProto.FLOAT, [])],
                [("more", TensorProto.BOOL, []), ("total", TensorProto.FLOAT, [])])
    graph.node("Loop", ["count", "", "zero"], ["y"], body=loop)
    model, feeds = graph.model([("y", TensorProto.FLOAT)]), graph.feeds
    return open_sizes(model, {"x": {0: "n"}}), [feeds, {"x": resized(feeds["x"][::-1], (33,))}, {"x": np.zeros(5, np.float32)}]


def collecting(grows):
    """Doubles x until its sum is above a limit, and collects the sums; `grows`: or joins what there was in each turn."""
    graph = Graph(23)
    graph.give("x", np.linspace(0.1, 1, 6, dtype=np.float32))
    graph.give("limit", np.float32(50))
    graph.give("on", np.array(True))
    graph.constant("most", np.int64(20))
    nodes = [helper.make_node("Add", ["v", "v"], ["next"]), helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
             helper.make_node("Less", ["sum", "limit"], ["more"]), helper.make_node("Concat", ["j", "next"], ["joined"], axis=0),
             helper.make_node("Sqrt", ["next"], ["part"])]
    carried = [("v", TensorProto.FLOAT, None)] + ([("j", TensorProto.FLOAT, None)] if grows else [])
    last = [("joined", TensorProto.FLOAT, None)] if grows else [("part", TensorProto.FLOAT, None)]
    if not grows:
        del nodes[3]
    loop = body("body", nodes, [("turn", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), *carried],
                [("more", TensorProto.BOOL, []), ("next", TensorProto.FLOAT, None), *last])
    graph.node("Loop", ["most", "on", "x"] + (["x"] if grows else []), ["r", "all"], body=loop)
    graph.node("Neg", ["all"], ["y"])
    graph.node("ReduceSum", ["y"], ["z"], keepdims=0)
    names = ("r", "all", "y", "z") if not grows else ("r", "y", "z")
    model, feeds = graph.model([(name, TensorProto.FLOAT) for name in names]), graph.feeds
    sets = [feeds, {**feeds, "limit": np.array(5, np.float32)}, {**feeds, "on": np.array(False)},
            {**feeds, "limit": np.array(1e9, np.float32)}, {**feeds, "x": resized(feeds["x"], (31,))}, feeds]
    return open_sizes(model, {"x": {0: "n"}}), sets if grows else [one for one in sets if one["on"]]


def open_cases():
    for kind in GATES:
        yield f"{kind}-open", open_layer(kind)
        yield f"{kind}-open-lengths", open_layer(kind, direction="bidirectional", lengths=True)
        yield f"{kind}-open-bare", open_layer(kind, direction="reverse", bias=False, initial=False)
    cell_names = {"x": {0: "steps", 1: "batch"}, "h0": {0: "batch"}, "c0": {0: "batch"}}
    sizes = [(13, 2), (1, 1), (6, 9), (13, 2)]
    for back in (0, 1):
        yield f"scan-open-{back}", opened(lambda steps, batch: as_scan(steps, batch, 10, 24, back), sizes, cell_names)
    batch_names = {"x": {0: "batch", 1: "steps"}, "start": {0: "batch"}}
    yield "scan-8-open", opened(as_scan8, [(3, 4), (1, 1), (2, 9), (3, 4)], batch_names)
    yield "scan-8-open-batch", opened(lambda batch: as_scan8(batch, 4), [(3,), (1,), (7,)], {"x": {0: "b"}, "start": {0: "b"}})
    yield "scan-8-open-length", opened(lambda steps: as_scan8(2, steps), [(3,), (1,), (7,)], {"x": {1: "steps"}})
    yield "LSTM-wide-open", open_layer("LSTM", 48, direction="bidirectional", lengths=True)
    yield "GRU-wide-linear-open", open_layer("GRU", 64, linear_before_reset=1)
    yield "GRU-narrow-linear-open", open_layer("GRU", 10, direction="bidirectional", lengths=True, linear_before_reset=1)
    yield "GRU-wide-open", open_layer("GRU", 50, direction="bidirectional", lengths=True)
    yield "if-open", squeezing()
    yield "if-open-windows", open_windows()
    model, feeds = counted(5)
    yield "loop-counted", (open_sizes(model, {}), [feeds, {**feeds, "count": np.array(1)}, {**feeds, "count": np.array(12)}])
    yield "loop-nonzero", nonzeros()
    yield "loop-collecting", collecting(grows=False)
    yield "loop-growing", collecting(grows=True)


def closed_cases():
    for kind in GATES:
        for steps, batch, inputs, hidden in [(1, 1, 1, 1), (2, 1, 3, 7), (3, 2, 8, 8), (5, 3, 9, 17), (7, 7, 16, 16),
                                             (4, 8, 33, 31), (20, 1, 40, 64), (3, 17, 5, 33)]:
            yield f"{kind}-{steps}-{batch}-{inputs}-{hidden}", layer(kind, steps, batch, inputs, hidden)
        for direction in ("reverse", "bidirectional"):
            yield f"{kind}-{direction}", layer(kind, 6, 3, 5, 12, direction)
            yield f"{kind}-{direction}-lengths", layer(kind, 6, 4, 5, 12, direction, lengths=[6, 1, 3, 5])
        yield f"{kind}-lengths", layer(kind, 6, 4, 5, 9, lengths=[2, 6, 1, 4])
        yield f"{kind}-clip", layer(kind, 6, 2, 5, 9, clip=0.3)
        yield f"{kind}-bare", layer(kind, 6, 2, 5, 9, bias=False, initial=False)
    yield "GRU-linear", layer("GRU", 9, 2, 5, 24, linear_before_reset=1)
    yield "LSTM-peepholes", layer("LSTM", 9, 2, 5, 24, peepholes=True)
    yield "LSTM-coupled", layer("LSTM", 9, 2, 5, 24, input_forget=1)
    # Gates of whole vectors, and of vectors with an end.
    yield "LSTM-wide", layer("LSTM", 5, 6, 5, 48, "bidirectional", lengths=[5, 1, 3, 5, 4, 2])
    yield "LSTM-wide-peepholes", layer("LSTM", 5, 1, 5, 80, peepholes=True)
    yield "LSTM-wide-coupled", layer("LSTM", 5, 13, 5, 64, input_forget=1, clip=0.5)
    yield "LSTM-narrow-peepholes", layer("LSTM", 5, 6, 5, 10, "bidirectional", peepholes=True, lengths=[5, 1, 3, 5, 4, 2])
    yield "LSTM-100", layer("LSTM", 5, 9, 5, 100)
    yield "RNN-100", layer("RNN", 5, 9, 5, 100, "bidirectional")
    yield "GRU-100", layer("GRU", 5, 9, 5, 100, "bidirectional", lengths=[5, 1, 3, 5, 4, 2, 5, 5, 1])
    yield "GRU-wide", layer("GRU", 5, 7, 5, 64, clip=0.5)
    yield "GRU-wide-linear", layer("GRU", 5, 7, 5, 64, linear_before_reset=1)
    yield "GRU-narrow-linear", layer("GRU", 5, 7, 5, 20, "bidirectional", linear_before_reset=1, bias=False)
    yield "loop", as_loop(13, 2, 10, 24)
    yield "scan", as_scan(13, 2, 10, 24, 0)
    yield "scan-backwards", as_scan(13, 2, 10, 24, 1)
    yield "nodes", as_nodes(9, 2, 10, 24)
    yield "if-true", choice(True)
    yield "if-false", choice(False)
    yield "while-condition", doubling(50, 100)
    yield "while-count", doubling(1e9, 5)
    yield "while-none", doubling(1e9, 0)


def cell_cases():
    """What a step may be: the cell is one kernel; a GRU whose linear part comes last has two products in a row."""
    for hidden in (7, 10, 50, 64, 100):
        yield f"RNN-{hidden}-kernels", (layer("RNN", 40, 3, 5, hidden)[0], 1)
        yield f"LSTM-{hidden}-kernels", (layer("LSTM", 40, 3, 5, hidden)[0], 1)
        yield f"LSTM-{hidden}-peepholes-kernels", (layer("LSTM", 40, 3, 5, hidden, peepholes=True)[0], 1)
        yield f"GRU-{hidden}-linear-kernels", (layer("GRU", 40, 3, 5, hidden, linear_before_reset=1)[0], 1)
        yield f"GRU-{hidden}-kernels", (layer("GRU", 40, 3, 5, hidden)[0], 2)


def check_kernels(model, most, folder):
    path = folder / "model.onnx"
    onnx.save(model, path)
    lines = tool.compile_model(path, folder / "model.so", "--explain").splitlines()
    loop = [number for number, line in enumerate(lines) if line.startswith("  loop of ")]
    if len(loop) != 1:
        raise tool.Failure(f"{len(loop)} loops")
    inside = list(itertools.takewhile(lambda line: line.startswith("    "), lines[loop[0] + 1:]))
    if not 1 <= len(inside) <= most:
        raise tool.Failure(f"{len(inside)} kernels a step, expected {most}")
    return f"{len(inside)} kernels a step"


def cases():
    for name, (model, feeds) in closed_cases():
        yield Case(name, lambda model=model, feeds=feeds: (model, [("", feeds)]), checks=("JIT", ".so", "bits", ".o"))
    for name, (model, sets) in open_cases():
        numbered = [(f"set {number}", feeds) for number, feeds in enumerate(sets)]
        yield Case(name, lambda model=model, sets=numbered: (model, sets))
    for name, (model, most) in cell_cases():
        yield Case(name, action=functools.partial(check_kernels, model, most))
