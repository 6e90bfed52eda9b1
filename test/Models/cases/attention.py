"""Attention in one kernel, at sizes around its vectors, tiles and chunks, against the evaluator.

Heads are split off by reshapes and transposes, scores are scaled, masked and go through a softmax, in several spellings.
Each size is compiled with numbers and run; one library with open sizes runs all of them. All must be one kernel. Masks of
minus infinity cover whole rows: what the evaluator makes of these is the rule.
"""
import functools

import numpy as np
import onnx.parser
import tool
from case import Case

# batch, queries, keys, heads, columns of a head
SIZES = [(1, 1, 1, 1, 1), (1, 1, 17, 1, 3), (2, 1, 40, 3, 7), (2, 5, 16, 3, 7), (1, 200, 1, 2, 8), (3, 2, 9, 2, 3),
         (2, 17, 33, 3, 17), (1, 200, 40, 2, 1), (1, 6, 130, 2, 80), (2, 49, 50, 2, 64), (1, 7, 131, 2, 72),
         (1, 64, 64, 2, 16), (1, 31, 8, 1, 33), (1, 30, 7, 1, 33), (1, 150, 512, 1, 24), (0, 5, 12, 2, 8), (2, 0, 12, 2, 8),
         (2, 5, 0, 2, 8)]
OPEN_HEADS, OPEN_COLUMNS = 3, 20
# For spellings other than the first: views of unknown sizes do not go with empty tensors.
SOME_SIZES = [SIZES[3], SIZES[6], SIZES[9], SIZES[12]]
SHORTEST = 8  # rows of fewer scores stay apart from the products, and so do heads of one column


SOFTMAX = "p = Softmax<axis=-1>(m); o = MatMul(p, vt)"
SCALED = "s = MatMul(qt, kt); t = Mul(s, scale)"

# name, nodes from qt, kt (keys as columns), ks (heads of keys), vt and mask to o; heads of queries for each of keys.
SPELLINGS = {
    "plain": (f"{SCALED}; m = Add(t, mask); {SOFTMAX}", 1),
    # The rows are flattened for the softmax.
    "flattened": (f"{SCALED}; shape = Shape(t); keys = Shape<start=3>(t); "
                  "flat = Concat<axis=0>(any, keys); r = Reshape<allowzero=1>(t, flat); u = Softmax<axis=1>(r); "
                  "p = Reshape<allowzero=1>(u, shape); o = MatMul(p, vt)", 1),
    "flattened steps": (f"{SCALED}; shape = Shape(t); keys = Shape<start=3>(t); flat = Concat<axis=0>(any, keys); "
                        "r = Reshape<allowzero=1>(t, flat); b = ReduceMax(r, last); d = Sub(r, b); e = Exp(d); "
                        "w = ReduceSum(e, last); u = Div(e, w); p = Reshape<allowzero=1>(u, shape); o = MatMul(p, vt)", 1),
    # Several heads of queries share one of keys and values, which are repeated.
    "repeated": ("k1 = Unsqueeze(kt, two); ke = Expand(k1, thrice); kr = Reshape(ke, columns); "
                 "v1 = Unsqueeze(vt, two); ve = Expand(v1, thrice); vr = Reshape(ve, rows); "
                 "s = MatMul(qt, kr); t = Mul(s, scale); m = Add(t, mask); p = Softmax<axis=-1>(m); o = MatMul(p, vr)", 3),
    # Masks of truths, which are made scores of on the way.
    "chosen": (f"allowed = Equal(mask, zero); {SCALED}; m = Where(allowed, t, low); {SOFTMAX}", 1),
    "converted": (f"allowed = Equal(mask, zero); c = Cast<to=1>(allowed); n = Sub(one, c); w = Mul(n, low); {SCALED}; "
                  f"m = Add(t, w); {SOFTMAX}", 1),
    "truths": ("allowed = Equal(mask, zero); o = Attention<scale=0.3>(qt, kh, vt, allowed)", 1),
    "grouped truths": ("allowed = Equal(mask, zero); o = Attention<scale=0.3, is_causal=1>(qt, kh, vt, allowed)", 3),
    "op": ("o = Attention<scale=0.3>(qt, kh, vt, mask)", 1),
    "grouped": ("o = Attention<scale=0.3>(qt, kh, vt, mask)", 3),
    "causal": ("o = Attention<scale=0.3, is_causal=1, softcap=4.0>(qt, kh, vt)", 1),
}


def model_of(spelling, batch, queries, keys, heads, columns):
    nodes, group = SPELLINGS[spelling]
    wide, shared = heads * group * columns, heads * columns
    kept = "perm=[0,2,1,3]"
    return onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 23]>
        attention (float[{batch},{queries},{wide}] q, float[{batch},{keys},{shared}] k, float[{batch},{keys},{shared}] v,
                   float[{batch},1,1,{keys}] mask) => (float[{batch},{queries},{wide}] y)
        <int64[4] split = {{0, 0, {heads * group}, {columns}}}, int64[4] fewer = {{0, 0, {heads}, {columns}}},
         int64[3] merge = {{0, 0, {wide}}}, float scale = {{0.3}}, float zero = {{0}}, float one = {{1}}, float low = {{-100}}, int64[1] any = {{-1}}, int64[1] last = {{-1}}, int64[1] two = {{2}},
         int64[5] thrice = {{1, 1, {group}, 1, 1}}, int64[4] columns = {{0, {heads * group}, {columns}, -1}},
         int64[4] rows = {{0, {heads * group}, -1, {columns}}}> {{
          qs = Reshape(q, split); ks = Reshape(k, fewer); vs = Reshape(v, fewer)
          qt = Transpose<{kept}>(qs); kt = Transpose<perm=[0,2,3,1]>(ks); kh = Transpose<{kept}>(ks)
          vt = Transpose<{kept}>(vs); {nodes}
          ot = Transpose<{kept}>(o); y = Reshape(ot, merge)
        }}""".replace("; ", "\n"))


def feeds_of(spelling, batch, queries, keys, heads, columns):
    random, group = np.random.default_rng(5), SPELLINGS[spelling][1]
    feeds = {name: random.standard_normal((batch, rows, heads * each * columns)).astype(np.float32)
             for name, rows, each in (("q", queries, group), ("k", keys, 1), ("v", keys, 1))}
    feeds["mask"] = np.where(random.random((batch, 1, 1, keys)) < 0.2, -np.inf, 0).astype(np.float32)
    feeds["mask"][1:2] = -np.inf  # all rows of one batch
    return feeds


def few_kernels(size, account):
    kernels = len(account["kernels"])
    if kernels > 1 and size[4] > 1 and (isinstance(size[2], str) or size[2] >= SHORTEST):
        raise tool.Failure(f"{kernels} kernels")
    return f"{kernels} kernels"


def case_of(name, spelling, size, given):
    """`size` with numbers or symbols; `given`: the sizes that it is run at."""
    def make():
        sets = [(str(one) if one != size else "", feeds_of(spelling, *one)) for one in given]
        return model_of(spelling, *size), sets

    return Case(name, make, checks=("kernels", "verify", "bits"), kernels=functools.partial(few_kernels, size), threads=(1, 2))


def cases():
    for spelling in SPELLINGS:
        sizes = SIZES if spelling == "plain" else SOME_SIZES
        for size in sizes:
            yield case_of(f"{spelling} {size}", spelling, size, [size])
        given = [size[:3] + (OPEN_HEADS, OPEN_COLUMNS) for size in sizes]
        yield case_of(f"open {spelling}", spelling, ("B", "S", "T", OPEN_HEADS, OPEN_COLUMNS), given)
