//===- Graph.h - a whole function of nn ops, computed -------------------------===//
#pragma once
#include "kumiko/Evaluate/Evaluate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace kumiko {

struct GraphOptions {
  Precision precision = Precision::Declared;
  /// For each op on its own.
  Limits limits;
  /// Called after every op, while its operands are still there: by slot (null where absent), and by result (empty where
  /// nobody uses it). An error ends the evaluation.
  std::function<llvm::Error(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands,
                            llvm::ArrayRef<const Tensor *> results)>
      afterOp;
};

/// The results of the function for these arguments. Ops are computed in order, a value is freed after its last use;
/// `nn.call` computes the kernel it calls. With Precision::Double all float results are f64.
llvm::Expected<llvm::SmallVector<Tensor, 2>>
evaluateGraph(mlir::func::FuncOp function, llvm::ArrayRef<const Tensor *> arguments, const GraphOptions &options = {});

/// The elements of a constant: a view of the attribute's memory where it has the form of a tensor, else a copy.
llvm::Expected<Tensor> constantTensor(mlir::ElementsAttr value, uint64_t limit = defaultTensorLimit);

} // namespace kumiko
