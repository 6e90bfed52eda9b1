"""The cases: every op on sizes around the widths of vectors and tiles.

A case is a line of `size-cases` (Runner.cpp). A recipe is a function that gives cases of one op in one element type; it
takes its sizes from EXTENTS, every dimension in turn, and varies what the equation lets vary: broadcasting in each
position, absent operands, axes, strides, padding, groups. `recipes` has them by op.
"""
import itertools
import random

EXTENTS = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 5, 11, 13, 19, 23, 29, 37, 61]
FLOATS = ["f32", "f64", "f16", "bf16"]
SIGNED = ["i32", "i8", "i16", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + ["b1"]
SMALL = ["f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"]

recipes = {}


def recipe(types, *ops):
    def keep(function):
        for op in ops:
            recipes[op] = (types, function)
        return function
    return keep


def sizes(*names, low=0, seed=""):
    """Assignments of EXTENTS to names: each extent in each place with the others small, then mixed ones without end."""
    allowed = [e for e in EXTENTS if e >= low]
    rng = random.Random(f"{names}{low}{seed}")
    small = [e for e in (2, 3, 1, 5) if e >= low]
    for extent in allowed:
        for place in range(len(names)):
            yield [extent if p == place else small[(p + place) % len(small)] for p in range(len(names))]
    while True:
        yield [rng.choice(allowed) for _ in names]


def take(count, *names, **keywords):
    return itertools.islice(sizes(*names, **keywords), count)


def tensor(element, *shape):
    return f"{element}[{','.join(map(str, shape))}]"


def line(op, operands, hints="", **attributes):
    def text(value):
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, (list, tuple)):
            return "[" + ",".join(map(str, value)) + "]"
        return str(value)
    settings = ", ".join(f"{key}={text(value)}" for key, value in attributes.items())
    return f"{op} {', '.join(operands)}" + (f"; {settings}" if settings else "") + (f" | {hints}" if hints else "")


SHAPES = [lambda n: [n], lambda n: [3, n], lambda n: [n, 3], lambda n: [1, n], lambda n: [n, 1], lambda n: [2, n, 5]]


def shapes():
    """One tensor: each extent alone, then inside, outside and beside a dimension of 1."""
    for number, shape in enumerate(SHAPES):
        for extent in EXTENTS if number < 2 else EXTENTS[:12]:
            yield shape(extent)
    yield []
    yield [67, 1031]


DOMAIN = {"sqrt": "0:4", "log": "0.125:8", "asin": "-1:1", "acos": "-1:1", "acosh": "1:4", "atanh": "-0.875:0.875",
          "tan": "-1.5:1.5"}


@recipe(FLOATS, "floor", "ceil", "round", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
        "tanh", "asinh", "acosh", "atanh", "erf", "sigmoid", "softplus", "selu")
@recipe(NUMBERS, "abs", "neg", "sign", "relu")
@recipe(INTEGERS + ["b1"], "not")
def of_one(op, t):
    hints = f"0={DOMAIN[op]}" if op in DOMAIN else ""
    for shape in shapes():
        yield line(op, [tensor(t, *shape)], hints)


@recipe(FLOATS, "leaky_relu", "elu", "gelu", "swish")
def activation(op, t):
    settings = {"leaky_relu": [{}, {"slope": 0.25}], "elu": [{}, {"alpha": 1.5, "rate": 0.5, "gain": 2.0}],
                "gelu": [{"tanh_form": False}, {"tanh_form": True}], "swish": [{}, {"alpha": 1.5}]}[op]
    for attributes in settings:
        for shape in shapes():
            yield line(op, [tensor(t, *shape)], **attributes)


@recipe(ALL + SMALL + ["f8e8m0", "i4", "u4"], "cast")
def cast(op, t):
    positive = t.startswith("u") or t == "f8e8m0"
    for to in ALL + SMALL + ["i4", "u4"]:
        for n in (9, 33):
            hints = "" if t == "b1" else f"0={0 if positive or to.startswith('u') else -6}:6"
            yield line(op, [tensor(t, n)], hints, to=to)


PAIRS = [
    lambda m, n: ([n], [n]), lambda m, n: ([n], [1]), lambda m, n: ([1], [n]), lambda m, n: ([], [n]), lambda m, n: ([n], []),
    lambda m, n: ([m, n], [m, n]), lambda m, n: ([m, n], [n]), lambda m, n: ([n], [m, n]), lambda m, n: ([m, n], [m, 1]),
    lambda m, n: ([m, 1], [m, n]), lambda m, n: ([m, 1], [1, n]), lambda m, n: ([1, n], [m, 1]), lambda m, n: ([m, n], [1, 1]),
    lambda m, n: ([2, m, n], [m, 1]), lambda m, n: ([2, 1, n], [m, n]), lambda m, n: ([2, m, 1], [2, 1, n]),
    lambda m, n: ([m, n, 1], [1, n, 3]),
]


