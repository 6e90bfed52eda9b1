//===- Bind.cpp - what is given meets what is declared ---------------------===//
#include "kumiko/Equation/Instantiate/OpContext.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {

bool OpContext::bind() {
  tensors.resize(op.tensors.size());
  typeVariables.assign(op.typeVariables.size(), ElementType::Invalid);
  if (!bindAttributes() || !bindOperands())
    return false;
  addResults();
  return !failed();
}

bool OpContext::bindOperands() {
  auto variadic = op.variadicOperand();
  size_t given = application.operands.size(), fixed = op.operands.size() - (variadic ? 1 : 0);
  size_t list = variadic ? application.variadicCount.value_or(given > fixed ? given - fixed : 0) : 0;
  if (given > fixed + list) {
    fail("takes " + llvm::Twine(fixed + list) + " operands, " + llvm::Twine(given) + " are given");
    return false;
  }
  unsigned position = 0;
  for (unsigned operand = 0; operand < op.operands.size(); ++operand) {
    unsigned count = op.operands[operand].variadic ? list : 1;
    if (!bindOperand(operand, position, count))
      return false;
    position += count;
  }
  return true;
}

/// Operand number `operand` is application.operands[given, given + count).
bool OpContext::bindOperand(unsigned operand, unsigned given, unsigned count) {
  const TensorDef &definition = op.operands[operand];
  TensorState &state = tensors[operand];
  state = {true, static_cast<unsigned>(instance.tensors.size()), count};
  for (unsigned nth = 0; nth < count; ++nth) {
    Tensor tensor;
    tensor.name = definition.variadic ? definition.name.str() + std::to_string(nth) : definition.name.str();
    tensor.role = Tensor::Role::Operand;
    tensor.number = given + nth;
    tensor.present = given + nth < application.operands.size() && application.operands[given + nth].has_value();
    if (tensor.present) {
      tensor.type = *application.operands[given + nth];
      if (!bindType(operand, tensor.type))
        return false;
    } else if (!definition.optional) {
      fail("operand " + definition.name + " is missing");
      return false;
    }
    instance.tensors.push_back(std::move(tensor));
  }
  return true;
}

bool OpContext::bindType(unsigned operand, const TensorType &type) {
  const TensorDef &definition = op.operands[operand];
  for (const Extent &extent : type.shape) {
    if (extent.overflowed() || (extent.isStatic() && extent.value() < 0)) {
      fail("operand " + definition.name + " has a dimension of " + extent.str());
      return false;
    }
  }
  if (type.element == ElementType::Invalid || type.element == ElementType::Index) {
    fail("operand " + definition.name + " has no element type");
    return false;
  }
  ElementType wanted = resolve(definition.type);
  if (definition.type.kind == TypeRef::Kind::Variable && wanted == ElementType::Invalid)
    typeVariables[definition.type.number] = wanted = type.element;
  if (wanted == type.element)
    return true;
  fail("operand " + definition.name + " is " + nameOf(type.element) + " but " +
       (definition.type.kind == TypeRef::Kind::Element ? llvm::Twine("must be ") : definition.type.name + " is ") +
       nameOf(wanted));
  return false;
}

void OpContext::addResults() {
  for (unsigned tensor = op.operands.size(); tensor < op.operands.size() + op.results.size(); ++tensor) {
    const TensorDef &definition = op.results[op.tensors[tensor].number];
    Tensor result;
    result.name = definition.name.str();
    result.role = Tensor::Role::Result;
    result.number = op.tensors[tensor].number;
    result.present = resultsWanted.empty() || (result.number < resultsWanted.size() && resultsWanted[result.number]);
    result.type.element = resolve(definition.type);
    if (result.type.element == ElementType::Invalid && result.present)
      fail("the type " + definition.type.name + " of result " + definition.name + " is not known");
    tensors[tensor].first = instance.tensors.size();
    instance.tensors.push_back(std::move(result));
  }
}

