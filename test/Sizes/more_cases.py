"""The cases of movement, normalisation, quantisation, windows and signals; see cases.py."""
import itertools
import math

from cases import (ALL, EXTENTS, FLOATS, INTEGERS, NUMBERS, SMALL, images, line, out_size, recipe, reduced, shapes, take,
                   tensor)

MOVED = ALL + SMALL + ["i4", "u4"]


@recipe(MOVED, "transpose")
def transpose(op, t):
    for number, (a, b, c, d) in enumerate(take(96, "a", "b", "c", "d")):
        yield line(op, [tensor(t, a, b, c, d)], perm=list(list(itertools.permutations(range(4)))[number % 24]))
    for extent in EXTENTS:
        yield line(op, [tensor(t, extent, 9)], perm=[1, 0])
        yield line(op, [tensor(t, 5, extent, 17)], perm=[0, 2, 1])
    # Several short rows from different places lie side by side.
    for rows, row in itertools.product(range(2, 9), repeat=2):
        yield line(op, [tensor(t, row, 2, rows, 37)], perm=[1, 3, 2, 0])
        yield line(op, [tensor(t, 35, row, 5, rows)], perm=[2, 0, 3, 1])
    # Short rows whose lines share sets of the first cache, an even number of them and an odd one.
    for count, row in itertools.product((18, 33), (2, 3, 4, 8)):
        yield line(op, [tensor(t, count, 1024, row)], perm=[1, 0, 2])


@recipe(MOVED, "expand")
def expand(op, t):
    for number, (a, b, c) in enumerate(take(63, "a", "b", "c")):
        before = [[1], [b, 1], [a, 1, c], [1, b, 1], [c], [], [1, c]][number % 7]
        yield line(op, [tensor(t, *before)], shape=[a, b, c])


# Shorter than a vector, as long and longer; powers of two and others.
WIDTHS = [1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 31, 32, 33]


