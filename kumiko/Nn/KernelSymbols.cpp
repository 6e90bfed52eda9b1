//===- KernelSymbols.cpp - kernels by what they do -------------------------===//
#include "kumiko/Nn/KernelSymbols.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;
using namespace kumiko::nn;

static std::string symbolOf(KernelOp kernel) {
  kernel.setName("k");
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  auto digest = llvm::BLAKE3::hash<8>(llvm::arrayRefFromStringRef(text));
  return "k_" + llvm::toHex(digest, /*LowerCase=*/true);
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
