//===- Copies.cpp - values that need memory of their own -------------------===//
#include "kumiko/Fuse/Copies.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Turns.h"
#include "kumiko/Nn/Views.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kumiko;

static Operation *copyOf(OpBuilder &b, Value value) {
  Attribute shape = nn::numbersAttr(b.getContext(), nn::extentsOf(cast<RankedTensorType>(value.getType())));
  std::string why;
  FailureOr<Operation *> copy =
      nn::buildEquationOp(b, value.getLoc(), "expand", {value}, {b.getNamedAttr("shape", shape)}, why);
  assert(succeeded(copy) && "a tensor expands to its own shape");
  return *copy;
}

/// Whether the op that makes `value` can write it wherever it is wanted. The last states of a loop lie where its turns
/// have left them.
static bool hasWriter(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto scan = dyn_cast_or_null<nn::ScanOp>(op))
    return cast<OpResult>(value).getResultNumber() >= scan.getStates().size();
  return isa_and_nonnull<nn::EquationInterface, nn::IrregularInterface, nn::IfOp>(op);
}

/// Whether a view has sizes from data that what lies under it has not: they may be read only after that was computed,
/// and memory of their size is there only then.
static bool isSizedLater(Value view, Value value, ArrayRef<nn::Symbol> symbols) {
  auto namesOf = [](Value tensor) {
    SmallVector<StringRef> names;
    for (const Extent &extent : nn::extentsOf(cast<RankedTensorType>(tensor.getType())))
      extent.symbols(names);
    return names;
  };
  SmallVector<StringRef> known = namesOf(value);
  return llvm::any_of(namesOf(view), [&](StringRef name) {
    auto isData = [&](const nn::Symbol &symbol) { return symbol.isData && symbol.name == name; };
    return !llvm::is_contained(known, name) && llvm::any_of(symbols, isData);
  });
}

void kumiko::copyBareResults(Block &block) {
  Operation *terminator = block.getTerminator();
  auto function = terminator->getParentOfType<func::FuncOp>();
  SmallVector<nn::Symbol> symbols = function ? nn::symbolsOf(function) : SmallVector<nn::Symbol>();
  DenseSet<Value> written;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = nn::underViews(operand.get());
    if (hasWriter(value) && !isSizedLater(operand.get(), value, symbols) && written.insert(value).second)
      continue;
    OpBuilder b(terminator);
    operand.set(copyOf(b, operand.get())->getResult(0));
  }
}

void kumiko::copyFirstStates(Operation *loop) {
  MutableOperandRange states(loop, 0, 0);
  if (auto scan = dyn_cast<nn::ScanOp>(loop))
    states = scan.getStatesMutable();
  else if (auto op = dyn_cast<nn::LoopOp>(loop))
    states = MutableOperandRange(loop, 0, 1 + op.getStates().size()); // the condition is one
  // How large a state can become may be known only right before the loop.
  auto counted = dyn_cast<nn::LoopOp>(loop);
  bool late = counted && nn::turnsOf(counted) && !isa<IntegerAttr>(counted.getMostAttr());
  for (OpOperand &operand : states) {
    Value value = operand.get();
    bool fresh = isa_and_nonnull<nn::EquationInterface>(value.getDefiningOp()) && value.hasOneUse() && !late;
    if (fresh)
      continue;
    OpBuilder b(loop);
    operand.set(copyOf(b, value)->getResult(0));
  }
}

SmallVector<Operation *> kumiko::copyLastStates(nn::LoopOp loop) {
  SmallVector<Operation *> copies;
  OpBuilder b(loop->getContext());
  b.setInsertionPointAfter(loop);
  for (Value state : loop.getValues().take_front(loop.getStates().size())) {
    if (state.use_empty())
      continue;
    Operation *copy = copyOf(b, state);
    state.replaceAllUsesExcept(copy->getResult(0), copy);
    copies.push_back(copy);
  }
  return copies;
}
