//===- IntegerDot.h - sums of narrow products, word by word ----------------===//
//
// What the contraction template does differently for integers: rows are copied to scratch in the form that the machine
// multiplies (Schedule/IntegerLayout.h), so are columns that are not constant, and a step in depth is a word.
//
//   for word:  acc[r][v] += dot(broadcast(row word), column words)        two or four products per lane
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"
#include "kumiko/Schedule/IntegerLayout.h"

namespace kumiko::cpu {

class IntegerDot {
public:
  explicit IntegerDot(Kernel &k);

  /// The loops over the depth, outer first, as they merged. Must be set before anything is copied.
  llvm::SmallVector<MergedLoop> depthLoops;

  /// Copies rows [first, last); `rowAt` gives the values of the contraction's loops for a row.
  void copyRows(mlir::Value first, mlir::Value last, llvm::function_ref<Position(Form)> rowAt);
  /// Copies panels [first, last) of columns that are not constant; `loops` are those of the batch.
  void copyColumns(mlir::Value first, mlir::Value last, const Position &loops);
  int64_t panelWords() const { return layout.panelWords(); }
  /// Packed columns: where those of the batch begin, in words.
  void setBatch(Form firstWord) { columnBase = firstWord; }

  /// Sums of rows [row, row + count) with `width` vectors from panel `panel` on: row by row.
  llvm::SmallVector<mlir::Value> sums(Form row, int64_t count, Form panel, int64_t width);

private:
  mlir::Value scratchAs(mlir::Type element, int64_t firstByte);
  void setLanes(int64_t count);
  mlir::Value rowValue(Position position);
  void copyRun(Position position, std::optional<unsigned> loop, int64_t extent, bool contiguous, Form target);
  void copyNest(Position position, unsigned depth, Form flat, Form row);
  bool isContiguous(unsigned operand, unsigned loop);
  Position columnPosition(Position position, Form flat);
  void copyPanel(Form panel, int64_t live, const Position &loops);
  void interleaveVector(Form panel, int64_t vector, int64_t live, const Position &loops);
  void scatterColumn(Form panel, Form column, const Position &loops);
  void startPanel(Form panel);
  mlir::Value columnWord(const Position &loops, Form column, Form word, int64_t elements);
  mlir::Value dot(mlir::Value row, mlir::Value column, mlir::Value sum);
  mlir::Value halves(mlir::Value bytes, bool isSigned);
  Form panelWord(Form panel, Form word) const;

  Kernel &k;
  const ContractionShape &c;
  mlir::linalg::GenericOp op;
  IntegerLayout layout;
  int64_t lanes;
  Form firstRow, columnBase;
  mlir::Value rowWords, rowElements, columnWords;
};

} // namespace kumiko::cpu
