//===- Applied.cpp - instances of ops that do not exist yet ----------------===//
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"

using namespace mlir;
using namespace kumiko;

NamedAttrList optimize::equationAttributes(Operation *op, const eq::OpDef &def) {
  NamedAttrList attributes;
  for (const eq::AttributeDef &attribute : def.attributes) {
    if (Attribute value = op->getAttr(attribute.name))
      attributes.append(attribute.name, value);
    else if (std::optional<eq::Attribute> value = nn::defaultOf(attribute))
      attributes.append(attribute.name, nn::fromEquation(op->getContext(), *value, attribute.kind));
  }
  if (Attribute text = op->getAttr(nn::definitionName))
    attributes.append(nn::definitionName, text);
  return attributes;
}

llvm::Expected<eq::Instance> optimize::instantiateOn(const eq::OpDef &def, ArrayRef<RankedTensorType> slots,
                                                     ArrayRef<NamedAttribute> attributes, ArrayRef<bool> wanted) {
  eq::Application application;
  SmallVector<std::optional<eq::TensorType>, 4> operands;
  for (RankedTensorType type : slots)
    operands.push_back(type ? std::optional(nn::toEquation(type)) : std::nullopt);
  application.operands = operands;
  application.resultsWanted = wanted;
  for (const eq::AttributeDef &attribute : def.attributes)
    for (NamedAttribute given : attributes)
      if (given.getName() == attribute.name)
        if (std::optional<eq::Attribute> value = nn::toEquation(given.getValue(), attribute.kind))
          application.attributes.try_emplace(attribute.name, std::move(*value));
  return eq::instantiate(def, application);
}

SmallVector<RankedTensorType, 4> optimize::slotTypes(Operation *op) {
  SmallVector<RankedTensorType, 4> types;
  for (Value value : nn::operandSlots(op))
    types.push_back(value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType());
  return types;
}

SmallVector<bool, 2> optimize::usedResults(Operation *op) {
  return llvm::map_to_vector<2>(op->getResults(), [](Value result) { return !result.use_empty(); });
}
