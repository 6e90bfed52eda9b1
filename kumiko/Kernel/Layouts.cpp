#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Kernel/Pieces.h"
#include "kumiko/Nn/Extents.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kumiko;

namespace {
struct PairsField {
  StringRef name;
  SmallVector<int64_t> Layouts::*member;
};
} // namespace

static const PairsField pairsFields[] = {
    {"may_overwrite", &Layouts::mayOverwrite},
    {"in_place", &Layouts::inPlace},
    {"placed", &Layouts::placed},
};
constexpr llvm::StringLiteral apartName = "apart";

DictionaryAttr Layouts::toAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  for (const PairsField &field : pairsFields)
    if (!(this->*field.member).empty())
      entries.push_back(b.getNamedAttr(field.name, b.getDenseI64ArrayAttr(this->*field.member)));
  SmallVector<Attribute> buffers;
  for (const auto &[buffer, strides] : apart) {
    Extents numbers{buffer};
    llvm::append_range(numbers, strides);
    buffers.push_back(nn::numbersAttr(context, numbers));
  }
  if (!buffers.empty())
    entries.push_back(b.getNamedAttr(apartName, b.getArrayAttr(buffers)));
  return b.getDictionaryAttr(entries);
}

/// [number, stride, stride, ...] each; false where it is something else.
static bool readApart(Attribute attribute, Layouts &layouts) {
  auto buffers = dyn_cast<ArrayAttr>(attribute);
  if (!buffers)
    return false;
  for (Attribute buffer : buffers) {
    std::optional<SmallVector<Extent, 4>> numbers = nn::extentsOf(buffer);
    if (!numbers || numbers->empty() || !numbers->front().isStatic() || numbers->front().value() < 0)
      return false;
    layouts.apart.push_back({numbers->front().value(), Extents(ArrayRef(*numbers).drop_front())});
  }
  return true;
}

FailureOr<Layouts> Layouts::fromAttribute(DictionaryAttr attribute) {
  Layouts layouts;
  for (NamedAttribute entry : attribute) {
    if (entry.getName() == apartName) {
      if (!readApart(entry.getValue(), layouts))
        return failure();
      continue;
    }
    const PairsField *field =
        llvm::find_if(pairsFields, [&](const PairsField &each) { return entry.getName() == each.name; });
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    if (field == std::end(pairsFields) || !numbers || numbers.size() % 2 != 0 ||
        llvm::any_of(numbers.asArrayRef(), [](int64_t number) { return number < 0; }))
      return failure();
    layouts.*field->member = llvm::to_vector(numbers.asArrayRef());
  }
  return layouts;
}

FailureOr<Layouts> Layouts::of(Operation *kernel) {
  Attribute attribute = kernel->getAttr(layoutsAttrName);
  if (!attribute)
    return Layouts();
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  FailureOr<Layouts> layouts = dictionary ? fromAttribute(dictionary) : FailureOr<Layouts>(failure());
  if (failed(layouts))
    return kernel->emitError("has no usable layouts");
  return layouts;
}

void Layouts::setOn(Operation *kernel) const {
  if (DictionaryAttr attribute = toAttribute(kernel->getContext()); !attribute.empty())
    kernel->setAttr(layoutsAttrName, attribute);
  else
    kernel->removeAttr(layoutsAttrName);
}

const Extents *Layouts::apartOf(int64_t buffer) const {
  auto found = llvm::find_if(apart, [&](const auto &each) { return each.first == buffer; });
  return found == apart.end() ? nullptr : &found->second;
}

Extents Layouts::stridesOf(int64_t buffer, ArrayRef<Extent> shape) const {
  const Extents *strides = apartOf(buffer);
  return strides ? *strides : rowMajorStrides(shape);
}

bool Layouts::isPlaced(int64_t argument, int64_t result) const {
  for (ArrayRef<int64_t> left = placed; left.size() >= 2; left = left.drop_front(2))
    if (left[0] == argument && left[1] == result)
      return true;
  return false;
}
