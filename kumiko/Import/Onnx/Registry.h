//===- Registry.h - which ONNX ops are known, and their code -----------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// An op with code of its own. Ops that are one nn op with other names are clauses in its file.
struct OpCode {
  static constexpr unsigned any = ~0u;
  llvm::StringLiteral name;
  /// How many inputs and outputs a node may have, over all versions of the op; inputs left out at the end do not count.
  unsigned fewestInputs, mostInputs;
  unsigned mostOutputs;
  Results (*import)(NodeContext &);
  /// Whether inputs may be sequences and optionals; other ops see tensors only.
  bool takesLists = false;
  /// Whether its code reads shapes as numbers (NodeContext::shapeOf): such a node is refused where one is an
  /// expression.
  bool needsNumbers = false;
};

// One per file in Ops/, sorted as in the file.
llvm::ArrayRef<OpCode> castOps();
llvm::ArrayRef<OpCode> columnOps();
llvm::ArrayRef<OpCode> constantOps();
llvm::ArrayRef<OpCode> contractionOps();
llvm::ArrayRef<OpCode> controlOps();
llvm::ArrayRef<OpCode> convolutionOps();
llvm::ArrayRef<OpCode> einsumOps();
llvm::ArrayRef<OpCode> elementwiseOps();
llvm::ArrayRef<OpCode> activationOps();
llvm::ArrayRef<OpCode> attentionOps();
llvm::ArrayRef<OpCode> irregularOps();
llvm::ArrayRef<OpCode> lossOps();
llvm::ArrayRef<OpCode> movementOps();
llvm::ArrayRef<OpCode> normalizeOps();
llvm::ArrayRef<OpCode> poolingOps();
llvm::ArrayRef<OpCode> quantizeOps();
llvm::ArrayRef<OpCode> randomOps();
llvm::ArrayRef<OpCode> recurrentOps();
llvm::ArrayRef<OpCode> reductionOps();
llvm::ArrayRef<OpCode> resizeOps();
llvm::ArrayRef<OpCode> sampleOps();
llvm::ArrayRef<OpCode> scatterOps();
llvm::ArrayRef<OpCode> signalOps();
llvm::ArrayRef<OpCode> sequenceOps();
llvm::ArrayRef<OpCode> sliceOps();
llvm::ArrayRef<OpCode> viewOps();

/// Of ai.onnx.preview.
llvm::ArrayRef<OpCode> previewOps();

// Of com.microsoft.
llvm::ArrayRef<OpCode> microsoftActivationOps();
llvm::ArrayRef<OpCode> microsoftAttentionOps();
llvm::ArrayRef<OpCode> microsoftContractionOps();
llvm::ArrayRef<OpCode> microsoftNormalizeOps();
llvm::ArrayRef<OpCode> microsoftQuantizeOps();
/// Ops of ONNX Runtime that it writes without a domain.
llvm::ArrayRef<OpCode> undomainedOps();

/// Null when the op has no code. ONNX's own domain is the empty one.
const OpCode *findCode(llvm::StringRef domain, llvm::StringRef name);
/// An ONNX op that is exactly one equation: `clause` is one of `op`'s. Input number i of the node is the operand
/// clause->operands[i]; attributes are renamed; whatever the node leaves out has the default of the equation.
struct OnnxRow {
  const eq::OpDef *op = nullptr;
  const eq::ImportDef *clause = nullptr;
  explicit operator bool() const { return op; }
};
/// The row of a built-in op with the largest version that is not above `opset`; empty without one.
OnnxRow findRow(llvm::StringRef domain, llvm::StringRef name, int64_t opset);
/// The same among the ops of a user.
OnnxRow findUserRow(llvm::ArrayRef<eq::OpDef> ops, llvm::StringRef domain, llvm::StringRef name, int64_t opset);
/// How many inputs and outputs a node may have.
struct Arity {
  unsigned fewestInputs, mostInputs, mostOutputs;
};
Arity arityOf(const OnnxRow &row);
/// The node by its row.
Results importByRow(NodeContext &n, const OnnxRow &row);

/// An op of ONNX's own domain, supported or not.
struct KnownOp {
  llvm::StringLiteral name;
  int since; ///< the first operator set that has it
  int until; ///< the last one, 0 when it is not deprecated
};
/// Null when ONNX has no op of this name.
const KnownOp *findKnown(llvm::StringRef name);
/// The name of an op of ONNX closest to `name`; empty when none is close.
llvm::StringRef closestKnown(llvm::StringRef name);

} // namespace kumiko::onnx
