# Sums of products: matrices, convolutions, attention.
#
# Where an op has images, `channel` says which dimension holds the channels: 1 is N C H W, rank - 1 is N H W C.
# Weights keep one layout, (features, channels per group, kernel...).

# Matrix product of the last two dimensions; the ones before broadcast.
op matmul(a: T, b: T) -> y: T { y(p..., m, n) += a(p..., m, k) * b(p..., k, n) }
  from onnx MatMul (a, b)

# Convolution over any number of spatial dimensions, zero-padded by `lo` and `hi`, in `group` independent groups.
op conv(x: T, w: T, bias?: T;
        stride: ints, dilation: ints, lo: ints, hi: ints, group: int = 1, channel: int = 1) -> y: T {
  p(n, i..., c at channel) = x(n, i - lo..., c at channel) else 0  where i in drop(dims(x, 1), channel - 1) + lo + hi
  s(n, o..., (g, f) at channel) += p(n, o*stride + k*dilation..., (g, c) at channel) * w((g, f), c, k...)
    where g in group
  y(n, o..., f at channel) = s(n, o..., f at channel) + (bias(f) else 0)
}

# Matrix product of integers that may be narrow, summed in 32 bits, which wrap.
op integer_matmul(a: A, b: B) -> y: i32 { y(p..., m, n) += i32(a(p..., m, k)) * i32(b(p..., k, n)) }

# Convolution of integers that may be narrow, summed in 32 bits, which wrap. What the windows read is all there: padding
# stands before it, with the value that means zero.
op integer_conv(x: A, w: B; stride: ints, dilation: ints, group: int = 1, channel: int = 1) -> y: i32 {
  y(n, o..., (g, f) at channel) +=
      i32(x(n, o*stride + k*dilation..., (g, c) at channel)) * i32(w((g, f), c, k...))
    where g in group
}

# Transposed convolution: every input element adds its multiple of the kernel to a window of the result.
# `out` is the spatial size of the result, `lo` what is cut off in front.
# Weights are (channels, features per group, kernel...).
op conv_transpose(x: T, w: T, bias?: T;
                  stride: ints, dilation: ints, lo: ints, out: ints, group: int = 1, channel: int = 1) -> y: T {
  s(n, (g, f), i*stride + k*dilation - lo...) += x(n, i..., (g, c) at channel) * w((g, c), f, k...)
    where g in group, s : (dim(x, 0), group * dim(w, 1), out)
  y(n, o..., f at channel) = s(n, f, o...) + (bias(f) else 0)
}

# Scaled dot-product attention over (batch, heads, sequence, depth); the stages before the result are results too.
# Query heads may be a multiple of the key and value heads. A row that is masked everywhere gives 0.
op attention(q: T, k: T, v: T, bias?: A;
             scale: float, softcap: float, acc: type, soft: type) -> (y: T, raw: T, capped: T, biased: T, prob: T) {
  # grouped heads: query head (g, r) reads key/value head g
  z(b, (g, r), i, j) += cast(q(b, (g, r), i, d), acc) * cast(k(b, g, j, d), acc)
  s(h...) = scale * z(h...)
  c(h...) = softcap > 0 ? softcap * tanh(s(h...) / softcap) : s(h...)
  a(h...) = c(h...) + cast(bias(h...) else 0, acc)
  l(h...) = cast(a(h...), soft)
  m(b, h, i) max= l(b, h, i, j)
  e(b, h, i, j) = m(b, h, i) == -inf ? cast(0, soft) : exp(l(b, h, i, j) - m(b, h, i))
  t(b, h, i) += e(b, h, i, j)
  p(b, h, i, j) = t(b, h, i) == 0 ? cast(0, acc) : cast(e(b, h, i, j) / t(b, h, i), acc)
  o(b, (g, r), i, d) += p(b, (g, r), i, j) * cast(v(b, g, j, d), acc)
  y(h...) = T(o(h...))
  raw(h...) = T(s(h...))
  capped(h...) = T(c(h...))
  biased(h...) = T(a(h...))
  prob(h...) = T(p(h...))
}

# One time step of attention with a recurrent state: decay the state, write (k, v) into it, read it with q.
op linear_attention_step(q: T, k: T, v: T, decay?: T, beta?: T, s: T; scale: float) -> (o: T, state: T) {
  # the op itself is a scan of this equation over time
  a(b, h, d, m) = s(b, h, d, m) * exp(decay(b, h, d) else 0)
  r(b, h, m) += a(b, h, d, m) * k(b, h, d)
  u(b, h, m) = present(beta) ? (v(b, h, m) - r(b, h, m)) * (beta(b, h) else 1) : v(b, h, m)
  state(b, h, d, m) = a(b, h, d, m) + k(b, h, d) * u(b, h, m)
  z(b, (h, g), m) += q(b, (h, g), d) * state(b, h, d, m)
  o(b, h, m) = scale * z(b, h, m)
}

# Convolution in 2-D whose taps are displaced by `offset` and weighted by `mask`; between pixels it is bilinear.
# offset(n, d, k, l, 2, h, v); mask(n, d, k, l, h, v): d is the offset group, (k, l) the kernel tap.
op deform_conv(x: T, w: T, offset: T, mask?: T, bias?: T;
               stride: ints, dilation: ints, lo: ints, group: int, out: ints) -> y: T {
  r(n, d, k, l, h, v) = offset(n, d, k, l, 0, h, v) + T(h*stride[0] + k*dilation[0] - lo[0])
  c(n, d, k, l, h, v) = offset(n, d, k, l, 1, h, v) + T(v*stride[1] + l*dilation[1] - lo[1])
  s(n, (d, e), k, l, h, v) +=
        (x(n, (d, e), i64(floor(r(n, d, k, l, h, v))) + a, i64(floor(c(n, d, k, l, h, v))) + b) else 0)
      * (1 - abs(r(n, d, k, l, h, v) - floor(r(n, d, k, l, h, v)) - a))
      * (1 - abs(c(n, d, k, l, h, v) - floor(c(n, d, k, l, h, v)) - b))
    where a in 2, b in 2
  m(n, (d, e), k, l, h, v) = s(n, (d, e), k, l, h, v) * (mask(n, d, k, l, h, v) else 1)  where d in dim(offset, 1)
  t(n, (g, f), h, v) += m(n, (g, e), k, l, h, v) * w((g, f), e, k, l)  where g in group
  y(n, f, h, v) = t(n, f, h, v) + (bias(f) else 0)
}
