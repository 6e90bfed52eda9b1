//===- Movement.cpp - elements that change places ----------------------------===//
#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Nn/Nn.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

Results importTranspose(NodeContext &n) {
  Value x = n.input(0);
  int64_t rank = n.rankOf(x);
  std::optional<Ints> given = n.integers("perm");
  if (n.failed())
    return {};
  Ints permutation = given.value_or(to_vector<6>(reverse(seq<int64_t>(0, rank))));
  Ints sorted = permutation;
  sort(sorted);
  if (!equal(sorted, seq<int64_t>(0, rank))) {
    n.fail(Code::AttributeValue, "perm does not name each of " + Twine(rank) + " dimensions once")
        .helped("perm lists the input's dimensions 0 to " + Twine(rank - 1) + " in their new order");
    return {};
  }
  return {n.transpose(x, permutation)};
}

Results importConcat(NodeContext &n) {
  int64_t axis = n.opset < 4 ? n.integer("axis", 1) : n.requiredInteger("axis");
  if (is_contained(n.inputs(), Value())) {
    n.fail(Code::Arity, "an input is left out");
    return {};
  }
  Value first = n.input(0);
  axis = n.axis(axis, n.rankOf(first));
  Sizes common = n.sizesOf(first); // of two expressions for a size that agree the first, but a number before any
  for (auto [number, x] : enumerate(n.inputs())) {
    if (n.failed())
      return {};
    if (n.elementOf(x) != n.elementOf(first)) {
      n.fail(Code::OperandType, "inputs 0 and " + Twine(number) + " have different element types")
          .helped("put a Cast in front of one of them; ONNX never converts by itself");
      return {};
    }
    bool fits = n.rankOf(x) == n.rankOf(first);
    Sizes sizes = n.sizesOf(x), wanted = n.sizesOf(first);
    for (int64_t dim = 0; fits && dim < n.rankOf(first); ++dim) {
      fits = dim == axis || n.agree(sizes[dim], wanted[dim], "inputs are equal in all but one axis");
      if (sizes[dim].isStatic())
        common[dim] = sizes[dim];
    }
    if (!fits && !n.failed()) {
      n.fail(Code::OperandShape, "inputs 0 and " + Twine(number) + " differ in more than axis " + Twine(axis))
          .helped("all other dimensions must be equal");
      return {};
    }
  }
  if (n.inputCount() == 1)
    return {first};
  // Sizes that must agree are one size from here on, not sizes of which one may be 1.
  auto agreed = [&](Value x) -> Value {
    common[axis] = n.sizesOf(x)[axis];
    if (n.sizesOf(x) == common)
      return x;
    return nn::ReshapeOp::create(n.builder(), n.location(), nn::tensorOf(common, n.elementOf(x)), x);
  };
  return {n.make("concat", map_to_vector<4>(n.inputs(), agreed), {n.is("axis", axis)})};
}

/// NumPy's rule for two shapes; empty when they do not go together.
std::optional<Sizes> broadcast(NodeContext &n, ArrayRef<Extent> a, ArrayRef<Extent> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Sizes result(a);
  for (auto [to, from] : zip(reverse(result), reverse(b))) {
    if (!n.broadcasts(from, to, "the input broadcasts to the shape"))
      return std::nullopt;
    to = Extent::broadcast(to, from);
  }
  return result;
}

Results importExpand(NodeContext &n) {
  Value x = n.input(0);
  std::optional<Sizes> wanted = n.sizes(1, "shape");
  if (!wanted)
    return {};
  std::optional<Sizes> shape = broadcast(n, n.sizesOf(x), *wanted);
  if (!shape || any_of(*shape, [](const Extent &size) { return size.isStatic() && size.value() < 0; })) {
    n.fail(Code::OperandShape, "the input does not broadcast to the shape").helped("dimensions must be equal or 1");
    return {};
  }
  if (!n.typeOf(*shape, n.elementOf(x)))
    return {};
  return {*shape == n.sizesOf(x) ? x : n.make("expand", {x}, {n.is("shape", *shape)})};
}

