//===- LowerExtrema.cpp - the larger or smaller of two floats ----------------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kumiko {
#define GEN_PASS_DEF_LOWEREXTREMAPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// Whether there is an instruction for it. Small floats would be taken apart; blocks become vectors later.
static bool isOfMachine(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  return (!vector || vector.getRank() == 1) && (element.isF32() || element.isF64());
}

namespace {
struct LowerExtrema final : kumiko::impl::LowerExtremaPassBase<LowerExtrema> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op) || !isOfMachine(op->getResult(0).getType()))
        return;
      OpBuilder b(op);
      Type type = op->getResult(0).getType();
      Value x = op->getOperand(0), y = op->getOperand(1);
      Value extreme = isa<arith::MaximumFOp>(op)
                          ? LLVM::MaximumOp::create(b, op->getLoc(), type, x, y, LLVM::FastmathFlags::nsz).getResult()
                          : LLVM::MinimumOp::create(b, op->getLoc(), type, x, y, LLVM::FastmathFlags::nsz).getResult();
      op->getResult(0).replaceAllUsesWith(extreme);
      op->erase();
    });
  }
};
} // namespace
