"""Ways in which exporters spell a normalisation, a softmax, attention or an activation: each ends as one kernel.

SPELLINGS: name -> (arguments, nodes, results), in ONNX's text form. `B S H W C` are open sizes; a number `1.5` among the
operands of a node is a constant. Each is compiled with numbers for its sizes and with open ones. Sizes are such that
vectors have a rest, and one of them is 1.
"""
import re

import numpy as np
import onnx
import onnx.parser
import tool
from case import Case

SIZES = {"B": 1, "S": 10, "H": 6, "W": 7, "C": 5}

ROW, ONE = "float[B,S,64] x, float[64] g, float[64] b", "float[B,S,64] x"
SCORES = "float[B,H,S,64] x, float[B,1,1,64] mask"
IMAGE = "float[B,C,H,W] x, float[C,1,1] g, float[C,1,1] b"
LIKE_X, LIKE_SCORES, LIKE_IMAGE = "float[B,S,64] y", "float[B,H,S,64] y", "float[B,C,H,W] y"

NORM = """m = ReduceMean<axes=[-1]>(x); d = Sub(x, m); q = Mul(d, d); v = ReduceMean<axes=[-1]>(q)
          ve = Add(v, 0.00001); s = Sqrt(ve); n = Div(d, s); w = Mul(n, g); y = Add(w, b)"""
SQUARES = """v = ReduceMean<axes=[-1]>(q); ve = Add(v, 0.00001); s = Sqrt(ve)"""
SOFTMAX = "m = ReduceMax<axes=[-1]>(a); d = Sub(a, m); e = Exp(d); s = ReduceSum(e, [-1]); y = Div(e, s)"
HEADS = "float[B,S,120] q, float[B,S,120] k, float[B,S,120] v"
MASKED = HEADS + ", float[B,1,1,S] mask"
SPLIT = """qh = Reshape(q, [0,0,6,20]); kh = Reshape(k, [0,0,6,20]); vh = Reshape(v, [0,0,6,20])
          qt = Transpose<perm=[0,2,1,3]>(qh); kt = Transpose<perm=[0,2,3,1]>(kh); vt = Transpose<perm=[0,2,1,3]>(vh)"""
SCALED = "s = MatMul(qt, kt); a = Mul(s, 0.2236068)"
WEIGHTS = "p = Softmax<axis=-1>(a)"
MERGED = "o = MatMul(p, vt); ot = Transpose<perm=[0,2,1,3]>(o); y = Reshape(ot, [0,0,120])"
LIKE_HEADS = "float[B,S,120] y"
RESIDUAL = "float[B,S,64] p, float[B,S,64] r, float[64] g, float[64] b"