def pairs():
    for extent in EXTENTS:
        yield [extent], [extent]
    for number, pair in enumerate(PAIRS[1:]):
        for m, n in take(14, "m", "n", seed=number):
            yield pair(m, n)
    yield [300, 401], [401]


@recipe(NUMBERS, "add", "sub", "mul", "max", "min", "lt", "le", "div", "mod", "rem")
@recipe(ALL, "eq")
@recipe(INTEGERS + ["b1"], "and", "or", "xor")
@recipe(UNSIGNED, "shl", "shr")
@recipe(FLOATS, "prelu")
def of_two(op, t):
    hints = "1=0:7" if op in ("shl", "shr") else ""
    # Remainders jump where the quotient is whole, so quotients must be exact: divisors are powers of two.
    if op in ("mod", "rem") and t in FLOATS:
        hints = "1=1:1.125"
    if op == "div" and t in FLOATS:
        hints = "1=0.5:2"
    for a, b in pairs():
        if op == "prelu" and len(b) > len(a):
            continue
        yield line(op, [tensor(t, *a), tensor(t, *b)], hints)


@recipe(FLOATS + ["i32", "i64"], "pow")
def power(op, t):
    for exponent in ("f32", "i32", "i64") if t in FLOATS else (t,):
        for a, b in pairs():
            yield line(op, [tensor(t, *a), tensor(exponent, *b)], "0=0.5:2 1=0:3" if t in FLOATS else "0=-3:3 1=0:4")


@recipe(ALL, "select")
def select(op, t):
    for a, b in pairs():
        yield line(op, [tensor("b1", *a), tensor(t, *b), tensor(t, *a)])
        yield line(op, [tensor("b1", *b), tensor(t, *a), tensor(t)])


@recipe(FLOATS + ["i32", "i64", "u32", "u64"], "matmul")
def matmul(op, t):
    for m, n, k in take(90, "m", "n", "k"):
        yield line(op, [tensor(t, m, k), tensor(t, k, n)])
        if m * n * k:
            yield line(op, [tensor(t, m, k), tensor(t, k, n)], "c1")
    for b, m, n, k in take(48, "b", "m", "n", "k", seed="batch"):
        yield line(op, [tensor(t, b, m, k), tensor(t, k, n)])
        yield line(op, [tensor(t, b, m, k), tensor(t, b, k, n)])
        yield line(op, [tensor(t, b, m, k), tensor(t, 1, k, n)])
        yield line(op, [tensor(t, 3, 1, m, k), tensor(t, b, k, n)])


WHOLE = {"u8": "0:255", "i8": "-128:127"}


def byte_pairs(t):
    """Types of both factors, and hints that draw from their whole ranges."""
    for other in WHOLE:
        yield other, f"0={WHOLE[t]} 1={WHOLE[other]}"


@recipe(list(WHOLE), "integer_matmul")
def integer_matmul(op, t):
    for other, hints in byte_pairs(t):
        for m, n, k in take(45, "m", "n", "k", seed=other):
            yield line(op, [tensor(t, m, k), tensor(other, k, n)], hints)
            if m * n * k:
                yield line(op, [tensor(t, m, k), tensor(other, k, n)], f"{hints} c1")
        for b, m, n, k in take(16, "b", "m", "n", "k", seed="batch"):
            yield line(op, [tensor(t, b, m, k), tensor(other, b, k, n)], hints)
            yield line(op, [tensor(t, 3, 1, m, k), tensor(other, b, k, n)], hints)


def out_size(size, kernel, stride, dilation, low, high):
    return (size + low + high - dilation * (kernel - 1) - 1) // stride + 1


WINDOWS = [  # kernel, stride, dilation, low, high
    (1, 1, 1, 0, 0), (3, 1, 1, 1, 1), (3, 2, 1, 0, 1), (2, 2, 1, 0, 0), (5, 1, 1, 2, 2), (3, 1, 2, 2, 1), (2, 3, 2, 1, 0),
    (7, 2, 1, 3, 3), (1, 2, 1, 0, 0),
]


def windows(rank, number):
    """One window per spatial dimension; never the same twice in a row."""
    chosen = [WINDOWS[(number + 2 * d) % len(WINDOWS)] for d in range(rank)]
    return [list(part) for part in zip(*chosen)]


def images(count, low=1, seed=""):
    """(rank, batch, channels, features, spatial, window): channels and features take every extent."""
    for number, (c, f, h) in enumerate(take(count, "c", "f", "h", low=low, seed=seed)):
        rank = (2, 1, 2, 3)[number % 4]
        spatial = [max(1, h if d == 0 else (9, 6)[d - 1]) for d in range(rank)]
        yield number, rank, (1, 2)[number % 2], c, f, spatial, windows(rank, number)


