//===- Reader.h - from a .kmk text to the nn dialect --------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Build/Safetensors.h"
#include "kumiko/Import/Import.h"
#include "kumiko/Import/Text/Source.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko::text {

using Results = llvm::SmallVector<mlir::Value, 2>;

/// Reads one file. With inputs at hand every op is computed as it is read, so all sizes are numbers.
class Reader {
public:
  Reader(std::shared_ptr<ModelFile> file, mlir::MLIRContext &context, const ImportOptions &options,
         ProblemList &problems);

  /// The module; only worth something when no problem was added.
  mlir::OwningOpRef<mlir::ModuleOp> run();
  /// The outputs for these inputs; only worth something when no problem was added.
  std::vector<NamedDatum> interpret(const InterpretOptions &how, const llvm::StringMap<Datum> &inputs);
  /// After `run`.
  void summarize(mlir::ModuleOp module, ModelSummary &summary);

private:
  /// The model, or the body of an op: nothing of what surrounds it can be seen.
  struct Scope {
    mlir::Block *block = nullptr;
    llvm::StringMap<mlir::Value> values;
    Scope *outer = nullptr;
    std::optional<Results> yielded;
  };
  /// `a = x` or `a = x: f32[2]`.
  struct Binding {
    Name name;
    mlir::Value value;
    mlir::RankedTensorType type;
  };
  struct Interpretation {
    const InterpretOptions &how;
    const llvm::StringMap<Datum> &inputs;
    llvm::DenseMap<mlir::Value, SharedTensor> tensors;
    uint64_t points = 0, held = 0, ops = 0;
    Interpretation(const InterpretOptions &how, const llvm::StringMap<Datum> &inputs) : how(how), inputs(inputs) {}
  };

  Source source;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::func::FuncOp function;
  llvm::StringMap<eq::OpDef> ownOps;
  Weights weights;
  llvm::StringMap<mlir::ElementsAttr> stored; ///< weights that were used, by name and type
  llvm::SmallVector<nn::Symbol> symbols;
  /// What follows from an op, and checks that say the same when all of them are written.
  struct Derived {
    nn::Check check;
    llvm::SmallVector<nn::Check, 0> together;
  };
  /// By body: what the text says must hold, and what follows from ops, which counts where the former lacks it.
  llvm::MapVector<mlir::Block *, llvm::SmallVector<nn::Check>> writtenChecks;
  llvm::MapVector<mlir::Block *, std::vector<Derived>> derivedChecks;
  llvm::StringMap<int64_t> numbers; ///< of symbols that have one
  llvm::StringSet<> known;          ///< symbols that are defined where the reader is
  llvm::StringSet<> usedDims;
  std::string modelName;
  Scope *scope = nullptr;
  bool inCheck = false;
  unsigned depth = 0; ///< of calls and bodies inside each other
  std::unique_ptr<Interpretation> interpretation;

  // Reader.cpp: the file and its statements.
  void readFile();
  void readWeightsFile();
  void readDefinition();
  void readModel();
  void readInput(llvm::SmallVectorImpl<mlir::Attribute> &names);
  void bindInput(const Name &name, mlir::RankedTensorType type, mlir::BlockArgument argument);
  void readSymbols();
  void readStatements();
  void readLet();
  void readCheck();
  void readSymbolOp();
  void finish(llvm::ArrayRef<std::string> outputs);
  void finishChecks();
  bool isWritten(const nn::Check &check, mlir::Block *block);
  bool define(const Name &name, mlir::Value value);
  void declare(llvm::StringRef symbol, bool isData);

  // Types and numbers.
  std::optional<Extent> readExtent();
  std::optional<Extent> bound(Extent extent, size_t begin);
  std::optional<llvm::SmallVector<Extent, 4>> readShape();
  mlir::RankedTensorType readType();
  mlir::RankedTensorType checkedType(llvm::ArrayRef<Extent> shape, ElementType element, size_t begin);

  // ReadOps.cpp: expressions.
  mlir::Value readOperand();
  Results readExpression();
  Results readCall(const Name &name);
  Results readView(llvm::StringRef op, const Name &name, mlir::Value x,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes);
  void checkReshape(llvm::ArrayRef<Extent> before, llvm::ArrayRef<Extent> after, size_t begin);
  mlir::Value readConstant(ElementType element);
  mlir::Value readWeight();
  mlir::Value constant(Tensor tensor, llvm::StringRef key);
  bool readAttributes(const eq::OpDef *definition, llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  mlir::Attribute readAttribute(std::optional<eq::AttributeKind> kind);
  mlir::Attribute readList(std::optional<eq::AttributeKind> kind);
  mlir::Operation *build(llvm::StringRef op, const eq::OpDef *definition, llvm::ArrayRef<mlir::Value> operands,
                         llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes, const Name &name);
  Results finishOp(mlir::Operation *op, size_t begin);
  void deriveChecks(mlir::Operation *op);
  /// A check that numbers decide is decided here; the others are kept. `together` say as much.
  void addCheck(nn::Check check, size_t begin, bool isWritten = false, llvm::ArrayRef<nn::Check> together = {});
  bool compute(mlir::Operation *op, size_t begin);

  // ReadBlocks.cpp: ops with bodies.
  Results readIf(size_t begin);
  Results readScan(size_t begin);
  Results readLoop(size_t begin);
  bool readBindings(llvm::StringRef word, llvm::SmallVectorImpl<Binding> &bindings);
  /// The body of block `block`, whose arguments have these names.
  std::optional<Results> readBody(mlir::Block *block, llvm::ArrayRef<Name> names);
  Results finishBlockOp(mlir::Operation *op, size_t begin);
};

} // namespace kumiko::text
