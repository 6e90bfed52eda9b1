# x where |x| is far below `limit`, bent smoothly towards the limit elsewhere.
op soft_clip(x: T; limit: float = 1.0) -> y: T { y(i...) = limit * tanh(x(i...) / limit) }
  from onnx com.acme.SoftClip-1 (x; bound -> limit)

# How well each window of the last axis fits the weights: their product over the root of the window's energy.
op windowed_score(x: T, weight: T; step: int = 1, eps: float = 0.000001) -> y: T {
  s(i..., o) += x(i..., o*step + k) * weight(k)
  e(i..., o) += x(i..., o*step + k) * x(i..., o*step + k)  where k in dim(weight, 0)
  y(i..., o) = s(i..., o) / sqrt(e(i..., o) + eps)
}
  from onnx com.acme.WindowedScore-1 (x, weight; stride -> step, epsilon -> eps)
