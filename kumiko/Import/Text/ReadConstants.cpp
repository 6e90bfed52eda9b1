//===- ReadConstants.cpp - elements in the text and in the file beside it -----------------===//
#include "kumiko/Import/Build/Constants.h"
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Import/Build/Limits.h"
#include "kumiko/Import/Build/Number.h"
#include "kumiko/Import/Text/Reader.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

Value Reader::readWeight() {
  source.eat("(");
  size_t begin = source.position();
  auto name = source.string();
  if (!name || !source.need(")"))
    return {};
  auto weight = weights.find(*name);
  if (weight == weights.end()) {
    source.fail(begin, source.position(), Code::UndefinedName, "there is no weight \"" + printable(*name) + "\"");
    return {};
  }
  Tensor tensor = weight->second.alias();
  if (source.eat(":")) {
    size_t at = source.position();
    auto word = source.name("a type");
    std::optional<ElementType> element = word ? elementTypeNamed(word->base) : std::nullopt;
    bool fits = element && *element != ElementType::Index && bytesOf(*element) == bytesOf(tensor.element());
    for (int64_t i = 0; fits && i < tensor.count() && bytesOf(*element) == 1; ++i)
      fits = isCode(*element, tensor.at<uint8_t>(i));
    if (!fits) {
      source.fail(at, source.position(), Code::OperandType,
                  "the weight is " + describe(tensor.element(), tensor.shape()) + ", whose bytes are no such elements");
      return {};
    }
    tensor = cantFail(Tensor::reinterpret(std::move(tensor), *element, SmallVector<int64_t>(tensor.shape())));
  }
  return constant(std::move(tensor), *name);
}

Value Reader::constant(Tensor tensor, StringRef key) {
  size_t at = source.position();
  if (std::string why = refusalOf(tensor.element(), tensor.shape(), options.tensorLimit); !why.empty()) {
    source.fail(at, at + 1, Code::TooLarge, why);
    return {};
  }
  // Used again it is the same attribute, whose elements are there once.
  ElementsAttr &elements = stored[(key + "." + nameOf(tensor.element())).str()];
  if (!elements)
    elements = constantElements(builder.getContext(), tensor.element(), tensor.shape(), toStringRef(tensor.bytes()),
                                key, source.file);
  Operation *op = nn::ConstantOp::create(builder, loc, elements);
  Results results = finishOp(op, at);
  return results.empty() ? Value() : results.front();
}

/// `f32[2](1.0, 2.0)`, `i64(7)`, `f32[100](0.0...)`.
Value Reader::readConstant(ElementType element) {
  size_t begin = source.position();
  RankedTensorType type = readType();
  if (!type || !source.need("("))
    return {};
  constexpr int64_t mostElements = 1 << 20;
  if (!type.hasStaticShape() || type.getNumElements() > mostElements) {
    source.fail(begin, source.position(), Code::TooLarge, "a constant that is written out has a known, small size");
    return {};
  }
  SmallVector<uint8_t, 0> bytes;
  int64_t count = 0;
  while (!source.failed() && !source.at(")")) {
    size_t at = source.position();
    StringRef written = source.raw();
    bool all = written.consume_back("...");
    uint8_t code[8];
    if (!parseNumber(written, element, code)) {
      source.fail(at, source.position(), Code::BadText, "this is no number of type " + nameOf(element));
      return {};
    }
    for (int64_t i = all ? type.getNumElements() : 1; i > 0 && count < type.getNumElements(); --i, ++count)
      bytes.append(code, code + bytesOf(element));
    if (!source.eat(","))
      break;
    count += count == type.getNumElements(); // one too many, whatever it is
  }
  if (source.failed() || !source.need(")"))
    return {};
  if (count != type.getNumElements()) {
    source.fail(begin, source.position(), Code::WrongDataSize,
                "there are not as many numbers as " + describe(type) + " has elements");
    return {};
  }
  StringRef raw = toStringRef(ArrayRef(bytes));
  Operation *op = nn::ConstantOp::create(builder, loc, denseElements(type, element, raw));
  Results results = finishOp(op, begin);
  return results.empty() ? Value() : results.front();
}

} // namespace kumiko::text
