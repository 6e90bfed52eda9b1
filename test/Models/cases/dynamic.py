"""Small models with sizes that are not known when compiling, and several sets of inputs for each.

A network is a function from a Builder to the names of its outputs; `@sizes` gives the sets of numbers that its inputs
are drawn for. Dimensions that are words are symbols. Each is compiled once, with nothing said about sizes: shapes as
inputs, shape arithmetic, sizes that data decide, recurrences and control flow. What is wrong is refused by name.
"""
import numpy as np
import onnx
import tool
from case import Case, Judge
from onnx import TensorProto, helper, numpy_helper

NETWORKS = {}


def sizes(*sets):
    def add(function):
        NETWORKS[function.__name__] = (function, sets)
        return function

    return add


class Builder:
    """A graph under construction; inputs are functions of a set of numbers."""

    def __init__(self):
        self.nodes, self.inputs, self.weights, self.makers = [], [], [], {}

    def draw(self, name, *dims, drawn=None):
        """Normal numbers of a shape of numbers and symbols; `drawn` where the file calls sizes something else."""
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
        shape = drawn or dims
        self.makers[name] = lambda at, rng: rng.standard_normal([at.get(d, d) for d in shape]).astype(np.float32)
        return name

    def give(self, name, dims, maker, dtype=np.int64):
        """maker: from the set of numbers to a value."""
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), dims))
        self.makers[name] = lambda at, rng: np.array(maker(at), dtype)
        return name

    def known(self, *values, dtype=np.int64, name=None):
        name = name or f"known{len(self.weights)}"
        array = np.array(values[0] if len(values) == 1 else values, dtype)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def weight(self, *dims):
        rng = np.random.default_rng(len(self.weights))
        return self.known((rng.standard_normal(dims) * dims[-1] ** -0.5).astype(np.float32), dtype=np.float32)

    def __getattr__(self, op):
        if not op[0].isupper():
            raise AttributeError(op)

        def add(*inputs, outputs=1, **attributes):
            names = [f"{op}{len(self.nodes)}_{i}" for i in range(outputs)]
            self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
            return names[0] if outputs == 1 else names

        return add

    def model(self, outputs):
        results = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", self.inputs, results, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def feeds(self, at, seed):
        rng = np.random.default_rng(seed)
        return {name: maker(at, rng) for name, maker in self.makers.items()}


# Attributes that arrive as tensors


@sizes(dict(n=4, m=6, a=3, b=8), dict(n=1, m=5, a=5, b=1), dict(n=4, m=6, a=-1, b=12), dict(n=8, m=2, a=0, b=2))
def reshape(g):
    return [g.Reshape(g.draw("x", "n", "m"), g.give("shape", [2], lambda at: [at["a"], at["b"]]))]


@sizes(dict(n=9, m=7, a=1, b=8), dict(n=9, m=7, a=-5, b=-1), dict(n=3, m=20, a=2, b=2**63 - 1), dict(n=4, m=3, a=3, b=1))
def slice_between(g):
    starts, ends = g.give("starts", [1], lambda at: [at["a"]]), g.give("ends", [1], lambda at: [at["b"]])
    return [g.Slice(g.draw("x", "n", "m"), starts, ends, g.known([0]))]


@sizes(dict(n=3, m=5, a=0, b=2), dict(n=17, m=1, a=4, b=0))
def pad(g):
    pads = g.give("pads", [4], lambda at: [at["a"], at["b"], at["b"], at["a"]])
    return [g.Pad(g.draw("x", "n", "m"), pads, mode="constant")]


@sizes(dict(n=1, m=5, a=7), dict(n=4, m=1, a=4))
def expand(g):
    return [g.Expand(g.draw("x", "n", "m"), g.give("shape", [3], lambda at: [2, at["a"], at["m"]]))]


@sizes(dict(n=2, m=3, a=4, b=1), dict(n=5, m=1, a=1, b=9), dict(n=5, m=2, a=0, b=2))
def tile(g):
    return [g.Tile(g.draw("x", "n", "m"), g.give("repeats", [2], lambda at: [at["a"], at["b"]]))]


