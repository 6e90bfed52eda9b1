//===- GraphImporter.h - a model's graph as a function of the nn dialect -----===//
#pragma once
#include "kumiko/Equation/Known.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Build/DimensionNames.h"
#include "kumiko/Import/Build/ModelFile.h"
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"

namespace kumiko::onnx {

/// A run of the model: what it was asked for and what it has cost so far.
struct Interpretation {
  Interpretation(const InterpretOptions &options, const llvm::StringMap<Datum> &inputs)
      : options(options), inputs(inputs) {}
  const InterpretOptions &options;
  const llvm::StringMap<Datum> &inputs;
  uint64_t points = 0, nodes = 0, heldBytes = 0;
  /// Stand-ins of names; the ops of the node at hand are in `work`.
  mlir::Block *held = nullptr, *work = nullptr;
  /// By stand-in, for what is no tensor.
  llvm::DenseMap<mlir::Value, Datum> lists;
};

/// The sizes that inputs give dimensions of one name.
using DimensionSizes = llvm::StringMap<llvm::SmallSet<int64_t, 2>>;

/// Where a named value comes from, for messages.
struct Origin {
  enum class Kind : uint8_t {
    Input,
    Initializer,
    SparseInitializer,
    Node,
    Argument, ///< of a model-local function; without a value it is left out
    Failed,   ///< an initializer that was refused
  };
  Kind kind = Kind::Node;
  uint32_t number = 0; ///< of the input, initializer or node
};

/// A list of nodes and the names they can see: the graph, the body of a model-local function at one call, or a subgraph
/// in one turn.
struct Scope {
  struct Entry {
    mlir::Value value; ///< null until it is made, and for ever when what makes it has failed
    Origin origin;
  };
  const void *source = nullptr; ///< the Graph or Function: scopes of one source have the same names
  const Graph *graph = nullptr; ///< null for a function
  llvm::ArrayRef<Node> nodes;
  llvm::ArrayRef<TensorProto> initializers;
  llvm::SmallVector<llvm::StringRef, 2> outputs;
  llvm::ArrayRef<OpsetImport> opsets;
  llvm::DenseMap<llvm::StringRef, Entry> values;
  /// Inside a function: the call, whose attributes the body may refer to, and the function's defaults.
  const Node *call = nullptr;
  const Function *function = nullptr;
  const Scope *caller = nullptr;
  /// Of a subgraph: what surrounds it. Its names can be seen, too.
  Scope *outer = nullptr;
  /// In interpretation: how many readers a name still has.
  llvm::DenseMap<llvm::StringRef, uint32_t> uses;
  std::string within;    ///< for messages
  size_t position = 0;   ///< of the node at hand, in the order of the plan
  bool finished = false; ///< the outputs are there, whatever nodes are left
};

/// Calls of functions and subgraphs inside each other; the importer recurses for each.
inline constexpr unsigned nestingLimit = 96;

class GraphImporter {
public:
  GraphImporter(std::shared_ptr<ModelFile> file, const Model &model, mlir::MLIRContext &context,
                const ImportOptions &options, ProblemList &problems);

  /// The module; only worth something when no problem was added.
  mlir::OwningOpRef<mlir::ModuleOp> run();
  /// The outputs for these inputs; only worth something when no problem was added.
  std::vector<NamedDatum> interpret(const InterpretOptions &options, const llvm::StringMap<Datum> &inputs);

  /// Tries one way to import a node; when it fails, nothing is said, and the node may try another. What went wrong is
  /// in `why` for those who ask.
  static bool attempt(NodeContext &n, llvm::function_ref<void()> import, ProblemList *why = nullptr);
  /// The value if it is known; never fails.
  static std::optional<kumiko::Tensor> knownValue(NodeContext &n, mlir::Value value);
  /// What is known of a value up to symbols, of each element.
  static const eq::KnownElements &knownNumbers(NodeContext &n, mlir::Value value) {
    return n.importer.numbersOf(value);
  }

