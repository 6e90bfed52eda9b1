//===- Normalize.cpp - normalisations ----------------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Fails unless the inputs from `first` to `last` have one number per channel.
bool expectPerChannel(NodeContext &n, size_t first, size_t last, const Extent &channels) {
  for (size_t number = first; number <= last; ++number) {
    Sizes shape = n.sizesOf(n.input(number));
    if (shape.size() == 1 && n.agree(shape[0], channels, "there is one number for each channel"))
      continue;
    n.fail(Code::OperandShape,
           "input " + Twine(number) + " does not have one number for each of " + channels.str() + " channels")
        .helped("its shape must be [" + channels.str() + "]");
    return false;
  }
  return true;
}

/// x with the mean along `axes`, kept as ones.
Value meanKept(NodeContext &n, Value x, ArrayRef<int64_t> axes) {
  Value y = n.make("mean", {x}, {n.is("axes", axes)});
  if (!y)
    return y;
  Sizes shape = n.sizesOf(x);
  for (int64_t axis : axes)
    shape[axis] = 1;
  return n.reshape(y, shape);
}

/// Statistics of this batch, and the running ones moved towards them.
Results trainBatchNorm(NodeContext &n, double momentum, NamedAttribute eps) {
  Value x = n.input(0), mean = n.input(3), variance = n.input(4);
  Ints axes{0};
  for (int64_t axis = 2; axis < n.rankOf(x); ++axis)
    axes.push_back(axis);
  Value wide = n.cast(x, n.elementOf(mean));
  Value batchMean = wide ? meanKept(n, wide, axes) : wide;
  Value centred = n.make("sub", {wide, batchMean});
  Value batchVariance = n.make("mean", {n.make("mul", {centred, centred})}, {n.is("axes", axes)});
  if (n.failed())
    return {};
  batchMean = n.reshape(batchMean, n.sizesOf(mean));
  auto mix = [&](Value old, Value now) {
    Value kept = n.make("mul", {old, n.scalar(momentum, old)});
    return n.make("add", {kept, n.make("mul", {now, n.scalar(1 - momentum, now)})});
  };
  Value y = n.make("batch_norm", {x, n.input(1), n.input(2), batchMean, batchVariance}, {eps});
  return {y, mix(mean, batchMean), mix(variance, batchVariance)};
}

Results importBatchNormalization(NodeContext &n) {
  double momentum = n.real("momentum", 0.9f);
  NamedAttribute eps = n.is("eps", n.real("epsilon", 1e-5f));
  bool training = n.opset < 7 ? !n.flag("is_test") && n.wants(1) : n.flag("training_mode");
  bool spatial = n.flag("spatial", true);
  if (!n.expectRank(0, 2) || !expectPerChannel(n, 1, 4, n.sizesOf(n.input(0))[1]))
    return {};
  if (!spatial) {
    n.fail(Code::UnsupportedForm, "spatial=0 is not supported")
        .helped("opset 9 has removed it; export the model again");
    return {};
  }
  if (training)
    return trainBatchNorm(n, momentum, eps);
  return {n.make("batch_norm", n.inputs(), {eps})};
}

/// The type that stash_type names: what statistics are computed in.
mlir::Type stashType(NodeContext &n) {
  std::optional<ElementType> type = elementTypeOf(static_cast<DataType>(n.integer("stash_type", 1)));
  if (!n.failed() && (!type || !isFloat(*type))) {
    n.fail(Code::AttributeValue, "stash_type is no float type");
    return n.builder().getF32Type();
  }
  return nn::fromEquation(n.context(), type.value_or(ElementType::F32));
}

/// Fails unless input `number` broadcasts to the dimensions of the first one from `axis` on.
bool expectTail(NodeContext &n, size_t number, int64_t axis) {
  if (n.failed() || !n.input(number))
    return !n.failed();
  Sizes whole = n.sizesOf(n.input(0)), shape = n.sizesOf(n.input(number));
  ArrayRef<Extent> tail = ArrayRef(whole).drop_front(axis);
  bool fits = shape.size() <= tail.size();
  for (auto [have, want] : zip(reverse(shape), reverse(tail)))
    fits = fits && (have.is(1) || n.agree(have, want, "an input has the sizes of the last dimensions"));
  if (!fits && !n.failed())
    n.fail(Code::OperandShape, "input " + Twine(number) + " does not fit the dimensions from " + Twine(axis) + " on")
        .helped("it must have their sizes, or 1 in places");
  return fits;
}

Results importLayerNormalization(NodeContext &n) {
  Value x = n.input(0);
  mlir::Type acc = stashType(n);
  double eps = n.real("epsilon", 1e-5f);
  int64_t axis = n.axis(n.integer("axis", -1), n.rankOf(x));
  if (!expectTail(n, 1, axis) || !expectTail(n, 2, axis))
    return {};
  Results results = n.makeAll("layer_norm", n.inputs(), {n.is("axis", axis), n.is("eps", eps), n.is("acc", acc)});
  if (n.failed())
    return {};
  Sizes kept = n.sizesOf(x);
  std::fill(kept.begin() + axis, kept.end(), Extent(1));
  return {results[0], n.reshape(results[1], kept), n.reshape(results[2], kept)};
}