@sizes(dict(n=3, m=9, k=4), dict(n=1, m=40, k=40), dict(n=2, m=5, k=0))
def topk(g):
    return g.TopK(g.draw("x", "n", "m"), g.give("k", [1], lambda at: [at["k"]]), outputs=2)


@sizes(dict(a=2, b=30, c=3), dict(a=5, b=-6, c=-2), dict(a=4, b=4, c=1))
def counting(g):
    ends = [g.give(name, [], lambda at, name=name: at[name]) for name in "abc"]
    return [g.Range(*ends)]


@sizes(dict(h=5, w=7, a=10, b=3), dict(h=8, w=8, a=8, b=16))
def resize_to(g):
    target = g.give("sizes", [4], lambda at: [1, 2, at["a"], at["b"]])
    return [g.Resize(g.draw("x", 1, 2, "h", "w"), "", "", target, mode="linear")]


@sizes(dict(n=5, d=7), dict(n=1, d=3))
def one_hot(g):
    where = g.give("where", ["n"], lambda at: np.arange(at["n"]) % at["d"])
    return [g.OneHot(where, g.give("depth", [1], lambda at: [at["d"]]), g.known([0.0, 1.0], dtype=np.float32))]


@sizes(dict(a=3, b=4), dict(a=1, b=33))
def filled(g):
    shape = g.give("shape", [2], lambda at: [at["a"], at["b"]])
    return [g.ConstantOfShape(shape, value=helper.make_tensor("v", TensorProto.FLOAT, [1], [2.5]))]


# Sizes that data decide


@sizes(dict(n=4, m=9), dict(n=1, m=1), dict(n=30, m=31))
def nonzero(g):
    x = g.draw("x", "n", "m")
    places = g.NonZero(g.Greater(x, g.known(0.5, dtype=np.float32)))
    return [places, g.GatherND(x, g.Transpose(places))]


@sizes(dict(n=12), dict(n=1), dict(n=100))
def compress(g):
    x = g.draw("x", "n", 3)
    kept = g.Compress(x, g.give("keep", ["n"], lambda at: np.arange(at["n"]) % 3 == 0, bool), axis=0)
    return [g.Mul(kept, kept), g.ReduceSum(kept, g.known([0]))]


@sizes(dict(n=12), dict(n=1), dict(n=60))
def unique(g):
    values, _, _, counts = g.Unique(g.give("x", ["n"], lambda at: np.arange(at["n"]) * 7 % 11), outputs=4)
    return [values, g.Mul(counts, g.known([2]))]


@sizes(dict(n=6), dict(n=40))
def best_boxes(g):
    def boxes(at):
        low = np.random.default_rng(at["n"]).uniform(0, 10, (1, at["n"], 2))
        return np.concatenate([low, low + 3], 2)

    scores = lambda at: np.random.default_rng(1).uniform(0, 1, (1, 2, at["n"]))
    chosen = g.NonMaxSuppression(
        g.give("boxes", [1, "n", 4], boxes, np.float32), g.give("scores", [1, 2, "n"], scores, np.float32),
        g.known([5]), g.known([0.3], dtype=np.float32), g.known([0.1], dtype=np.float32))  # fmt: skip
    return [chosen, g.Gather(chosen, g.known(2), axis=1)]


# Shape arithmetic


@sizes(dict(b=1, s=5), dict(b=3, s=17), dict(b=2, s=1))
def heads(g):
    x = g.draw("x", "b", "s", 24)
    shape = g.Shape(x)
    part = lambda i: g.Unsqueeze(g.Gather(shape, g.known(i), axis=0), g.known([0]))
    split = g.Reshape(x, g.Concat(part(0), part(1), g.known([4]), g.known([6]), axis=0))
    q = g.Transpose(split, perm=[0, 2, 1, 3])
    scores = g.Softmax(g.MatMul(q, g.Transpose(split, perm=[0, 2, 3, 1])), axis=-1)
    joined = g.Transpose(g.MatMul(scores, q), perm=[0, 2, 1, 3])
    return [g.Reshape(joined, g.Concat(part(0), part(1), g.known([-1]), axis=0)), scores]