  /// What a body may add: symbols that are read inside are known only there, and what a branch asks for only counts
  /// when it is taken.
  struct Mark {
    llvm::DenseMap<mlir::Value, llvm::StringMap<Extent>> readSymbols;
    size_t checks;
  };
  static Mark mark(NodeContext &n) { return {n.importer.readSymbols, n.importer.checks.size()}; }
  /// Forgets symbols that were read since; those who read them again get others.
  static void forgetSymbols(NodeContext &n, const Mark &mark) { n.importer.readSymbols = mark.readSymbols; }
  /// Takes the checks that were added since.
  static llvm::SmallVector<nn::Check> takeChecks(NodeContext &n, const Mark &mark);
  static void addCheck(NodeContext &n, nn::Check check) { n.importer.addCheck(std::move(check)); }
  /// A symbol that an nn.symbol of the node is going to find.
  static Extent newDataSymbol(NodeContext &n) {
    return n.importer.newSymbol(n.node.op + "." + llvm::Twine(n.index), /*isData=*/true);
  }
  /// Says again what an attempt has kept to itself.
  static void tell(NodeContext &n, const Problem &problem);
  /// The node with its index, name and op.
  static std::string placeText(NodeContext &n) { return n.importer.placeText(n.scope, n.index); }

  /// The rest of the nodes around node `n`, whose outputs are `results`; gives the outputs of their graph. Empty after
  /// a failure. The names of the scope are afterwards what they were.
  static std::optional<Results> importRest(NodeContext &n, llvm::ArrayRef<mlir::Value> results);
  /// Instead of the rest of the nodes around `n`, these are the outputs of their graph.
  static void finishScope(NodeContext &n, llvm::ArrayRef<mlir::Value> outputs);

  /// Dimensions of inputs that share a name get their symbols from here; without it they are one.
  void useNames(DimensionNames &given) { dimensionNames = &given; }

  /// Where the rank of a value depends on whether open dimensions are 1 and the file does not say, all are, instead of
  /// none.
  void takeOnes() { takesOnes = true; }
  /// Whether there was such a value, and an output of the graph is declared to have another rank than it got.
  bool hasGuessedWrong() const { return guessedRank && foundOtherRank; }

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
  llvm::DenseMap<const TensorProto *, mlir::ElementsAttr> constants; ///< of tensors that were needed
  std::string whyUnknown;                                            ///< what stopped the last valueOf
  bool takesOnes = false, guessedRank = false, foundOtherRank = false;
  DimensionNames *dimensionNames = nullptr;
  unsigned nesting = 0;                           ///< of calls and subgraphs
  std::unique_ptr<Interpretation> interpretation; ///< null when compiling
  llvm::SmallVector<nn::Symbol> symbols;
  llvm::SmallVector<nn::Check> checks;
  llvm::DenseMap<mlir::Value, eq::KnownElements> numbers;           ///< what is known of small tensors
  llvm::DenseMap<mlir::Value, llvm::StringMap<Extent>> readSymbols; ///< by element and bounds
  uint64_t inlinedNodes = 0;
  uint64_t unrolledNodes = 0;
  uint64_t nodeConstants = 0; ///< large constants of Constant nodes so far

  // GraphImporter.cpp: the graph around the nodes.
  bool checkOpsets(llvm::ArrayRef<OpsetImport> opsets);
  void declareNames();
  void importInputs();
  void importOutputs();
  mlir::RankedTensorType inputType(const ValueInfo &input);
  void reportUnusedDims();
  void dropUnused();

  // Nodes.cpp: one node after the other.
  struct Plan {
    std::vector<uint32_t> order;
    llvm::DenseMap<llvm::StringRef, uint32_t> uses;
    /// Declared ones; read when somebody asks.
    std::optional<llvm::DenseMap<llvm::StringRef, llvm::ArrayRef<Dimension>>> shapes;
  };
  llvm::DenseMap<const void *, std::unique_ptr<Plan>> plans; ///< by source
  const Plan &planOf(Scope &scope);
  void importNodes(Scope &scope);
  /// When compiling: from this position of the order on.
  void importFrom(Scope &scope, size_t first);
  void importNode(Scope &scope, uint32_t number);
  bool countNode(NodeContext &n);
  Results dispatch(NodeContext &n);
  void importCall(NodeContext &n, const Function &function);
  /// The user's op that the node is; empty when it is none.
  OnnxRow userRow(const Node &node, int64_t opset) const;
  const Function *findFunction(const Node &node) const;
  std::optional<int64_t> opsetOf(const Scope &scope, const Node &node, uint32_t number);
  void reportUnknownOp(NodeContext &n);

