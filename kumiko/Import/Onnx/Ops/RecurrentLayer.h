//===- RecurrentLayer.h - what RNN, GRU and LSTM have in common ---------------===//
//
// A layer runs a cell over a sequence, in one direction or both. The products of the inputs with their weights are one
// product over the whole sequence; what depends on the state is the body of nn.scan. Where a batch entry is over
// (sequence_lens), its states stay as they are and its outputs are 0; backwards that is the same as to begin at its
// end.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Ops/Expect.h"
#include "kumiko/Import/Onnx/Ops/Scan.h"

namespace kumiko::onnx {

/// A function of a cell with its parameters.
struct CellFunction {
  std::string name; // lower case
  double alpha = 0, beta = 0;
};

/// A recurrent layer after its attributes and the shapes of all inputs but the weights are checked.
struct RecurrentLayer {
  int64_t gates = 1, directions = 1;
  Extent hidden, steps, batch;
  bool batchFirst = false, backwards = false; ///< backwards: the first direction
  double clip = 0;                            ///< infinite when there is none
  /// The same number for each direction.
  llvm::SmallVector<CellFunction, 6> functions;
  mlir::Value x; ///< (steps, batch, input)
  /// Inputs 3 to 6 in terms of the extents above; null where they are left out.
  mlir::Value bias, lengths, firstH, firstC;

  llvm::ArrayRef<CellFunction> functionsOf(int64_t direction) const {
    size_t each = functions.size() / directions;
    return llvm::ArrayRef(functions).slice(direction * each, each);
  }
};

/// Input `number` as a tensor of this shape, which it must have; null when it is left out.
mlir::Value inputOf(NodeContext &n, size_t number, llvm::StringRef name, const SizeList &shape);

/// Reads what all layers have. `hidden` is the weight's; `defaults` are the names of the cell's functions.
std::optional<RecurrentLayer> readRecurrentLayer(NodeContext &n, int64_t gates, const Extent &hidden,
                                                 llvm::ArrayRef<llvm::StringLiteral> defaults);

/// Element `number` of dimension 0, which is dropped; null for null.
mlir::Value entryOf(NodeContext &n, mlir::Value x, int64_t number);
/// `size` positions of `axis` from `start` on.
mlir::Value partOf(NodeContext &n, mlir::Value x, int64_t axis, const Extent &start, const Extent &size);

/// f(x)
mlir::Value applyFunction(NodeContext &n, const CellFunction &function, mlir::Value x);
/// f(clip(x))
mlir::Value clipAndApply(NodeContext &n, const RecurrentLayer &layer, const CellFunction &function, mlir::Value x);

/// What a cell sees of one step of one direction.
struct CellStep {
  mlir::Value x; ///< the layer's input times its weights, with biases: (batch, gates * hidden)
  mlir::Value h; ///< (batch, hidden)
  mlir::Value c; ///< of LSTM, the same
  llvm::ArrayRef<mlir::Value> shared;
  llvm::ArrayRef<CellFunction> functions;
};

/// One direction: its projected inputs (steps, batch, gates * hidden), and what the cell needs in every step.
struct DirectionInputs {
  mlir::Value projected;
  ValueList shared;
};

/// Runs the cell over all directions. `inputs` makes what a direction needs; `cell` returns the new h, and c when the
/// cell has it. Results are Y, Y_h and, with `hasCell`, Y_c.
Results runRecurrentLayer(NodeContext &n, const RecurrentLayer &layer, bool hasCell,
                          llvm::function_ref<DirectionInputs(int64_t direction)> inputs,
                          llvm::function_ref<ValueList(const CellStep &step)> cell);

/// LSTM; `recurrent` is h R for one step, (batch, 4 * hidden).
Results runLstm(NodeContext &n, const RecurrentLayer &layer,
                llvm::function_ref<DirectionInputs(int64_t direction)> inputs,
                llvm::function_ref<mlir::Value(const CellStep &step)> recurrent);

} // namespace kumiko::onnx
