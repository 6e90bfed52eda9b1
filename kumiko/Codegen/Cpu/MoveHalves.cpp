//===- MoveHalves.cpp - small floats that are only moved ----------------------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kumiko {
#define GEN_PASS_DEF_MOVEHALVESPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static bool isOnlyStored(LLVM::LoadOp load) {
  return llvm::all_of(load->getUses(), [](OpOperand &use) {
    auto store = dyn_cast<LLVM::StoreOp>(use.getOwner());
    return store && store.getValue() == use.get() && store.getAddr() != use.get();
  });
}

namespace {
struct MoveHalves final : kumiko::impl::MoveHalvesPassBase<MoveHalves> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::LoadOp load) {
      Type type = load.getType();
      if ((type.isF16() || type.isBF16()) && isOnlyStored(load))
        load.getResult().setType(IntegerType::get(load.getContext(), 16));
    });
  }
};
} // namespace
