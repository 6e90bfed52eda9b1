//===- Convolution.cpp - Conv and ConvTranspose ------------------------------===//
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Group and bias. `features`: how many channels the result has.
bool checkOperands(NodeContext &n, int64_t group, const Extent &features) {
  Value bias = n.input(2);
  if (group < 1 || group >= windowLimit) {
    n.fail(Code::AttributeValue, "group is " + Twine(group) + ", expected at least 1")
        .helped("1 is an ordinary convolution, the number of channels a depthwise one");
    return false;
  }
  if (bias && (n.rankOf(bias) != 1 || !n.agree(n.sizesOf(bias)[0], features, "there is one bias for each feature"))) {
    n.fail(Code::OperandShape, "the bias does not have one number for each of " + features.str() + " features")
        .helped("its shape must be [" + features.str() + "]");
    return false;
  }
  return true;
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
  Sizes weight = n.sizesOf(w);
  Extent channels = n.sizesOf(x)[1];
  const Extent &features = weight[0];
  if (!checkOperands(n, group, features))
    return {};
  Extent expected = weight[1] * Extent(group);
  if (!n.agree(channels, expected, "the input has the channels of the weight")) {
    std::string wanted = expected.str();
    Problem &problem =
        n.fail(Code::OperandShape, "input has " + channels.str() + " channels, the weight expects " + wanted);
    problem.operands[1].origin += (";  group=" + Twine(group) + ", so C must be " + wanted).str();
    problem.helped(n.node.inputs[1] + " fits group=" + Twine(group) + " and C=" + wanted +
                   "; with group=" + channels.str() + " it would need 1 channel");
    return {};
  }
  if (!n.agree(floorDiv(features, group) * Extent(group), features, "features divide into groups")) {
    n.fail(Code::OperandShape, features.str() + " features cannot be split into " + Twine(group) + " groups")
        .helped("the first dimension of the weight must be a multiple of group");
    return {};
  }
  std::optional<Window> window = readWindow(n, ArrayRef(weight).drop_front(2));
  if (!window || !checkFits(n, *window))
    return {};
  return {n.make("conv", {x, w, n.input(2)},
                 {n.is("stride", window->stride), n.is("dilation", window->dilation), n.is("lo", window->lo),
                  n.is("hi", window->hi), n.is("group", group)})};
}

/// The size of the result, and the padding to cut off: given, or computed backwards from the wanted size.
std::optional<Sizes> transposedSize(NodeContext &n, Window &window) {
  Sizes sizes = n.sizesOf(n.input(0));
  ArrayRef<Extent> image = ArrayRef(sizes).drop_front(2);
  Ints added = n.integers("output_padding").value_or(Ints(image.size(), 0));
  std::optional<Ints> wanted = n.integers("output_shape");
  StringRef mode = n.text("auto_pad", "NOTSET");
  if (added.size() != image.size() || (wanted && wanted->size() < image.size()) ||
      any_of(added, [](int64_t value) { return value < 0 || value >= windowLimit; })) {
    n.fail(Code::AttributeValue, "output_padding or output_shape does not fit the input")
        .helped("both have one number, not negative, for each spatial dimension");
    return std::nullopt;
  }
  Sizes result;
  for (auto [dim, extent] : enumerate(image)) {
    if (extent.isStatic() && extent.value() >= windowLimit) {
      n.fail(Code::TooLarge, "dimension " + Twine(dim + 2) + " is too large");
      return std::nullopt;
    }
    Extent stride = window.stride[dim];
    Extent full = stride * (extent - Extent(1)) + Extent(added[dim]) + window.reach(dim);
    if (wanted || mode.starts_with("SAME")) {
      Extent size = wanted ? Extent(ArrayRef(*wanted).take_back(image.size())[dim]) : extent * stride;
      std::tie(window.lo[dim], window.hi[dim]) = splitPadding(max(full - size, 0), mode != "SAME_UPPER");
      result.push_back(size);
    } else {
      result.push_back(full - window.lo[dim] - window.hi[dim]);
    }
    if (result.back().isStatic() && result.back().value() < 0) {
      n.fail(Code::OperandShape, "dimension " + Twine(dim + 2) + " of the result would be " + result.back().str());
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
  Sizes weight = n.sizesOf(w);
  Extent channels = n.sizesOf(x)[1];
  if (group >= 1 && group < windowLimit &&
      !(n.agree(channels, weight[0], "the input has the channels of the weight") &&
        n.agree(floorDiv(channels, group) * Extent(group), channels, "channels divide into groups"))) {
    n.fail(Code::OperandShape, "input has " + channels.str() + " channels, the weight expects " + weight[0].str())
        .helped("the first dimension of the weight is the number of channels, a multiple of group=" + Twine(group));
    return {};
  }
  if (!checkOperands(n, group, weight[1] * Extent(group)))
    return {};
  std::optional<Window> window = readWindow(n, ArrayRef(weight).drop_front(2), /*resolvePads=*/false);
  std::optional<Sizes> out = window ? transposedSize(n, *window) : std::nullopt;
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
