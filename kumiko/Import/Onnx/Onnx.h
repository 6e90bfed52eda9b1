//===- Onnx.h - reading ONNX models ------------------------------------------===//
//
// The front end for ONNX. Beside what holds for all formats (kumiko/Import/Import.h): an op without a node's name is
// called `#17 Conv`, and an initializer that is also a graph input is a constant; the summary lists such inputs as
// overridable.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Import/Import.h"

namespace kumiko::onnx {

using kumiko::describe;

/// The newest operator set of the default domain that is known.
inline constexpr int64_t newestOpset = 28;

/// ONNX among the front ends.
const FrontEnd &frontEnd();

/// The model at `path`, whatever the file looks like.
ImportedModule importOnnx(llvm::StringRef path, mlir::MLIRContext &context, const ImportOptions &options,
                          ProblemList &problems, ModelSummary &summary);
/// The same for a model in memory.
ImportedModule importOnnx(std::unique_ptr<llvm::MemoryBuffer> bytes, mlir::MLIRContext &context,
                          const ImportOptions &options, ProblemList &problems, ModelSummary &summary);

/// The value of a TensorProto file, such as the test data of ONNX. Empty with a problem when it is none.
std::optional<Tensor> readTensorFile(llvm::StringRef path, ProblemList &problems);

/// A file of the ONNX test data: a TensorProto, or what `type` says in the words of the summary. Empty with a problem
/// when it is none.
std::optional<Datum> readDatumFile(llvm::StringRef path, llvm::StringRef type, ProblemList &problems);

} // namespace kumiko::onnx