  // Subgraph.cpp: bodies of nodes.
  std::optional<Results> importBody(NodeContext &n, const Graph &graph, llvm::ArrayRef<mlir::Value> arguments);
  bool countTurn(NodeContext &n, const Graph &graph);

  // Held.cpp: values that are known, in interpretation. Each name has a stand-in of its own: an op without operands,
  // whose type is what op code looks at and whose datum is in `folded` or `lists`.
  Datum datumOf(mlir::Value value);
  mlir::Value standIn(Datum datum, mlir::Block *block);
  /// For a name: the value itself when compiling, else a stand-in of its own with the same datum.
  mlir::Value keep(mlir::Value value);
  /// The same for what lives no longer than the node at hand.
  mlir::Value temporary(Datum datum);
  void release(mlir::Value value);
  void releaseAll(Scope &scope);
  void releaseAfter(Scope &scope, const Node &node);
  mlir::Operation *workSoFar();
  bool settle(NodeContext &n, mlir::Operation *before, llvm::MutableArrayRef<mlir::Value> results);
  void clearWork(mlir::Operation *before);
  bool computeWork(NodeContext &n, mlir::Operation *before, llvm::ArrayRef<mlir::Value> wanted);

  // Interpret.cpp: what is given and what comes out.
  void bindInputs();
  void bindInput(const ValueInfo &input, const Datum &given, DimensionSizes &sizes);
  std::vector<NamedDatum> takeOutputs();

  // Values.cpp: names to values, tensors to constants.
  /// The name as the scope sees it; the scope that has it in `where`.
  Scope::Entry *find(Scope &scope, llvm::StringRef name, Scope **where = nullptr);
  mlir::Value lookup(Scope &scope, llvm::StringRef name);
  mlir::ElementsAttr elementsOf(const TensorProto &tensor, bool fromNode, Report report);
  mlir::Value constant(const TensorProto &tensor, mlir::Location loc, bool fromNode, Report report);
  /// A constant that was computed here. Without an owner the bytes must outlive the module.
  mlir::Value constant(const SharedTensor &tensor, mlir::Location loc);
  /// The dense tensor: zeros with the values written where the indices say (Sparse.cpp).
  mlir::Value constant(const SparseTensor &tensor, mlir::Location loc, Report report);
  /// The value if it is known: a constant, or small and computed from constants only.
  std::optional<kumiko::Tensor> valueOf(mlir::Value value);
  bool foldOne(mlir::Operation *op);
  GraphOptions evaluation();

  // Symbols.cpp: what is known up to symbols, and what is not.
  /// The elements of a small tensor of numbers, as far as they follow from constants and shapes.
  const eq::KnownElements &numbersOf(mlir::Value value);
  eq::KnownElements computeNumbers(mlir::Operation *op, unsigned result);
  /// Lists a symbol under this name, or one made from it when another symbol has it.
  Extent newSymbol(const llvm::Twine &name, bool isData);
  Extent inputSymbol(llvm::StringRef name);
  /// The name of the symbol of a named dimension.
  std::string symbolOfDimension(const ValueInfo &input, size_t axis);
  void addCheck(nn::Check check);
  std::string placeText(const Scope &scope, uint32_t number) const;
  /// The symbol that stands for an element of `value`, read while the model runs.
  Extent readSymbol(NodeContext &n, mlir::Value value, size_t element, const DataBounds &bounds);

  // Places.cpp: what messages say about nodes and values.
  Place placeOf(const Scope &scope, uint32_t number) const;
  Problem::Operand operandOf(const Scope &scope, llvm::StringRef name) const;
  std::string describeOrigin(const Scope &scope, Origin origin) const;
  Problem &report(Code code, const llvm::Twine &what);
};

/// Whether the file gives the dimension a name that means something, and no number.
bool isNamed(const Dimension &dim);

/// `f32[1,3]`; `?` for what is not known. Symbols by name.
std::string describe(const Type &type);

} // namespace kumiko::onnx