Results importRmsNormalization(NodeContext &n) {
  mlir::Type acc = stashType(n);
  int64_t axis = n.axis(n.integer("axis", -1), n.rankOf(n.input(0)));
  if (!expectTail(n, 1, axis))
    return {};
  return {
      n.make("rms_norm", n.inputs(), {n.is("axis", axis), n.is("eps", n.real("epsilon", 1e-5f)), n.is("acc", acc)})};
}

Value groupNorm(NodeContext &n, Value scale, Value bias, const Extent &groups, mlir::Type acc) {
  return n.make("group_norm", {n.input(0), scale, bias},
                {n.is("groups", groups), n.is("eps", n.real("epsilon", 1e-5f)), n.is("acc", acc)});
}

Results importGroupNormalization(NodeContext &n) {
  mlir::Type acc = stashType(n);
  int64_t groups = n.requiredInteger("num_groups");
  if (!n.expectRank(0, 2))
    return {};
  Extent channels = n.sizesOf(n.input(0))[1], each = groups < 1 ? 0 : floorDiv(channels, groups);
  if (groups < 1 || !n.agree(each * Extent(groups), channels, "groups divide the channels")) {
    if (!n.failed())
      n.fail(Code::AttributeValue, channels.str() + " channels cannot be split into " + Twine(groups) + " groups");
    return {};
  }
  Value scale = n.input(1), bias = n.input(2);
  if (!expectPerChannel(n, 1, 2, n.opset < 21 ? Extent(groups) : channels))
    return {};
  if (n.opset < 21) // one number per group: repeat it for the group's channels
    for (Value *value : {&scale, &bias}) {
      Value column = n.reshape(*value, {groups, 1});
      Value wide = n.make("expand", {column}, {n.is("shape", Sizes{groups, each})});
      *value = wide ? n.reshape(wide, {channels}) : wide;
    }
  return {groupNorm(n, scale, bias, groups, acc)};
}

Results importInstanceNormalization(NodeContext &n) {
  if (!n.expectRank(0, 2) || !expectPerChannel(n, 1, 2, n.sizesOf(n.input(0))[1]))
    return {};
  return {groupNorm(n, n.input(1), n.input(2), n.sizesOf(n.input(0))[1], n.builder().getF32Type())};
}

/// (x - mean) / (sqrt(mean of squares) + 1e-9)
Results importMeanVarianceNormalization(NodeContext &n) {
  Value x = n.input(0);
  Ints axes = n.axes(n.integers("axes").value_or(Ints{0, 2, 3}), n.rankOf(x));
  if (n.failed())
    return {};
  Value centred = n.make("sub", {x, meanKept(n, x, axes)});
  Value squares = n.make("mul", {centred, centred});
  Value deviation = n.failed() ? Value() : n.make("sqrt", {meanKept(n, squares, axes)});
  return {n.make("div", {centred, n.make("add", {deviation, n.scalar(1e-9, x)})})};
}

/// x / norm; 0 where the norm is 0.
Results importLpNormalization(NodeContext &n) {
  Value x = n.input(0);
  int64_t axis = n.axis(n.integer("axis", -1), n.rankOf(x)), p = n.integer("p", 2);
  if (!n.failed() && p != 1 && p != 2)
    n.fail(Code::AttributeValue, "p is " + Twine(p) + ", expected 1 or 2");
  Value powers = p == 1 ? n.make("abs", {x}) : n.make("mul", {x, x});
  Value norm = n.make("reduce", {powers}, {n.is("kind", "+"), n.is("axes", Ints{axis})});
  if (p == 2)
    norm = n.make("sqrt", {norm});
  if (n.failed())
    return {};
  Sizes kept = n.sizesOf(x);
  kept[axis] = 1;
  norm = n.reshape(norm, kept);
  Value zero = n.scalar(0, x);
  return {n.make("select", {n.make("eq", {norm, zero}), zero, n.make("div", {x, norm})})};
}

constexpr OpCode codes[] = {
    {"BatchNormalization", 5, 5, 5, importBatchNormalization},
    {"GroupNormalization", 3, 3, 1, importGroupNormalization},
    {"InstanceNormalization", 3, 3, 1, importInstanceNormalization},
    {"LayerNormalization", 2, 3, 3, importLayerNormalization},
    {"LpNormalization", 1, 1, 1, importLpNormalization},
    {"MeanVarianceNormalization", 1, 1, 1, importMeanVarianceNormalization},
    {"RMSNormalization", 2, 2, 1, importRmsNormalization},
};

} // namespace

ArrayRef<OpCode> normalizeOps() { return codes; }

} // namespace kumiko::onnx
