//===- View.cpp - ops that move no element -----------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

Results importIdentity(NodeContext &n) { return {n.input(0)}; }

Results importReshape(NodeContext &n) {
  Value x = n.input(0);
  bool allowZero = n.flag("allowzero");
  std::optional<Ints> wanted = n.integersFrom("shape", 1);
  if (!wanted) {
    if (!n.failed())
      n.fail(Code::Arity, "the shape is missing");
    return {};
  }
  ArrayRef<int64_t> given = n.shapeOf(x);
  int64_t rest = n.countOf(x);
  std::optional<size_t> open;
  for (auto [position, size] : enumerate(*wanted)) {
    if (size == 0 && !allowZero) {
      if (position >= given.size()) {
        n.fail(Code::OperandValue,
               "0 at position " + Twine(position) + " of the shape copies a dimension that the input does not have")
            .helped("with allowzero=1 a 0 means an empty dimension");
        return {};
      }
      size = given[position];
    }
    if (size < -1 || (size == -1 && open)) {
      n.fail(Code::OperandValue, size == -1 ? Twine("the shape has two -1") : "the shape has the number " + Twine(size))
          .helped("at most one dimension may be -1: it takes what the others leave");
      return {};
    }
    if (size == -1)
      open = position;
    (*wanted)[position] = size;
  }
  if (open) {
    Ints others(*wanted);
    others.erase(others.begin() + *open);
    auto product = elementCount(others);
    if (!product) {
      n.fail(Code::OperandShape, "the shape asks for too much: " + toString(product.takeError()))
          .helped("the input has " + Twine(rest) + " elements");
      return {};
    }
    int64_t known = *product;
    if (known == 0 || rest % known != 0) {
      n.fail(Code::OperandShape, Twine(rest) + " elements cannot be divided by " + Twine(known))
          .helped("the other dimensions of the shape must divide the number of elements, so that -1 has a value");
      return {};
    }
    (*wanted)[*open] = rest / known;
  }
  return {n.reshape(x, *wanted)};
}

Results importFlatten(NodeContext &n) {
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 1), n.rankOf(x), /*end=*/true);
  if (n.failed())
    return {};
  int64_t rows = cantFail(elementCount(n.shapeOf(x).take_front(axis)));
  return {n.reshape(x, {rows, cantFail(elementCount(n.shapeOf(x).drop_front(axis)))})};
}

Results importSqueeze(NodeContext &n) {
  Value x = n.input(0);
  std::optional<Ints> given = n.integersFrom("axes", 1);
  if (n.failed())
    return {};
  Ints axes = given ? n.axes(*given, n.rankOf(x)) : Ints();
  Ints shape;
  for (auto [axis, size] : enumerate(n.shapeOf(x))) {
    bool drop = given ? is_contained(axes, int64_t(axis)) : size == 1;
    if (!drop)
      shape.push_back(size);
    else if (size != 1 && !n.failed())
      n.fail(Code::OperandShape, "dimension " + Twine(axis) + " is " + Twine(size) + ", only ones can be dropped")
          .helped("leave this axis out of axes; Reshape merges dimensions");
  }
  return {n.failed() ? Value() : n.reshape(x, shape)};
}

Results importUnsqueeze(NodeContext &n) {
  Value x = n.input(0);
  std::optional<Ints> given = n.integersFrom("axes", 1);
  if (!given) {
    if (!n.failed())
      n.fail(Code::AttributeMissing, "axes are missing");
    return {};
  }
  Ints axes = n.axes(*given, n.rankOf(x) + given->size()), shape(n.shapeOf(x));
  for (int64_t axis : axes) // sorted, so that each insertion is at its final place
    shape.insert(shape.begin() + axis, 1);
  return {n.failed() ? Value() : n.reshape(x, shape)};
}

constexpr OpCode codes[] = {
    {"Flatten", 1, 1, 1, importFlatten},     {"Identity", 1, 1, 1, importIdentity, /*takesLists=*/true},
    {"Reshape", 1, 2, 1, importReshape},     {"Squeeze", 1, 2, 1, importSqueeze},
    {"Unsqueeze", 1, 2, 1, importUnsqueeze},
};

} // namespace

ArrayRef<OpCode> viewOps() { return codes; }

} // namespace kumiko::onnx