SPELLINGS = {
    "layer norm": (ROW, "y = LayerNormalization<axis=-1>(x, g, b)", LIKE_X),
    "layer norm, Mul": (ROW, NORM, LIKE_X),
    "layer norm, Pow": (ROW, NORM.replace("Mul(d, d)", "Pow(d, 2.0)"), LIKE_X),
    "layer norm, two Subs": (ROW, NORM.replace("q = Mul(d, d)", "c = Sub(x, m); q = Mul(c, c)"), LIKE_X),
    "layer norm, Reciprocal": (ROW, NORM.replace("n = Div(d, s)", "r = Reciprocal(s); n = Mul(d, r)"), LIKE_X),
    "layer norm, sums": (ROW, NORM.replace("m = ReduceMean<axes=[-1]>(x)", "t = ReduceSum(x, [-1]); m = Div(t, 64.0)"),
                         LIKE_X),
    "layer norm, mean of squares": (ROW, """m = ReduceMean<axes=[-1]>(x); xx = Mul(x, x); o = ReduceMean<axes=[-1]>(xx)
          mm = Mul(m, m); v = Sub(o, mm); ve = Add(v, 0.00001); s = Sqrt(ve); d = Sub(x, m); n = Div(d, s)
          w = Mul(n, g); y = Add(w, b)""", LIKE_X),
    "layer norm, Cast inside": (ROW, NORM.replace("q = Mul(d, d)", "c = Cast<to=1>(d); q = Mul(c, c)"), LIKE_X),
    "layer norm, from f16": (ROW.replace("float[B,S,64] x", "float16[B,S,64] h"), "x = Cast<to=1>(h); " + NORM, LIKE_X),
    "layer norm, residual": (RESIDUAL, "x = Add(p, r); " + NORM, LIKE_X + ", float[B,S,64] x"),
    "layer norm, residual, one op": (RESIDUAL, "x = Add(p, r); y = LayerNormalization<axis=-1>(x, g, b)",
                                     LIKE_X + ", float[B,S,64] x"),
    "layer norm, residual behind": (RESIDUAL, "x = Add(p, r); " + NORM.replace("y = ", "z = ") + "; y = Add(z, x)", LIKE_X),
    "layer norm over channels": (IMAGE, NORM.replace("[-1]", "[1]"), LIKE_IMAGE),
    "instance norm": (IMAGE.replace(",1,1", ""), "y = InstanceNormalization(x, g, b)", LIKE_IMAGE),
    "instance norm, means": (IMAGE, NORM.replace("[-1]", "[2,3]"), LIKE_IMAGE),
    "RMS norm, Pow": (ROW, f"q = Pow(x, 2.0); {SQUARES}; r = Div(1.0, s); n = Mul(x, r); y = Mul(n, g)", LIKE_X),
    "RMS norm, Mul": (ROW, f"q = Mul(x, x); {SQUARES}; n = Div(x, s); y = Mul(g, n)", LIKE_X),
    "L2 norm": (ONE, "n = ReduceL2<axes=[-1]>(x); y = Div(x, n)", LIKE_X),
    "L2 norm, Max": (ONE, "n = ReduceL2<axes=[-1]>(x); c = Max(n, 0.000001); y = Div(x, c)", LIKE_X),
    "L2 norm, sums": (ONE, "q = Mul(x, x); s = ReduceSum(q, [-1]); r = Sqrt(s); y = Div(x, r)", LIKE_X),
    "L2 norm, one op": (ONE, "y = LpNormalization<axis=-1, p=2>(x)", LIKE_X),
    "deviation": (ONE, """m = ReduceMean<axes=[-1]>(x); d = Sub(x, m); q = Mul(d, d)
          v = ReduceMean<axes=[-1], keepdims=0>(q); s = Sqrt(v); o = ReduceMean<axes=[-1], keepdims=0>(x)
          y = Add(s, o)""", "float[B,S] y"),
    "GELU, erf": (ONE, "d = Div(x, 1.4142135); f = Erf(d); a = Add(f, 1.0); m = Mul(x, a); y = Mul(m, 0.5)", LIKE_X),
    "GELU, tanh": (ONE, """p = Pow(x, 3.0); q = Mul(p, 0.044715); r = Add(x, q); s = Mul(r, 0.7978845); t = Tanh(s)
          a = Add(t, 1.0); h = Mul(x, 0.5); y = Mul(h, a)""", LIKE_X),
    "SiLU": (ONE, "s = Sigmoid(x); y = Mul(x, s)", LIKE_X),
    "HardSwish": (ONE, "y = HardSwish(x)", LIKE_X),
    "HardSwish, Clip": (ONE, "a = Add(x, 3.0); c = Clip(a, 0.0, 6.0); m = Mul(x, c); y = Div(m, 6.0)", LIKE_X),
    "Mish, Softplus": (ONE, "s = Softplus(x); t = Tanh(s); y = Mul(x, t)", LIKE_X),
    "Mish, Exp": (ONE, "e = Exp(x); a = Add(e, 1.0); l = Log(a); t = Tanh(l); y = Mul(x, t)", LIKE_X),
    "softmax": (ONE, "y = Softmax<axis=-1>(x)", LIKE_X),
    "softmax, with maximum": (ONE.replace(" x", " a"), SOFTMAX, LIKE_X),
    "softmax, without": (ONE, "e = Exp(x); s = ReduceSum(e, [-1]); y = Div(e, s)", LIKE_X),
    "softmax over another axis": (ONE.replace(" x", " a"), SOFTMAX.replace("[-1]", "[1]"), LIKE_X),
    "softmax, scale, mask": (SCORES, "d = Div(x, 8.0); a = Add(d, mask); y = Softmax<axis=-1>(a)", LIKE_SCORES),
    "softmax, scale, mask, parts": (SCORES, "d = Mul(x, 0.125); a = Add(d, mask); " + SOFTMAX.replace("d ", "u ").replace(
        "(d)", "(u)"), LIKE_SCORES),
    "softmax, Where": (SCORES.replace("float[B,1", "bool[B,1"),
                       "d = Div(x, 8.0); a = Where(mask, d, -10000.0); y = Softmax<axis=-1>(a)", LIKE_SCORES),
    "softmax, Where, parts": (SCORES.replace("float[B,1", "bool[B,1"), "h = Div(x, 8.0); a = Where(mask, h, -10000.0); "
                              + SOFTMAX, LIKE_SCORES),
    "softmax, mask of truths": (SCORES.replace("float[B,1", "bool[B,1"), """c = Cast<to=1>(mask); n = Sub(1.0, c); w = Mul(n, -10000.0)
          d = Div(x, 8.0); a = Add(d, w); y = Softmax<axis=-1>(a)""", LIKE_SCORES),
    "attention": (HEADS, f"{SPLIT}; {SCALED}; {WEIGHTS}; {MERGED}", LIKE_HEADS),
    "attention, Div": (HEADS, f"{SPLIT}; s = MatMul(qt, kt); a = Div(s, 4.472136); {WEIGHTS}; {MERGED}", LIKE_HEADS),
    "attention, mask": (MASKED, f"{SPLIT}; {SCALED.replace('a =', 'c =')}; a = Add(c, mask); {WEIGHTS}; {MERGED}", LIKE_HEADS),
    "attention, Where": (MASKED.replace("float[B,1", "bool[B,1"), f"""{SPLIT}; {SCALED.replace('a =', 'c =')}
          a = Where(mask, c, -10000.0); {WEIGHTS}; {MERGED}""", LIKE_HEADS),
    "attention, mask of truths": (MASKED.replace("float[B,1", "bool[B,1"), f"""{SPLIT}; {SCALED.replace('a =', 'e =')}
          c = Cast<to=1>(mask); n = Sub(1.0, c); w = Mul(n, -10000.0); a = Add(e, w); {WEIGHTS}; {MERGED}""", LIKE_HEADS),
    "attention, softmax in parts": (HEADS, f"{SPLIT}; {SCALED}; " + SOFTMAX.replace("s = ", "t = ").replace(
        "s)", "t)").replace("y =", "p =") + f"; {MERGED}", LIKE_HEADS),
    "attention, queries scaled": (HEADS, f"{SPLIT}; qs = Mul(qt, 0.2236068); a = MatMul(qs, kt); {WEIGHTS}; {MERGED}", LIKE_HEADS),
    "attention, both scaled": (MASKED, f"""{SPLIT}; qs = Mul(qt, 0.4728708); ks = Mul(kt, 0.4728708)
          c = MatMul(qs, ks); a = Add(c, mask); {WEIGHTS}; {MERGED}""", LIKE_HEADS),
    "attention, keys turned twice": (HEADS, f"""{SPLIT.replace('0,2,3,1', '0,2,1,3').replace('kt =', 'ku =')}
          kt = Transpose<perm=[0,1,3,2]>(ku); {SCALED}; {WEIGHTS}; {MERGED}""", LIKE_HEADS),
    "attention, heads in front": ("float[B,6,S,20] qt, float[B,6,20,S] kt, float[B,6,S,20] vt",
                                  f"{SCALED}; {WEIGHTS}; y = MatMul(p, vt)", "float[B,6,S,20] y"),
    "attention, one head": ("float[S,20] qt, float[20,S] kt, float[S,20] vt", f"{SCALED}; {WEIGHTS}; y = MatMul(p, vt)",
                            "float[S,20] y"),
    "log-softmax": (ONE, "y = LogSoftmax<axis=-1>(x)", LIKE_X),
    "log-softmax, parts": (ONE, """m = ReduceMax<axes=[-1]>(x); d = Sub(x, m); e = Exp(d); s = ReduceSum(e, [-1])
          l = Log(s); y = Sub(d, l)""", LIKE_X),
    "log-softmax, LogSumExp": (ONE, "l = ReduceLogSumExp<axes=[-1]>(x); y = Sub(x, l)", LIKE_X),
    "log-softmax, Log": (ONE, "s = Softmax<axis=-1>(x); y = Log(s)", LIKE_X),
}