/// Each dimension as (repeat, size), expanded and flattened again.
Results importTile(NodeContext &n) {
  Value x = n.input(0);
  std::optional<Sizes> repeats;
  if (n.opset < 6) {
    std::optional<Ints> tiles = n.constantIntegers(1, "tiles"), axis = n.constantIntegers(2, "axis");
    if (!tiles || !axis || tiles->size() != 1 || axis->size() != 1)
      return n.failed() ? Results() : (n.fail(Code::OperandShape, "tiles and axis must be scalars"), Results());
    repeats = Sizes(n.rankOf(x), 1);
    int64_t place = n.axis(axis->front(), n.rankOf(x));
    if (n.failed())
      return {};
    (*repeats)[place] = tiles->front();
  } else {
    repeats = n.sizes(1, "repeats", nullptr, n.rankOf(x));
  }
  if (n.failed() || !repeats)
    return {};
  if (int64_t(repeats->size()) != n.rankOf(x) || any_of(*repeats, [](const Extent &count) {
        return count.isStatic() && (count.value() < 0 || count.value() >= int64_t(1) << 47);
      })) {
    n.fail(Code::OperandValue, "repeats must have one number, not negative, for each dimension of the input")
        .helped("the input has " + Twine(n.rankOf(n.input(0))) + " dimensions; repeats has " +
                n.elementsOf(n.input(1)).str() + " numbers");
    return {};
  }
  Sizes before, between, after;
  for (auto [size, count] : zip_equal(n.sizesOf(x), *repeats)) {
    before.append({1, size});
    between.append({count, size});
    after.push_back(size * count);
  }
  if (!n.typeOf(after, n.elementOf(x)))
    return {};
  Value wide = n.make("expand", {n.reshape(x, before)}, {n.is("shape", between)});
  return {wide ? n.reshape(wide, after) : wide};
}

Results importGather(NodeContext &n) {
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", 0), n.rankOf(x));
  return {n.make("gather", {x, n.input(1)}, {n.is("axis", axis)})};
}

Results importGatherElements(NodeContext &n) {
  Value x = n.input(0), index = n.input(1);
  int64_t axis = n.axis(n.integer("axis", 0), n.rankOf(x));
  if (n.failed() || !n.expectRank(1, n.rankOf(x), n.rankOf(x)))
    return {};
  return {n.make("gather_elements", {x, index}, {n.is("axis", axis)})};
}

/// y(n, c, (h, a), (w, b)) = x(n, (a, b, c) or (c, a, b), h, w)
Results importDepthToSpace(NodeContext &n) {
  int64_t block = n.requiredInteger("blocksize");
  StringRef mode = n.text("mode", "DCR");
  if (!n.expectRank(0, 4, 4))
    return {};
  Sizes shape = n.sizesOf(n.input(0));
  Extent depth = block < 1 || block > 1 << 20 ? Extent(0) : floorDiv(shape[1], block * block);
  if (block < 1 || block > 1 << 20 || !n.agree(depth * Extent(block * block), shape[1], "blocks divide the channels")) {
    if (!n.failed())
      n.fail(Code::AttributeValue, shape[1].str() + " channels cannot be split into blocks of " + Twine(block))
          .helped("blocksize * blocksize must divide the number of channels");
    return {};
  }
  bool first = mode == "DCR";
  Value split = first ? n.reshape(n.input(0), {shape[0], block, block, depth, shape[2], shape[3]})
                      : n.reshape(n.input(0), {shape[0], depth, block, block, shape[2], shape[3]});
  Value moved = n.failed() ? Value() : n.transpose(split, first ? Ints{0, 3, 4, 1, 5, 2} : Ints{0, 1, 4, 2, 5, 3});
  return {n.failed() ? Value()
                     : n.reshape(moved, {shape[0], depth, shape[2] * Extent(block), shape[3] * Extent(block)})};
}