@recipe(FLOATS, "conv")
def conv(op, t):
    for number, rank, n, c, f, spatial, (kernel, stride, dilation, lo, hi) in images(120):
        group = (1, 1, 2, c)[number % 4]
        features = f * group if group == 2 else c * (1 + number % 2) if group == c and c > 1 else f
        channels = c * group if group == 2 else c
        if any(out_size(*each) < 1 for each in zip(spatial, kernel, stride, dilation, lo, hi)):
            continue
        w, bias = tensor(t, features, channels // group, *kernel), tensor(t, features)
        common = dict(stride=stride, dilation=dilation, lo=lo, hi=hi, group=group)
        x = [n, channels, *spatial]
        yield line(op, [tensor(t, *x), w, bias], "c1 c2", **common)
        yield line(op, [tensor(t, *x), w, "-"], **common)
        last = [n, *spatial, channels]
        yield line(op, [tensor(t, *last), w, bias], "c1", **common, channel=rank + 1)


@recipe(list(WHOLE), "integer_conv")
def integer_conv(op, t):
    for other, hints in byte_pairs(t):
        for number, rank, n, c, f, spatial, (kernel, stride, dilation, _, _) in images(60, seed=other):
            if any(out_size(*each, 0, 0) < 1 for each in zip(spatial, kernel, stride, dilation)):
                continue
            group = (1, 2)[number % 2]
            w, common = tensor(other, f * group, c, *kernel), dict(stride=stride, dilation=dilation, group=group)
            yield line(op, [tensor(t, n, c * group, *spatial), w], (hints, f"{hints} c1")[number // 2 % 2], **common)
            yield line(op, [tensor(t, n, *spatial, c * group), w], f"{hints} c1", **common, channel=rank + 1)


@recipe(FLOATS, "conv_transpose")
def conv_transpose(op, t):
    for number, rank, n, c, f, spatial, (kernel, stride, dilation, lo, hi) in images(60):
        group = (1, 1, 2)[number % 3]
        out = [(i - 1) * s + (k - 1) * d + 1 - low - high for i, s, k, d, low, high in
               zip(spatial, stride, kernel, dilation, lo, hi)]
        if min(out) < 1:
            continue
        common = dict(stride=stride, dilation=dilation, lo=lo, out=out, group=group)
        w, bias = tensor(t, c * group, f, *kernel), tensor(t, f * group)
        yield line(op, [tensor(t, n, c * group, *spatial), w, (bias, "-")[number % 2]], ("", "c1")[number % 2], **common)
        yield line(op, [tensor(t, n, *spatial, c * group), w, bias], **common, channel=rank + 1)


@recipe(FLOATS, "attention")
def attention(op, t):
    wide = "f32" if t in ("f16", "bf16") else t
    for number, (s, k, d, v) in enumerate(take(60, "s", "t", "d", "v", low=1)):
        heads, groups = [(1, 1), (4, 2), (3, 3), (6, 2)][number % 4]
        bias = [["-"], [tensor(t, 1, 1, s, k)], [tensor(t, 2, heads, s, k)], [tensor(t, 2, 1, 1, k)]][number % 4]
        yield line(op, [tensor(t, 2, heads, s, d), tensor(t, 2, groups, k, d), tensor(t, 2, groups, k, v), *bias],
                   scale=0.25, softcap=(0.0, 2.0)[number % 2], acc=wide, soft=wide)


@recipe(FLOATS, "linear_attention_step")
def linear_attention(op, t):
    for number, (b, h, d, m) in enumerate(take(48, "b", "h", "d", "m", low=1)):
        decay = ["-", tensor(t, b, h, d)][number % 2]
        beta = ["-", tensor(t, b, h)][number // 2 % 2]
        yield line(op, [tensor(t, b, h * (1 + number % 3 % 2), d), tensor(t, b, h, d), tensor(t, b, h, m), decay, beta,
                        tensor(t, b, h, d, m)], scale=0.5)


@recipe(FLOATS, "deform_conv")
def deform_conv(op, t):
    for number, (c, f, h, w) in enumerate(take(30, "c", "f", "h", "w", low=2)):
        kernel, stride = [(2, 2), (3, 1), (1, 3)][number % 3], [1 + number % 2, 1]
        out = [(h - kernel[0]) // stride[0] + 1, (w - kernel[1]) // stride[1] + 1]
        if min(out) < 1 or c * h * w > 6000:
            continue
        groups, offsets = (1, 2)[number % 2], (1, 2)[number // 2 % 2]
        channels = 2 * c
        mask = ["-", tensor(t, 1, offsets, *kernel, *out)][number % 2]
        yield line(op, [tensor(t, 1, channels, h, w), tensor(t, 2 * f, channels // groups, *kernel),
                        tensor(t, 1, offsets, *kernel, 2, *out), mask, ["-", tensor(t, 2 * f)][number // 3 % 2]],
                   stride=stride, dilation=[1, 1], lo=[0, 0], group=groups, out=out)


def axes_of(rank):
    return [list(axes) for count in range(1, rank + 1) for axes in itertools.combinations(range(rank), count)]


def reduced():
    """Shapes and the axes to be reduced: each subset, each dimension at every extent."""
    for extent in EXTENTS:
        yield [extent], [0]
        yield [3, extent], [1]
        yield [extent, 9], [0]
    for number, (a, b, c) in enumerate(take(63, "a", "b", "c")):
        yield [a, b, c], axes_of(3)[number % 7]
    yield [40, 1031], [1]
    yield [1031, 40], [0]
    # Long sums across memory: tiles of columns, rows that are taken together and the rest of both.
    yield [75, 131], [0]
    yield [3, 64, 133], [1]
    yield [9, 2, 8, 1100], [1, 2]
    # Rows shorter than a vector, many of them.
    yield [131, 7], [1]
    yield [130, 2, 3], [1, 2]
    # Few columns, long enough for lanes along them.
    yield [131, 3], [0]
    yield [3, 67, 4], [1]


# So many points to so few elements that threads share parts of them; some lengths have no divisor of that size.
PARTED = [([262147], [0]), ([513, 517], [0, 1]), ([3, 87389], [1]), ([30011, 9], [0]), ([2, 5, 27001], [0, 2])]


@recipe(ALL, "reduce")
def reduce(op, t):
    kinds = ["and", "or"] if t == "b1" else ["+", "max", "min", "*"] + (["and", "or"] if t in INTEGERS else [])
    for kind in kinds:
        for shape, axes in reduced():
            # Products stay small: one factor in the neighbourhood of 1.
            yield line(op, [tensor(t, *shape)], "0=1:1.125" if kind == "*" and t in FLOATS else "", kind=kind, axes=axes)
    for shape, axes in PARTED:
        yield line(op, [tensor(t, *shape)], kind="or" if t == "b1" else "+", axes=axes)


@recipe(FLOATS, "mean", "logsumexp")
def mean(op, t):
    for shape, axes in reduced():
        if 0 not in shape:
            yield line(op, [tensor(t, *shape)], axes=axes)
    # The evaluator adds up one after the other: of so many logarithms in f64 its own last digits are not right.
    for shape, axes in PARTED if (op, t) != ("logsumexp", "f64") else []:
        yield line(op, [tensor(t, *shape)], axes=axes)


@recipe(NUMBERS, "argreduce")
def argreduce(op, t):
    for kind in ("max", "min"):
        for shape, axes in reduced():
            if 0 not in shape:
                yield line(op, [tensor(t, *shape)], kind=kind, axis=axes[0])
        for shape, axes in PARTED[:4]:
            yield line(op, [tensor(t, *shape)], kind=kind, axis=axes[0])


@recipe(FLOATS + ["i32", "i64", "u32", "u64"], "cumulate")
def cumulate(op, t):
    for number, (shape, axes) in enumerate(reduced()):
        flags = dict(exclusive=bool(number & 1), reverse=bool(number & 2))
        yield line(op, [tensor(t, *shape)], kind="+", axis=axes[0], **flags)
        if max(shape, default=0) < 40:
            yield line(op, [tensor(t, *shape)], "0=1:1.125", kind="*", axis=axes[-1], **flags)
            yield line(op, [tensor(t, *shape)], kind="max", axis=axes[-1], reverse=flags["reverse"])
    # Vectors go on from one short row to the next; some rows are left over.
    for length in range(2, 34):
        for flags in range(4):
            yield line(op, [tensor(t, 37, length)], kind="+", axis=1, exclusive=bool(flags & 1), reverse=bool(flags & 2))


@recipe(FLOATS, "softmax", "log_softmax")
def softmax(op, t):
    for shape, axes in reduced():
        yield line(op, [tensor(t, *shape)], axis=axes[0])
    # A few rows so long that threads share parts of each.
    for shape, axis in [([262147], 0), ([3, 87389], 1), ([30011, 9], 0)]:
        yield line(op, [tensor(t, *shape)], axis=axis)


@recipe(FLOATS, "nll_loss")
def nll_loss(op, t):
    for number, (n, c, d) in enumerate(take(60, "n", "c", "d", low=1)):
        shape = [[n, c], [n, c, d], [n, c, d, 2]][number % 3]
        target = [shape[0], *shape[2:]]
        yield line(op, [tensor(t, *shape), tensor(("i64", "i32")[number % 2], *target), ["-", tensor(t, c)][number // 2 % 2]],
                   f"1=0:{c - 1}", ignore=0, has_ignore=bool(number & 4))
