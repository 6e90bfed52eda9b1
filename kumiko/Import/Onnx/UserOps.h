//===- UserOps.h - ops that a user brings ------------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Onnx.h"

namespace kumiko::onnx {

/// Adds the ops of an equation file, each with at least one `from onnx` clause of a domain of its own; otherwise a
/// problem that says where in the file.
bool readUserOps(llvm::StringRef path, ImportOptions &options, ProblemList &problems);

} // namespace kumiko::onnx
