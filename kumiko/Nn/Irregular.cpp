//===- Irregular.cpp - result types of ops without an equation --------------===//
#include "kumiko/Nn/Irregular.h"
#include "kumiko/Nn/Nn.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::nn;

using Types = SmallVector<Type, 4>;
using Operands = ArrayRef<RankedTensorType>;

namespace {
/// Attributes by name; they are there and of their kind.
struct Attributes {
  DictionaryAttr all;
  int64_t integer(StringRef name) const { return all.getAs<IntegerAttr>(name).getValue().getSExtValue(); }
  ArrayRef<int64_t> integers(StringRef name) const { return all.getAs<DenseI64ArrayAttr>(name).asArrayRef(); }
  StringRef text(StringRef name) const { return all.getAs<StringAttr>(name).getValue(); }
  /// The extent that values decide: the symbol that the op defines, overflowed where it has no name.
  Extent counted() const {
    auto symbols = all.getAs<ArrayAttr>("symbols");
    return symbols ? Extent::symbol(cast<StringAttr>(symbols[0]).getValue()) : Extent::overflow();
  }
};
} // namespace

/// With `?` and no encoding when an extent has no name.
static RankedTensorType typeOf(ArrayRef<Extent> shape, Type elementType) {
  if (llvm::none_of(shape, [](const Extent &extent) { return extent.overflowed(); }))
    return tensorOf(shape, elementType);
  return RankedTensorType::get(
      llvm::map_to_vector(
          shape, [](const Extent &extent) { return extent.isStatic() ? extent.value() : ShapedType::kDynamic; }),
      elementType);
}

static RankedTensorType indices(MLIRContext *context, ArrayRef<Extent> shape) {
  return typeOf(shape, IntegerType::get(context, 64));
}

static std::string describe(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static FailureOr<Types> refuse(std::string &why, const Twine &reason) {
  why = reason.str();
  return failure();
}

/// Whether the axis is one of the operand's; says so in `why` when not.
static bool hasAxis(RankedTensorType x, int64_t axis, std::string &why) {
  if (axis >= 0 && axis < x.getRank())
    return true;
  why = llvm::formatv("axis {0} is outside the {1} dimensions of {2}", axis, x.getRank(), describe(x));
  return false;
}

/// Whether two extents cannot be equal. What only a run can tell is the run's to check.
static bool differ(const Extent &a, const Extent &b) { return a.isStatic() && b.isStatic() && a != b; }

FailureOr<Types> TopkOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &why) {
  RankedTensorType x = operands[0];
  int64_t axis = Attributes{attributes}.integer("axis");
  if (!hasAxis(x, axis, why)) // topk_c1
    return failure();
  Extent k = *extentOf(attributes.get("k"));
  SmallVector<Extent, 4> shape = extentsOf(x);
  if ((k.isStatic() && k.value() < 0) ||
      (k.isStatic() && shape[axis].isStatic() && k.value() > shape[axis].value())) // topk_c2
    return refuse(why, k.str() + " of " + shape[axis].str() + " elements are asked for");
  shape[axis] = k;
  return Types{typeOf(shape, x.getElementType()), indices(x.getContext(), shape)};
}

FailureOr<Types> NonzeroOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &) {
  return Types{indices(operands[0].getContext(), {operands[0].getRank(), Attributes{attributes}.counted()})};
}

FailureOr<Types> UniqueOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &why) {
  RankedTensorType x = operands[0];
  Attributes given{attributes};
  int64_t axis = given.integer("axis");
  if (!hasAxis(x, axis, why)) // unique_c1
    return failure();
  SmallVector<Extent, 4> shape = extentsOf(x);
  RankedTensorType list = indices(x.getContext(), given.counted()), which = indices(x.getContext(), shape[axis]);
  shape[axis] = given.counted();
  return Types{typeOf(shape, x.getElementType()), list, which, list};
}

FailureOr<Types> NmsOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &why) {
  RankedTensorType boxes = operands[0], scores = operands[1];
  SmallVector<Extent, 4> boxShape = extentsOf(boxes), scoreShape = extentsOf(scores);
  if (boxShape.size() != 3 || differ(boxShape[2], 4)) // nms_c1
    return refuse(why, "boxes are " + describe(boxes) + ", expected batch x boxes x 4");
  if (scoreShape.size() != 3 || differ(scoreShape[0], boxShape[0]) || differ(scoreShape[2], boxShape[1])) // nms_c2
    return refuse(why, "scores are " + describe(scores) + ", expected batch x classes x boxes");
  return Types{indices(boxes.getContext(), {Attributes{attributes}.counted(), 3})};
}

FailureOr<Types> DetOp::inferTypes(Operands operands, DictionaryAttr, std::string &why) {
  RankedTensorType x = operands[0];
  SmallVector<Extent, 4> shape = extentsOf(x);
  if (shape.size() < 2 || differ(shape.back(), shape[shape.size() - 2])) // det_c1
    return refuse(why, describe(x) + " does not end in square matrices");
  return Types{typeOf(ArrayRef(shape).drop_back(2), x.getElementType())};
}