@sizes(dict(b=1, h=16, w=16), dict(b=2, h=37, w=21), dict(b=1, h=5, w=64))
def pyramid(g):
    x = g.draw("x", "b", 3, "h", "w")
    down = g.Relu(g.Conv(x, g.weight(8, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1]))
    deep = g.MaxPool(down, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    both = g.Concat(g.Slice(g.Shape(down), g.known([0]), g.known([2])), g.Slice(g.Shape(down), g.known([2]), g.known([4])), axis=0)
    up = g.Resize(deep, "", "", both, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    joined = g.Concat(up, down, axis=1)
    return [g.Sigmoid(g.Conv(joined, g.weight(4, 16, 1, 1))), g.GlobalAveragePool(joined)]


@sizes(dict(h=16, w=20), dict(h=7, w=3))
def grid(g):
    shape = g.Shape(g.draw("x", 1, 3, "h", "w"))
    end = lambda i: g.Gather(shape, g.known(i), axis=0)
    across = g.Add(g.Cast(g.Range(g.known(0), end(3), g.known(1)), to=TensorProto.FLOAT), g.known(0.5, dtype=np.float32))
    downward = g.Cast(g.Range(g.known(0), end(2), g.known(1)), to=TensorProto.FLOAT)
    full = g.Concat(g.Unsqueeze(end(2), g.known([0])), g.Unsqueeze(end(3), g.known([0])), axis=0)
    return [g.Expand(across, full), g.Expand(g.Unsqueeze(downward, g.known([1])), full)]


@sizes(dict(n=4, m=6), dict(n=1, m=9), dict(n=10, m=2))
def halves(g):
    joined = g.Concat(g.draw("x", "n", "m"), g.draw("y", "n", "m"), axis=1)
    a, b = g.Split(joined, outputs=2, axis=1)
    return [g.Sub(a, b), g.Flatten(joined, axis=0)]


# Extents at run time


@sizes(dict(n=5, m=5), dict(n=1, m=7), dict(n=7, m=1))
def broadcast(g):
    return [g.Add(g.draw("x", "n", 3), g.draw("y", "m", 3))]


@sizes(dict(a=3, b=4, c=5), dict(a=33, b=1, c=17), dict(a=100, b=129, c=64), dict(a=0, b=4, c=5))
def product(g):
    y = g.MatMul(g.draw("x", "a", "b"), g.draw("w", "b", "c"))
    return [g.Relu(y), g.Transpose(y)]


@sizes(dict(b=1, s=8), dict(b=5, s=100), dict(b=2, s=1))
def normal(g):
    x = g.draw("x", "b", "s", 16)
    y = g.LayerNormalization(x, g.weight(16), g.weight(16))
    return [g.Softmax(y, axis=1), g.CumSum(x, g.known(1)), g.ArgMax(x, axis=1), g.ReduceMean(x, axes=[0, 1])]


@sizes(dict(n=3, m=5), dict(n=1, m=17), dict(n=0, m=4))
def rows_of_nothing(g):
    x = g.draw("x", 2, "n", "m")
    return [g.Exp(g.ReduceLogSumExp(x, axes=[1])), g.ReduceSum(x, g.known([1])), g.Softmax(x, axis=1)]


@sizes(dict(i=2, j=3, k=4), dict(i=17, j=1, k=9))
def einsum(g):
    return [g.Einsum(g.draw("x", "i", "j", "k"), g.draw("y", "k", "j"), equation="ijk,kj->ik")]


@sizes(dict(n=3, m=4), dict(n=20, m=1))
def lookup(g):
    where = g.give("where", ["m"], lambda at: np.arange(at["m"]) % at["n"])
    places = g.Unsqueeze(where, g.known([1]))
    x = g.draw("x", "n", 5)
    return [g.Gather(x, where), g.ScatterND(x, places, g.draw("new", "m", 5))]


@sizes(dict(n=3, m=4, k=2), dict(n=20, m=1, k=9))
def scattered(g):
    x, updates = g.draw("x", "n", "m"), g.draw("new", "k", "m")
    rows = g.give("rows", ["k", "m"], lambda at: np.arange(at["k"] * at["m"]).reshape(at["k"], -1) % at["n"] - at["n"])
    pairs = g.give("pairs", ["k", 2], lambda at: np.stack([np.arange(at["k"]) % at["n"], np.arange(at["k"]) % at["m"]], 1))
    return [g.ScatterElements(x, rows, updates, axis=0, reduction="add"),
            g.ScatterND(x, pairs, g.draw("single", "k"), reduction="add")]


# Recurrences and control flow


@sizes(dict(s=1, b=1), dict(s=7, b=3), dict(s=20, b=1))
def lstm(g):
    w, r, bias = g.weight(1, 32, 6), g.weight(1, 32, 8), g.weight(1, 64)
    return g.LSTM(g.draw("x", "s", "b", 6), w, r, bias, hidden_size=8, outputs=3)


@sizes(dict(s=5, b=2), dict(s=11, b=1))
def gru_both_ways(g):
    w, r = g.weight(2, 24, 6), g.weight(2, 24, 8)
    states = g.GRU(g.draw("x", "s", "b", 6), w, r, hidden_size=8, direction="bidirectional", outputs=2)
    return [g.Transpose(states[0], perm=[0, 2, 1, 3]), states[1]]


def loop_body(*nodes):
    """From `i`, `go` and a `state` of n numbers to `again`, the `next` state and what is `kept`."""
    row = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"])
    flag = lambda name: helper.make_tensor_value_info(name, TensorProto.BOOL, [])
    turn = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    return helper.make_graph(nodes, "body", [turn, flag("go"), row("state")], [flag("again"), row("next"), row("kept")])


@sizes(dict(n=2, turns=3), dict(n=5, turns=0), dict(n=1, turns=9))
def loop_collects(g):
    body = loop_body(
        helper.make_node("Add", ["state", "state"], ["next"]), helper.make_node("Identity", ["go"], ["again"]),
        helper.make_node("Identity", ["next"], ["kept"]))  # fmt: skip
    turns = g.give("turns", [], lambda at: at["turns"])
    return g.Loop(turns, g.known(True, dtype=bool), g.draw("x", "n"), body=body, outputs=2)


def adding_loop(g):
    """From a graph to a function that adds a loop to it which collects until the sum is large; nothing bounds the turns."""
    body = loop_body(
        helper.make_node("Add", ["state", "step"], ["next"]), helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
        helper.make_node("Less", ["sum", "limit"], ["again"]), helper.make_node("Neg", ["next"], ["kept"]))  # fmt: skip
    g.give("limit", [], lambda at: at["limit"], np.float32)
    g.give("step", ["n"], lambda at: np.arange(at["n"]) + 1, np.float32)
    start = g.give("start", ["n"], lambda at: np.zeros(at["n"]), np.float32)
    return lambda: g.Loop("", g.known(True, dtype=bool), start, body=body, outputs=2)


@sizes(dict(n=2, limit=40), dict(n=3, limit=0), dict(n=1, limit=5000))
def loop_until(g):
    last, kept = adding_loop(g)()
    return [last, kept, g.ReduceMax(kept, axes=[0])]


@sizes(dict(n=2, limit=40), dict(n=3, limit=7))
def loops_until(g):
    """Two such loops, of which only a run tells that they take as many turns, and sizes of what they collect as data."""
    add = adding_loop(g)
    stacks = [add()[1], add()[1]]
    both = g.Mul(stacks[0], stacks[1])
    return [both, g.Cast(g.Shape(stacks[1]), to=TensorProto.INT32), g.Expand(g.known(1.0, dtype=np.float32), g.Shape(both))]


@sizes(dict(length=5, b=2), dict(length=1, b=1), dict(length=12, b=3))
def loop_that_counts(g):
    """A recurrence as TensorFlow writes it: the condition compares a counter, as a float, with a size."""
    info = helper.make_tensor_value_info
    x, w = g.Transpose(g.draw("x", "b", "length", 4), perm=[1, 0, 2]), g.weight(4, 4)
    size = g.Cast(g.Squeeze(g.Slice(g.Shape(x), g.known([0]), g.known([1])), g.known([0])), to=TensorProto.INT32)
    zero, one = g.known(0, dtype=np.int32), g.known(1, dtype=np.int32)
    node = helper.make_node
    body = helper.make_graph(
        [node("Add", ["at", one], ["then"]), node("Gather", [x, "at"], ["row"]), node("MatMul", ["h", w], ["turned"]),
         node("Add", ["row", "turned"], ["sum"]), node("Tanh", ["sum"], ["next"]), node("Identity", ["next"], ["kept"]),
         node("Cast", ["then"], ["a"], to=TensorProto.FLOAT), node("Cast", ["most"], ["b"], to=TensorProto.FLOAT),
         node("Less", ["a", "b"], ["again"])],
        "body",
        [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), info("at", TensorProto.INT32, []),
         info("h", TensorProto.FLOAT, None), info("most", TensorProto.INT32, [])],
        [info("again", TensorProto.BOOL, []), info("then", TensorProto.INT32, []), info("next", TensorProto.FLOAT, None),
         info("most", TensorProto.INT32, []), info("kept", TensorProto.FLOAT, None)])  # fmt: skip
    start = g.Mul(g.Gather(x, zero), g.known(0.0, dtype=np.float32))
    first = g.Less(g.Cast(zero, to=TensorProto.FLOAT), g.Cast(size, to=TensorProto.FLOAT))
    at, last, _, kept = g.Loop("", first, zero, start, size, body=body, outputs=4)
    return [at, last, g.Transpose(kept, perm=[1, 0, 2])]


@sizes(dict(n=2, more=0), dict(n=2, more=1), dict(n=9, more=1))
def choice_of_sizes(g):
    """The branches have outputs of different sizes."""
    x = g.draw("x", "n", 4)
    halves = helper.make_graph(
        [helper.make_node("Concat", [x, x], ["twice"], axis=1)], "halves", [], [helper.make_tensor_value_info("twice", TensorProto.FLOAT, ["n", 8])])  # fmt: skip
    flipped = helper.make_graph(
        [helper.make_node("Transpose", [x], ["turned"], perm=[1, 0])], "flipped", [], [helper.make_tensor_value_info("turned", TensorProto.FLOAT, [4, "n"])])  # fmt: skip
    more = g.give("more", [], lambda at: at["more"], bool)
    return [g.Exp(g.If(more, then_branch=halves, else_branch=flipped))]


@sizes(dict(n=2, m=3), dict(n=9, m=5))
def squeeze_what_is_one(g):
    return [g.Squeeze(g.Unsqueeze(g.draw("x", "n", "m"), g.known([0, 3])))]


@sizes(dict(n=2), dict(n=9))
def choice_by_size(g):
    x = g.draw("x", "n", 4)
    large = g.Greater(g.Gather(g.Shape(x), g.known(0), axis=0), g.known(4))
    branch = lambda op, name: helper.make_graph(
        [helper.make_node(op, [x], [name])], name, [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 4])])  # fmt: skip
    return [g.If(large, then_branch=branch("Neg", "less"), else_branch=branch("Abs", "more"))]


