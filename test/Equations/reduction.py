"""Cases of kumiko/Nn/reduction.eq."""
import math

import numpy as np

from table import case, f32, integers, normal

INF, NAN = np.inf, np.nan


def reductions():
    x = normal(2, 3, 4, 2)
    for kind, function in [("+", np.sum), ("*", np.prod), ("max", np.max), ("min", np.min)]:
        case("reduce", f"{kind} over two axes", [x], [function(x.astype(float), (0, 2)).astype(np.float32)], kind=kind, axes=[0, 2])
    bools = integers(0, 2, 5, 2).astype(bool)
    case("reduce", "and", [bools], [bools.all(1)], kind="and", axes=[1])
    case("reduce", "or", [bools], [bools.any(1)], kind="or", axes=[1])
    case("reduce", "of nothing", [np.zeros((2, 0), np.float32)], [f32(0, 0)], kind="+", axes=[1])
    case("reduce", "max of nothing", [np.zeros((2, 0), np.float32)], [f32(-INF, -INF)], kind="max", axes=[1])
    case("reduce", "max with NaN", [f32(1, NAN, 3)], [np.float32(NAN)], kind="max", axes=[0])
    case("reduce", "over no axis", [f32(1, 2)], [f32(1, 2)], kind="+", axes=[])
    case("mean", "over two axes", [x], [x.mean((1, 3))], axes=[1, 3])
    case("mean", "over the first", [x], [x.mean(0)], axes=[0])
    case("mean", "of infinity", [f32(1, INF)], [np.float32(INF)], axes=[0])


def exponentials():
    x = normal(3, 4, 2) * 3
    wide = x.astype(float)
    case("logsumexp", "over two axes", [x], [np.log(np.exp(wide).sum((0, 2))).astype(np.float32)], axes=[0, 2])
    large = f32(1e4, 1e4 - 1, -1e4, -1e4 + 2).reshape(2, 2)
    sums = np.logaddexp(large[:, 0].astype(float), large[:, 1].astype(float))
    case("logsumexp", "of large numbers", [large], [sums.astype(np.float32)], axes=[1])
    case("logsumexp", "of -inf", [np.full((2, 3), -INF, np.float32)], [f32(-INF, -INF)], axes=[1])
    case("logsumexp", "of inf", [f32(1, INF)], [np.float32(INF)], axes=[0])
    case("logsumexp", "of small terms beside a large one", [f32(100, 99, 60)], [np.float32(100 + math.log(1 + math.exp(-1) + math.exp(-40)))], axes=[0])
    case("logsumexp", "of a small share", [f32(0, -150)], [np.float32(0)], axes=[0])
    soft = np.exp(wide) / np.exp(wide).sum(1, keepdims=True)
    case("softmax", "middle axis", [x], [soft.astype(np.float32)], axis=1)
    case("softmax", "of large numbers", [large], [np.exp(large.astype(float) - sums[:, None]).astype(np.float32)], axis=1)
    case("softmax", "with a masked element", [f32(0, -INF, 0)], [f32(0.5, 0, 0.5)], axis=0)
    case("log_softmax", "middle axis", [x], [np.log(soft).astype(np.float32)], axis=1)
    case("log_softmax", "of large numbers", [large], [(large - sums[:, None]).astype(np.float32)], 1e-3, axis=1)
    case("log_softmax", "of a small share", [f32(0, -150)], [f32(0, -150)], axis=0)


def positions():
    x = normal(3, 5, 2)
    for kind, place, value in [("max", np.argmax, np.max), ("min", np.argmin, np.min)]:
        case("argreduce", kind, [x], [place(x, 1), value(x, 1)], kind=kind, axis=1)
    case("argreduce", "tie keeps the first", [np.int64([[3, 5, 5]])], [np.int64([1]), np.int64([5])], kind="max", axis=1)
    large = np.int64([[2**60, 2**60 + 1]])
    case("argreduce", "large integers", [large], [np.int64([1]), large[:, 1]], kind="max", axis=1)
    case("argreduce", "first NaN wins", [f32(INF, NAN, 1, NAN)], [np.int64(1), np.float32(NAN)], kind="max", axis=0)
    case("argreduce", "first NaN wins below", [f32(-INF, 1, NAN)], [np.int64(2), np.float32(NAN)], kind="min", axis=0)
    case("argreduce", "all lowest", [f32(-INF, -INF)], [np.int64(0), np.float32(-INF)], kind="max", axis=0)


def running():
    x = normal(2, 5, 3)
    zero, one = np.zeros((2, 1, 3), np.float32), np.ones((2, 1, 3), np.float32)
    back = x[:, ::-1]
    total, product = np.cumsum(x, 1), np.cumprod(x, 1)
    case("cumulate", "sum, defaults", [x], [total], kind="+", axis=1)
    case("cumulate", "exclusive", [x], [np.concatenate([zero, total[:, :-1]], 1)], kind="+", axis=1, exclusive=True)
    case("cumulate", "reverse", [x], [np.cumsum(back, 1)[:, ::-1]], kind="+", axis=1, reverse=True)
    case("cumulate", "exclusive and reverse", [x],
         [np.concatenate([zero, np.cumsum(back, 1)[:, :-1]], 1)[:, ::-1]], kind="+", axis=1, exclusive=True, reverse=True)
    case("cumulate", "product", [x], [product], kind="*", axis=1)
    case("cumulate", "exclusive product", [x], [np.concatenate([one, product[:, :-1]], 1)], kind="*", axis=1, exclusive=True)
    case("cumulate", "max", [x], [np.maximum.accumulate(x, 2)], kind="max", axis=2)


def losses():
    x, target, w = normal(3, 4, 2), np.int64([[0, 3], [2, 1], [1, 1]]), np.abs(normal(4)) + 1

    def loss(ignore, weights):
        value, weight = np.zeros((3, 2), np.float32), np.zeros((3, 2), np.float32)
        for n in range(3):
            for d in range(2):
                t = target[n, d]
                if t != ignore:
                    weight[n, d] = 1 if weights is None else weights[t]
                    value[n, d] = -x[n, t, d] * weight[n, d]
        return [value, weight]

    case("nll_loss", "weights", [x, target, w], loss(None, w), ignore=0, has_ignore=False)
    case("nll_loss", "weights and an ignored class", [x, target, w], loss(1, w), ignore=1, has_ignore=True)
    case("nll_loss", "no weights", [x, target, None], loss(None, None), ignore=1, has_ignore=False)
    case("nll_loss", "no weights and an ignored class", [x, target, None], loss(2, None), ignore=2, has_ignore=True)
    target = np.int64([[0, -100], [2, 1], [-100, 3]])
    case("nll_loss", "ignored number is no class", [x, target, w], loss(-100, w), ignore=-100, has_ignore=True)


reductions()
exponentials()
positions()
running()
losses()
