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
bool NodeContext::typesAgree(StringRef op, ArrayRef<Value> operands) {
  const eq::OpDef *def = nn::lookupEquation(op);
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
      ArrayRef<int64_t> a = NodeContext::shapeOf(operands[i]), b = NodeContext::shapeOf(operands[j]);
      for (auto [fromEnd, pair] : enumerate(zip(reverse(a), reverse(b))))
        if (auto [x, y] = pair; x != y && x != 1 && y != 1)
          return std::tuple(operands[i], operands[j], fromEnd);
    }
  return std::nullopt;
}

/// Whether the op would take operands of these shapes had they other element types: every type variable is tried as a
/// float and as an integer.
static bool wouldTakeOtherTypes(MLIRContext *context, const eq::OpDef &def, ArrayRef<Value> operands,
                                ArrayRef<NamedAttribute> attributes) {
  size_t variables = def.typeVariables.size();
  if (def.variadicOperand() || variables > 4)
    return false;
  for (unsigned choice = 0; choice < 1u << variables; ++choice) {
    SmallVector<mlir::Type, 4> types;
    for (auto [operand, value] : zip(def.operands, operands)) {
      mlir::Type element = choice >> operand.type.number & 1 ? mlir::Type(IntegerType::get(context, 64))
                                                             : mlir::Type(Float32Type::get(context));
      if (operand.type.kind == eq::TypeRef::Kind::Element)
        element = nn::fromEquation(context, operand.type.element);
      types.push_back(value ? RankedTensorType::get(NodeContext::shapeOf(value), element) : mlir::Type());
    }
    types.resize(def.operands.size());
    auto result = nn::inferTypes(context, def, types, attributes);
    if (result)
      return true;
    consumeError(result.takeError());
  }
  return false;
}

void NodeContext::explain(StringRef op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes,
                          const std::string &why) {
  const eq::OpDef *def = nn::lookupEquation(op);
  SmallVector<Value, 4> present(make_filter_range(operands, [](Value value) { return bool(value); }));
  if (auto pair = def && isElementwise(*def) ? clash(present) : std::nullopt) {
    auto [a, b, fromEnd] = *pair;
    int64_t sizeA = shapeOf(a).drop_back(fromEnd).back(), sizeB = shapeOf(b).drop_back(fromEnd).back();
    fail(Code::OperandShape, "shapes do not broadcast: " + describe(a.getType()) + " and " + describe(b.getType()) +
                                 " differ in dimension -" + Twine(fromEnd + 1) + ", " + Twine(sizeA) + " and " +
                                 Twine(sizeB))
        .helped("shapes are aligned at their ends; each pair of dimensions must be equal, or one of them 1");
  } else if (def && wouldTakeOtherTypes(context(), *def, operands, attributes)) {
    std::string types;
    for (Value value : present)
      types += (types.empty() ? "" : ", ") + nameOf(nn::toEquation(elementOf(value))).str();
    fail(Code::OperandType, "cannot be applied to " + types).helped("put a Cast in front: " + why);
  } else {
    fail(Code::OperandShape, why);
  }
}

} // namespace kumiko::onnx
