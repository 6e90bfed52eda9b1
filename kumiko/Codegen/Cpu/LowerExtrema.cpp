//===- LowerExtrema.cpp - the larger or smaller of two floats ----------------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kumiko {
#define GEN_PASS_DEF_LOWEREXTREMAPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// Whether there is an instruction for it, or LLVM finds it in f32. Blocks become vectors later.
static bool isOfMachine(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  return (!vector || vector.getRank() == 1) && (element.isF32() || element.isF64() || (vector && element.isF16()));
}

/// The memory that `op` loads from or stores to.
static Value memoryOf(Operation *op, bool stores) {
  if (!op)
    return Value();
  if (stores)
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([](memref::StoreOp store) { return store.getMemref(); })
        .Case([](vector::StoreOp store) { return store.getBase(); })
        .Default(Value());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](memref::LoadOp load) { return load.getMemref(); })
      .Case([](vector::LoadOp load) { return load.getBase(); })
      .Default(Value());
}

/// Whether `operand` of `op` lies where the result goes, as far as the buffers tell.
static bool isReplaced(Operation *op, Value operand) {
  Value from = memoryOf(operand.getDefiningOp(), /*stores=*/false);
  return from && llvm::any_of(op->getUsers(), [&](Operation *user) { return memoryOf(user, /*stores=*/true) == from; });
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
      // LLVM looks for a NaN in its first operand, and keeps it where there is one.
      if (isReplaced(op, x))
        std::swap(x, y);
      Value extreme = isa<arith::MaximumFOp>(op)
                          ? LLVM::MaximumOp::create(b, op->getLoc(), type, x, y, LLVM::FastmathFlags::nsz).getResult()
                          : LLVM::MinimumOp::create(b, op->getLoc(), type, x, y, LLVM::FastmathFlags::nsz).getResult();
      op->getResult(0).replaceAllUsesWith(extreme);
      op->erase();
    });
  }
};
} // namespace
