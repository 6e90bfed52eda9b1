//===- Nested.h - subgraphs as bodies of nn ops ---------------------------------===//
//
// A body is imported where its node stands, with block arguments for what changes from turn to turn; then the ops that
// belong inside move there. What the file's other nodes may share (constants, values of outer graphs) stays outside and
// is handed in. So the importer need not know that it is inside of a loop, and what does not depend on the turn is
// computed once.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Ops/Scan.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko::onnx {

class Nested {
public:
  /// Everything that is imported from now on may belong to the body.
  explicit Nested(NodeContext &n);
  /// A body that was never taken leaves ops behind that nobody reads.
  ~Nested();

  mlir::Value argument(mlir::Type type);
  /// Values from outside that get arguments, in this order, whether the body reads them or not.
  void share(llvm::ArrayRef<mlir::Value> values);
  /// Ends the body, which yields `results`. `branch`: all ops belong inside, since they may not be needed at all.
  void close(llvm::ArrayRef<mlir::Value> results, bool branch);
  /// What is handed in, in the order of the last arguments.
  llvm::ArrayRef<mlir::Value> shared() const { return outside; }
  /// Moves the body into a region.
  void moveTo(mlir::Region &region);

  mlir::Block *block;

private:
  mlir::Value inside(mlir::Value value);

  NodeContext &n;
  mlir::Block *home;
  mlir::Operation *last; ///< before the body; null: the body begins the block
  ValueList outside;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
};

/// If as nn.if: both branches give values of the same types.
Results makeIf(NodeContext &n, const Graph &yes, const Graph &no);

/// What is known of a Loop before it begins; empty values: there is no such bound or condition.
struct LoopHead {
  mlir::Value count, condition;
  std::optional<int64_t> turns; ///< when it is known
};

/// Loop as nn.scan, or as nn.loop when data decide how often it turns.
Results makeLoop(NodeContext &n, const Graph &body, const LoopHead &head, llvm::ArrayRef<mlir::Value> initial);

/// Scan over `sequences`, whose turns are along axis 0.
Results makeScan(NodeContext &n, const Graph &body, llvm::ArrayRef<mlir::Value> states,
                 llvm::ArrayRef<mlir::Value> sequences);

} // namespace kumiko::onnx
