//===- GraphImporter.h - a model's graph as a function of the nn dialect -----===//
#pragma once
#include "kumiko/Evaluate/SharedTensor.h"
#include "kumiko/Import/Onnx/ModelFile.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kumiko::onnx {

/// Where a named value comes from, for messages.
struct Origin {
  enum class Kind : uint8_t {
    Input,
    Initializer,
    Node,
    Argument, ///< of a model-local function; without a value it is left out
    Failed,   ///< an initializer that was refused
  };
  Kind kind = Kind::Node;
  uint32_t number = 0; ///< of the input, initializer or node
};

/// A list of nodes and the names they can see: the graph, or the body of a model-local function at one call.
struct Scope {
  struct Entry {
    mlir::Value value; ///< null until it is made, and for ever when what makes it has failed
    Origin origin;
  };
  llvm::ArrayRef<Node> nodes;
  llvm::ArrayRef<OpsetImport> opsets;
  llvm::DenseMap<llvm::StringRef, Entry> values;
  /// Inside a function: the call, whose attributes the body may refer to, and the function's defaults.
  const Node *call = nullptr;
  const Function *function = nullptr;
  const Scope *caller = nullptr;
  std::string within; ///< for messages
};

class GraphImporter {
public:
  GraphImporter(std::shared_ptr<ModelFile> file, const Model &model, mlir::MLIRContext &context,
                const ImportOptions &options, ProblemList &problems);

  /// The module; only worth something when no problem was added.
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  friend class NodeContext;

  std::shared_ptr<ModelFile> file;
  const Model &model;
  const ImportOptions &options;
  ProblemList &problems;
  mlir::OpBuilder builder;
  Scope top;
  mlir::func::FuncOp function;
  llvm::StringMap<llvm::SmallVector<const Function *, 1>> functions;
  llvm::DenseMap<mlir::Value, SharedTensor> folded;
  llvm::StringMap<bool> usedDims;
  uint64_t inlinedNodes = 0;
  uint64_t nodeConstants = 0; ///< large constants of Constant nodes so far

  // GraphImporter.cpp: the graph around the nodes.
  bool checkOpsets(llvm::ArrayRef<OpsetImport> opsets);
  void declareNames();
  void importInputs();
  void importOutputs();
  mlir::RankedTensorType inputType(const ValueInfo &input);
  void reportUnusedDims();

  // Nodes.cpp: one node after the other.
  void importNodes(Scope &scope);
  void importNode(Scope &scope, uint32_t number);
  Results dispatch(NodeContext &n);
  void importCall(NodeContext &n, const Function &function);
  const Function *findFunction(const Node &node) const;
  std::optional<int64_t> opsetOf(const Scope &scope, const Node &node, uint32_t number);
  void reportUnknownOp(NodeContext &n);

  // Values.cpp: names to values, tensors to constants.
  mlir::Value lookup(Scope &scope, llvm::StringRef name);
  mlir::Value constant(const TensorProto &tensor, mlir::Location loc, bool fromNode, Report report);
  /// The value if it is known: a constant, or small and computed from constants only.
  std::optional<kumiko::Tensor> valueOf(mlir::Value value);
  bool foldOne(mlir::Operation *op);

  // Places.cpp: what messages say about nodes and values.
  Place placeOf(const Scope &scope, uint32_t number) const;
  Problem::Operand operandOf(const Scope &scope, llvm::StringRef name) const;
  std::string describeOrigin(const Scope &scope, Origin origin) const;
  Problem &report(Code code, const llvm::Twine &what);
};

/// `f32[1,3]`; `?` for what is not known. Symbols by name.
std::string describe(const Type &type);

} // namespace kumiko::onnx
