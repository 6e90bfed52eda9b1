//===- Onnx.h - reading ONNX models ------------------------------------------===//
//
// The importer's face. A file becomes a module with `func.func @main` in the nn dialect; everything that is wrong with
// it becomes problems, all at once. No input makes this code abort, hang or allocate out of proportion to the file.
//
//   * Arguments and results of @main carry their names as `nn.name`.
//   * Every op has a NameLoc: the name of its source node, or `#17 Conv` for node 17 without a name.
//   * Weights are `dense_resource` attributes that alias the mapped file, at any alignment. The mapping lives as long
//   as
//     the context. The file must not be cut short while it is mapped.
//   * An initializer that is also a graph input is a constant; the summary lists such inputs as overridable.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Support/Problem.h"
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

namespace kumiko::onnx {

/// The newest operator set of the default domain that is known.
inline constexpr int64_t newestOpset = 28;

struct ImportOptions {
  /// Sizes of symbolic dimensions: by the symbol's name, or `INPUT[AXIS]`.
  llvm::StringMap<int64_t> dims;
  /// Dimensions without a number become symbols (kumiko/Nn/Symbols.h) instead of a problem.
  bool symbols = false;
  /// With `symbols`: as if the file gave no dimension of an input a number, except of inputs in `known`.
  bool forgetSizes = false;
  /// Ops of the user, for the nodes that their `from onnx` clauses name (UserOps.h). They go before all others.
  std::vector<eq::OpDef> userOps;
  /// Follow symbolic links to external data.
  bool allowSymlinks = false;
  /// Values of graph inputs that are known now, by name. The inputs stay arguments of @main, but where an op needs a
  /// number the importer takes it from here: the module is then right for these values only. Must outlive the call.
  llvm::StringMap<const kumiko::Tensor *> known;
  /// The most bytes that one value of the graph may take.
  uint64_t tensorLimit = defaultTensorLimit;
};

/// `NAME=N` or `INPUT[AXIS]=N`, as `--dim` has it; adds to `options`, or a problem.
bool parseDim(llvm::StringRef text, ImportOptions &options, ProblemList &problems);

/// What the file says about itself; filled as far as the file can be read.
struct ModelSummary {
  struct Value {
    std::string name;
    std::string type; ///< `f32[1,3,224,224]`, symbols by name: `f32[N,3]`
    bool operator==(const Value &) const = default;
  };
  struct Operator {
    uint64_t count = 0;
    bool supported = false;
  };
  struct Unsupported {
    std::string node; ///< `node 17 "block3/norm" (com.acme.FancyNorm)`
    std::string reason;
  };
  std::string producer;
  std::string graph;
  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< by domain; the default domain is `ai.onnx`
  std::vector<Value> inputs, outputs;
  /// Graph inputs that also are initializers: imported as constants.
  std::vector<std::string> overridable;
  /// By op type, foreign domains in front: `com.acme.FancyNorm`. Subgraphs and functions included.
  std::map<std::string, Operator> ops;
  uint64_t nodes = 0;
  uint64_t parameters = 0; ///< elements of all initializers
  uint64_t parameterBytes = 0;
  std::vector<Unsupported> unsupported;
};

/// Only what the file says about itself. False with a problem when it cannot be read.
bool summarizeOnnx(llvm::StringRef path, bool allowSymlinks, ProblemList &problems, ModelSummary &summary);

/// Reads, checks and translates the model at `path`. Fails exactly when `problems` has errors afterwards.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(llvm::StringRef path, mlir::MLIRContext &context,
                                                              const ImportOptions &options, ProblemList &problems,
                                                              ModelSummary &summary);

/// The same for a model in memory; the buffer's identifier is the path that messages name and external data lies
/// beside.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(std::unique_ptr<llvm::MemoryBuffer> bytes,
                                                              mlir::MLIRContext &context, const ImportOptions &options,
                                                              ProblemList &problems, ModelSummary &summary);

/// A tensor type of the module as messages say it: `f32[1,3]`, `f32[batch,seq + 1]`; `?` for what is not known.
std::string describe(mlir::Type type);

/// The value of a TensorProto file, such as the test data of ONNX. Empty with a problem when it is none.
std::optional<kumiko::Tensor> readTensorFile(llvm::StringRef path, ProblemList &problems);

} // namespace kumiko::onnx
