//===- KernelShape.h - what kind of kernel a body of linalg ops is ---------===//
//
// Which template fits a kernel follows from the indexing maps of its linalg ops; nothing is annotated:
//
//   contraction  one sum of products whose loops fall into rows (one factor), columns (the other: the result's
//                innermost dimension), depth (both, reduced) and batch (the rest); around it only elementwise bodies
//   rows         reductions that all run over the same rows, and elementwise bodies over those rows: softmax, layer
//   norm attention    a contraction, rows over its result, and a contraction of what they end in (AttentionShape.h)
//   scatter, running   one reduction that is done in order (OrderedShape.h) points       everything else: each
//   result element on its own, reductions inline (pooling, depthwise, transposes)
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/OrderedShape.h"
#include <string>

namespace kumiko {

/// The loops of a sum of products by role; numbers are loop dimensions of `op`.
struct ContractionShape {
  mlir::linalg::GenericOp op;
  unsigned rowOperand = 0;    ///< read one scalar per row and depth
  unsigned columnOperand = 1; ///< read as vectors along the columns
  /// Of a sum of integers: the bits of its factors before they were widened, and whether they have a sign.
  unsigned rowBits = 0, columnBits = 0;
  bool rowSigned = false, columnSigned = false;
  llvm::SmallVector<unsigned> batch, rows, columns, depth;
  Extents extents; ///< of all loops
  /// Into how many equal parts the columns fall, where what follows reads the same place of each part at once: the
  /// gates of a recurrent cell. A tile then has the same columns of all parts.
  int64_t parts = 1;

  Extent extentOf(llvm::ArrayRef<unsigned> loops) const;
  /// Columns of one part.
  Extent partColumns() const;
  bool isInteger() const { return rowBits != 0; }
  /// What the sums are made of.
  mlir::Type elementType() const;
};

/// Rows that all reductions of a kernel share.
struct RowsShape {
  /// Extents of the kept dimensions and of the reduced ones.
  Extents kept, reduced;
  /// Dimension d of a tensor over whole rows is number order[d] of (kept, reduced).
  llvm::SmallVector<unsigned> order;
  /// Lanes run along the last reduced dimension; otherwise across neighbouring rows.
  bool lanesInsideRow = true;
};

/// Two products and the rows in between: scores[b, m, k], weights = rows of scores, values[b, m, n] over weights[b, m,
/// k].
struct AttentionShape {
  ContractionShape scores, values;
  /// What the rows end in, the row operand of `values`.
  mlir::Value weights;
};

/// A routine is one call of the runtime's functions; nothing about it follows from maps.
/// Plain is what a back end makes without looking at the kernel: no kernel has that shape.
enum class KernelKind { Contraction, Rows, Attention, Scatter, Running, Points, Routine, Plain };

struct KernelShape {
  KernelKind kind = KernelKind::Points;
  ContractionShape contraction;
  RowsShape rows;
  AttentionShape attention;
  ScatterShape scatter;
  RunningShape running;
  /// Why it is not one of the kinds above.
  std::string why;
};

/// Classifies the body of a kernel. `results` are the values the kernel yields.
KernelShape shapeOfKernel(mlir::Block &body, mlir::ValueRange results, KernelExtents &extents);

/// Multiply-adds count two, every other arithmetic op one, times the points of its loops.
Extent flopsOf(mlir::linalg::GenericOp op, KernelExtents &extents);

/// acc + a * b of two block arguments, also of widened ones of 16 bits, and the accumulator, and nothing else.
bool isSumOfProducts(mlir::linalg::GenericOp op);

/// Fills in the roles of the loops of `shape.op`; false with a reason when one has none.
bool assignRoles(ContractionShape &shape, std::string &why);

/// The widths and signs of an integer contraction's factors; false with a reason when they cannot be laid out in words.
bool describeFactors(ContractionShape &shape, std::string &why);

/// The rows that all of `reductions` run over; `bodies` must work on them, too. False with a reason where they do not.
bool findRows(llvm::ArrayRef<mlir::linalg::GenericOp> reductions, llvm::ArrayRef<mlir::linalg::GenericOp> bodies,
              KernelExtents &extents, RowsShape &rows, std::string &why);

/// Whether every element of `result`, pads around it aside, comes from one element of the contraction's result, by
/// elementwise bodies that read it whole, and reshapes.
bool followsContraction(mlir::Value result, mlir::linalg::GenericOp contraction);

/// The yielded value combines the accumulator with one other value, so partial results can be combined too.
bool hasSimpleCombiner(mlir::linalg::GenericOp op);

/// Whether parts of the reduction may be done apart, each from the identity, and combined in the end.
bool canReduceInParts(mlir::linalg::GenericOp op);

/// Loops of a sum of products whose result has few elements per group side by side, as a convolution has that makes two
/// or three features of each channel: lanes run along the groups, which one factor has side by side, and what they make
/// is interleaved.
struct FewPerGroup {
  unsigned groups, few;
};
std::optional<FewPerGroup> fewPerGroup(mlir::linalg::GenericOp op, llvm::ArrayRef<Extent> loops);

/// Whether `op`, in a kernel without anything behind it, would be a contraction.
bool isContractionAlone(mlir::linalg::GenericOp op, KernelExtents &extents);

/// acc + wide(a) * wide(b) in i32, of two block arguments of 8 bits, or of 16 with a sign.
bool isSumOfNarrowProducts(mlir::linalg::GenericOp op);

/// Whether each dimension of the source is still one dimension of the result, beside new ones of one element.
bool onlyAddsUnitDimensions(mlir::tensor::ExpandShapeOp op);

/// The value of a scalar of the kernel's body that is a constant, also one read from a constant tensor; else null.
mlir::TypedAttr constantScalar(mlir::Value scalar);

} // namespace kumiko