@recipe(MOVED, "slice")
def cut(op, t):
    for number, (a, b) in enumerate(take(80, "a", "b", low=1)):
        step = [(1, 1), (2, 1), (1, 3), (-1, 1), (1, -2), (-3, -1)][number % 6]
        start = [0 if s > 0 else n - 1 for s, n in zip(step, (a, b))]
        most = [(n - 1) // abs(s) + 1 for s, n in zip(step, (a, b))]
        start[0] += (1 if step[0] > 0 else -1) if a > 2 else 0
        most[0] = (a - 1 - (a > 2)) // abs(step[0]) + 1
        yield line(op, [tensor(t, a, b)], start=start, step=list(step), out=most)
    yield line(op, [tensor(t, 4, 4)], start=[0, 2], step=[1, 1], out=[4, 0])
    # Few elements of rows whose lines share sets of the first cache, and of rows that come from afar.
    for number, count in enumerate(WIDTHS):
        for length in (4096, 513):
            yield line(op, [tensor(t, [37, 2 * 37][number % 2], length)], start=[0, number], step=[1 + number % 2, 1], out=[37, count])
            yield line(op, [tensor(t, 37, length)], start=[36, number], step=[-1, 3], out=[37, count])
    yield line(op, [tensor(t, 2, 1031, 1024)], start=[0, 0, 3], step=[1, 1, 1], out=[2, 1031, 5])
    yield line(op, [tensor(t, 1031, 1100)], start=[1030, 3], step=[-1, 1], out=[1031, 6])


@recipe(MOVED, "concat")
def concat(op, t):
    for number, (a, b, c) in enumerate(take(63, "a", "b", "c")):
        yield line(op, [tensor(t, a, c), tensor(t, b, c)], axis=0)
        yield line(op, [tensor(t, c, a), tensor(t, c, b), tensor(t, c, 3)], axis=1)
        yield line(op, [tensor(t, 2, a, c), tensor(t, 2, b, c)], axis=1)


@recipe(ALL, "pad")
def pad(op, t):
    for number, (a, b) in enumerate(take(60, "a", "b", low=2)):
        lo, hi = [(1, 2), (0, 1), (3, 0), (-1, 1), (0, -1)][number % 5], [(2, 0), (1, 1), (0, 4), (1, -1), (0, 0)][number % 5]
        value = ["-", tensor(t)][number % 2]
        yield line(op, [tensor(t, a, b), value], lo=list(lo), hi=list(hi), mode="constant")
        lo, hi = [min(1, a - 1), min(2, b - 1)], [min(2, a - 1), min(1, b - 1)]
        yield line(op, [tensor(t, a, b), "-"], lo=lo, hi=hi, mode=("edge", "wrap", "reflect")[number % 3])
    yield line(op, [tensor(t, 0, 3), tensor(t)], lo=[2, 0], hi=[1, 1], mode="constant")


@recipe(MOVED, "gather")
def gather(op, t):
    for number, (a, b, k) in enumerate(take(60, "a", "b", "k", low=1)):
        axis, kind = number % 2, ("i64", "i32")[number // 2 % 2]
        n = (a, b)[axis]
        yield line(op, [tensor(t, a, b), tensor(kind, k)], f"1={-n}:{n - 1}", axis=axis)
        yield line(op, [tensor(t, a, b, 2), tensor(kind, 2, k)], f"1=0:{n - 1}", axis=axis)
    yield line(op, [tensor(t, 5), tensor("i64")], "1=0:4", axis=0)


@recipe(MOVED, "gather_elements")
def gather_elements(op, t):
    for number, (a, b, k) in enumerate(take(60, "a", "b", "k", low=1)):
        axis = number % 2
        n = (a, b)[axis]
        index = [k, b] if axis == 0 else [a, k]
        yield line(op, [tensor(t, a, b), tensor(("i64", "i32")[number // 2 % 2], *index)], f"1={-n}:{n - 1}", axis=axis)
    # Rows that up to four registers of each width hold, and some that they do not.
    for n in (5, 8, 9, 16, 17, 24, 25, 32, 33, 48, 49, 64, 65):
        yield line(op, [tensor(t, 2, n), tensor(("i64", "i32")[n % 2], 2, 19)], f"1={-n}:{n - 1}", axis=1)


@recipe(MOVED, "gather_nd")
def gather_nd(op, t):
    for number, (a, b, k) in enumerate(take(60, "a", "b", "k", low=1)):
        low = min(a, b)
        yield line(op, [tensor(t, a, b, 3), tensor("i64", k, 1 + number % 2)], f"1={-low}:{low - 1}")
        yield line(op, [tensor(t, a, b, 3), tensor("i64", a, k, 1)], f"1=0:{b - 1}", batch=1)


SIZES = {t: int(t.lstrip("biuf")) // 8 for t in NUMBERS}
KINDS = {True: ["set", "+", "*", "max", "min"], False: ["set", "+", "max", "min"]}


@recipe(NUMBERS, "scatter_elements")
def scatter_elements(op, t):
    for number, (a, b, k) in enumerate(take(60, "a", "b", "k", low=1)):
        kind, axis = ["+", "max", "min", "set"][number % 4], number // 4 % 2
        n = (a, b)[axis]
        # With `set` two writes to one place have no order, so there is one write.
        k = 1 if kind == "set" else k
        index = [k, b] if axis == 0 else [a, k]
        yield line(op, [tensor(t, a, b), tensor("i64", *index), tensor(t, *index)], f"1={-n}:{n - 1}", axis=axis, kind=kind)
        # Points for the first rows or columns only, and columns that are two dimensions.
        index = [k, b - b // 3] if axis == 0 else [a - a // 3, k]
        yield line(op, [tensor(t, a, b), tensor("i64", *index), tensor(t, *index)], f"1={-n}:{n - 1}", axis=axis, kind=kind)
        index = [k, b, 3] if axis == 0 else [a, k, 3]
        yield line(op, [tensor(t, a, b, 3), tensor("i64", *index), tensor(t, *index)], f"1={-n}:{n - 1}", axis=axis, kind=kind)
    # Large enough for strips of columns.
    columns = 7000 // SIZES[t]
    for index in [(40, columns), (33, columns - 100), (70, columns // 3, 3), (9, columns)]:
        shape = [81, *index[1:]] if len(index) == 3 else [81, columns]
        yield line(op, [tensor(t, *shape), tensor("i64", *index), tensor(t, *index)], "1=-81:80", axis=0, kind="+")
        index = [2, *index]
        yield line(op, [tensor(t, 2, *shape), tensor("i64", *index), tensor(t, *index)], "1=0:80", axis=1, kind="max")
    # A few columns, the points of which are looked at together.
    for number, (columns, k) in enumerate([(1, 33), (2, 32), (3, 131), (4, 70), (5, 48), (7, 97), (8, 64), (9, 40), (3, 31), (17, 35), (31, 33)]):
        for low in (0, -53):
            kind = ["+", "max", "min"][number % 3]
            yield line(op, [tensor(t, 53, columns), tensor(["i64", "i32"][number % 2], k, columns), tensor(t, k, columns)],
                       f"1={low}:52", axis=0, kind=kind)
            yield line(op, [tensor(t, 2, 53, columns), tensor("i64", 2, k, columns), tensor(t, 2, k, columns)],
                       f"1={low}:52", axis=1, kind=kind)
    # Rows of a few places, many at a time.
    for number, (rows, a, k) in enumerate([(9, 2, 33), (37, 5, 48), (64, 16, 97), (103, 64, 40), (17, 3, 131), (8, 7, 32)]):
        for low in (0, -a):
            index = [rows, k]
            yield line(op, [tensor(t, rows, a), tensor("i64", *index), tensor(t, *index)], f"1={low}:{a - 1}", axis=1,
                       kind=["+", "max", "min"][number % 3])


@recipe(NUMBERS, "scatter_nd")
def scatter_nd(op, t):
    for number, (a, b, k) in enumerate(take(60, "a", "b", "k", low=1)):
        kind = ["+", "max", "min", "set"][number % 4]
        k = 1 if kind == "set" else k
        low = min(a, b)
        if number % 2:
            yield line(op, [tensor(t, a, b), tensor("i64", k, 1), tensor(t, k, b)], f"1={-a}:{a - 1}", kind=kind)
        else:
            yield line(op, [tensor(t, a, b, 3), tensor("i64", k, 2), tensor(t, k, 3)], f"1=0:{low - 1}", kind=kind)
    # Large enough for chunks, which share the places.
    for a, b, k in [(257, 131, 300), (67, 97, 511), (3, 400, 701)]:
        yield line(op, [tensor(t, a, b), tensor("i64", k, 1), tensor(t, k, b)], f"1={-a}:{a - 1}", kind="+")
    # Many points in a few places.
    for number, (a, b, k) in enumerate([(2, 1, 67), (5, 1, 200), (16, 1, 333), (64, 1, 515), (3, 2, 131), (4, 5, 161), (7, 7, 401)]):
        kind = ["+", "max", "min"][number % 3]
        for low in (0, -a):
            yield line(op, [tensor(t, a, b), tensor("i64", k, 1), tensor(t, k, b)], f"1={low}:{a - 1}", kind=kind)
            yield line(op, [tensor(t, a, a), tensor("i64", k * a, 2), tensor(t, k * a)], f"1={low}:{a - 1}", kind=kind)


@recipe(NUMBERS, "tensor_scatter")
def tensor_scatter(op, t):
    for number, (b, s, d) in enumerate(take(60, "b", "s", "d", low=1)):
        length = 1 + number % s
        circular = bool(number & 1)
        start = ["-", tensor("i64", b)][number // 2 % 2]
        yield line(op, [tensor(t, b, 2, s, d), tensor(t, b, 2, length, d), start],
                   f"2={-2 * s}:{2 * s}" if circular else f"2=0:{s - length}", axis=2, circular=circular)


@recipe(MOVED, "reverse_sequence")
def reverse_sequence(op, t):
    for number, (a, b, c) in enumerate(take(45, "a", "b", "c", low=1)):
        time, batch = [(0, 1), (1, 0)][number % 2]
        shape = [a, b, c]
        yield line(op, [tensor(t, *shape), tensor("i64", shape[batch])], f"1=1:{shape[time]}", time=time, batch=batch)


@recipe(NUMBERS, "range")
def numbers(op, t):
    for extent in EXTENTS:
        yield line(op, [tensor(t), tensor(t)], n=extent)


@recipe(["i64"], "number")
def number_itself(op, t):
    for value in (0, 1, -1, 33, 2**31, -(2**40)):
        yield f"{op} ; value={value}"


@recipe(FLOATS, "batch_norm")
def batch_norm(op, t):
    for number, (c, h) in enumerate(take(60, "c", "h", low=1)):
        spatial = [[], [h], [h, 3], [2, h, 3]][number % 4]
        first = number // 4 % 2 == 0 or not spatial
        shape = [2, c, *spatial] if first else [2, *spatial, c]
        vectors = [tensor(t, c)] * 2 + [tensor("f32" if t in ("f16", "bf16") and number % 3 else t, c)] * 2
        yield line(op, [tensor(t, *shape), *vectors], "4=0.5:2" + (" c1 c2 c3 c4" if number % 2 else ""), eps=0.001,
                   channel=1 if first else len(shape) - 1)


@recipe(FLOATS, "layer_norm", "rms_norm")
def layer_norm(op, t):
    acc = "f64" if t == "f64" else "f32"
    for number, (a, b, c) in enumerate(take(66, "a", "b", "c", low=1)):
        axis = number % 3
        shape = [a, b, c]
        operands = [tensor(t, *shape), tensor(t, *shape[axis:])]
        if op == "layer_norm":
            operands.append(["-", tensor(t, *shape[axis:])][number // 3 % 2])
        yield line(op, operands, axis=axis, eps=0.01, acc=acc)
    yield line(op, [tensor(t, 50, 1031), tensor(t, 1031)], axis=1, eps=0.01, acc=acc)
    # A few rows so long that threads share parts of each. In f64 the evaluator, which adds up one after the other, is not
    # right to its last digits.
    for rows, length in [(1, 262147), (3, 87389)] if t != "f64" else []:
        yield line(op, [tensor(t, rows, length), tensor(t, length)], axis=1, eps=0.01, acc=acc)


@recipe(FLOATS, "group_norm")
def group_norm(op, t):
    acc = "f64" if t == "f64" else "f32"
    for number, (g, c, h) in enumerate(take(60, "g", "c", "h", low=1)):
        spatial = [[], [h], [h, 3]][number % 3]
        last = number // 3 % 2 and spatial
        shape = [2, *spatial, g * c] if last else [2, g * c, *spatial]
        yield line(op, [tensor(t, *shape), tensor(t, g * c), tensor(t, g * c)], groups=g, eps=0.01, acc=acc,
                   channel=len(shape) - 1 if last else 1)
    # A few groups so long that threads share parts of each; in f64 as for layer_norm.
    if t != "f64":
        yield line(op, [tensor(t, 1, 3, 293, 299), tensor(t, 3), tensor(t, 3)], groups=3, eps=0.01, acc=acc)


@recipe(["f32", "f16", "bf16", "i32"], "quantize")
def quantize(op, t):
    for number, (a, b) in enumerate(take(60, "a", "b", low=1)):
        to = ["u8", "i8", "u16", "i16", "i4", "u4", "f8e4m3fn", "f8e5m2"][number % 8]
        whole = not to.startswith("f")
        lo, hi = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767), "i4": (-8, 7), "u4": (0, 15),
                  "f8e4m3fn": (-448, 448), "f8e5m2": (-57344, 57344)}[to]
        block = [b, 1, 2][number % 3]
        scales = [a, -(-b // block)]
        zero = ["-", tensor(to, *scales)][number // 2 % 2] if whole else "-"
        scale = "f32" if t == "i32" else t
        # Scales are powers of two or near: quotients are not in the middle between two integers by accident.
        yield line(op, [tensor(t, a, b), tensor(scale, *scales), zero], "1=0.25:0.25 2=0:3", axis=1, block=block,
                   lo=float(lo), hi=float(hi), whole=whole, acc="f32", to=to)


@recipe(["u8", "i8", "u16", "i16", "i32", "i4", "u4", "f8e4m3fn", "f8e5m2"], "dequantize")
def dequantize(op, t):
    for number, (a, b) in enumerate(take(60, "a", "b", low=1)):
        block = [b, 1, 2][number % 3]
        scales = [a, -(-b // block)]
        to = FLOATS[number % 4] if number % 4 != 1 else "f32"
        zero = ["-", tensor(t, *scales)][number // 2 % 2] if not t.startswith("f") else "-"
        yield line(op, [tensor(t, a, b), tensor(to, *scales), zero], "1=0.25:2 2=0:3", axis=1, block=block, to=to)


@recipe(NUMBERS, "max_pool")
def max_pool(op, t):
    for number, rank, n, c, _, spatial, (kernel, stride, dilation, lo, hi) in images(90, seed=op):
        lo, hi = [min(x, k - 1) for x, k in zip(lo, kernel)], [min(x, k - 1) for x, k in zip(hi, kernel)]
        if any(out_size(*each) < 1 for each in zip(spatial, kernel, stride, dilation, lo, hi)):
            continue
        last = number % 3 == 2
        shape = [n, *spatial, c] if last else [n, c, *spatial]
        yield line(op, [tensor(t, *shape)], kernel=kernel, stride=stride, dilation=dilation, lo=lo, hi=hi,
                   channel=rank + 1 if last else 1)


@recipe(FLOATS, "avg_pool")
def avg_pool(op, t):
    for number, rank, n, c, _, spatial, (kernel, stride, dilation, lo, hi) in images(90, seed=op):
        lo, hi = [min(x, (k - 1) // 2) for x, k in zip(lo, kernel)], [min(x, (k - 1) // 2) for x, k in zip(hi, kernel)]
        if any(out_size(*each) < 1 for each in zip(spatial, kernel, stride, [1] * rank, lo, hi)):
            continue
        last = number % 3 == 2
        shape = [n, *spatial, c] if last else [n, c, *spatial]
        yield line(op, [tensor(t, *shape)], kernel=kernel, stride=stride, dilation=[1] * rank, lo=lo, hi=hi, extra=[0] * rank,
                   count_pad=bool(number & 1), channel=rank + 1 if last else 1)


@recipe(FLOATS, "lrn")
def lrn(op, t):
    for number, (c, h) in enumerate(take(50, "c", "h", low=1)):
        shape = [[2, c, h], [1, c, h, 3], [2, c]][number % 3]
        yield line(op, [tensor(t, *shape)], size=[1, 3, 5, 2][number % 4], alpha=0.5, beta=0.75, bias=2.0)


@recipe(NUMBERS + ["b1"], "col2im")
def col2im(op, t):
    for number, (c, h, w) in enumerate(take(60, "c", "h", "w", low=2)):
        if c * h * w > 4000:
            continue
        kernel, stride = [[2, 2], [1, 3], [3, 1], [2, 1]][number % 4], [1 + number % 2, 1 + number // 2 % 2]
        lo = [number // 4 % 2, 0]
        out = [(h + 2 * lo[0] - kernel[0]) // stride[0] + 1, (w - kernel[1]) // stride[1] + 1]
        if min(out) < 1:
            continue
        yield line(op, [tensor(t, 2, c * kernel[0] * kernel[1], out[0] * out[1])], image=[h, w], kernel=kernel, stride=stride,
                   dilation=[1, 1], lo=lo, out=out)
    # Rows, planes and elements in groups as large as the strides, the last of them not full.
    for number, stride in enumerate([[3, 2], [4, 3], [2, 5], [4, 1], [1, 4], [2, 2, 2], [1, 2, 3], [2, 4, 2], [5, 2, 1]]):
        rank, dilation = len(stride), 1 + number % 2
        kernel, out = [3, 2, 4][:rank], [[5, 9], [4, 17], [3, 4, 5], [2, 3, 9]][number % 2 + 2 * (rank - 2)]
        image = [(o - 1) * by + dilation * (k - 1) + number % 3 for o, by, k in zip(out, stride, kernel)]
        yield line(op, [tensor(t, 1, 3 * math.prod(kernel), math.prod(out))], image=image, kernel=kernel, stride=stride,
                   dilation=[dilation] * rank, lo=[1] * rank, out=out)


@recipe(FLOATS, "dft")
def dft(op, t):
    for number, (b, n) in enumerate(take(50, "b", "n", low=1)):
        length = n + [0, 2, -1][number % 3] if n > 1 else n
        out = [length, length // 2 + 1][number // 3 % 2]
        inverse = out == length and number % 2 == 1
        yield line(op, [tensor(t, b, n, 2 if inverse else 1 + number % 2)], axis=1, n=length, out=out, inverse=inverse)


@recipe(FLOATS + ["i32"], "frames")
def frames(op, t):
    for number, (n, hop, count) in enumerate(take(50, "n", "hop", "count", low=1)):
        length = (count - 1) * hop + n
        yield line(op, [tensor(t, 2, length, 1 + number % 2), ["-", tensor(t, n)][number // 2 % 2]], hop=hop, n=n, out=count)
    # Frames whose lines share sets of the first cache.
    for n in WIDTHS:
        yield line(op, [tensor(t, 2, 4 * 1024 + n, 1), "-"], hop=1024, n=n, out=5)


@recipe(FLOATS + ["i32", "u8"], "resize_axis")
def resize_axis(op, t):
    for number, (a, n, out) in enumerate(take(60, "a", "n", "out", low=1)):
        kernel = ("linear", "cubic")[number % 2]
        axis = number // 2 % 2
        # Positions are exact: a rounding error would turn the next whole number into the one below it.
        gain = [0.5, 2, 0.25, 1.5, 1][number % 5]
        yield line(op, [tensor(t, *[(n, a), (a, n)][axis])], axis=axis, out=out, gain=gain, shift=gain / 2 - 0.5,
                   kernel=kernel, a=-0.75, shrink=1.0, taps=(2, 4)[number % 2], exclude=bool(number & 4) and number % 2 == 1,
                   crop=bool(number & 8), value=0.5)


@recipe(FLOATS, "rotary")
def rotary(op, t):
    for number, (b, h, s, d) in enumerate(take(48, "b", "h", "s", "d", low=1)):
        yield line(op, [tensor(t, b, h, s, 2 * d), tensor(t, b, s, d), tensor(t, b, s, d)], interleaved=bool(number & 1))


@recipe(FLOATS, "sample_axis")
def sample_axis(op, t):
    combinations = list(itertools.product(["nearest", "linear", "cubic"], ["zeros", "border", "reflection"], [False, True]))
    for number, (h, w, n) in enumerate(take(72, "h", "w", "n", low=1)):
        mode, border, align = combinations[number % 18]
        yield line(op, [tensor(t, 1, h, w, 2)], "0=-1.25:1.25", which=number % 2, n=2 ** (1 + n % 5), mode=mode, border=border,
                   align=align, taps={"nearest": 1, "linear": 2, "cubic": 4}[mode])


@recipe(["i64", "i32"], "places")
def places(op, t):
    for number, (h, w, o) in enumerate(take(48, "h", "w", "o", low=1)):
        taps = (1, 2, 4)[number % 3]
        yield line(op, [tensor(t, 2, taps, o, 3), tensor("i64", 2, 2, o, 3)], f"0=-1:{h} 1=-1:{w}", rows=h, columns=w,
                   to=("i32", "i64")[number % 2])


@recipe(FLOATS + ["i32"], "sample")
def sample(op, t):
    for number, (c, p, o) in enumerate(take(60, "c", "p", "o", low=1)):
        taps, points = (1, 4, 8, 16)[number % 4], ([o], [o, 3], [2, 3, o])[number // 4 % 3]
        place, weight = tensor(("i32", "i64")[number % 2], 2, taps, *points), tensor("f32" if t == "i32" else t, 2, taps, *points)
        yield line(op, [tensor(t, 2, c, p), place, weight], f"1=-1:{p}")
    yield line(op, [tensor(t, 2, 3, 0), tensor("i32", 2, 4, 5), tensor("f32" if t == "i32" else t, 2, 4, 5)], "1=-1:2")
