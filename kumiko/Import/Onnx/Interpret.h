//===- Interpret.h - an ONNX model computed as it is read -----------------------===//
//
// The judge's way through a model: all inputs are given, so every shape, condition and trip count is a number when its
// node comes. A node is translated to nn ops as for compilation, these are evaluated at once, and its outputs are
// values that are known. So data-dependent shapes, If, Loop, Scan and symbolic dimensions need nothing of their own.
// docs/decisions/0005 has the reasons.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Import.h"

namespace kumiko::onnx {

/// The outputs of the model at `path`, as FrontEnd::interpret has them. A symbol stands for one number throughout.
std::optional<std::vector<NamedDatum>> interpretOnnx(llvm::StringRef path, mlir::MLIRContext &context,
                                                     const llvm::StringMap<Datum> &inputs,
                                                     const InterpretOptions &options, ProblemList &problems);

/// The same for a model in memory; see importOnnx.
std::optional<std::vector<NamedDatum>> interpretOnnx(std::unique_ptr<llvm::MemoryBuffer> bytes,
                                                     mlir::MLIRContext &context, const llvm::StringMap<Datum> &inputs,
                                                     const InterpretOptions &options, ProblemList &problems);

} // namespace kumiko::onnx
