//===- Irregular.cpp - nodes that sort, count or search --------------------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// A constant input of one element; `otherwise` when it is left out or empty.
double number(NodeContext &n, size_t input, StringRef role, double otherwise) {
  std::optional<Tensor> tensor = n.input(input) ? n.constant(input, role) : std::nullopt;
  if (!tensor || tensor->count() == 0)
    return otherwise;
  if (tensor->count() != 1) {
    n.fail(Code::OperandShape, role + " must be one number");
    return otherwise;
  }
  return valueAt(*tensor, 0);
}

Results importTopK(NodeContext &n) {
  Value x = n.input(0);
  bool largest = n.flag("largest", true);
  n.ignore("sorted"); // unsorted means any order, so also this one
  int64_t axis = n.axis(n.integer("axis", -1), n.rankOf(x));
  Extent size = n.failed() ? 0 : n.sizesOf(x)[axis], k = 0;
  auto bounds = [&](size_t) { return DataBounds{std::nullopt, size}; };
  if (n.opset < 10)
    k = n.requiredInteger("k");
  else if (std::optional<Sizes> given = n.sizes(1, "K", bounds, 1))
    k = given->size() == 1 ? given->front() : -1;
  else if (!n.failed())
    n.fail(Code::Arity, "input 1 is left out but required");
  if (n.failed())
    return {};
  if ((k.isStatic() && k.value() < 0) || (k.isStatic() && size.isStatic() && k.value() > size.value())) {
    n.fail(Code::OperandValue, "K must be one number from 0 to " + size.str())
        .helped("axis " + Twine(axis) + " has " + size.str() + " elements");
    return {};
  }
  n.atMost(k, size, "K is at most the size of the axis");
  return n.makeAll("topk", {x}, {n.is("axis", axis), n.is("k", k), n.is("largest", largest)});
}

Results importNonZero(NodeContext &n) { return n.makeAll("nonzero", {n.input(0)}); }

/// The slices at which the condition holds. A short condition selects nothing behind its end.
Results importCompress(NodeContext &n) {
  Value x = n.input(0), condition = n.input(1);
  std::optional<int64_t> given = n.integer("axis");
  if (n.failed() || !n.expectRank(1, 1, 1))
    return {};
  if (!given)
    x = n.reshape(x, {n.elementsOf(x)});
  int64_t axis = n.axis(given.value_or(0), n.rankOf(x));
  if (n.failed())
    return {};
  Extent flags = n.sizesOf(condition)[0], slices = n.sizesOf(x)[axis];
  if (flags.isStatic() && slices.isStatic() && flags.value() > slices.value()) {
    n.fail(Code::OperandShape, "the condition has " + flags.str() + " elements for " + slices.str() + " slices")
        .helped("it may be shorter, not longer");
    return {};
  }
  n.atMost(flags, slices, "the condition is not longer than the axis");
  Value index = n.make("nonzero", {condition});
  return {index ? n.make("gather", {x, n.reshape(index, {n.elementsOf(index)})}, {n.is("axis", axis)}) : index};
}

Results importUnique(NodeContext &n) {
  Value x = n.input(0);
  bool sorted = n.flag("sorted", true);
  std::optional<int64_t> given = n.integer("axis");
  if (!given && !n.failed())
    x = n.reshape(x, {n.elementsOf(x)});
  int64_t axis = n.failed() ? 0 : n.axis(given.value_or(0), n.rankOf(x));
  return n.makeAll("unique", {x}, {n.is("axis", axis), n.is("sorted", sorted)});
}

Results importNonMaxSuppression(NodeContext &n) {
  bool centered = n.flag("center_point_box");
  double limit = number(n, 2, "max_output_boxes_per_class", 0), iou = number(n, 3, "iou_threshold", 0);
  double threshold = number(n, 4, "score_threshold", -INFINITY);
  if (n.failed())
    return {};
  if (!(iou >= 0 && iou <= 1)) {
    n.fail(Code::OperandValue, "iou_threshold must be from 0 to 1");
    return {};
  }
  // More than there are boxes is all of them.
  int64_t most = int64_t(std::clamp(limit, 0.0, 1e15));
  return n.makeAll("nms", {n.input(0), n.input(1)},
                   {n.is("limit", most), n.is("iou", iou), n.is("threshold", threshold), n.is("centered", centered)});
}

Results importDet(NodeContext &n) { return n.makeAll("det", {n.input(0)}); }

