"""Cases of kumiko/Nn/movement.eq."""
import itertools

import numpy as np

from table import case, f32, integers, normal


def shapes():
    x = normal(2, 3, 4)
    case("transpose", "rotation of three", [x], [np.transpose(x, (1, 2, 0))], perm=[1, 2, 0])
    y = normal(3, 1)
    case("expand", "values", [y], [np.broadcast_to(y, (2, 3, 4))], shape=[2, 3, 4])
    case("slice", "forwards and backwards", [x], [x[1:2, 2::-2, 1::2]], start=[1, 2, 1], step=[1, -2, 2], out=[1, 2, 2])
    case("slice", "leaves out the end", [x], [x[:1, :2, 1:3]], start=[0, 0, 1], step=[1, 1, 1], out=[1, 2, 2])
    case("concat", "three along the middle", [x, x[:, :1] + 1, x[:, 1:] + 2],
         [np.concatenate([x, x[:, :1] + 1, x[:, 1:] + 2], 1)], axis=1)
    case("concat", "two along the first", [x, x[:1]], [np.concatenate([x, x[:1]], 0)], axis=0)
    case("range", "of floats", [np.float32(0.5), np.float32(-0.25)], [f32(0.5, 0.25, 0, -0.25, -0.5)], n=5)
    case("number", "is an i64", [], [np.int64(-(2**40))], value=-(2**40))
    case("range", "of integers", [np.int64(2**60), np.int64(3)], [np.int64([2**60, 2**60 + 3, 2**60 + 6])], n=3)


def pads():
    x = normal(4, 3)
    amounts = dict(lo=[3, 2], hi=[2, 1])
    pairs = ((3, 2), (2, 1))
    case("pad", "zeros by default", [x, None], [np.pad(x, pairs)], **amounts)
    case("pad", "constant value", [x, np.float32(7)], [np.pad(x, pairs, constant_values=7)], mode="constant", **amounts)
    for mode in ("edge", "wrap", "reflect"):
        case("pad", mode, [x, None], [np.pad(x, pairs, mode)], mode=mode, **amounts)
    row = normal(3)
    for mode in ("edge", "wrap", "reflect"):
        case("pad", f"{mode} further than the tensor", [row, None], [np.pad(row, (7, 8), mode)], mode=mode, lo=[7], hi=[8])
    case("pad", "crops", [x, None], [x[1:, :-1]], lo=[-1, 0], hi=[0, -1])
    case("pad", "crops and adds", [x, np.float32(5)], [np.pad(x[1:, :-1], ((0, 1), (2, 0)), constant_values=5)], lo=[-1, 2], hi=[1, -1])
    one = normal(1)
    case("pad", "reflect of one element", [one, None], [np.pad(one, (2, 3), "reflect")], mode="reflect", lo=[2], hi=[3])
    case("pad", "wrap of one element", [one, None], [np.pad(one, (2, 3), "wrap")], mode="wrap", lo=[2], hi=[3])
    two = normal(2)
    case("pad", "reflect of two elements", [two, None], [np.pad(two, (4, 3), "reflect")], mode="reflect", lo=[4], hi=[3])


def gathers():
    x = normal(3, 4, 5)
    index = np.int64([[0, -1], [3, -4], [2, 1]])
    case("gather", "negative numbers", [x, index], [np.take(x, index % 4, 1)], axis=1)
    case("gather", "scalar index", [x, np.int64(-2)], [x[1]], axis=0)
    case("gather", "number that is too large", [x, np.int64([4])], None, axis=1)
    case("gather", "number that is too small", [x, np.int64([-5])], None, axis=1)
    small = integers(-4, 4, 2, 3, 4)
    case("gather_elements", "index smaller than data", [x, small], [np.take_along_axis(x[:2, :, :4], small % 4, 1)], axis=1)
    last = integers(-5, 5, 3, 4, 7)
    case("gather_elements", "more along the axis", [x, last], [np.take_along_axis(x, last % 5, 2)], axis=2)
    case("gather_elements", "number that is too large", [x, np.int64([[[4]]])], None, axis=1)
    whole = np.int64([[0, -1, 2], [-3, 3, -5]])
    case("gather_nd", "whole points", [x, whole], [f32(x[0, -1, 2], x[-3, 3, -5])])
    rows = np.int64([[[0, 1]], [[-1, -2]]])
    case("gather_nd", "rows, no batch by default", [x, rows], [np.stack([[x[0, 1]], [x[-1, -2]]])])
    batched = np.int64([[[3], [0]], [[-1], [1]], [[2], [-4]]])
    case("gather_nd", "one common dimension", [x, batched],
         [np.stack([[x[b, batched[b, j, 0]] for j in range(2)] for b in range(3)])], batch=1)
    double = np.int64([[1, 0, -1, 4]] * 3)[:, :, None]
    case("gather_nd", "two common dimensions", [x, double],
         [np.array([[x[b, c, double[b, c, 0]] for c in range(4)] for b in range(3)])], batch=2)