/// Regions of images as `height` x `width` bins.
static FailureOr<Types> regions(Operands operands, Attributes attributes, int64_t numbers, std::string &why) {
  RankedTensorType x = operands[0], rois = operands[1];
  int64_t height = attributes.integer("height"), width = attributes.integer("width");
  if (x.getRank() != 4) // roi_align_c1, max_roi_pool_c1
    return refuse(why, "images are " + describe(x) + ", expected batch x channels x height x width");
  SmallVector<Extent, 4> images = extentsOf(x), boxes = extentsOf(rois);
  if (boxes.size() != 2 || differ(boxes[1], numbers)) // roi_align_c2, max_roi_pool_c2
    return refuse(why, "regions are " + describe(rois) + ", expected " + Twine(numbers) + " numbers each");
  if (height < 1 || width < 1) // roi_align_c3, max_roi_pool_c3
    return refuse(why, llvm::formatv("bins of {0} x {1}", height, width).str());
  return Types{typeOf({boxes[0], images[1], height, width}, x.getElementType())};
}

FailureOr<Types> RoiAlignOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &why) {
  Attributes given{attributes};
  RankedTensorType batch = operands[2];
  if (batch.getRank() != 1 || !batch.getElementType().isInteger() || operands[1].getRank() != 2 ||
      differ(extentsOf(batch)[0], extentsOf(operands[1])[0])) // roi_align_c2
    return refuse(why, "images of regions are " + describe(batch) + ", expected one integer for each region");
  if (given.integer("sampling") < 0) // roi_align_c3
    return refuse(why, "the number of samples is negative");
  if (given.text("mode") != "avg" && given.text("mode") != "max") // roi_align_c4
    return refuse(why, "mode is \"" + given.text("mode") + "\", expected avg or max");
  return regions(operands, given, 4, why);
}

FailureOr<Types> MaxRoiPoolOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &why) {
  return regions(operands, {attributes}, 5, why);
}

/// Whether the n-grams of each length fill their part of the pool; their number.
static std::optional<int64_t> countGrams(ArrayRef<int64_t> starts, int64_t pool) {
  int64_t grams = 0;
  for (auto [number, start] : llvm::enumerate(starts)) {
    int64_t end = number + 1 < starts.size() ? starts[number + 1] : pool, length = number + 1;
    if (start < 0 || start > end || end > pool || (end - start) % length != 0)
      return std::nullopt;
    grams += (end - start) / length;
  }
  return grams;
}

FailureOr<Types> NgramCountOp::inferTypes(Operands operands, DictionaryAttr attributes, std::string &why) {
  Attributes given{attributes};
  RankedTensorType x = operands[0];
  ArrayRef<int64_t> columns = given.integers("columns");
  if (x.getRank() != 2 || !x.getElementType().isInteger()) // ngram_count_c1
    return refuse(why, describe(x) + " is not of integers in two dimensions");
  std::optional<int64_t> grams = countGrams(given.integers("starts"), given.integers("pool").size());
  if (!grams || *grams != int64_t(columns.size())) // ngram_count_c2
    return refuse(why, "the pool does not divide into " + Twine(columns.size()) + " n-grams");
  if (columns.empty() || llvm::any_of(columns, [](int64_t column) { return column < 0 || column == INT64_MAX; }))
    return refuse(why, "columns are missing or negative"); // ngram_count_c3
  return Types{typeOf({extentsOf(x)[0], *llvm::max_element(columns) + 1}, Float32Type::get(x.getContext()))};
}

FailureOr<Types> RandomBitsOp::inferTypes(Operands, DictionaryAttr attributes, std::string &why) {
  SmallVector<Extent, 4> shape = *extentsOf(attributes.get("shape"));
  if (llvm::any_of(shape, [](const Extent &size) { return size.isStatic() && size.value() < 0; })) // random_bits_c1
    return refuse(why, "the shape has a negative number");
  auto element = IntegerType::get(attributes.getContext(), 32, IntegerType::Unsigned);
  return Types{typeOf(shape, element)};
}

LogicalResult kumiko::nn::detail::verifyIrregularOp(Operation *op) {
  auto irregular = cast<IrregularInterface>(op);
  SmallVector<RankedTensorType, 4> operands;
  for (Type type : op->getOperandTypes())
    operands.push_back(cast<RankedTensorType>(type));
  if (auto symbols = op->getAttrOfType<ArrayAttr>("symbols"))
    if (symbols.size() != 1 || !kumiko::isSymbolName(cast<StringAttr>(symbols[0])))
      return op->emitOpError() << "defines one symbol, whose name has neither quotes nor control characters; found "
                               << symbols;
  std::string why;
  FailureOr<Types> expected = irregular.inferTypes(operands, op->getAttrDictionary(), why);
  if (failed(expected))
    return op->emitOpError() << why;
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(op->getResultTypes(), *expected)))
    // Of an extent without a name the result may know more than the op tells; below Lower types have no names.
    if (auto [found, wanted] = pair; found != wanted && (cast<RankedTensorType>(found).getEncoding() ||
                                                         failed(verifyCompatibleShape(found, wanted)) ||
                                                         getElementTypeOrSelf(found) != getElementTypeOrSelf(wanted)))
      return op->emitOpError() << "result " << number << " is " << found << ", expected " << wanted;
  return success();
}
