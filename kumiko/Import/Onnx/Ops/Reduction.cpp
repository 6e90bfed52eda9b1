//===- Reduction.cpp - reductions along axes ---------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// The axes of a reduction, as attribute or input. Without any: all, or none with noop_with_empty_axes.
std::optional<Ints> reducedAxes(NodeContext &n) {
  int64_t rank = n.rankOf(n.input(0));
  bool noop = n.flag("noop_with_empty_axes");
  std::optional<Ints> given = n.integersFrom("axes", 1);
  if (n.failed())
    return std::nullopt;
  if (!given || given->empty())
    return noop ? Ints() : counting(0, rank);
  Ints axes = n.axes(*given, rank);
  return n.failed() ? std::nullopt : std::optional(axes);
}

/// `y` with the dimensions that were reduced as ones.
Value kept(NodeContext &n, Value y, Sizes shape, ArrayRef<int64_t> axes, bool keep) {
  if (n.failed() || !keep)
    return y;
  for (int64_t axis : axes)
    shape[axis] = 1;
  return n.reshape(y, shape);
}

using Scalar = Value (*)(NodeContext &, Value);
Value same(NodeContext &, Value x) { return x; }
Value absolute(NodeContext &n, Value x) { return n.make("abs", {x}); }
Value square(NodeContext &n, Value x) { return n.make("mul", {x, x}); }
Value root(NodeContext &n, Value x) { return n.make("sqrt", {x}); }
Value logarithm(NodeContext &n, Value x) { return n.make("log", {x}); }

/// after(reduce(before(x))): without axes the scalar parts still apply.
Results reduction(NodeContext &n, StringRef kind, Scalar before, Scalar after) {
  bool keep = n.flag("keepdims", true);
  std::optional<Ints> axes = reducedAxes(n);
  if (!axes)
    return {};
  Value x = before(n, n.input(0));
  if (!axes->empty())
    x = n.make("reduce", {x}, {n.is("kind", kind), n.is("axes", *axes)});
  return {kept(n, after(n, x), n.sizesOf(n.input(0)), *axes, keep)};
}

Results importReduceSum(NodeContext &n) { return reduction(n, "+", same, same); }
Results importReduceProd(NodeContext &n) { return reduction(n, "*", same, same); }
Results importReduceL1(NodeContext &n) { return reduction(n, "+", absolute, same); }
Results importReduceL2(NodeContext &n) { return reduction(n, "+", square, root); }
Results importReduceSumSquare(NodeContext &n) { return reduction(n, "+", square, same); }
Results importReduceLogSum(NodeContext &n) { return reduction(n, "+", same, logarithm); }
Results importReduceMax(NodeContext &n) {
  return reduction(n, n.elementOf(n.input(0)).isInteger(1) ? "or" : "max", same, same);
}
Results importReduceMin(NodeContext &n) {
  return reduction(n, n.elementOf(n.input(0)).isInteger(1) ? "and" : "min", same, same);
}

/// Reductions that are one nn op with `axes`.
Results whole(NodeContext &n, StringRef op) {
  bool keep = n.flag("keepdims", true);
  std::optional<Ints> axes = reducedAxes(n);
  if (!axes)
    return {};
  Value y = n.make(op, {n.input(0)}, {n.is("axes", *axes)});
  return {kept(n, y, n.sizesOf(n.input(0)), *axes, keep)};
}
Results importReduceMean(NodeContext &n) { return whole(n, "mean"); }
Results importReduceLogSumExp(NodeContext &n) { return whole(n, "logsumexp"); }

/// The same elements with `axis` backwards.
Value flipped(NodeContext &n, Value x, int64_t axis) {
  Sizes start(n.rankOf(x), 0), out = n.sizesOf(x);
  Ints step(n.rankOf(x), 1);
  if (out[axis].is(0))
    return x;
  start[axis] = out[axis] - Extent(1);
  step[axis] = -1;
  return n.make("slice", {x}, {n.is("start", start), n.is("step", step), n.is("out", out)});
}

Results argReduction(NodeContext &n, StringRef kind) {
  Value x = n.input(0);
  bool keep = n.flag("keepdims", true), last = n.flag("select_last_index");
  int64_t axis = n.axis(n.integer("axis", 0), n.rankOf(x));
  if (n.failed())
    return {};
  Value y = n.make("argreduce", {last ? flipped(n, x, axis) : x}, {n.is("kind", kind), n.is("axis", axis)});
  if (last)
    y = n.make("sub", {n.numbersOf({n.sizesOf(x)[axis] - Extent(1)}, {}), y});
  return {kept(n, y, n.sizesOf(x), {axis}, keep)};
}
Results importArgMax(NodeContext &n) { return argReduction(n, "max"); }
Results importArgMin(NodeContext &n) { return argReduction(n, "min"); }

Results cumulation(NodeContext &n, StringRef kind) {
  bool exclusive = n.flag("exclusive"), reverse = n.flag("reverse");
  std::optional<Ints> axis = n.constantIntegers(1, "axis");
  if (!axis)
    return {};
  if (axis->size() != 1) {
    n.fail(Code::OperandShape, "axis must be one number");
    return {};
  }
  int64_t position = n.axis(axis->front(), n.rankOf(n.input(0)));
  return {n.make("cumulate", {n.input(0)},
                 {n.is("kind", kind), n.is("axis", position), n.is("exclusive", exclusive), n.is("reverse", reverse)})};
}
Results importCumSum(NodeContext &n) { return cumulation(n, "+"); }
Results importCumProd(NodeContext &n) { return cumulation(n, "*"); }

constexpr OpCode codes[] = {
    {"ArgMax", 1, 1, 1, importArgMax},
    {"ArgMin", 1, 1, 1, importArgMin},
    {"CumProd", 2, 2, 1, importCumProd},
    {"CumSum", 2, 2, 1, importCumSum},
    {"ReduceL1", 1, 2, 1, importReduceL1},
    {"ReduceL2", 1, 2, 1, importReduceL2},
    {"ReduceLogSum", 1, 2, 1, importReduceLogSum},
    {"ReduceLogSumExp", 1, 2, 1, importReduceLogSumExp},
    {"ReduceMax", 1, 2, 1, importReduceMax},
    {"ReduceMean", 1, 2, 1, importReduceMean},
    {"ReduceMin", 1, 2, 1, importReduceMin},
    {"ReduceProd", 1, 2, 1, importReduceProd},
    {"ReduceSum", 1, 2, 1, importReduceSum},
    {"ReduceSumSquare", 1, 2, 1, importReduceSumSquare},
};

} // namespace

ArrayRef<OpCode> reductionOps() { return codes; }

} // namespace kumiko::onnx
