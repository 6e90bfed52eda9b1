//===- SimplifyLoops.cpp - leaves in a loop what changes -------------------===//
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/WholeSequence.h"
#include "mlir/IR/IRMapping.h"

namespace kumiko {
#define GEN_PASS_DEF_SIMPLIFYLOOPSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "simplify_loops";

static MutableOperandRange sharedOf(Operation *op) {
  if (auto scan = dyn_cast<nn::ScanOp>(op))
    return scan.getSharedMutable();
  if (auto loop = dyn_cast<nn::LoopOp>(op))
    return loop.getSharedMutable();
  return cast<nn::IfOp>(op).getSharedMutable();
}

/// Drops shared operand `number` and the arguments for it, which nobody reads.
static void dropShared(Operation *op, unsigned number) {
  unsigned count = sharedOf(op).size();
  for (Region &region : op->getRegions())
    region.front().eraseArgument(region.getNumArguments() - count + number);
  sharedOf(op).erase(number);
}

/// Constants go inside, and what is shared but not read goes away.
static void simplifyShared(Operation *op) {
  for (unsigned number = sharedOf(op).size(); number-- > 0;) {
    Value value = sharedOf(op)[number].get();
    unsigned fromEnd = sharedOf(op).size() - number;
    bool read = false;
    for (Region &region : op->getRegions()) {
      BlockArgument argument = region.getArgument(region.getNumArguments() - fromEnd);
      if (auto constant = value.getDefiningOp<nn::ConstantOp>(); constant && !argument.use_empty()) {
        auto b = OpBuilder::atBlockBegin(&region.front());
        argument.replaceAllUsesWith(b.clone(*constant)->getResult(0));
      }
      read |= !argument.use_empty();
    }
    if (!read)
      dropShared(op, number);
  }
}

/// Adds a shared operand; its argument in the only body.
static Value addShared(Operation *loop, Value value) {
  sharedOf(loop).append(value);
  return loop->getRegion(0).front().addArgument(value.getType(), loop->getLoc());
}

/// The operand behind an argument of the body that is the same in every turn; null for all others.
static Value outsideOf(Operation *loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  MutableOperandRange shared = sharedOf(loop);
  unsigned first = loop->getRegion(0).getNumArguments() - shared.size();
  bool same = argument && argument.getOwner() == &loop->getRegion(0).front() && argument.getArgNumber() >= first;
  return same ? shared[argument.getArgNumber() - first].get() : Value();
}

namespace {
struct SimplifyLoops final : kumiko::impl::SimplifyLoopsPassBase<SimplifyLoops> {
  void runOnOperation() override {
    SmallVector<Operation *> nests; // inner ones first
    getOperation()->walk([&](Operation *op) {
      if (isa<nn::ScanOp, nn::LoopOp, nn::IfOp>(op))
        nests.push_back(op);
    });
    for (Operation *op : nests) {
      simplifyShared(op);
      auto scan = dyn_cast<nn::ScanOp>(op);
      if (scan)
        op = scan = withoutIdle(scan);
      if (!isa<nn::IfOp>(op)) {
        hoist(op);
        simplifyShared(op);
      }
      if (scan && (scan.getSteps().is(0) || scan.getSteps().is(1))) {
        applied(scan, "unroll_scan", 1);
        unroll(scan);
      } else if (scan) {
        unsigned whole = computeWholeSequences(scan);
        if (whole > 0)
          applied(scan, "whole_sequence");
        hoisted += whole;
      }
    }
  }

private:
  /// Moves out what does not depend on the turn; a branch may not be taken, so nothing leaves one.
  void hoist(Operation *loop) {
    llvm::StringSet<> found; // in the data, anew in each turn
    nn::addSymbolsFoundBy(loop, found);
    auto needs = [&](Operation *op) {
      llvm::StringSet<> names;
      if (!found.empty())
        nn::addSymbolsOf(op, names);
      return llvm::any_of(names.keys(), [&](StringRef name) { return found.contains(name); });
    };
    for (Operation &op : llvm::make_early_inc_range(loop->getRegion(0).front())) {
      if (!isa<nn::EquationInterface, nn::ReshapeOp, nn::BitcastOp>(op))
        continue;
      auto isFixed = [&](Value operand) { return constantOf(operand) || outsideOf(loop, operand); };
      if (op.getNumOperands() == 0 || !llvm::all_of(op.getOperands(), isFixed) || needs(&op))
        continue;
      OpBuilder b(loop);
      for (OpOperand &operand : op.getOpOperands())
        if (Value outside = outsideOf(loop, operand.get()))
          operand.set(outside);
        else
          operand.set(b.clone(*operand.get().getDefiningOp())->getResult(0));
      op.moveBefore(loop);
      applied(&op, rule);
      for (Value result : op.getResults())
        if (!result.use_empty()) {
          Value inside = addShared(loop, result);
          result.replaceUsesWithIf(
              inside, [&](OpOperand &use) { return use.getOwner()->getBlock() == &loop->getRegion(0).front(); });
        }
      ++hoisted;
    }
  }