def combine(kind, old, new):
    return {"set": new, "+": old + new, "*": old * new, "max": max(old, new), "min": min(old, new)}[kind]


def scatters():
    x, update = normal(4, 5, 3), normal(2, 4, 3)
    index = np.stack([np.stack([np.random.default_rng(i + 3 * j).permutation(5)[:4] for i in range(3)], -1) for j in range(2)])
    index[0, 1] -= 5
    for kind in ("set", "+", "*", "max", "min"):
        y = x.copy()
        for p in itertools.product(*map(range, update.shape)):
            q = (p[0], index[p], p[2])
            y[q] = combine(kind, y[q], update[p])
        case("scatter_elements", f"{kind}, index smaller than data", [x, index, update], [y], axis=1, kind=kind)
    same = np.int64([[1, 1, -1, 1]])
    y = np.array([[1.0, 2 + 10 + 20 + 40, 3 + 30]], np.float32)
    case("scatter_elements", "same place several times", [f32(1, 2, 3)[None], same, f32(10, 20, 30, 40)[None]], [y], axis=1, kind="+")
    points = np.int64([[[0, 1], [-1, -2]], [[2, 0], [-3, 4]]])
    rows = normal(2, 2, 3)
    for kind in ("set", "+", "max"):
        y = x.copy()
        for p in itertools.product(range(2), range(2)):
            for k in range(3):
                a, b = points[p]
                y[a, b, k] = combine(kind, y[a, b, k], rows[p][k])
        case("scatter_nd", kind, [x, points, rows], [y], kind=kind)
    flat, many = normal(6), np.int64([[[0], [-1], [2]], [[3], [1], [0]]])
    y, more = flat.copy(), normal(2, 3)
    for p in itertools.product(range(2), range(3)):
        y[many[p][0]] += more[p]
    case("scatter_nd", "points of a vector", [flat, many, more], [y], kind="+")
    y = x.copy()
    y[0, 1, 2], y[-1, -2, -3] = rows[0, 0][:2]
    case("scatter_nd", "two points", [x, np.int64([[0, 1, 2], [-1, -2, -3]]), rows[0, 0][:2]], [y], kind="set")
    y = x.copy()
    y[3], y[0] = rows[0, 0][0], rows[0, 0][1]
    blocks = np.stack([np.full((5, 3), rows[0, 0][0]), np.full((5, 3), rows[0, 0][1])]).astype(np.float32)
    case("scatter_nd", "whole blocks", [x, np.int64([[-1], [0]]), blocks], [y], kind="set")


def sequences():
    cache, update, start = normal(2, 4, 5, 2), normal(2, 4, 3, 2), np.int64([1, 2])
    y = cache.copy()
    for b, i, j in itertools.product(range(2), range(4), range(3)):
        y[b, i, start[b] + j] = update[b, i, j]
    case("tensor_scatter", "from a start per batch entry", [cache, update, start], [y], axis=2, circular=False)
    y = cache.copy()
    start = np.int64([4, -1])
    for b, i, j in itertools.product(range(2), range(4), range(3)):
        y[b, i, (start[b] + j) % 5] = update[b, i, j]
    case("tensor_scatter", "circular", [cache, update, start], [y], axis=2, circular=True)
    y = cache.copy()
    y[:, :, :3] = update
    case("tensor_scatter", "without a start", [cache, update, None], [y], axis=2, circular=False)
    case("tensor_scatter", "circular without a start", [cache, update, None], [y], axis=2, circular=True)
    x = normal(4, 3, 2)
    y = x.copy()
    for b, n in enumerate([1, 4, 2]):
        y[:n, b] = x[:n, b][::-1]
    case("reverse_sequence", "time before batch by default", [x, np.int64([1, 4, 2])], [y])
    y = x.copy()
    for b, n in enumerate([2, 1, 3, 2]):
        y[b, :n] = x[b, :n][::-1]
    case("reverse_sequence", "batch before time", [x, np.int64([2, 1, 3, 2])], [y], time=1, batch=0)
    y = x.copy()
    for b, n in enumerate([2, 3]):
        y[:, :n, b] = x[:, :n, b][:, ::-1]
    case("reverse_sequence", "time in the middle, batch last", [x, np.int64([2, 3])], [y], time=1, batch=2)


shapes()
pads()
gathers()
scatters()
sequences()
