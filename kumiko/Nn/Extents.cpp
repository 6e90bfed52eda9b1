//===- Extents.cpp - expressions over symbols, in types and attributes -----===//
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/ExtentStorage.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::nn;

MLIR_DEFINE_EXPLICIT_TYPE_ID(kumiko::nn::ExtentAttr)
MLIR_DEFINE_EXPLICIT_TYPE_ID(kumiko::nn::ExtentsAttr)

ExtentAttr ExtentAttr::get(MLIRContext *context, const Extent &extent) {
  assert(!extent.isStatic() && !extent.overflowed() && "a number is an integer attribute");
  return Base::get(context, extent);
}
const Extent &ExtentAttr::getExtent() const { return getImpl()->extent; }

ExtentsAttr ExtentsAttr::get(MLIRContext *context, ArrayRef<Extent> extents) { return Base::get(context, extents); }
ArrayRef<Extent> ExtentsAttr::getExtents() const { return getImpl()->extents; }

LogicalResult ExtentsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                          function_ref<InFlightDiagnostic()> emitError) const {
  ArrayRef<Extent> extents = getExtents();
  if (extents.size() != shape.size())
    return emitError() << "encoding has " << extents.size() << " extents, the tensor has " << shape.size();
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(extents, shape))) {
    auto [extent, size] = pair;
    if (ShapedType::isDynamic(size) ? extent.isStatic() : !extent.is(size))
      return emitError() << "dimension " << number << " is " << (ShapedType::isDynamic(size) ? "?" : Twine(size))
                         << " in the tensor and " << extent.str() << " in the encoding";
  }
  if (llvm::none_of(shape, ShapedType::isDynamic))
    return emitError() << "an encoding is for tensors with an extent that is no number";
  return success();
}

bool nn::isNumber(Attribute attribute) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  return isa_and_present<ExtentAttr>(attribute) || (integer && integer.getType().isSignlessInteger(64));
}

bool nn::isNumbers(Attribute attribute) {
  if (isa_and_present<DenseI64ArrayAttr>(attribute))
    return true;
  auto list = dyn_cast_if_present<ArrayAttr>(attribute);
  return list && llvm::all_of(list, isNumber) && llvm::any_of(list, llvm::IsaPred<ExtentAttr>);
}

std::optional<Extent> nn::extentOf(Attribute attribute) {
  if (!isNumber(attribute))
    return std::nullopt;
  if (auto symbolic = dyn_cast<ExtentAttr>(attribute))
    return symbolic.getExtent();
  return Extent(cast<IntegerAttr>(attribute).getInt());
}

std::optional<SmallVector<Extent, 4>> nn::extentsOf(Attribute attribute) {
  if (!isNumbers(attribute))
    return std::nullopt;
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return SmallVector<Extent, 4>(numbers.asArrayRef());
  return llvm::map_to_vector<4>(cast<ArrayAttr>(attribute), [](Attribute each) { return *extentOf(each); });
}

Attribute nn::numberAttr(MLIRContext *context, const Extent &extent) {
  if (extent.isStatic())
    return Builder(context).getI64IntegerAttr(extent.value());
  return ExtentAttr::get(context, extent);
}

Attribute nn::numbersAttr(MLIRContext *context, ArrayRef<Extent> extents) {
  if (llvm::all_of(extents, [](const Extent &extent) { return extent.isStatic(); }))
    return DenseI64ArrayAttr::get(context,
                                  llvm::map_to_vector(extents, [](const Extent &extent) { return extent.value(); }));
  return ArrayAttr::get(
      context, llvm::map_to_vector(extents, [&](const Extent &extent) { return numberAttr(context, extent); }));
}

SmallVector<Extent, 4> nn::extentsOf(RankedTensorType type) {
  if (auto encoding = dyn_cast_if_present<ExtentsAttr>(type.getEncoding()))
    return SmallVector<Extent, 4>(encoding.getExtents());
  return llvm::map_to_vector<4>(
      type.getShape(), [](int64_t size) { return ShapedType::isDynamic(size) ? Extent::overflow() : Extent(size); });
}

