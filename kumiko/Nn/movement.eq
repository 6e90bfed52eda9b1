# Elements move, nothing is computed. Reshape and bitcast are views and have no equation: see Nn.td.

# Dimension d of the result is dimension perm[d] of the operand.
op transpose(x: T; perm: ints) -> y: T { y(i...) = x(i... at perm) }

# Repeats along dimensions of extent 1 and leading dimensions until the shape is `shape`.
op expand(x: T; shape: ints) -> y: T { y(i...) = x(i...)  where i in shape }

# `out` elements per dimension from `start`, `step` apart; a negative step walks backwards.
op slice(x: T; start: ints, step: ints, out: ints) -> y: T { y(i...) = x(start + i*step...)  where i in out }

# The operands one after the other along `axis`.
op concat(xs...: T; axis: int) -> y: T { y(i..., offset(xs, axis, v) + j at axis) = xs[v](i..., j at axis) }

# Adds `lo` elements before and `hi` after each dimension; negative amounts crop.
# mode is constant, edge, wrap or reflect.
op pad(x: T, value?: T; lo: ints, hi: ints, mode: str = "constant") -> y: T {
  # reflect folds at both ends with period 2n-2; wrap has period n
  y(i...) = mode == "constant" ? (x(i - lo...) else (value else 0))
          : mode == "edge" ? x(clamp(i - lo, 0, dims(x) - 1)...)
          : mode == "wrap" ? x(mod(i - lo, dims(x))...)
          : x((dims(x) - 1) - abs((dims(x) - 1) - mod(i - lo, max(2 * dims(x) - 2, 1)))...)
    where i in dims(x) + lo + hi
}

# Takes the slices along `axis` whose numbers are in `index`; a negative number counts from the end.
op gather(x: T, index: I; axis: int) -> y: T {
  y(p..., j... at axis) = x(p..., wrap(index(j...), dim(x, axis)) at axis)
}

# Takes one element per element of `index`, which replaces the position along `axis`.
op gather_elements(x: T, index: I; axis: int) -> y: T {
  y(i..., j at axis) = x(i..., wrap(index(i..., j at axis), dim(x, axis)) at axis)  where i in drop(dims(index), axis)
}

# The last dimension of `index` holds positions in the leading dimensions of `x`, after `batch` common dimensions.
op gather_nd(x: T, index: I; batch: int = 0) -> y: T {
  # iota(q) = 0..q-1 zips with the last dimension of index
  y(b..., j..., p...) = x(b..., wrap(index(b..., j..., iota(dim(index, rank(index) - 1))),
                                     dims(x, batch + iota(dim(index, rank(index) - 1))))..., p...)
    where rank b = batch, rank j = rank(index) - 1 - batch
}
  from onnx GatherND-11 (x, index; batch_dims -> batch)

# A copy of `x` in which each element of `u` is combined at the position that `index` gives along `axis`.
op scatter_elements(x: T, index: I, u: T; axis: int, kind: combine) -> y: T {
  y(i..., wrap(index(i..., j at axis), dim(x, axis)) at axis) [kind]= u(i..., j at axis)  into x
    where i in drop(dims(index), axis)
}

# A copy of `x` in which slices of `u` are combined at the positions in the last dimension of `index`.
op scatter_nd(x: T, index: I, u: T; kind: combine) -> y: T {
  y(wrap(index(j..., iota(dim(index, rank(index) - 1))),
         dims(x, iota(dim(index, rank(index) - 1))))..., p...) [kind]= u(j..., p...)  into x
    where rank j = rank(index) - 1
}

# A copy of the cache `x` with `u` written along `axis` from `start` on, which may differ per batch entry.
op tensor_scatter(x: T, u: T, start?: i64; axis: int, circular: bool) -> y: T {
  y(b, i..., (circular ? mod((start(b) else 0) + j, dim(x, axis)) : (start(b) else 0) + j) at axis) =
    u(b, i..., j at axis)  into x
    where b in dim(x, 0)
}

# Reverses the first len(b) elements along `time` for each entry of the batch.
op reverse_sequence(x: T, len: i64; time: int = 0, batch: int = 1) -> y: T {
  y(i..., t at time, b at batch) = x(i..., (t < len(b) ? len(b) - 1 - t : i64(t)) at time, b at batch)
    where t in dim(x, time)
}
  from onnx ReverseSequence-10 (x, len; time_axis -> time, batch_axis -> batch)

# start, start + step, ... : `n` elements.
op range(start: T, step: T; n: int) -> y: T { y(i) = start + T(i) * step  where i in n }

# The integer `value`, which may be an expression over symbols: how a shape becomes data.
op number(; value: int) -> y: i64 { y = value }