bool OpContext::bindAttributes() {
  attributes.resize(op.attributes.size());
  size_t used = 0;
  for (auto [definition, constant] : llvm::zip_equal(op.attributes, attributes)) {
    auto given = application.attributes.find(definition.name);
    if (given != application.attributes.end()) {
      ++used;
      if (!bindAttribute(definition, given->second, constant))
        return false;
    } else if (definition.defaultValue) {
      bindDefault(definition, constant);
    } else {
      fail("attribute " + definition.name + " is not given");
      return false;
    }
  }
  if (used == application.attributes.size())
    return true;
  for (const auto &given : application.attributes) {
    if (llvm::none_of(op.attributes, [&](const AttributeDef &known) { return known.name == given.first(); })) {
      fail("there is no attribute " + given.first());
      return false;
    }
  }
  return true;
}

static bool isCombination(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word).Cases({"+", "*", "max", "min", "and", "or", "set"}, true).Default(false);
}

bool OpContext::bindAttribute(const AttributeDef &attribute, const Attribute &value, Constant &constant) {
  const auto *integer = std::get_if<int64_t>(&value);
  const auto *real = std::get_if<double>(&value);
  const auto *string = std::get_if<std::string>(&value);
  switch (attribute.kind) {
  case AttributeKind::Int:
    if (integer)
      constant = Constant::of(*integer);
    else if (const auto *extent = std::get_if<Extent>(&value))
      constant = Constant::of(*extent);
    break;
  case AttributeKind::Float:
    if (real || integer)
      constant = Constant::ofReal(real ? *real : static_cast<double>(*integer));
    break;
  case AttributeKind::Bool:
    if (const auto *boolean = std::get_if<bool>(&value))
      constant = Constant::ofBool(*boolean);
    break;
  case AttributeKind::Str:
  case AttributeKind::Combine:
    if (string && (attribute.kind == AttributeKind::Str || isCombination(*string))) {
      constant.kind = Constant::Kind::Str;
      constant.string = *string;
    }
    break;
  case AttributeKind::Type:
    if (const auto *type = std::get_if<ElementType>(&value))
      constant.type = *type;
    else if (string)
      constant.type = elementTypeNamed(*string).value_or(ElementType::Invalid);
    if (constant.type != ElementType::Invalid && constant.type != ElementType::Index)
      constant.kind = Constant::Kind::Type;
    break;
  case AttributeKind::Ints:
    if (const auto *list = std::get_if<llvm::SmallVector<int64_t, 6>>(&value)) {
      constant.kind = Constant::Kind::Ints;
      constant.ints.append(list->begin(), list->end());
    } else if (const auto *extents = std::get_if<llvm::SmallVector<Extent, 4>>(&value)) {
      constant = Constant::ofList(*extents);
    }
    break;
  case AttributeKind::Floats:
    if (const auto *list = std::get_if<llvm::SmallVector<double, 4>>(&value)) {
      constant.kind = Constant::Kind::Reals;
      constant.reals.append(list->begin(), list->end());
    }
    break;
  }
  if (constant)
    return true;
  fail("attribute " + attribute.name + " is not a value of type " + nameOf(attribute.kind) +
       (attribute.kind == AttributeKind::Combine ? " (one of + * max min and or set)" : ""));
  return false;
}

void OpContext::bindDefault(const AttributeDef &attribute, Constant &constant) {
  const Node &value = *attribute.defaultValue;
  switch (attribute.kind) {
  case AttributeKind::Float:
    constant = Constant::ofReal(value.kind == Node::Kind::Real ? value.real : static_cast<double>(value.integer));
    break;
  case AttributeKind::Bool:
    constant = Constant::ofBool(value.integer != 0);
    break;
  case AttributeKind::Str:
  case AttributeKind::Combine:
    constant.kind = Constant::Kind::Str;
    constant.string = value.text;
    break;
  case AttributeKind::Type:
    constant.kind = Constant::Kind::Type;
    constant.type = resolveType(value);
    break;
  default:
    constant = Constant::of(value.integer);
    break;
  }
}

} // namespace kumiko::eq