RankedTensorType nn::tensorOf(ArrayRef<Extent> extents, Type elementType) {
  SmallVector<int64_t> shape;
  bool isStatic = true;
  for (const Extent &extent : extents) {
    isStatic = isStatic && extent.isStatic();
    shape.push_back(extent.isStatic() ? extent.value() : ShapedType::kDynamic);
  }
  return RankedTensorType::get(shape, elementType,
                               isStatic ? Attribute() : ExtentsAttr::get(elementType.getContext(), extents));
}

DimensionGroups nn::commonGroups(ArrayRef<Extent> from, ArrayRef<Extent> to) {
  DimensionGroups groups;
  size_t startFrom = 0, startTo = 0;
  auto close = [&](size_t endFrom, size_t endTo) {
    groups.from.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(startFrom, endFrom)));
    groups.to.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(startTo, endTo)));
    startFrom = endFrom;
    startTo = endTo;
  };
  for (size_t endFrom = 1; endFrom <= from.size(); ++endFrom) {
    Extent elements = product(from.slice(startFrom, endFrom - startFrom));
    for (size_t endTo = startTo + 1; endTo <= to.size(); ++endTo)
      if (product(to.slice(startTo, endTo - startTo)) == elements) {
        close(endFrom, endTo);
        break;
      }
  }
  if (startFrom < from.size() && startTo < to.size()) {
    close(from.size(), to.size());
  } else if (!groups.from.empty()) { // what is left has extent 1 and belongs to the last group
    llvm::append_range(groups.from.back(), llvm::seq<int64_t>(startFrom, from.size()));
    llvm::append_range(groups.to.back(), llvm::seq<int64_t>(startTo, to.size()));
  }
  return groups;
}

/// One element of a list: a number, or text.
static ParseResult parseEntry(AsmParser &parser, Extent &extent, bool takesNumber) {
  int64_t number;
  if (takesNumber) {
    OptionalParseResult result = parser.parseOptionalInteger(number);
    if (result.has_value()) {
      extent = number;
      return *result;
    }
  }
  SMLoc start = parser.getCurrentLocation();
  std::string text;
  if (parser.parseString(&text))
    return failure();
  llvm::Expected<Extent> parsed = parseExtent(text);
  if (!parsed)
    return parser.emitError(start) << llvm::toString(parsed.takeError());
  if (parsed->isStatic())
    return parser.emitError(start) << "'" << text << "' is a number and is written without quotes";
  extent = *parsed;
  return success();
}

Attribute nn::parseExtents(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  StringRef keyword;
  SmallVector<Extent, 4> extents;
  if (parser.parseKeyword(&keyword))
    return {};
  bool isList = keyword == "extents";
  if (!isList && keyword != "extent") {
    parser.emitError(start) << "nn has no attribute '" << keyword << "'";
    return {};
  }
  if (parser.parseLess())
    return {};
  do {
    if (parseEntry(parser, extents.emplace_back(), isList))
      return {};
  } while (isList && succeeded(parser.parseOptionalComma()));
  if (parser.parseGreater())
    return {};
  return isList ? Attribute(ExtentsAttr::get(parser.getContext(), extents))
                : ExtentAttr::get(parser.getContext(), extents.front());
}

void nn::printExtents(Attribute attribute, AsmPrinter &printer) {
  auto print = [&](const Extent &extent) {
    if (extent.isStatic())
      printer << extent.value();
    else
      printer.printString(extent.str());
  };
  if (auto single = dyn_cast<ExtentAttr>(attribute)) {
    printer << "extent<";
    print(single.getExtent());
  } else {
    printer << "extents<";
    llvm::interleaveComma(cast<ExtentsAttr>(attribute).getExtents(), printer, print);
  }
  printer << ">";
}
