//===- Irregular.h - ops without an equation, computed --------------------------===//
#pragma once
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"

namespace kumiko {

using Tensors = llvm::SmallVector<Tensor, 2>;

/// What the function of an irregular op is given.
struct IrregularRun {
  llvm::ArrayRef<const Tensor *> operands;
  const GraphOptions &options;

  const Tensor &operand(unsigned number) const { return *operands[number]; }
  /// A result with room for `shape`, in the type in which a result declared as `declared` is held.
  llvm::Expected<Tensor> result(mlir::Type declared, llvm::ArrayRef<int64_t> shape) const;
  /// The same, filled with these numbers, rounded once.
  llvm::Expected<Tensor> result(mlir::Type declared, llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<double> numbers) const;
  llvm::Expected<Tensor> indices(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> numbers) const;
  /// Counts `points` steps of work; an error when they are more than the limit, before any is done. As a double: values
  /// decide it, and may be absurd.
  llvm::Error checkWork(double points) const;
};

/// The results of an op that has one.
llvm::Expected<Tensors> only(llvm::Expected<Tensor> result);

/// Any op of kumiko/Nn/Irregular.td.
llvm::Expected<Tensors> evaluateIrregular(mlir::Operation *op, const IrregularRun &run);

llvm::Expected<Tensors> evaluate(nn::TopkOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::NonzeroOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::UniqueOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::NmsOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::DetOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::RoiAlignOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::MaxRoiPoolOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::NgramCountOp op, const IrregularRun &run);
llvm::Expected<Tensors> evaluate(nn::RandomBitsOp op, const IrregularRun &run);

} // namespace kumiko