/// y(n, (a, b, c), h, w) = x(n, c, (h, a), (w, b)); CRD: (c, a, b)
Results importSpaceToDepth(NodeContext &n) {
  int64_t block = n.requiredInteger("blocksize");
  StringRef mode = n.text("mode", "DCR");
  if (!n.expectRank(0, 4, 4))
    return {};
  Sizes shape = n.sizesOf(n.input(0));
  bool possible = block >= 1 && block <= 1 << 20;
  Extent height = possible ? floorDiv(shape[2], block) : 0, width = possible ? floorDiv(shape[3], block) : 0;
  if (!possible || !n.agree(height * Extent(block), shape[2], "blocks divide the height") ||
      !n.agree(width * Extent(block), shape[3], "blocks divide the width")) {
    if (!n.failed())
      n.fail(Code::AttributeValue, "the image cannot be split into blocks of " + Twine(block))
          .helped("blocksize must divide height and width");
    return {};
  }
  Value split = n.reshape(n.input(0), {shape[0], shape[1], height, block, width, block});
  Value moved =
      n.failed() ? Value() : n.transpose(split, mode == "DCR" ? Ints{0, 3, 5, 1, 2, 4} : Ints{0, 1, 3, 5, 2, 4});
  return {n.failed() ? Value() : n.reshape(moved, {shape[0], shape[1] * Extent(block * block), height, width})};
}

/// on where the index says so along a new axis, off elsewhere; negative indices count from the end.
Results importOneHot(NodeContext &n) {
  SmallVector<Real, 6> given = realsOf(n, 1, "depth", 1);
  if (n.failed())
    return {};
  Value values = n.input(2);
  bool isOne = given.size() == 1 && (!given[0].isNumber() || (given[0].number() >= 0 && given[0].number() < 1e15));
  if (!isOne || n.rankOf(values) != 1 || !n.agree(n.sizesOf(values)[0], 2, "values are two")) {
    n.fail(Code::OperandValue, "depth must be one number, not negative, and values must have two elements");
    return {};
  }
  mlir::Type i64 = n.builder().getI64Type();
  Extent size = wholeOf(n, given[0]);
  Value index = n.cast(n.input(0), i64), length = n.numbersOf({size}, {});
  index = n.make("select", {n.make("lt", {index, n.scalar(0, i64)}), n.make("add", {index, length}), index});
  int64_t rank = n.rankOf(n.input(0)) + 1, axis = n.axis(n.integer("axis", -1), rank);
  if (n.failed())
    return {};
  Sizes kept = n.sizesOf(n.input(0));
  Sizes column(rank, 1);
  kept.insert(kept.begin() + axis, 1);
  column[axis] = size;
  Value position = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", column[axis])});
  Value hit = position ? n.make("eq", {n.reshape(index, kept), n.reshape(position, column)}) : position;
  auto value = [&](int64_t number) { return n.make("gather", {values, n.scalar(number, i64)}, {n.is("axis", 0)}); };
  return {n.make("select", {hit, value(1), value(0)})};
}

constexpr OpCode codes[] = {
    {"Concat", 1, OpCode::any, 1, importConcat},
    {"DepthToSpace", 1, 1, 1, importDepthToSpace},
    {"Expand", 2, 2, 1, importExpand},
    {"Gather", 2, 2, 1, importGather},
    {"GatherElements", 2, 2, 1, importGatherElements},
    {"OneHot", 3, 3, 1, importOneHot},
    {"SpaceToDepth", 1, 1, 1, importSpaceToDepth},
    {"Tile", 2, 3, 1, importTile},
    {"Transpose", 1, 1, 1, importTranspose},
};

} // namespace

ArrayRef<OpCode> movementOps() { return codes; }

} // namespace kumiko::onnx
