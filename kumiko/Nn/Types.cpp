#include "kumiko/Nn/Types.h"
#include "kumiko/Nn/Extents.h"

using namespace mlir;

namespace kumiko::nn {

namespace {

struct IntegerRow {
  ElementType type;
  unsigned width;
  bool isUnsigned;
};

struct FloatRow {
  ElementType type;
  TypeID id;
  Type (*make)(MLIRContext *);
};

constexpr IntegerRow integerRows[] = {
    {ElementType::B1, 1, false},   {ElementType::I2, 2, false},   {ElementType::I4, 4, false},
    {ElementType::I8, 8, false},   {ElementType::I16, 16, false}, {ElementType::I32, 32, false},
    {ElementType::I64, 64, false}, {ElementType::U2, 2, true},    {ElementType::U4, 4, true},
    {ElementType::U8, 8, true},    {ElementType::U16, 16, true},  {ElementType::U32, 32, true},
    {ElementType::U64, 64, true},
};

template <typename Float> FloatRow floatRow(ElementType type) {
  return {type, TypeID::get<Float>(), [](MLIRContext *context) -> Type { return Float::get(context); }};
}

ArrayRef<FloatRow> floatRows() {
  static const FloatRow rows[] = {
      floatRow<Float16Type>(ElementType::F16),           floatRow<BFloat16Type>(ElementType::BF16),
      floatRow<Float32Type>(ElementType::F32),           floatRow<Float64Type>(ElementType::F64),
      floatRow<Float8E4M3FNType>(ElementType::F8E4M3FN), floatRow<Float8E4M3FNUZType>(ElementType::F8E4M3FNUZ),
      floatRow<Float8E5M2Type>(ElementType::F8E5M2),     floatRow<Float8E5M2FNUZType>(ElementType::F8E5M2FNUZ),
      floatRow<Float8E8M0FNUType>(ElementType::F8E8M0),  floatRow<Float6E2M3FNType>(ElementType::F6E2M3),
      floatRow<Float6E3M2FNType>(ElementType::F6E3M2),   floatRow<Float4E2M1FNType>(ElementType::F4E2M1),
  };
  return rows;
}

} // namespace

ElementType toEquation(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    // The graph's signed integers are signless, as in the rest of MLIR; `si8` is no type of ours.
    for (const IntegerRow &row : integerRows)
      if (row.width == integer.getWidth() && row.isUnsigned == integer.isUnsigned() && !integer.isSigned())
        return row.type;
    return ElementType::Invalid;
  }
  for (const FloatRow &row : floatRows())
    if (row.id == type.getTypeID())
      return row.type;
  return ElementType::Invalid;
}

Type fromEquation(MLIRContext *context, ElementType type) {
  if (type == ElementType::Index)
    type = ElementType::I64;
  for (const IntegerRow &row : integerRows)
    if (row.type == type)
      return IntegerType::get(context, row.width, row.isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  for (const FloatRow &row : floatRows())
    if (row.type == type)
      return row.make(context);
  return {};
}

eq::TensorType toEquation(RankedTensorType type) { return {toEquation(type.getElementType()), extentsOf(type)}; }

RankedTensorType fromEquation(MLIRContext *context, const eq::TensorType &type) {
  return tensorOf(type.shape, fromEquation(context, type.element));
}

std::optional<eq::Attribute> toEquation(mlir::Attribute attribute, eq::AttributeKind kind) {
  using Kind = eq::AttributeKind;
  switch (kind) {
  case Kind::Int:
    if (auto value = dyn_cast<IntegerAttr>(attribute); value && value.getType().isSignlessInteger(64))
      return value.getInt();
    if (auto value = dyn_cast<ExtentAttr>(attribute))
      return value.getExtent();
    break;
  case Kind::Ints:
    if (auto value = dyn_cast<DenseI64ArrayAttr>(attribute))
      return SmallVector<int64_t, 6>(value.asArrayRef());
    if (std::optional<SmallVector<Extent, 4>> value = extentsOf(attribute))
      return *value;
    break;
  case Kind::Float:
    if (auto value = dyn_cast<FloatAttr>(attribute); value && value.getType().isF64())
      return value.getValueAsDouble();
    break;
  case Kind::Floats:
    if (auto value = dyn_cast<DenseF64ArrayAttr>(attribute))
      return SmallVector<double, 4>(value.asArrayRef());
    break;
  case Kind::Bool:
    if (auto value = dyn_cast<BoolAttr>(attribute))
      return value.getValue();
    break;
  case Kind::Str:
  case Kind::Combine:
    if (auto value = dyn_cast<StringAttr>(attribute))
      return value.str();
    break;
  case Kind::Type:
    if (auto value = dyn_cast<TypeAttr>(attribute))
      if (ElementType type = toEquation(value.getValue()); type != ElementType::Invalid)
        return type;
    break;
  }
  return std::nullopt;
}

mlir::Attribute fromEquation(MLIRContext *context, const eq::Attribute &attribute, eq::AttributeKind kind) {
  Builder builder(context);
  if (auto *value = std::get_if<int64_t>(&attribute))
    return kind == eq::AttributeKind::Float ? mlir::Attribute(builder.getF64FloatAttr(static_cast<double>(*value)))
                                            : builder.getI64IntegerAttr(*value);
  if (auto *value = std::get_if<double>(&attribute))
    return builder.getF64FloatAttr(*value);
  if (auto *value = std::get_if<bool>(&attribute))
    return builder.getBoolAttr(*value);
  if (auto *value = std::get_if<std::string>(&attribute)) {
    if (kind != eq::AttributeKind::Type)
      return builder.getStringAttr(*value);
    std::optional<ElementType> type = elementTypeNamed(*value);
    return type ? TypeAttr::get(fromEquation(context, *type)) : TypeAttr();
  }
  if (auto *value = std::get_if<ElementType>(&attribute))
    return TypeAttr::get(fromEquation(context, *value));
  if (auto *value = std::get_if<SmallVector<int64_t, 6>>(&attribute))
    return builder.getDenseI64ArrayAttr(*value);
  if (auto *value = std::get_if<Extent>(&attribute))
    return numberAttr(context, *value);
  if (auto *value = std::get_if<SmallVector<Extent, 4>>(&attribute))
    return numbersAttr(context, *value);
  return builder.getDenseF64ArrayAttr(std::get<SmallVector<double, 4>>(attribute));
}

} // namespace kumiko::nn
