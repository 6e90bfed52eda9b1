//===- Graph.h - ops of the nn dialect, computed one by one or as a function ---===//
#pragma once
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Evaluate/SharedTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace kumiko {

struct GraphOptions {
  Precision precision = Precision::Declared;
  /// For each op on its own.
  Limits limits;
  /// Compute also results that nobody uses; otherwise they are empty tensors.
  bool unusedResults = false;
  /// Called after every op, while its operands are still there: by slot (null where absent), and by result (empty where
  /// nobody uses it). An error ends the evaluation. Asks for unused results, too.
  std::function<llvm::Error(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands,
                            llvm::ArrayRef<const Tensor *> results)>
      afterOp;
};

/// The results of the function for these arguments. Ops are computed in order, a value is freed after its last use;
/// `nn.call` computes the kernel it calls. With Precision::Double all float results are f64.
llvm::Expected<llvm::SmallVector<Tensor, 2>>
evaluateGraph(mlir::func::FuncOp function, llvm::ArrayRef<const Tensor *> arguments, const GraphOptions &options = {});

/// The values of an op, by result.
using SharedTensors = llvm::SmallVector<SharedTensor, 2>;

/// One op of the nn dialect, whatever its kind: the only place where kinds of ops are told apart. `operandAt` is asked
/// for the tensor of each operand; it must stay where it is until the call returns. Results may look at the bytes of
/// operands, which they then share.
llvm::Expected<SharedTensors> evaluateOp(mlir::Operation *op,
                                         llvm::function_ref<const SharedTensor &(mlir::Value)> operandAt,
                                         const GraphOptions &options = {});

/// The operands of the block's terminator, for these arguments: the body of a kernel or of a loop. `depth` counts
/// blocks within blocks.
llvm::Expected<SharedTensors> evaluateBlock(mlir::Block &block, SharedTensors arguments, const GraphOptions &options,
                                            unsigned depth = 0);

/// The elements of a constant: a view of the attribute's memory where it has the form of a tensor, else a copy.
llvm::Expected<Tensor> constantTensor(mlir::ElementsAttr value, uint64_t limit = defaultTensorLimit);

} // namespace kumiko
