# Signals and images: transforms, resampling, rotation of embeddings.

# Discrete Fourier transform along `axis` over `n` samples, `out` of them kept.
# The last dimension is 1 (real) or 2 (real and imaginary part).
op dft(x: T; axis: int, n: int, out: int, inverse: bool) -> y: T {
  # w(t, k, r, c) is the rotation matrix of angle -2 pi t k / n
  a(t, k) = cast((t * k) % n, f64) * (inverse ? 6.283185307179586 : -6.283185307179586) / n  where t in n, k in out
  w(t, k, r, c) = r == c ? cos(a(t, k)) : r == 0 ? sin(a(t, k)) : -sin(a(t, k))  where r in dim(x, rank(x) - 1), c in 2
  z(i..., k at axis, c) += cast(x(i..., t at axis, r) else 0, f64) * w(t, k, r, c)  where t in n
  y(i..., k at axis, c) = T(z(i..., k at axis, c) / (inverse ? n : 1))
}

# Cuts x(batch, time, parts) into `out` overlapping frames of `n` samples, `hop` apart, times a window.
op frames(x: T, window?: T; hop: int, n: int, out: int) -> y: T {
  y(b, t, i, r) = x(b, t*hop + i, r) * (window(i) else 1)  where i in n, t in out
}

# Resamples one dimension with a "linear" or "cubic" kernel of `taps` taps; result o lies at o * gain + shift.
# Where they follow from sizes or data, `map` holds gain, shift and shrink.
# Outside the tensor the border is repeated, or `value` is taken when `crop`; `exclude` gives taps outside no weight.
op resize_axis(x: T, map?: f64; axis: int, out: int, gain: float, shift: float, kernel: str, a: float, shrink: float, taps: int,
               exclude: bool, crop: bool, value: float) -> y: T {
  c(o) = present(map) ? cast(o, f64) * (map(0) else 1) + (map(1) else 0) : cast(o, f64) * gain + shift  where o in out
  b(o) = i64(ceil(c(o))) - taps / 2
  d(o, k) = abs((cast(b(o) + k, f64) - c(o)) * (present(map) ? (map(2) else 1) : f64(shrink)))  where k in taps
  w(o, k) = kernel == "linear" ? max(1 - d(o, k), 0)
          : d(o, k) <= 1 ? ((a + 2) * d(o, k) - (a + 3)) * d(o, k) * d(o, k) + 1
          : d(o, k) < 2 ? ((a * d(o, k) - 5 * a) * d(o, k) + 8 * a) * d(o, k) - 4 * a : f64(0)
  u(o, k) = exclude and (b(o) + k < 0 or b(o) + k >= dim(x, axis)) ? f64(0) : w(o, k)
  t(o) += u(o, k)
  q(o, k) = u(o, k) / t(o)
  r(i..., o at axis) += f64(x(i..., clamp(b(o) + k, 0, dim(x, axis) - 1) at axis)) * q(o, k)
  y(i..., o at axis) = T(crop and (c(o) < 0 or c(o) > dim(x, axis) - 1) ? f64(value) : r(i..., o at axis))
}

# Rotates pairs of x(batch, heads, sequence, depth) by an angle per position: pairs (2k, 2k+1), or (k, k + half).
op rotary(x: T, cos: T, sin: T; interleaved: bool) -> y: T {
  z(b, h, s, k, e) = interleaved ? x(b, h, s, (k, e)) : x(b, h, s, (e, k))  where e in 2
  u(b, h, s, k, e) = e == 0 ? z(b, h, s, k, 0) * cos(b, s, k) - z(b, h, s, k, 1) * sin(b, s, k)
                            : z(b, h, s, k, 0) * sin(b, s, k) + z(b, h, s, k, 1) * cos(b, s, k)  where e in 2
  y(b, h, s, d) = interleaved ? u(b, h, s, d / 2, mod(d, 2)) : u(b, h, s, mod(d, dim(u, 3)), d / dim(u, 3))
    where d in 2 * dim(u, 3)
}

# Positions and weights of the `taps` neighbours along one axis of a sampling grid with coordinates in [-1, 1].
op sample_axis(grid: T; which: int, n: int, mode: str, border: str, align: bool, taps: int) -> (ix: i64, w: T) {
  g(b, o...) = align ? (grid(b, o..., which) + 1) / 2 * (n - 1) : ((grid(b, o..., which) + 1) * n - 1) / 2
  r(b, o...) = mode == "nearest" ? round(g(b, o...)) : g(b, o...)
  z(b, o...) = align ? mod(r(b, o...), max(2 * n - 2, 1)) : mod(r(b, o...) + 0.5, 2 * n)
  # a border is repeated tap by tap; two points outside all taps are on it
  c(b, o...) = border == "border" ? clamp(r(b, o...), -2, n + 1) : border == "zeros" ? r(b, o...)
             : align ? (z(b, o...) <= n - 1 ? z(b, o...) : 2 * n - 2 - z(b, o...))
             : (z(b, o...) <= n ? z(b, o...) : 2 * n - z(b, o...)) - 0.5
  d(b, a, o...) = c(b, o...) - floor(c(b, o...)) - (a - (taps == 4 ? 1 : 0))  where a in taps
  w(b, a, o...) = mode == "nearest" ? T(1) : mode == "linear" ? 1 - abs(d(b, a, o...))
                : abs(d(b, a, o...)) <= 1 ? (1.25 * abs(d(b, a, o...)) - 2.25) * d(b, a, o...) * d(b, a, o...) + 1
                : ((-0.75 * abs(d(b, a, o...)) + 3.75) * abs(d(b, a, o...)) - 6) * abs(d(b, a, o...)) + 3
    where w like d
  j(b, a, o...) = (mode == "nearest" ? i64(c(b, o...)) : i64(floor(c(b, o...)))) + a - (taps == 4 ? 1 : 0)
    where a in taps
  ix(b, a, o...) = border == "zeros" ? j(b, a, o...) : border == "border" ? clamp(j(b, a, o...), 0, n - 1)
                 : align ? (n - 1) - abs((n - 1) - mod(j(b, a, o...), max(2 * n - 2, 1)))
                 : min(mod(j(b, a, o...), 2 * n), 2 * n - 1 - mod(j(b, a, o...), 2 * n))
}

# The numbers of places in a box of `rows` x `columns`, row by row, for all pairs of positions; -1 outside.
op places(iy: I, ix: J; rows: int, columns: int, to: type) -> p: to {
  p(n, a, b, o...) = iy(n, a, o...) >= 0 and iy(n, a, o...) < rows and ix(n, b, o...) >= 0 and ix(n, b, o...) < columns
                   ? cast(iy(n, a, o...), to) * columns + cast(ix(n, b, o...), to) : cast(-1, to)
}

# Samples x(n, c, place) at several places, each with a weight; outside it is 0.
op sample(x: T, p: I, v: W) -> y: T {
  y(n, c, o...) += (x(n, c, p(n, k, o...)) else 0) * T(v(n, k, o...))
}
