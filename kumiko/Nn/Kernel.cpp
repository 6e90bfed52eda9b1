//===- Kernel.cpp - kernels and their calls --------------------------------===//
#include "kumiko/Nn/Nn.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace kumiko::nn;

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  buildWithEntryBlock(builder, state, name, type, /*attrs=*/{}, type.getInputs());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto makeType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag,
                     std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), makeType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  if (getBody().empty()) // kernel_c1
    return emitOpError() << "has no body";
  return success();
}

/// The types on both sides of a call or a yield; `found` belongs to `op`.
static LogicalResult compareTypes(Operation *op, StringRef what, TypeRange found, ArrayRef<Type> expected) {
  if (found.size() != expected.size())
    return op->emitOpError() << "number of " << what << "s differs from the kernel's: " << found.size() << " vs "
                             << expected.size();
  for (auto [number, pair] : llvm::enumerate(llvm::zip(found, expected)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return op->emitOpError() << what << " " << number << " differs from the kernel's: " << std::get<0>(pair) << " vs "
                               << std::get<1>(pair);
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getCalleeAttr());
  if (!kernel) // call_c1
    return emitOpError() << "'" << getCallee() << "' is not an nn.kernel";
  // call_c2, call_c3
  if (failed(compareTypes(*this, "argument", getArgs().getTypes(), kernel.getArgumentTypes())))
    return failure();
  return compareTypes(*this, "result", getValues().getTypes(), kernel.getResultTypes());
}

void CallOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // A kernel on tensors computes values only. On memory it may write whatever it is given.
  if (llvm::none_of(getArgs().getTypes(), [](Type type) { return isa<BaseMemRefType>(type); }))
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult YieldOp::verify() {
  // yield_c1, yield_c2
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return success();
  return compareTypes(*this, "value", getValues().getTypes(), kernel.getResultTypes());
}
