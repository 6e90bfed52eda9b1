//===- KernelSymbols.cpp - kernels by what they do -------------------------===//
#include "kumiko/Nn/KernelSymbols.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;
using namespace kumiko::nn;

static std::string symbolFor(StringRef text) {
  auto digest = llvm::BLAKE3::hash<8>(llvm::arrayRefFromStringRef(text));
  return "k_" + llvm::toHex(digest, /*LowerCase=*/true);
}

static std::string symbolOf(KernelOp kernel) {
  kernel.setName("k");
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return symbolFor(text);
}

KernelOp KernelSymbols::add(KernelOp kernel) {
  std::string name = symbolOf(kernel);
  if (auto same = symbols.lookup<KernelOp>(name)) {
    kernel.erase();
    return same;
  }
  kernel.setName(name);
  symbols.insert(kernel);
  return kernel;
}

KernelOp KernelSymbols::make(ArrayRef<Value> inputs, llvm::function_ref<bool(Value)> isConstant,
                             ArrayRef<Value> results, llvm::function_ref<void(OpBuilder &, IRMapping &)> fill,
                             llvm::function_ref<ExtentsAttr(Value)> extentsOf) {
  auto b = OpBuilder::atBlockBegin(&symbols.getOp()->getRegion(0).front());
  Location unknown = b.getUnknownLoc();
  auto type = b.getFunctionType(TypeRange(ValueRange(inputs)), TypeRange(ValueRange(results)));
  auto kernel = KernelOp::create(b, unknown, "k", type);
  Block *body = kernel.getBody().empty() ? b.createBlock(&kernel.getBody()) : &kernel.getBody().front();
  IRMapping mapping;
  for (auto [number, value] : llvm::enumerate(inputs)) {
    mapping.map(value, number < body->getNumArguments() ? body->getArgument(number)
                                                        : body->addArgument(value.getType(), unknown));
    if (isConstant(value))
      kernel.setArgAttr(number, "nn.constant", b.getUnitAttr());
  }
  if (extentsOf) {
    for (auto [number, value] : llvm::enumerate(inputs))
      if (ExtentsAttr extents = extentsOf(value))
        kernel.setArgAttr(number, extentsAttrName, extents);
    for (auto [number, value] : llvm::enumerate(results))
      if (ExtentsAttr extents = extentsOf(value))
        kernel.setResultAttr(number, b.getStringAttr(extentsAttrName), extents);
  }
  b.setInsertionPointToEnd(body);
  fill(b, mapping);
  YieldOp::create(b, unknown, llvm::map_to_vector(results, [&](Value result) { return mapping.lookup(result); }));
  return add(kernel);
}

KernelOp KernelSymbols::variantOf(KernelOp kernel, StringRef attribute, Attribute value) {
  std::string text;
  llvm::raw_string_ostream(text) << kernel.getName() << " " << attribute << " " << value;
  std::string name = symbolFor(text);
  if (auto same = symbols.lookup<KernelOp>(name))
    return same;
  KernelOp variant = kernel.clone();
  variant.setName(name);
  variant->setAttr(attribute, value);
  variant->setAttr(variantOfAttrName, FlatSymbolRefAttr::get(kernel.getNameAttr()));
  symbols.insert(variant, Block::iterator(kernel));
  return variant;
}
