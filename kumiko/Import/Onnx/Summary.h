//===- Summary.h - what a model says about itself ----------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/Proto.h"

namespace kumiko::onnx {

/// All that can be told without importing.
void summarize(const Model &model, llvm::ArrayRef<eq::OpDef> userOps, ModelSummary &summary);

/// The nodes that the problems say are not supported.
void addUnsupported(const ProblemList &problems, ModelSummary &summary);

} // namespace kumiko::onnx