@sizes(dict(n=3, m=4), dict(n=6, m=1))
def scan_sums(g):
    body = helper.make_graph(
        [helper.make_node("Add", ["sum", "row"], ["next"]), helper.make_node("Identity", ["next"], ["seen"])],
        "body",
        [helper.make_tensor_value_info("sum", TensorProto.FLOAT, ["m"]), helper.make_tensor_value_info("row", TensorProto.FLOAT, ["m"])],
        [helper.make_tensor_value_info("next", TensorProto.FLOAT, ["m"]), helper.make_tensor_value_info("seen", TensorProto.FLOAT, ["m"])])  # fmt: skip
    return g.Scan(g.draw("start", "m"), g.draw("x", "n", "m"), body=body, num_scan_inputs=1, outputs=2)


# What is refused, and what is verified


@sizes({"N": 3, "M": 5}, {"N": 4, "M": 4}, {"N": 1, "M": 2})
def one_name_two_sizes(g):
    """Exporters give inputs one name whose sizes differ; ONNX Runtime warns and runs."""
    x, z = g.draw("x", "N", 8), g.draw("z", "N", 8, drawn=("M", 8))
    return g.Relu(g.MatMul(x, g.weight(8, 4))), g.Concat(x, z, axis=0)


@sizes({"N": 3, "M": 5}, {"N": 4, "M": 4})
def one_name_joined(g):
    """Of three inputs with one name two must agree."""
    x, y, z = g.draw("x", "N", 8), g.draw("y", "N", 8), g.draw("z", "N", 8, drawn=("M", 8))
    return g.Add(x, y), g.Softmax(z, axis=-1)


