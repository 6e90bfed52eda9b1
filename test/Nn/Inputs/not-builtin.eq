op first(x: T) -> y: T { y(i...) = x(i...) }
  from onnx Twice (x)

# Has a comment.
op second(x: T; type: int) -> y: T { y(i...) = x(i...) + type }
  from onnx Twice (x; type)
