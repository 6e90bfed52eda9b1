#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/EquationOp.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;

namespace kumiko::nn {

/// Fills `state` with operands, attributes and inferred types.
static llvm::Error prepare(OpBuilder &builder, OperationState &state, const eq::OpDef &def, ArrayRef<Value> given,
                           ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value, 4> slots(given);
  if (!def.variadicOperand() && slots.size() < def.operands.size())
    slots.resize(def.operands.size());
  SmallVector<Type, 4> types;
  for (Value value : slots)
    types.push_back(value ? value.getType() : Type());
  llvm::Expected<SmallVector<Type, 2>> results = inferTypes(builder.getContext(), def, types, attributes);
  if (!results)
    return results.takeError();

  for (Value value : slots)
    if (value)
      state.addOperands(value);
  state.addAttributes(attributes);
  state.addTypes(*results);
  if (needsSegments(def)) {
    SmallVector<int32_t> sizes;
    unsigned slot = 0;
    for (const eq::TensorDef &operand : def.operands) {
      unsigned count = operand.variadic ? slots.size() + 1 - def.operands.size() : 1;
      sizes.push_back(llvm::count_if(ArrayRef(slots).slice(slot, count), [](Value value) { return value; }));
      slot += count;
    }
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
  }
  return llvm::Error::success();
}

FailureOr<Operation *> buildEquationOp(OpBuilder &builder, Location loc, StringRef name, ArrayRef<Value> operands,
                                       ArrayRef<NamedAttribute> attributes, std::string &why) {
  const eq::OpDef *def = lookupEquation(name, attributes);
  if (!def) {
    why = llvm::formatv("there is no op '{0}'", name);
    return failure();
  }
  name.consume_front("nn.");
  OperationState state(loc, ("nn." + name).str());
  if (llvm::Error error = prepare(builder, state, *def, operands, attributes)) {
    why = llvm::toString(std::move(error));
    return failure();
  }
  return builder.create(state);
}

FailureOr<Operation *> buildIrregularOp(OpBuilder &builder, Location loc, StringRef name, ArrayRef<Value> operands,
                                        ArrayRef<NamedAttribute> attributes, std::string &why) {
  OperationName full(("nn." + name).str(), builder.getContext());
  auto *interface = full.getInterface<IrregularInterface>();
  if (!interface) {
    why = llvm::formatv("there is no op '{0}'", name);
    return failure();
  }
  SmallVector<RankedTensorType, 4> types;
  for (Value value : operands)
    types.push_back(cast<RankedTensorType>(value.getType()));
  auto results = interface->inferTypes(types, builder.getDictionaryAttr(attributes), why);
  if (failed(results))
    return failure();
  OperationState state(loc, full);
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(*results);
  return builder.create(state);
}

void detail::buildEquationOp(OpBuilder &builder, OperationState &state, ArrayRef<Value> operands,
                             ArrayRef<NamedAttribute> attributes) {
  const eq::OpDef &def = *lookupEquation(state.name.getStringRef());
  if (llvm::Error error = prepare(builder, state, def, operands, attributes))
    llvm::report_fatal_error(llvm::Twine("nn.") + def.name + ": " + llvm::toString(std::move(error)));
}

} // namespace kumiko::nn
