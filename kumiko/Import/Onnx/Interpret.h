//===- Interpret.h - an ONNX model computed as it is read -----------------------===//
//
// The judge's way through a model: all inputs are given, so every shape, condition and trip count is a number when its
// node comes. A node is translated to nn ops as for compilation, these are evaluated at once, and its outputs are
// values that are known. So data-dependent shapes, If, Loop, Scan and symbolic dimensions need nothing of their own.
// docs/decisions/0005 has the reasons.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Import/Onnx/Datum.h"
#include "kumiko/Support/Problem.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kumiko::onnx {

/// A hostile file may ask for any amount of work and memory: everything has a bound. Sums are over the whole run.
struct InterpretLimits {
  uint64_t tensorBytes = uint64_t(4) << 30; ///< of one tensor
  uint64_t heldBytes = uint64_t(16) << 30;  ///< of all values that are still needed, weights apart
  uint64_t points = uint64_t(1) << 42;      ///< of all equations together
  uint64_t nodes = 4'000'000;               ///< nodes computed, in each turn of a loop anew
};

struct InterpretOptions {
  Precision precision = Precision::Declared;
  bool allowSymlinks = false;
  std::vector<eq::OpDef> userOps = {}; ///< see ImportOptions
  InterpretLimits limits;
};

struct NamedDatum {
  std::string name;
  Datum datum;
};

/// The outputs of the model at `path`, in the order of the graph. `inputs` are by name; each graph input without an
/// initializer must be there, with the type, rank and dimensions that the file declares. A symbol stands for one number
/// throughout. Fails exactly when `problems` has errors afterwards. Outputs may look at weights, which live as long as
/// the context; inputs must outlive the outputs.
std::optional<std::vector<NamedDatum>> interpretOnnx(llvm::StringRef path, mlir::MLIRContext &context,
                                                     const llvm::StringMap<Datum> &inputs,
                                                     const InterpretOptions &options, ProblemList &problems);

/// The same for a model in memory; see importOnnx.
std::optional<std::vector<NamedDatum>> interpretOnnx(std::unique_ptr<llvm::MemoryBuffer> bytes,
                                                     mlir::MLIRContext &context, const llvm::StringMap<Datum> &inputs,
                                                     const InterpretOptions &options, ProblemList &problems);

/// A file of the ONNX test data: a TensorProto, or what `type` says in the words of the summary. Empty with a problem
/// when it is none.
std::optional<Datum> readDatumFile(llvm::StringRef path, llvm::StringRef type, ProblemList &problems);

} // namespace kumiko::onnx
