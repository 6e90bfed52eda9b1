//===- Import.h - model files of any format -----------------------------------===//
//
// The face of all importers. A file becomes a module with `func.func @main` in the nn dialect; everything that is wrong
// with it becomes problems, all at once. No input makes this code abort, hang or allocate out of proportion to the
// file.
//
//   * Arguments and results of @main carry their names as `nn.name`.
//   * Every op has a NameLoc: the name of its source node.
//   * Weights are `dense_resource` attributes that alias the mapped file, at any alignment. The mapping lives as long
//     as the context. The file must not be cut short while it is mapped.
//
// The format is found by content (`FrontEnd::recognise`), never by asking the user.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Import/Build/Datum.h"
#include "kumiko/Support/Problem.h"
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

namespace kumiko {

class ModelFile;

struct ImportOptions {
  /// Sizes of symbolic dimensions: by the symbol's name, or `INPUT[AXIS]`.
  llvm::StringMap<int64_t> dims;
  /// Dimensions without a number become symbols (kumiko/Nn/Symbols.h) instead of a problem.
  bool symbols = false;
  /// With `symbols`: as if the file gave no dimension of an input a number, except of inputs in `known`.
  bool forgetSizes = false;
  /// Ops of the user, for the nodes that their `from FORMAT` clauses name (`readUserOps`). They go before all others.
  std::vector<eq::OpDef> userOps;
  /// Follow symbolic links to external data.
  bool allowSymlinks = false;
  /// Values of graph inputs that are known now, by name. The inputs stay arguments of @main, but where an op needs a
  /// number the importer takes it from here: the module is then right for these values only. Must outlive the call.
  llvm::StringMap<const Tensor *> known;
  /// The most bytes that one value of the graph may take.
  uint64_t tensorLimit = defaultTensorLimit;
};

/// `NAME=N` or `INPUT[AXIS]=N`, as `--dim` has it; adds to `options`, or a problem.
bool parseDim(llvm::StringRef text, ImportOptions &options, ProblemList &problems);

/// Adds the ops of an equation file, each with at least one `from FORMAT` clause of a domain of its own; otherwise a
/// problem that says where in the file.
bool readUserOps(llvm::StringRef path, ImportOptions &options, ProblemList &problems);

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
  std::string format; ///< the front end's name; empty when no front end knows the file
  std::string producer;
  std::string graph;
  int64_t irVersion = 0;
  /// By domain; the default domain is `ai.onnx`. Empty where the format has no operator sets.
  std::map<std::string, int64_t> opsets;
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

using ImportedModule = mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>;
using InterpretedModel = std::optional<std::vector<NamedDatum>>;

/// A format that models come in. Each has one folder beside this file and one line in its CMakeLists.txt; a front end
/// may keep parts of the file alive as long as the context.
struct FrontEnd {
  /// As `from NAME` clauses of equations say it.
  llvm::StringLiteral name;
  /// What a file of the format is, for messages: "ONNX (protobuf)".
  llvm::StringLiteral what;
  /// Whether a file that begins like this is one of the format; `bytes` are not empty. When no format knows the content
  /// all are asked again with the path, for damaged files.
  bool (*recognise)(llvm::StringRef bytes, llvm::StringRef path);
  /// Only what the file says about itself. False with a problem when it cannot be read.
  bool (*summarize)(ModelFile &file, ProblemList &problems, ModelSummary &summary);
  /// Reads, checks and translates. Fails exactly when `problems` has errors afterwards.
  ImportedModule (*import)(std::shared_ptr<ModelFile> file, mlir::MLIRContext &context, const ImportOptions &options,
                           ProblemList &problems, ModelSummary &summary);
  /// The outputs, in the order of the graph. `inputs` are by name; each input must be there, with the type, rank and
  /// dimensions that the file declares. Fails exactly when `problems` has errors afterwards. Outputs may look at
  /// weights, which live as long as the context; inputs must outlive the outputs.
  InterpretedModel (*interpret)(std::shared_ptr<ModelFile> file, mlir::MLIRContext &context,
                                const llvm::StringMap<Datum> &inputs, const InterpretOptions &options,
                                ProblemList &problems);
};

/// All formats, in the order in which they are asked whether a file is theirs.
llvm::ArrayRef<const FrontEnd *> frontEnds();

/// The front end whose file this is; null with a problem that says what was tried.
const FrontEnd *frontEndOf(ModelFile &file, ProblemList &problems);

// The model at `path`, or one in memory. The buffer's identifier is the path that messages name and that external data
// lies beside.
bool summarizeModel(llvm::StringRef path, bool allowSymlinks, ProblemList &problems, ModelSummary &summary);
ImportedModule importModel(llvm::StringRef path, mlir::MLIRContext &context, const ImportOptions &options,
                           ProblemList &problems, ModelSummary &summary);
ImportedModule importModel(std::unique_ptr<llvm::MemoryBuffer> bytes, mlir::MLIRContext &context,
                           const ImportOptions &options, ProblemList &problems, ModelSummary &summary);
InterpretedModel interpretModel(llvm::StringRef path, mlir::MLIRContext &context, const llvm::StringMap<Datum> &inputs,
                                const InterpretOptions &options, ProblemList &problems);
InterpretedModel interpretModel(std::unique_ptr<llvm::MemoryBuffer> bytes, mlir::MLIRContext &context,
                                const llvm::StringMap<Datum> &inputs, const InterpretOptions &options,
                                ProblemList &problems);

} // namespace kumiko
