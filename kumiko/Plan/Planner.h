//===- Planner.h - from kernels to a program --------------------------------===//
//
// Used by Plan.cpp (levels, sizes and what a program says about itself), PlanPlaces.cpp (places and lifetimes) and
// PlanCalls.cpp (the list of calls) alone.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Turns.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Nn/Views.h"
#include "kumiko/Plan/Joins.h"
#include "kumiko/Plan/Overwrites.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Plan/Weights.h"
#include "kumiko/plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/include/kumiko/artefact.h"

namespace kumiko {

/// A walk over the network in the order in which it runs finds places and lifetimes; a second one writes the calls. A
/// call is one step, a loop or choice has one before and one after what it holds.
class Planner {
public:
  Planner(mlir::ModuleOp module, llvm::StringRef name) : module(module) { program.name = name.str(); }
  mlir::FailureOr<Program> run();

private:
  void findJoins(mlir::func::FuncOp main);
  /// Extents of a value between calls. Below Lower its type has plain `?`; what makes it says more.
  llvm::SmallVector<Extent, 4> extentsOf(mlir::Value value);
  /// An argument has the extents of its operand; a slice of a sequence all but the first.
  llvm::SmallVector<Extent, 4> extentsOf(mlir::BlockArgument argument);
  static llvm::SmallVector<Extent, 4> extentsOf(mlir::RankedTensorType type, mlir::DictionaryAttr attributes);
  Extent bytesOf(mlir::Value value) { return product(extentsOf(value)) * elementBytesOf(value); }
  ProgramValue describe(mlir::Type type, mlir::DictionaryAttr attributes, llvm::Twine fallback);
  /// Begins a level at call number `first`.
  uint32_t newLevel(uint64_t first);
  /// Whether a size within the loop depends on the turns done so far. Elsewhere only all of them count, once: sizes
  /// behind the loop may make no sense with fewer.
  bool usesTurns(nn::LoopOp loop);
  /// The levels of a program with symbols, in the order in which they begin: behind calls that find symbols, and in
  /// branches, whose shapes may make no sense unless they are taken.
  mlir::LogicalResult findLevels(mlir::Block &block, uint64_t &calls, bool branch = false);
  void addDemand(const nn::Check &check, uint32_t scope);
  /// Symbols, the levels at which they are known, and what must hold of them.
  mlir::LogicalResult describeSymbols(mlir::func::FuncOp main);
  /// 0 where the size is not known.
  uint64_t byteCountOf(mlir::Value tensor);
  void describe(mlir::func::FuncOp main);
  /// The level of the innermost branch around the block.
  uint32_t scopeOf(mlir::Block &block) const;
  /// A slot of the arena that lives now.
  ValuePlace newSlot(Extent bytes, mlir::Block &block);
  /// The place of a result; memory that its reader has chosen, or a new slot.
  void define(mlir::Value result);
  /// The first of its parts gives a joined tensor its slot.
  bool definePart(mlir::Value result);
  static int64_t elementBytesOf(mlir::Value value);
  /// What the value lies in lives until `until`, views included.
  void use(mlir::Value value, uint64_t until);
  mlir::LogicalResult collect(mlir::Block &block, uint32_t loops);
  /// What a loop or choice reads or writes lives until its last turn; what lives and dies inside may share memory.
  mlir::LogicalResult collectNest(mlir::Operation *op, uint32_t loops);
  /// What separates the two places of a state that may become as large as this.
  static Extent strideOf(const Extent &bytes);
  Extent strideOf(mlir::Value first) { return strideOf(bytesOf(nn::underViews(first))); }
  /// The most bytes that a result of a loop can have, whatever number of turns it takes.
  Extent mostBytesOf(nn::LoopOp loop, mlir::Value result);
  /// Two places for a state that begins as `first`, of which a turn reads one and writes the other.
  mlir::LogicalResult alternate(mlir::Operation *op, mlir::Value first, const Extent &stride, mlir::Value argument,
                                mlir::Value yielded, uint32_t loops);
  mlir::LogicalResult enter(nn::ScanOp scan, uint32_t loops);
  Extent stepsOf(nn::ScanOp scan) { return extentsOf(scan.getSequences().front()).front(); }
  mlir::LogicalResult enter(nn::LoopOp loop, uint32_t loops);
  mlir::LogicalResult enter(nn::IfOp choice);
  mlir::LogicalResult share(mlir::ValueRange outside, mlir::ValueRange inside);
  mlir::LogicalResult assignArena(mlir::func::FuncOp main);
  /// Sizes are known when shapes are bound, so the runtime chooses the places.
  mlir::LogicalResult planLater(mlir::func::FuncOp main);
  mlir::FailureOr<ValuePlace> placeOf(mlir::Value value, const Packing *packing);
  BufferRef resolved(const ValuePlace &place) const;
  mlir::LogicalResult addCalls(mlir::Block &block, uint32_t loops);
  mlir::LogicalResult addNest(mlir::Operation *op, uint32_t loops);
  void addOmitted(nn::CallOp call);
  std::string originOf(nn::CallOp call);
  /// What a kernel touches of a tensor that lies apart.
  void describeApart(mlir::Value value, BufferRef &buffer);
  mlir::LogicalResult addCall(nn::CallOp call, uint32_t loops);

  mlir::ModuleOp module;
  Program program;
  WeightsBuilder weights;
  Places places;
  Joins joins{module};
  Overwrites overwrites{module, places, joins};
  std::vector<kumiko_lifetime> lifetimes;
  // Of slots, in the order of lifetimes.
  std::vector<Extent> sizes;
  std::vector<uint32_t> slotScopes;
  std::vector<uint64_t> offsets; ///< of a static program
  std::vector<uint32_t> numbers; ///< of planned buffers
  uint64_t step = 0;
  // Levels, by where they begin.
  llvm::StringMap<uint32_t> found; ///< symbols in the data
  llvm::DenseMap<mlir::Operation *, uint32_t> callLevels;
  llvm::DenseMap<mlir::Block *, uint32_t> scopes; ///< of branches
  bool hasSymbols = false;
  uint32_t around = 0; ///< loops around the block at hand
};

} // namespace kumiko
