# Windows that slide over a tensor. `channel` says which dimension holds the channels, as for convolutions.

# The largest element of each window, and its row-major position in `x`. Padding never wins over an element.
op max_pool(x: T; kernel: ints, stride: ints, dilation: ints, lo: ints, hi: ints,
            channel: int = 1) -> (y: T, index: i64) {
  p(n, i..., c at channel) = x(n, i - lo..., c at channel) else lowest(T)
    where i in drop(dims(x, 1), channel - 1) + lo + hi
  y(n, o..., c at channel), index(n, o..., c at channel) max=
    p(n, o*stride + k*dilation..., c at channel), pos(x(n, o*stride + k*dilation - lo..., c at channel))
    where k in kernel
}

# The average of each window. `extra` is padding that never counts; `lo` and `hi` count when `count_pad`.
op avg_pool(x: T; kernel: ints, stride: ints, dilation: ints, lo: ints, hi: ints, extra: ints, count_pad: bool,
            channel: int = 1) -> y: T {
  p(n, i..., c at channel) = x(n, i - lo..., c at channel) else 0
    where i in drop(dims(x, 1), channel - 1) + lo + hi + extra
  u(i...) = T(count_pad ? all(i < drop(dims(x, 1), channel - 1) + lo + hi...)
                        : all(i >= lo and i < drop(dims(x, 1), channel - 1) + lo...))
    where i in drop(dims(x, 1), channel - 1) + lo + hi + extra
  s(n, o..., c at channel) += p(n, o*stride + k*dilation..., c at channel)  where k in kernel
  t(o...) += u(o*stride + k*dilation...)  where k in kernel
  y(n, o..., c at channel) = s(n, o..., c at channel) / t(o...)
}

# Local response normalisation: divides by a power of the sum of squares over `size` neighbouring channels.
op lrn(x: T; size: int, alpha: float = 0.0001, beta: float = 0.75, bias: float = 1.0, channel: int = 1) -> y: T {
  s(n, i..., c at channel) += (x(n, i..., c + k - (size - 1) / 2 at channel) else 0)
    * (x(n, i..., c + k - (size - 1) / 2 at channel) else 0)
    where k in size, c in dim(x, channel)
  y(n, i..., c at channel) = x(n, i..., c at channel) / pow(bias + alpha / size * s(n, i..., c at channel), beta)
}
  from onnx LRN (x; size, alpha, beta, bias)

# Adds columns x(n, channels * taps, windows) back into an image; the inverse layout of a convolution's windows.
op col2im(x: T; image: ints, kernel: ints, stride: ints, dilation: ints, lo: ints, out: ints) -> y: T {
  y(n, c, o*stride + k*dilation - lo...) += x(n, (c, k...), (o...))
    where k in kernel, o in out, y : (dim(x, 0), dim(x, 1) / prod(kernel), image)
}
