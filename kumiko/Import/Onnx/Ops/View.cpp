//===- View.cpp - ops that move no element -----------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

Results importIdentity(NodeContext &n) { return {n.input(0)}; }

/// The target of a Reshape of `x`. In what only a run can tell, 0 and -1 become the sizes that they stand for there.
std::optional<Sizes> targetOf(NodeContext &n, Value x, bool allowZero) {
  Value given = n.input(1);
  bool isOpen = !n.has("shape") && given && n.takesSymbols() && !n.interprets() && !n.isConstant({1}) &&
                !n.followsFromShapes(1) && isa<IntegerType>(n.elementOf(given)) && n.elementsOf(given).isStatic();
  if (!isOpen || n.failed())
    return n.sizesFrom("shape", 1);
  int64_t count = n.elementsOf(given).value();
  mlir::Type i64 = n.builder().getI64Type();
  Value list = n.cast(n.reshape(given, {count}), i64), zero = n.scalar(0, i64), one = n.scalar(1, i64);
  Sizes same = n.sizesOf(x);
  same.resize(count, -2); // refused when it is read
  if (!allowZero)
    list = n.make("select", {n.make("eq", {list, zero}), n.numbersOf(same, {count}), list});
  Value rest = n.make("eq", {list, n.scalar(-1, i64)});
  Value others = n.make("reduce", {n.make("select", {rest, one, list})}, {n.is("kind", "*"), n.is("axes", Ints{0})});
  list = n.make("select", {rest, n.make("div", {n.numbersOf({n.elementsOf(x)}, {}), others}), list});
  Sizes target;
  for (int64_t i = 0; i < count && !n.failed(); ++i)
    target.push_back(n.readExtent(given, i, list));
  return target;
}

Results importReshape(NodeContext &n) {
  Value x = n.input(0);
  bool allowZero = n.flag("allowzero");
  std::optional<Sizes> wanted = targetOf(n, x, allowZero);
  if (!wanted) {
    if (!n.failed())
      n.fail(Code::Arity, "the shape is missing");
    return {};
  }
  Sizes given = n.sizesOf(x);
  std::optional<size_t> open;
  for (auto [position, size] : enumerate(*wanted)) {
    if (size.is(0) && !allowZero) {
      if (position >= given.size()) {
        n.fail(Code::OperandValue,
               "0 at position " + Twine(position) + " of the shape copies a dimension that the input does not have")
            .helped("with allowzero=1 a 0 means an empty dimension");
        return {};
      }
      size = given[position];
    }
    bool isOpen = size.is(-1);
    if ((size.isStatic() && size.value() < -1) || (isOpen && open)) {
      n.fail(Code::OperandValue, isOpen ? Twine("the shape has two -1") : "the shape has the number " + size.str())
          .helped("at most one dimension may be -1: it takes what the others leave");
      return {};
    }
    if (isOpen)
      open = position;
    (*wanted)[position] = size;
  }
  if (open) {
    Sizes others(*wanted);
    others.erase(others.begin() + *open);
    Extent known = product(others), all = n.elementsOf(x);
    if (known.overflowed()) {
      n.fail(Code::OperandShape, "the shape asks for too much: the number of elements does not fit 63 bits")
          .helped("the input has " + all.str() + " elements");
      return {};
    }
    Extent rest = floorDiv(all, known);
    if (known.is(0) || rest.overflowed() || !n.agree(rest * known, all, "what -1 stands for is a whole number")) {
      if (!n.failed())
        n.fail(Code::OperandShape, all.str() + " elements cannot be divided by " + known.str())
            .helped("the other dimensions of the shape must divide the number of elements, so that -1 has a value");
      return {};
    }
    (*wanted)[*open] = rest;
  }
  return {n.reshape(x, *wanted)};
}

Results importFlatten(NodeContext &n) {
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 1), n.rankOf(x), /*end=*/true);
  if (n.failed())
    return {};
  Sizes sizes = n.sizesOf(x);
  return {n.reshape(x, {product(ArrayRef(sizes).take_front(axis)), product(ArrayRef(sizes).drop_front(axis))})};
}

/// Whether a declared shape has numbers where these sizes, without the open ones and those of 1, are numbers. Whoever
/// wrote names in their place did not know the sizes, nor, then, that the open ones are 1.
bool saysNumbers(ArrayRef<Dimension> declared, const Sizes &sizes) {
  size_t next = 0;
  return all_of(sizes, [&](const Extent &size) {
    return !size.isStatic() || size.is(1) || (next < declared.size() && declared[next++].value == size.value());
  });
}

/// Without axes, which dimensions a Squeeze of `x` drops; only a run can tell whether an open one is 1. As the file
/// declares the rank of the result, all of these are 1 or none is. A check says so.
Ints onesOf(NodeContext &n, Value x) {
  Ints ones, open;
  for (auto [axis, size] : enumerate(n.sizesOf(x)))
    if (size.is(1) || !size.isStatic())
      (size.isStatic() ? ones : open).push_back(axis);
  int64_t kept = n.rankOf(x) - int64_t(ones.size());
  int64_t all = kept - int64_t(open.size()), declared = kept;
  if (!open.empty()) {
    std::optional<ArrayRef<Dimension>> shape = n.declaredShape(0);
    bool isTrusted = shape && (int64_t(shape->size()) != all || saysNumbers(*shape, n.sizesOf(x)));
    declared = isTrusted ? int64_t(shape->size()) : !shape && n.guessOnes() ? all : kept;
  }
  if (declared == kept) {
    for (int64_t axis : open) {
      Extent size = n.sizesOf(x)[axis], isNotOne = min(1, max(size - 1, 1 - size));
      (void)n.agree(isNotOne, 1,
                    "without axes, dimension " + Twine(axis) + " is taken not to be 1; for 1 compile with --dim");
    }
    return ones;
  }
  if (declared != all)
    n.fail(Code::UnsupportedForm, "without axes the rank depends on which of the open dimensions are 1")
        .helped("give the node its axes, or the dimensions numbers with --dim");
  append_range(ones, open);
  return ones;
}

Results importSqueeze(NodeContext &n) {
  Value x = n.input(0);
  std::optional<Ints> given = n.integersFrom("axes", 1);
  if (n.failed())
    return {};
  Ints axes = given ? n.axes(*given, n.rankOf(x)) : onesOf(n, x);
  Sizes shape;
  for (auto [axis, size] : enumerate(n.sizesOf(x))) {
    if (!is_contained(axes, int64_t(axis)))
      shape.push_back(size);
    else if (!n.failed() && !n.agree(size, 1,
                                     given ? Twine("a dimension that is dropped is 1")
                                           : "without axes, dimension " + Twine(axis) +
                                                 " is taken to be 1, as the file declares the rank of the result; for "
                                                 "other sizes compile with --dim"))
      n.fail(Code::OperandShape, "dimension " + Twine(axis) + " is " + size.str() + ", only ones can be dropped")
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
  Ints axes = n.axes(*given, n.rankOf(x) + given->size());
  Sizes shape = n.sizesOf(x);
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
