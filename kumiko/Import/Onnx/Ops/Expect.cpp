#include "kumiko/Import/Onnx/Ops/Expect.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

bool expectShape(NodeContext &n, size_t number, StringRef name, ArrayRef<int64_t> shape) {
  if (n.failed() || !n.input(number) || n.shapeOf(n.input(number)) == shape)
    return !n.failed();
  std::string wanted;
  for (int64_t extent : shape)
    wanted += (wanted.empty() ? "" : ",") + std::to_string(extent);
  n.fail(Code::OperandShape, name + " does not have the shape [" + wanted + "]")
      .helped("the other inputs and the attributes ask for it");
  return false;
}

bool expectInputs(NodeContext &n, ArrayRef<size_t> numbers) {
  for (size_t number : numbers)
    if (!n.failed() && !n.input(number))
      n.fail(Code::Arity, "input " + Twine(number) + " is left out but required");
  return !n.failed();
}

Value broadcastTo(NodeContext &n, Value x, ArrayRef<int64_t> shape) {
  if (!x || n.failed() || n.shapeOf(x) == shape)
    return x;
  // nn.expand would cut what is too large.
  ArrayRef<int64_t> from = n.shapeOf(x);
  bool fits = from.size() <= shape.size();
  for (auto [have, want] : zip(reverse(from), reverse(shape)))
    fits &= have == want || have == 1;
  if (fits)
    return n.make("expand", {x}, {n.is("shape", shape)});
  RankedTensorType wanted = n.typeOf(shape, n.elementOf(x));
  if (wanted)
    n.fail(Code::OperandShape, describe(x.getType()) + " does not broadcast to " + describe(wanted));
  return {};
}

} // namespace kumiko::onnx
