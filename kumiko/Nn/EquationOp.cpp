#include "kumiko/Nn/EquationOp.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"

using namespace mlir;

namespace kumiko::nn::detail {

LogicalResult verifyEquationOp(Operation *op) {
  llvm::Expected<eq::Instance> instance = instantiate(op);
  if (!instance)
    return op->emitOpError() << llvm::toString(instance.takeError());
  for (const eq::Tensor &tensor : instance->tensors) {
    if (tensor.role != eq::Tensor::Role::Result)
      continue;
    Type inferred = fromEquation(op->getContext(), tensor.type);
    Type found = op->getResult(tensor.number).getType();
    if (inferred != found)
      return op->emitOpError() << "result '" << tensor.name << "' is " << found << ", expected " << inferred;
  }
  return success();
}

/// One operand as written: a name, or `_` for an absent one.
static ParseResult parseSlots(OpAsmParser &parser,
                              SmallVectorImpl<std::optional<OpAsmParser::UnresolvedOperand>> &slots) {
  auto parseSlot = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("_"))) {
      slots.push_back(std::nullopt);
      return success();
    }
    return parser.parseOperand(slots.emplace_back(OpAsmParser::UnresolvedOperand()).value());
  };
  // An op without operands starts with its attributes or types.
  if (succeeded(parser.parseOptionalKeyword("_")))
    slots.push_back(std::nullopt);
  else if (OptionalParseResult first = parser.parseOptionalOperand(slots.emplace_back().emplace()); !first.has_value())
    return slots.clear(), success();
  else if (failed(*first))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (failed(parseSlot()))
      return failure();
  return success();
}

/// How many values each operand of the definition has, from which slots are present. On failure says why.
static FailureOr<SmallVector<int32_t>> segmentSizes(const eq::OpDef &def, ArrayRef<bool> present,
                                                    function_ref<InFlightDiagnostic()> emitError) {
  size_t count = def.operands.size();
  bool isVariadic = def.variadicOperand().has_value();
  if (isVariadic ? present.size() + 1 < count : present.size() > count) {
    emitError() << present.size() << " operands given, " << def.name << " takes " << (isVariadic ? "at least " : "")
                << (isVariadic ? count - 1 : count);
    return failure();
  }
  SmallVector<int32_t> sizes;
  ArrayRef<bool> rest = present;
  for (const eq::TensorDef &operand : def.operands) {
    size_t width = operand.variadic ? present.size() + 1 - count : 1;
    ArrayRef<bool> slots = rest.take_front(width);
    rest = rest.drop_front(slots.size());
    int32_t given = llvm::count(slots, true);
    if (given != static_cast<int32_t>(width) && !operand.optional) {
      emitError() << "operand '" << operand.name << "' of " << def.name << " is missing";
      return failure();
    }
    sizes.push_back(given);
  }
  return sizes;
}

ParseResult parseEquationOp(OpAsmParser &parser, OperationState &result) {
  SMLoc start = parser.getCurrentLocation(), typeStart;
  auto emitError = [&] { return parser.emitError(start); };
  SmallVector<std::optional<OpAsmParser::UnresolvedOperand>> slots;
  Type type;
  if (parseSlots(parser, slots) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&typeStart) || parser.parseType(type) ||
      failed(result.name.verifyInherentAttrs(result.attributes, emitError)))
    return failure();
  const eq::OpDef *known = lookupEquation(result.name.getStringRef(), result.attributes);
  if (!known)
    return emitError() << "needs " << definitionName << ", the text of one op";
  const eq::OpDef &def = *known;

  SmallVector<bool> present;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  for (auto &slot : slots) {
    present.push_back(slot.has_value());
    if (slot)
      operands.push_back(*slot);
  }
  FailureOr<SmallVector<int32_t>> sizes = segmentSizes(def, present, emitError);
  if (failed(sizes))
    return failure();
  if (needsSegments(def))
    result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(*sizes));

  if (auto function = dyn_cast<FunctionType>(type)) {
    result.addTypes(function.getResults());
    return parser.resolveOperands(operands, function.getInputs(), typeStart, result.operands);
  }
  result.addTypes(SmallVector<Type>(def.results.size(), type));
  return parser.resolveOperands(operands, type, result.operands);
}

/// True for an attribute that has its default: the reader knows it from the definition.
static bool hasDefault(const eq::OpDef &def, NamedAttribute attribute) {
  const eq::AttributeDef *found =
      llvm::find_if(def.attributes, [&](auto &each) { return each.name == attribute.getName().strref(); });
  if (found == def.attributes.end())
    return false;
  std::optional<eq::Attribute> value = defaultOf(*found);
  return value && fromEquation(attribute.getValue().getContext(), *value, found->kind) == attribute.getValue();
}

void printEquationOp(Operation *op, OpAsmPrinter &printer) {
  const eq::OpDef *known = definitionOf(op);
  if (!known)
    return printer.printGenericOp(op, /*printOpName=*/false);
  const eq::OpDef &def = *known;
  SmallVector<Value, 4> slots = operandSlots(op);
  // With a variadic operand the number of slots says how many values it has, so all must be written.
  while (!def.variadicOperand() && !slots.empty() && !slots.back())
    slots.pop_back();
  if (!slots.empty())
    printer << ' ';
  llvm::interleaveComma(slots, printer, [&](Value value) {
    if (value)
      printer << value;
    else
      printer << '_';
  });

  SmallVector<StringRef> hidden{"operandSegmentSizes"};
  for (NamedAttribute attribute : op->getAttrs())
    if (hasDefault(def, attribute))
      hidden.push_back(attribute.getName().strref());
  printer.printOptionalAttrDict(op->getAttrs(), hidden);

  printer << " : ";
  Type type = op->getNumResults() ? op->getResult(0).getType() : Type();
  auto isSame = [&](Type each) { return each == type; };
  if (type && llvm::all_of(op->getOperandTypes(), isSame) && llvm::all_of(op->getResultTypes(), isSame))
    printer << type;
  else
    printer.printFunctionalType(op);
}

} // namespace kumiko::nn::detail