  /// The scan without states that never change and stacked results that nobody reads.
  static nn::ScanOp withoutIdle(nn::ScanOp scan) {
    Block &body = scan.getBody().front();
    auto yield = cast<nn::YieldOp>(body.getTerminator());
    size_t states = scan.getStates().size();
    SmallVector<Value> first, next, ends, shared(scan.getShared());
    SmallVector<Type> stacks;
    llvm::BitVector idle(body.getNumArguments());
    for (size_t i = 0; i < states; ++i)
      if (yield.getOperand(i) == body.getArgument(i)) {
        Value same = scan.getStates()[i];
        idle.set(i);
        shared.push_back(same);
        scan.getResult(i).replaceAllUsesWith(same);
        body.getArgument(i).replaceAllUsesWith(body.addArgument(same.getType(), scan.getLoc()));
      } else {
        first.push_back(scan.getStates()[i]);
      }
    for (size_t i = 0; i < scan.getNumResults(); ++i) {
      bool kept = i < states ? !idle.test(i) : !scan.getResult(i).use_empty();
      if (!kept)
        continue;
      next.push_back(yield.getOperand(i));
      ends.push_back(scan.getResult(i));
      if (i >= states)
        stacks.push_back(scan.getResult(i).getType());
    }
    if (ends.size() == scan.getNumResults())
      return scan;
    applied(scan, "idle_states");
    OpBuilder b(scan);
    auto lean = nn::ScanOp::create(b, scan.getLoc(), first, scan.getSequences(), shared, stacks, scan.getReverse());
    b.setInsertionPoint(yield);
    nn::YieldOp::create(b, yield.getLoc(), next);
    yield.erase();
    idle.resize(body.getNumArguments());
    body.eraseArguments(idle);
    lean.getBody().takeBody(scan.getBody());
    for (auto [old, value] : llvm::zip_equal(ends, lean.getResults()))
      old.replaceAllUsesWith(value);
    scan.erase();
    return lean;
  }

  /// At most one step: no loop is needed.
  static void unroll(nn::ScanOp scan) {
    OpBuilder b(scan);
    size_t states = scan.getStates().size(), sequences = scan.getSequences().size();
    SmallVector<Value> results(scan.getStates());
    if (scan.getSteps().is(1)) {
      Block &body = scan.getBody().front();
      IRMapping mapping;
      for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), scan->getOperands())) {
        bool slice = argument.getArgNumber() >= states && argument.getArgNumber() < states + sequences;
        mapping.map(argument, slice ? reshaped(b, operand, argument.getType()) : operand);
      }
      for (Operation &op : body.without_terminator())
        b.clone(op, mapping);
      results = llvm::map_to_vector(body.getTerminator()->getOperands(),
                                    [&](Value value) { return mapping.lookupOrDefault(value); });
    }
    for (auto [number, result] : llvm::enumerate(scan.getResults())) {
      auto type = cast<RankedTensorType>(result.getType());
      if (number >= results.size()) // a stack of nothing
        results.push_back(
            nn::ConstantOp::create(b, scan.getLoc(), DenseElementsAttr::get(type, ArrayRef<Attribute>())));
      else if (number >= states)
        results[number] = reshaped(b, results[number], type);
      result.replaceAllUsesWith(results[number]);
    }
    scan.erase();
  }

  static Value reshaped(OpBuilder &b, Value value, Type type) {
    return nn::ReshapeOp::create(b, value.getLoc(), type, value);
  }
};
} // namespace
