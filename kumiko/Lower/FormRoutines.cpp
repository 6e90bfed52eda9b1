//===- FormRoutines.cpp - irregular ops become calls of C functions ----------===//
#include "kumiko/Lower/Passes.h"
#include "kumiko/Lower/Routines.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "llvm/ADT/SetVector.h"

namespace kumiko {
#define GEN_PASS_DEF_FORMROUTINESPASS
#include "kumiko/Lower/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static bool isNeverConstant(Value) { return false; }

namespace {
struct FormRoutines final : kumiko::impl::FormRoutinesPassBase<FormRoutines> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    nn::KernelSymbols symbols(module);
    for (auto kernel : llvm::to_vector(module.getOps<nn::KernelOp>()))
      if (failed(rewrite(kernel, symbols)))
        return signalPassFailure();
    SmallVector<nn::SymbolOp> reads;
    module.walk([&](nn::SymbolOp op) { reads.push_back(op); });
    for (nn::SymbolOp op : reads)
      rewrite(op, symbols);
  }

private:
  LogicalResult rewrite(nn::KernelOp kernel, nn::KernelSymbols &symbols) {
    Block &body = kernel.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body))
      if (isa<nn::IrregularInterface>(op)) {
        if (Decision decision = lower::hasRoutine(&op); !decision)
          return op.emitError() << "'" << op.getName() << "' is not yet compiled: " << decision.why();
        lower::replaceByRoutines(&op);
      }
    auto routines = llvm::to_vector(body.getOps<nn::RoutineOp>());
    if (routines.size() < 2)
      return success();
    SmallVector<nn::CallOp> calls;
    getOperation().walk([&](nn::CallOp call) {
      if (call.getCallee() == kernel.getName())
        calls.push_back(call);
    });
    for (nn::CallOp call : calls)
      split(kernel, routines, call, symbols);
    kernel.erase();
    return success();
  }

  /// A call for each routine, one after another; what one has written, the next ones read.
  void split(nn::KernelOp kernel, ArrayRef<nn::RoutineOp> routines, nn::CallOp call, nn::KernelSymbols &symbols) {
    Block &body = kernel.getBody().front();
    llvm::DenseMap<Value, Value> known; // values of the body that are tensors of the network now
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), call.getArgs()))
      known[argument] = value;
    OpBuilder builder(call);
    for (nn::RoutineOp routine : routines) {
      SmallVector<Value> read;
      llvm::copy_if(routine.getValues(), std::back_inserter(read), [](Value value) { return !value.use_empty(); });
      SmallVector<Value> inputs =
          llvm::to_vector(llvm::SetVector<Value>(routine.getArgs().begin(), routine.getArgs().end()));
      nn::KernelOp part = symbols.make(inputs, isNeverConstant, read, [&](OpBuilder &b, IRMapping &mapping) {
        b.clone(*routine, mapping)->setLoc(b.getUnknownLoc());
      });
      auto arguments = llvm::map_to_vector(inputs, [&](Value input) { return known.lookup(input); });
      auto piece = nn::CallOp::create(builder, call.getLoc(), TypeRange(ValueRange(read)),
                                      FlatSymbolRefAttr::get(part.getNameAttr()), arguments);
      for (auto [value, result] : llvm::zip_equal(read, piece.getResults()))
        known[value] = result;
    }
    for (auto [result, value] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(known.lookup(value));
    call.erase();
  }

  void rewrite(nn::SymbolOp op, nn::KernelSymbols &symbols) {
    Value x = op.getX();
    nn::KernelOp kernel = symbols.make({x}, isNeverConstant, {}, [&](OpBuilder &b, IRMapping &mapping) {
      lower::buildSymbolRoutine(b, op, mapping.lookup(x))->setLoc(b.getUnknownLoc());
    });
    OpBuilder builder(op);
    nn::CallOp::create(builder, op.getLoc(), TypeRange(), FlatSymbolRefAttr::get(kernel.getNameAttr()), x);
    op.erase();
  }
};
} // namespace
