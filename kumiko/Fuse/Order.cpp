#include "kumiko/Fuse/Order.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;

namespace {
class Order {
public:
  explicit Order(Block &block) : block(block) {
    for (Operation &op : block) {
      llvm::StringSet<> names;
      nn::addSymbolsFoundBy(&op, names);
      for (const auto &name : names)
        finders[name.getKey()] = &op;
    }
  }

  void run() {
    SmallVector<Operation *> before = llvm::to_vector(llvm::make_pointer_range(block));
    for (Operation *op : before)
      settle(op);
    for (Operation *op : inOrder)
      op->moveBefore(&block, block.end());
  }

private:
  /// `op` behind its needs, by a stack of our own: files decide how deep it gets.
  void settle(Operation *op) {
    SmallVector<Operation *> stack{op};
    while (!stack.empty()) {
      Operation *next = stack.back();
      if (done.contains(next)) {
        stack.pop_back();
        continue;
      }
      size_t height = stack.size();
      open.insert(next);
      for (Operation *needed : needsOf(next)) {
        assert((done.contains(needed) || !open.contains(needed)) && "kernels wait for each other");
        if (!open.contains(needed))
          stack.push_back(needed);
      }
      if (stack.size() > height)
        continue;
      done.insert(next);
      inOrder.push_back(next);
      stack.pop_back();
    }
  }

  /// The ops of the block that must stand before `op`.
  llvm::SmallSetVector<Operation *, 8> needsOf(Operation *op) {
    llvm::SmallSetVector<Operation *, 8> needs;
    auto add = [&](Operation *needed) {
      if (needed && needed->getBlock() == &block && needed != op)
        needs.insert(needed);
    };
    op->walk([&](Operation *each) {
      for (Value operand : each->getOperands())
        add(operand.getDefiningOp());
    });
    if (finders.empty())
      return needs;
    llvm::StringSet<> names;
    nn::addSymbolsOf(op, names);
    op->walk([&](nn::CallOp call) {
      nn::addSymbolsOf(SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()), names);
    });
    for (const auto &name : names)
      add(finders.lookup(name.getKey()));
    return needs;
  }

  Block &block;
  llvm::StringMap<Operation *> finders;
  llvm::DenseSet<Operation *> done, open;
  std::vector<Operation *> inOrder;
};
} // namespace

void kumiko::putInOrder(Block &block) { Order(block).run(); }
