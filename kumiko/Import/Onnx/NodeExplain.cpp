//===- NodeExplain.cpp - why an nn op could not be made, in words of ONNX ------===//
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// Operands whose types share a variable must agree; said here in the words of ONNX, before the equation says it in
/// its.
bool NodeContext::typesAgree(const eq::OpDef *def, ArrayRef<Value> operands) {
  if (!def || def->variadicOperand())
    return true; // one type for all of a variadic operand: the equation's own message is as good
  SmallVector<Value, 4> first(def->typeVariables.size());
  for (auto [operand, value] : zip(def->operands, operands)) {
    if (!value || operand.type.kind != eq::TypeRef::Kind::Variable)
      continue;
    Value &earlier = first[operand.type.number];
    if (earlier && elementOf(earlier) != elementOf(value)) {
      fail(Code::OperandType, "element types differ: " + nameOf(nn::toEquation(elementOf(earlier))) + " and " +
                                  nameOf(nn::toEquation(elementOf(value))))
          .helped("put a Cast in front of one of them; ONNX never converts by itself");
      return false;
    }
    earlier = earlier ? earlier : value;
  }
  return true;
}

/// An op on single elements: one statement over one pack, without attributes. Its operands broadcast.
static bool isElementwise(const eq::OpDef &def) {
  if (def.statements.size() != 1 || !def.attributes.empty())
    return false;
  const eq::StatementDef &statement = def.statements.front();
  ArrayRef<eq::Item> items = statement.targets.front().items;
  return statement.assign == eq::AssignKind::Set && items.size() == 1 && items.front().pack;
}

/// The first two operands that do not broadcast, and the dimension, counted from the end, in which they differ.
static std::optional<std::tuple<Value, Value, size_t>> clash(ArrayRef<Value> operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = i + 1; j < operands.size(); ++j) {
      Sizes a = NodeContext::sizesOf(operands[i]), b = NodeContext::sizesOf(operands[j]);
      for (auto [fromEnd, pair] : enumerate(zip(reverse(a), reverse(b))))
        if (auto [x, y] = pair; x.isStatic() && y.isStatic() && x != y && !x.is(1) && !y.is(1))
          return std::tuple(operands[i], operands[j], fromEnd);
    }
  return std::nullopt;
}

/// The element types that would make the op applicable, were all operands of type variable `variable` of that type.
static SmallVector<ElementType> typesThatFit(MLIRContext *context, const eq::OpDef &def, size_t variable,
                                             ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  SmallVector<ElementType> fitting;
  for (auto number = uint8_t(ElementType::B1); number < uint8_t(ElementType::Index); ++number) {
    mlir::Type wanted = nn::fromEquation(context, ElementType(number));
    SmallVector<mlir::Type, 4> types;
    for (auto [operand, value] : zip(def.operands, operands)) {
      bool changes = operand.type.kind == eq::TypeRef::Kind::Variable && size_t(operand.type.number) == variable;
      if (!value)
        types.push_back({});
      else
        types.push_back(nn::tensorOf(NodeContext::sizesOf(value), changes ? wanted : NodeContext::elementOf(value)));
    }
    types.resize(def.operands.size());
    if (auto result = nn::inferTypes(context, def, types, attributes))
      fitting.push_back(ElementType(number));
    else
      consumeError(result.takeError());
  }
  return fitting;
}

/// `b1 or an integer type`: families by name, lone types as they are.
static std::string summarize(ArrayRef<ElementType> types) {
  std::string text;
  auto family = [&](auto belongs, StringRef name) {
    SmallVector<ElementType> members(make_filter_range(types, belongs));
    if (members.size() > 2)
      text += (text.empty() ? "" : " or ") + name.str();
    else
      for (ElementType type : members)
        text += (text.empty() ? "" : " or ") + nameOf(type).str();
  };
  family([](ElementType type) { return type == ElementType::B1; }, "");
  family(isInteger, "an integer type");
  family(isFloat, "a float type");
  return text;
}

/// Says which inputs have a type that the op does not take, and what it takes; false when types are not the reason.
bool NodeContext::explainTypes(const eq::OpDef &def, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  auto complain = [&](auto isMeant, ArrayRef<ElementType> wanted) {
    std::string which;
    ElementType found = ElementType::Invalid;
    for (auto [operand, value] : zip(def.operands, operands)) {
      if (!value || !isMeant(operand))
        continue;
      found = nn::toEquation(elementOf(value));
      auto place = llvm::find(values, value);
      std::string shown =
          place == values.end() ? "a value inside it" : "input " + std::to_string(place - values.begin());
      which += (which.empty() ? "" : ", ") + shown;
    }
    fail(Code::OperandType, which + (StringRef(which).contains(", ") ? " are " : " is ") + nameOf(found) +
                                ", expected " + summarize(wanted))
        .helped("put a Cast in front; ONNX never converts by itself");
    return true;
  };
  if (def.variadicOperand())
    return false;
  for (auto [operand, value] : zip(def.operands, operands))
    if (value && operand.type.kind == eq::TypeRef::Kind::Element &&
        operand.type.element != nn::toEquation(elementOf(value)))
      return complain([&, name = operand.name](const eq::TensorDef &other) { return other.name == name; },
                      operand.type.element);
  for (size_t variable = 0; variable < def.typeVariables.size(); ++variable)
    if (auto fitting = typesThatFit(context(), def, variable, operands, attributes); !fitting.empty())
      return complain(
          [&](const eq::TensorDef &operand) {
            return operand.type.kind == eq::TypeRef::Kind::Variable && size_t(operand.type.number) == variable;
          },
          fitting);
  return false;
}

void NodeContext::explain(StringRef op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes,
                          const std::string &why) {
  const eq::OpDef *def = nn::lookupEquation(op, attributes);
  SmallVector<Value, 4> present(make_filter_range(operands, [](Value value) { return bool(value); }));
  if (auto pair = def && isElementwise(*def) ? clash(present) : std::nullopt) {
    auto [a, b, fromEnd] = *pair;
    Extent sizeA = *(sizesOf(a).rbegin() + fromEnd), sizeB = *(sizesOf(b).rbegin() + fromEnd);
    fail(Code::OperandShape, "shapes do not broadcast: " + describe(a.getType()) + " and " + describe(b.getType()) +
                                 " differ in dimension -" + Twine(fromEnd + 1) + ", " + sizeA.str() + " and " +
                                 sizeB.str())
        .helped("shapes are aligned at their ends; each pair of dimensions must be equal, or one of them 1");
  } else if (!def || !explainTypes(*def, operands, attributes)) {
    // The equation says what does not fit; how it is written is no concern of a user. What cannot be shown for
    // expressions may be right for the numbers they stand for.
    bool isSymbolic = any_of(present, [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && !type.hasStaticShape();
    });
    fail(isSymbolic ? Code::UnsupportedForm : Code::OperandShape, StringRef(why).split(", in `").first);
  }
}

} // namespace kumiko::onnx
