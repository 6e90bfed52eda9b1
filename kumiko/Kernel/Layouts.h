//===- Layouts.h - where the buffers of a kernel lie -----------------------===//
//
// A part of the kernel's contract, the attribute `layouts`. Schedule proposes, Plan decides, the code generator keeps
// to it; how the kernel is computed does not depend on it.
//
//   layouts = {may_overwrite = array<i64: 2, 0>, in_place = array<i64: 2, 0>, apart = [array<i64: 0, 40, 1>],
//              placed = array<i64: 1, 0>}
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace kumiko {

struct Layouts {
  /// Pairs (argument, result): the result may be written where the argument lies (Schedule/InPlace.h).
  llvm::SmallVector<int64_t> mayOverwrite;
  /// Of these pairs, those that some call makes use of.
  llvm::SmallVector<int64_t> inPlace;
  /// Buffers (operands, then results) that lie in a larger one, so that their elements have strides of their own; and
  /// pairs (argument, result): the argument lies in the result where that has it, and is not written again. So it is
  /// of kernels that make, read or are joined tensors (Plan/Joins.h).
  llvm::SmallVector<std::pair<int64_t, Extents>, 0> apart;
  llvm::SmallVector<int64_t> placed;

  /// The strides of buffer number `buffer`, null where it does not lie in a larger one; and in any case, for a tensor
  /// of this shape.
  const Extents *apartOf(int64_t buffer) const;
  Extents stridesOf(int64_t buffer, llvm::ArrayRef<Extent> shape) const;
  bool isPlaced(int64_t argument, int64_t result) const;

  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// Fails where a key is unknown or has another kind of value.
  static mlir::FailureOr<Layouts> fromAttribute(mlir::DictionaryAttr attribute);

  /// Those of a kernel; without the attribute all buffers are whole and apart from each other. Fails with a diagnostic.
  static mlir::FailureOr<Layouts> of(mlir::Operation *kernel);
  void setOn(mlir::Operation *kernel) const;
};

inline constexpr llvm::StringLiteral layoutsAttrName = "layouts";

} // namespace kumiko
