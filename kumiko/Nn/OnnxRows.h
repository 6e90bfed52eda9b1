//===- OnnxRows.h - ONNX ops that are exactly one nn op --------------------===//
//
// Generated from the `from onnx` clauses of the equations. Input number i of the node is the operand `operands[i]`;
// attributes are renamed; whatever the node leaves out has the default of the nn op. Nodes that need more than renaming
// are C++ in the importer.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace kumiko::nn {

struct OnnxRow {
  struct Attribute {
    llvm::StringLiteral onnx; ///< its name in the node
    llvm::StringLiteral nn;   ///< and in the nn op
  };
  llvm::StringLiteral domain; ///< "" is ONNX's own
  llvm::StringLiteral name;
  /// The first opset version of the domain that the row holds for. The row with the largest one that is not above the
  /// model's wins.
  unsigned since;
  llvm::StringLiteral op; ///< the nn op, without "nn."
  llvm::ArrayRef<llvm::StringLiteral> operands;
  llvm::ArrayRef<Attribute> attributes;
};

#include "kumiko/Nn/OnnxRows.inc"

/// Sorted by domain, name and version.
inline llvm::ArrayRef<OnnxRow> onnxRows() { return onnxRowTable; }

} // namespace kumiko::nn
