//===- Convolution.cpp - Conv and ConvTranspose ------------------------------===//
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Ranks, group and bias. `features`: how many channels the result has.
bool checkOperands(NodeContext &n, int64_t group, int64_t features) {
  Value bias = n.input(2);
  if (group < 1 || group >= windowLimit) {
    n.fail(Code::AttributeValue, "group is " + Twine(group) + ", expected at least 1")
        .helped("1 is an ordinary convolution, the number of channels a depthwise one");
    return false;
  }
  if (bias && (n.rankOf(bias) != 1 || n.shapeOf(bias)[0] != features)) {
    n.fail(Code::OperandShape, "the bias does not have one number for each of " + Twine(features) + " features")
        .helped("its shape must be [" + Twine(features) + "]");
    return false;
  }
  return true;
}

/// All groups together; saturated, as both numbers come from the file.
int64_t perGroup(int64_t count, int64_t group) {
  return std::min<uint64_t>(SaturatingMultiply<uint64_t>(count, group), std::numeric_limits<int64_t>::max());
}

bool checkRanks(NodeContext &n) {
  if (!n.expectRank(0, 3))
    return false;
  int64_t rank = n.rankOf(n.input(0));
  return n.expectRank(1, rank, rank);
}

Results importConv(NodeContext &n) {
  int64_t group = n.integer("group", 1);
  if (!checkRanks(n))
    return {};
  Value x = n.input(0), w = n.input(1);
  ArrayRef<int64_t> weight = n.shapeOf(w);
  int64_t channels = n.shapeOf(x)[1], features = weight[0];
  if (!checkOperands(n, group, features))
    return {};
  int64_t expected = perGroup(weight[1], group);
  if (channels != expected) {
    Problem &problem =
        n.fail(Code::OperandShape, "input has " + Twine(channels) + " channels, the weight expects " + Twine(expected));
    problem.operands[1].origin += (";  group=" + Twine(group) + ", so C must be " + Twine(expected)).str();
    problem.helped(n.node.inputs[1] + " fits group=" + Twine(group) + " and C=" + Twine(expected) +
                   "; with group=" + Twine(channels) + " it would need 1 channel");
    return {};
  }
  if (features % group != 0) {
    n.fail(Code::OperandShape, Twine(features) + " features cannot be split into " + Twine(group) + " groups")
        .helped("the first dimension of the weight must be a multiple of group");
    return {};
  }
  std::optional<Window> window = readWindow(n, weight.drop_front(2));
  if (!window || !checkFits(n, *window))
    return {};
  return {n.make("conv", {x, w, n.input(2)},
                 {n.is("stride", window->stride), n.is("dilation", window->dilation), n.is("lo", window->lo),
                  n.is("hi", window->hi), n.is("group", group)})};
}

/// The size of the result, and the padding to cut off: given, or computed backwards from the wanted size.
std::optional<Ints> transposedSize(NodeContext &n, Window &window) {
  ArrayRef<int64_t> image = n.shapeOf(n.input(0)).drop_front(2);
  Ints added = n.integers("output_padding").value_or(Ints(image.size(), 0));
  std::optional<Ints> wanted = n.integers("output_shape");
  StringRef mode = n.text("auto_pad", "NOTSET");
  if (added.size() != image.size() || (wanted && wanted->size() < image.size()) ||
      any_of(added, [](int64_t value) { return value < 0 || value >= windowLimit; })) {
    n.fail(Code::AttributeValue, "output_padding or output_shape does not fit the input")
        .helped("both have one number, not negative, for each spatial dimension");
    return std::nullopt;
  }
  Ints result;
  for (auto [dim, extent] : enumerate(image)) {
    if (extent >= windowLimit) {
      n.fail(Code::TooLarge, "dimension " + Twine(dim + 2) + " is too large");
      return std::nullopt;
    }
    int64_t full = window.stride[dim] * (extent - 1) + added[dim] + window.reach(dim);
    if (wanted || mode.starts_with("SAME")) {
      int64_t size = wanted ? ArrayRef(*wanted).take_back(image.size())[dim] : extent * window.stride[dim];
      std::tie(window.lo[dim], window.hi[dim]) = splitPadding(std::max<int64_t>(full - size, 0), mode != "SAME_UPPER");
      result.push_back(size);
    } else {
      result.push_back(full - window.lo[dim] - window.hi[dim]);
    }
    if (result.back() < 0) {
      n.fail(Code::OperandShape, "dimension " + Twine(dim + 2) + " of the result would be " + Twine(result.back()));
      return std::nullopt;
    }
  }
  return result;
}

Results importConvTranspose(NodeContext &n) {
  int64_t group = n.integer("group", 1);
  if (!checkRanks(n))
    return {};
  Value x = n.input(0), w = n.input(1);
  ArrayRef<int64_t> weight = n.shapeOf(w);
  int64_t channels = n.shapeOf(x)[1];
  if (group >= 1 && group < windowLimit && (channels != weight[0] || channels % group != 0)) {
    n.fail(Code::OperandShape, "input has " + Twine(channels) + " channels, the weight expects " + Twine(weight[0]))
        .helped("the first dimension of the weight is the number of channels, a multiple of group=" + Twine(group));
    return {};
  }
  if (!checkOperands(n, group, perGroup(weight[1], std::max<int64_t>(group, 0))))
    return {};
  std::optional<Window> window = readWindow(n, weight.drop_front(2), /*resolvePads=*/false);
  std::optional<Ints> out = window ? transposedSize(n, *window) : std::nullopt;
  if (!out)
    return {};
  return {n.make("conv_transpose", {x, w, n.input(2)},
                 {n.is("stride", window->stride), n.is("dilation", window->dilation), n.is("lo", window->lo),
                  n.is("out", *out), n.is("group", group)})};
}

constexpr OpCode codes[] = {
    {"Conv", 2, 3, 1, importConv},
    {"ConvTranspose", 2, 3, 1, importConvTranspose},
};

} // namespace

ArrayRef<OpCode> convolutionOps() { return codes; }

} // namespace kumiko::onnx
