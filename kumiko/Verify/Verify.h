//===- Verify.h - compiled code against the reference evaluator -------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Support/Tensor.h"
#include "kumiko/Verify/Ulp.h"

namespace kumiko {

/// The judge's view of a model: its nn module evaluated in f64, floats rounded by nobody on the way. Empty when problems
/// were added.
std::vector<Tensor> evaluateReference(llvm::StringRef path, const onnx::ImportOptions &options,
                                      llvm::ArrayRef<Tensor> inputs, ProblemList &problems);

} // namespace kumiko
