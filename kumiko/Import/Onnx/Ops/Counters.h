//===- Counters.h - loops that count up to a size ------------------------------===//
//
// What other frameworks call a while loop over a sequence arrives as a Loop without a trip count: a state begins at 0
// and grows by 1, and the loop goes on while it is below a size. How often such a loop turns is known before it begins.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/GraphImporter.h"

namespace kumiko::onnx {

/// The states of a loop that change by the same number with each turn.
class Counters {
public:
  /// `turn` is the number of the turn inside of the body.
  Counters(NodeContext &n, mlir::Value turn) : n(n), turn(turn) {}

  /// A state: the argument of the body, its first value, and the next one.
  void add(mlir::Value argument, mlir::Value begins, mlir::Value next) { states[argument] = {begins, next}; }

  /// By how much a state changes with each turn; nothing when it is no counter.
  std::optional<int64_t> stepOf(mlir::Value argument) const;

  struct Turns {
    Extent count;
    /// The count is right whatever the first condition is: it asks the same of the first values.
    bool coversFirst;
  };
  /// How often a loop turns that goes on while `more` holds, computed in each turn for the next one. `first`, if any,
  /// says whether there is a first turn. Nothing when the condition is not one of counters and sizes.
  std::optional<Turns> turnsWhile(mlir::Value more, mlir::Value first) const;

private:
  /// What is `base` in the first turn and grows by `step` with each.
  struct Line {
    Extent base;
    int64_t step;
  };
  std::optional<Line> lineOf(mlir::Value value, unsigned depth = 0) const;
  std::optional<Extent> sizeOf(mlir::Value value) const;

  NodeContext &n;
  mlir::Value turn;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> states;
};

} // namespace kumiko::onnx