def model_of(arguments, text, results):
    """Numbers and lists among the operands become Constant nodes."""
    nodes, constants = [], {}

    def constant(match):
        value = match.group(0)
        name = constants.setdefault(value, f"k{len(constants)}")
        kind = "value_ints" if value[0] == "[" else "value_float"
        if f"{name} =" not in "".join(nodes):
            nodes.append(f"{name} = Constant<{kind}={value}>()")
        return name

    for node in re.split(r"[;\n]", text):
        head, operands = node.strip().rsplit("(", 1)
        operands = re.sub(r"-?\d+\.\d+|\[[^\]]*\]", constant, operands)
        nodes.append(f"{head}({operands}")
    return onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>\nspelling (' + arguments + ") => (" +
                                   results + ") {\n" + "\n".join(nodes) + "\n}")


def feeds_of(model):
    random, feeds = np.random.default_rng(7), {}
    for given in model.graph.input:
        shape = [d.dim_value or SIZES[d.dim_param] for d in given.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(given.type.tensor_type.elem_type)
        values = random.standard_normal(shape)
        feeds[given.name] = values > -0.5 if kind == bool else values.astype(kind)
    return feeds


def one_kernel(account):
    if len(account["kernels"]) != 1:
        raise tool.Failure(f"{len(account['kernels'])} kernels, expected 1")


def cases():
    for name, spelling in SPELLINGS.items():
        # What a dimension is called stands in the arguments.
        named = [size for size in SIZES if re.search(rf"[\[,]{size}[\],]", spelling[0])]
        numbers = [part for size in named for part in ("--dim", f"{size}={SIZES[size]}")]

        def make(spelling=spelling):
            model = model_of(*spelling)
            return model, [("", feeds_of(model))]

        yield Case(name, make, checks=("kernels", ".so"), builds={"numbers": numbers, "open sizes": ()}, kernels=one_kernel,
                   threads=(1,))  # fmt: skip
