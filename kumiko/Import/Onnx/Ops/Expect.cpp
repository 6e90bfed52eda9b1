#include "kumiko/Import/Onnx/Ops/Expect.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

bool expectShape(NodeContext &n, size_t number, StringRef name, const SizeList &shape) {
  if (n.failed() || !n.input(number))
    return !n.failed();
  if (llvm::equal(n.sizesOf(n.input(number)), shape.list(), [&](const Extent &a, const Extent &b) {
        return n.agree(a, b, name + " has the sizes of the other inputs");
      }))
    return true;
  std::string wanted;
  for (const Extent &extent : shape.list())
    wanted += (wanted.empty() ? "" : ",") + extent.str();
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

Value broadcastTo(NodeContext &n, Value x, const SizeList &shape) {
  if (!x || n.failed() || n.sizesOf(x) == shape.list())
    return x;
  // nn.expand would cut what is too large.
  Sizes from = n.sizesOf(x);
  bool fits = from.size() <= shape.list().size();
  for (auto [have, want] : zip(reverse(from), reverse(shape.list())))
    fits = fits && (have.is(1) || n.agree(have, want, "shapes broadcast"));
  if (fits)
    return n.make("expand", {x}, {n.is("shape", shape.list())});
  RankedTensorType wanted = n.typeOf(shape, n.elementOf(x));
  if (wanted)
    n.fail(Code::OperandShape, describe(x.getType()) + " does not broadcast to " + describe(wanted));
  return {};
}

} // namespace kumiko::onnx