Results importRoiAlign(NodeContext &n) {
  StringRef mode = n.text("mode", "avg");
  // Before opset 16 there was only the old way.
  StringRef coordinates = n.opset < 16 ? "output_half_pixel" : n.text("coordinate_transformation_mode", "half_pixel");
  if (!n.failed() && coordinates != "half_pixel" && coordinates != "output_half_pixel")
    n.fail(Code::AttributeValue, "coordinate_transformation_mode is \"" + coordinates + "\"")
        .helped("half_pixel or output_half_pixel");
  return n.makeAll("roi_align", n.inputs(),
                   {n.is("height", n.integer("output_height", 1)), n.is("width", n.integer("output_width", 1)),
                    n.is("sampling", n.integer("sampling_ratio", 0)), n.is("scale", n.real("spatial_scale", 1)),
                    n.is("half_pixel", coordinates == "half_pixel"), n.is("mode", mode)});
}

Results importMaxRoiPool(NodeContext &n) {
  std::optional<Ints> size = n.integers("pooled_shape");
  if (!n.failed() && (!size || size->size() != 2))
    n.fail(Code::AttributeMissing, "pooled_shape must have a height and a width");
  if (n.failed())
    return {};
  return n.makeAll(
      "max_roi_pool", n.inputs(),
      {n.is("height", size->front()), n.is("width", size->back()), n.is("scale", n.real("spatial_scale", 1))});
}

/// The attribute, which must be there.
Ints required(NodeContext &n, StringRef name) {
  std::optional<Ints> list = n.integers(name);
  if (!list && !n.failed())
    n.fail(Code::AttributeMissing, "attribute \"" + name + "\" is missing").helped("the op needs it");
  return list.value_or(Ints());
}

/// Counts, times a weight per column for TFIDF, or the weight itself where the count is not 0 for IDF.
Results importTfIdf(NodeContext &n) {
  StringRef mode = n.text("mode", "");
  Ints starts = required(n, "ngram_counts"), columns = required(n, "ngram_indexes");
  std::optional<ArrayRef<float>> weights = n.reals("weights");
  int64_t shortest = n.requiredInteger("min_gram_length"), longest = n.requiredInteger("max_gram_length");
  int64_t skips = n.requiredInteger("max_skip_count");
  if (!n.failed() && n.has("pool_strings"))
    n.fail(Code::UnsupportedType, "strings are not supported").helped("number the words and use pool_int64s");
  Ints pool = required(n, "pool_int64s");
  if (!n.failed() && !is_contained({"TF", "IDF", "TFIDF"}, mode))
    n.fail(Code::AttributeValue, "mode is \"" + mode + "\", expected TF, IDF or TFIDF");
  if (!n.failed() && weights && weights->size() != columns.size())
    n.fail(Code::AttributeValue,
           "there are " + Twine(weights->size()) + " weights for " + Twine(columns.size()) + " n-grams");
  if (n.failed() || !n.expectRank(0, 1, 2))
    return {};
  Value x = n.input(0);
  bool single = n.rankOf(x) == 1;
  if (!isa<IntegerType>(n.elementOf(x))) {
    n.fail(Code::OperandType, "the input must be integers, as the pool is");
    return {};
  }
  Value counts = n.make("ngram_count", {single ? n.reshape(x, {1, n.elementsOf(x)}) : x},
                        {n.is("pool", pool), n.is("starts", starts), n.is("columns", columns),
                         n.is("shortest", shortest), n.is("longest", longest), n.is("skips", skips)});
  if (!counts)
    return {};
  int64_t size = n.sizesOf(counts)[1].value(); // follows from attributes
  Value y = counts;
  if (mode == "IDF")
    y = n.make("min", {y, n.scalar(1, y)});
  if (mode != "TF" && weights) {
    SmallVector<float> row(size, 1);
    for (auto [column, weight] : zip_equal(columns, *weights))
      row[column] = weight;
    y = n.make("mul", {y, n.constantOfReals(row, {size})});
  }
  return {single && y ? n.reshape(y, {size}) : y};
}

constexpr OpCode codes[] = {
    {"Compress", 2, 2, 1, importCompress},     {"Det", 1, 1, 1, importDet},
    {"MaxRoiPool", 2, 2, 1, importMaxRoiPool}, {"NonMaxSuppression", 2, 5, 1, importNonMaxSuppression},
    {"NonZero", 1, 1, 1, importNonZero},       {"RoiAlign", 3, 3, 1, importRoiAlign},
    {"TfIdfVectorizer", 1, 1, 1, importTfIdf}, {"TopK", 1, 2, 2, importTopK},
    {"Unique", 1, 1, 4, importUnique},
};

} // namespace

ArrayRef<OpCode> irregularOps() { return codes; }

} // namespace kumiko::onnx