def check_contradiction(folder):
    """`n` of two inputs must be one number, and the message says which."""
    builder = Builder()
    model, inputs = folder / "model.onnx", folder / "in.npz"
    onnx.save(builder.model([builder.Concat(builder.draw("x", "n", 2), builder.draw("y", "n", 3), axis=1)]), model)
    np.savez(inputs, x=np.zeros((4, 2), np.float32), y=np.zeros((5, 3), np.float32))
    try:
        tool.run_model(model, inputs, 1, folder)
    except tool.Failure as failure:
        if "exit 3" not in str(failure) or '"y"' not in str(failure) and "'y'" not in str(failure):
            raise tool.Failure(f"refused, but with: {failure}") from None
    else:
        raise tool.Failure("4 and 5 were both taken for n")


def check_outside(folder):
    """A scatter may not write outside of a size that is known only when it runs."""
    library, inputs = folder / "model.so", folder / "in.npz"
    for name, places in (("ScatterElements", [[0], [5]]), ("ScatterND", [[5, 0], [0, 0]]), ("ScatterND", [[0, 0], [-9, 0]])):
        builder = Builder()
        model = folder / "model.onnx"
        where = builder.give("where", ["k", len(places[0])], lambda at: at["places"])
        new = builder.draw("new", *(["k", 1] if name == "ScatterElements" else ["k"]))
        scatter = getattr(builder, name)(builder.draw("x", "n", 2), where, new)
        onnx.save(builder.model([builder.Neg(scatter)]), model)
        tool.compile_model(model, library)
        feeds = builder.feeds(dict(places=places, k=2, n=5), 0)
        np.savez(inputs, **feeds)
        for way in (library, model):
            try:
                tool.run_model(way, inputs, 1, folder)
            except tool.Failure as failure:
                if "out of range" not in str(failure):
                    raise tool.Failure(f"{name} of {way.name} ended, but with: {failure}") from None
            else:
                raise tool.Failure(f"{name} of {way.name} wrote outside")


def check_verify(folder):
    """Each call and each pass can be judged also where the turns of loops are found in the data."""
    function, sets = NETWORKS["loops_until"]
    builder = Builder()
    model, inputs = folder / "model.onnx", folder / "in.npz"
    onnx.save(builder.model(function(builder)), model)
    np.savez(inputs, **builder.feeds(sets[0], 0))
    for way in ("--each-op", "--each-pass"):
        tool.call([tool.KUMIKO, "verify", model, "--inputs", inputs, way])


def cases():
    for name, (function, sets) in NETWORKS.items():
        def make(function=function, sets=sets):
            builder = Builder()
            model = builder.model(function(builder))
            return model, [(f"at {at}", builder.feeds(at, number)) for number, at in enumerate(sets)]

        # Of a loop without turns ONNX Runtime does not know how large its results would have been.
        yield Case(name, make, judge=Judge(any_empty=True))
    yield Case("contradiction", action=check_contradiction)
    yield Case("outside", action=check_outside)
    yield Case("verify", action=check_verify)
