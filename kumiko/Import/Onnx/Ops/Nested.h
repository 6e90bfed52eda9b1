//===- Nested.h - subgraphs as bodies of nn ops ---------------------------------===//
//
// A body is imported where its node stands, with block arguments for what changes from turn to turn; then the ops that
// belong inside move there. What the file's other nodes may share (constants, values of outer graphs) stays outside and
// is handed in. So the importer need not know that it is inside of a loop, and what does not depend on the turn is
// computed once.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Ops/Scan.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko::onnx {

class Nested {
public:
  /// Everything that is imported from now on may belong to the body.
  explicit Nested(NodeContext &n);
  Nested(const Nested &) = delete;
  Nested &operator=(const Nested &) = delete;
  /// A body that was never taken leaves ops behind that nobody reads.
  ~Nested();

  mlir::Value argument(mlir::Type type);
  /// Values from outside that get arguments, in this order, whether the body reads them or not.
  void share(llvm::ArrayRef<mlir::Value> values);
  /// A symbol that has another value in each turn: what needs it belongs inside.
  void changes(const Extent &symbol);
  /// Ends the body, which yields `results`. `branch`: all ops belong inside, since they may not be needed at all.
  void close(llvm::ArrayRef<mlir::Value> results, bool branch);
  /// What is handed in, in the order of the last arguments.
  llvm::ArrayRef<mlir::Value> shared() const { return outside; }
  /// Moves the body into a region.
  void moveTo(mlir::Region &region);
  /// Puts a closed branch, which has no arguments of its own, back where it was imported; gives what it yields.
  ValueList dissolve();

  mlir::Block *block;

private:
  mlir::Value inside(mlir::Value value);
  llvm::SmallVector<mlir::Operation *> opsOfBody(bool branch);
  mlir::OpBuilder homeBuilder();

  NodeContext &n;
  GraphImporter::Mark start;
  mlir::Block *home;
  mlir::Operation *last; ///< before the body; null: the body begins the block
  ValueList outside;
  llvm::StringSet<> changing;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
};

/// If as nn.if. Where the branches give values of different shapes, all that follows becomes part of them. A branch
/// that cannot be right for the shapes at hand ends the run when it is taken (Choice.cpp).
Results makeIf(NodeContext &n, const Graph &yes, const Graph &no);

/// The condition of If where it follows from constants and shapes.
std::optional<bool> knownCondition(NodeContext &n);

/// A symbol that is read from a number while the model runs.
Extent readNumber(NodeContext &n, mlir::Value number);

/// One truth value as a scalar.
mlir::Value asScalar(NodeContext &n, mlir::Value condition);

/// What is known of a Loop before it begins; empty values: there is no such bound or condition.
struct LoopHead {
  mlir::Value condition;
  mlir::Value count;          ///< turns that only data know
  std::optional<Extent> most; ///< turns up to symbols
};

/// Loop as nn.scan, or as nn.loop when data decide how often it turns.
Results makeLoop(NodeContext &n, const Graph &body, const LoopHead &head, llvm::ArrayRef<mlir::Value> initial);

/// What `each` makes of one slice of all `sequences` along axis 0, stacked.
Results makeForEach(NodeContext &n, llvm::ArrayRef<mlir::Value> sequences,
                    llvm::function_ref<llvm::SmallVector<mlir::Value, 4>(llvm::ArrayRef<mlir::Value> slices)> each);

/// Scan over `sequences`, whose turns are along axis 0.
Results makeScan(NodeContext &n, const Graph &body, llvm::ArrayRef<mlir::Value> states,
                 llvm::ArrayRef<mlir::Value> sequences);

// Pieces of loops and scans.

/// `next` as the state that began as `first`; what only a run can tell becomes a check. A list of one may stand for a
/// number where the body declares one.
mlir::Value keepType(NodeContext &n, mlir::Value first, mlir::Value next, const ValueInfo &declared);
/// nn.scan of a closed body whose arguments are states, slices and what is shared.
Results finishScan(NodeContext &n, Nested &body, llvm::ArrayRef<mlir::Value> states,
                   llvm::ArrayRef<mlir::Value> sequences, llvm::ArrayRef<mlir::Value> parts);
/// The sizes of parts are those of every turn, so no turn may find them.
bool arePartsFixed(NodeContext &n, Nested &body, llvm::ArrayRef<mlir::Value> parts);

} // namespace kumiko::onnx
