#include "kumiko/Optimize/WholeSequence.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/ConstantTensor.h"

using namespace mlir;
using namespace kumiko;

namespace {

/// Compares the statement on slices with the one on sequences.
class LeadingLoop {
public:
  LeadingLoop(const eq::Instance &slices, const eq::Instance &sequences, const llvm::DenseSet<unsigned> &stepping)
      : slices(slices), sequences(sequences), stepping(stepping) {}

  bool holds() const {
    if (slices.statements.size() != 1 || sequences.statements.size() != 1 ||
        slices.tensors.size() != sequences.tensors.size())
      return false;
    const eq::Statement &one = slices.statements[0], &all = sequences.statements[0];
    auto sameExtent = [](const eq::Loop &a, const eq::Loop &b) { return a.extent == b.extent; };
    return one.targets.size() == 1 && all.targets.size() == 1 && all.loops.size() == one.loops.size() + 1 &&
           llvm::equal(one.loops, llvm::drop_begin(all.loops), sameExtent) && all.kept == one.kept + 1 &&
           one.combine == all.combine && one.conditions.empty() && all.conditions.empty() && !one.into && !all.into &&
           !one.computedLeft && !all.computedLeft && steps(one.targets[0].indices, all.targets[0].indices) &&
           same(*one.values[0], *all.values[0]);
  }

private:
  /// The indices of a sequence: the new loop, then those of the slice.
  bool steps(ArrayRef<const eq::Expr *> one, ArrayRef<const eq::Expr *> all) const {
    return all.size() == one.size() + 1 && all[0]->kind == eq::Expr::Kind::Loop && all[0]->loop == 0 &&
           sameList(one, all.drop_front());
  }

  bool sameList(ArrayRef<const eq::Expr *> one, ArrayRef<const eq::Expr *> all) const {
    return llvm::equal(one, all, [&](const eq::Expr *a, const eq::Expr *b) { return same(*a, *b); });
  }

  bool same(const eq::Expr &one, const eq::Expr &all) const {
    if (one.kind != all.kind || one.type != all.type || !one.otherwise != !all.otherwise ||
        (one.otherwise && !same(*one.otherwise, *all.otherwise)))
      return false;
    if (one.symbolic || all.symbolic)
      return one.symbolic && all.symbolic && *one.symbolic == *all.symbolic;
    switch (one.kind) {
    case eq::Expr::Kind::Integer:
      return one.integer == all.integer;
    case eq::Expr::Kind::Real:
      return std::memcmp(&one.real, &all.real, sizeof one.real) == 0;
    case eq::Expr::Kind::Loop:
      return all.loop == one.loop + 1;
    case eq::Expr::Kind::Read: {
      const eq::Tensor &tensor = slices.tensors[one.tensor];
      if (one.tensor != all.tensor || tensor.role != eq::Tensor::Role::Operand)
        return false;
      return stepping.contains(tensor.number) ? steps(one.operands, all.operands)
                                              : sameList(one.operands, all.operands);
    }
    case eq::Expr::Kind::Apply:
      return one.function == all.function && sameList(one.operands, all.operands);
    case eq::Expr::Kind::Select:
    case eq::Expr::Kind::Cast:
      return sameList(one.operands, all.operands);
    }
    llvm_unreachable("all kinds are listed");
  }

  const eq::Instance &slices, &sequences;
  const llvm::DenseSet<unsigned> &stepping; ///< operands that became sequences
};

class Lifter {
public:
  explicit Lifter(nn::ScanOp scan) : scan(scan), body(scan.getBody().front()), b(scan) {}

  unsigned run() {
    unsigned lifted = 0;
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      Value whole = isa<nn::ReshapeOp>(op) ? liftReshape(&op) : isa<nn::EquationInterface>(op) ? lift(&op) : Value();
      if (!whole)
        continue;
      unsigned place = scan.getStates().size() + scan.getSequences().size();
      scan.getSequencesMutable().append(whole);
      op.getResult(0).replaceAllUsesWith(body.insertArgument(place, op.getResult(0).getType(), op.getLoc()));
      op.erase();
      ++lifted;
    }
    return lifted;
  }

private:
  /// The sequence of which `value` is a slice.
  Value sequenceOf(Value value) {
    auto argument = dyn_cast_or_null<BlockArgument>(value);
    unsigned first = scan.getStates().size(), count = scan.getSequences().size();
    bool slice = argument && argument.getArgNumber() >= first && argument.getArgNumber() < first + count;
    return slice ? scan.getSequences()[argument.getArgNumber() - first] : Value();
  }

  /// What is the same in every step, outside of the scan.
  Value fixedValue(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned first = scan.getStates().size() + scan.getSequences().size();
      return argument.getArgNumber() >= first ? scan.getShared()[argument.getArgNumber() - first] : Value();
    }
    return optimize::constantOf(value) ? b.clone(*value.getDefiningOp())->getResult(0) : Value();
  }

  RankedTensorType stacked(Value slice) { return nn::ScanOp::stackOf(scan.getSteps(), slice.getType()); }

  Value liftReshape(Operation *op) {
    Value sequence = sequenceOf(op->getOperand(0));
    if (!sequence)
      return {};
    return nn::ReshapeOp::create(b, op->getLoc(), stacked(op->getResult(0)), sequence);
  }

  static Extent elementsOf(Value value) { return product(nn::extentsOf(cast<RankedTensorType>(value.getType()))); }

  /// Contractions gain from many rows; others must not make memory traffic of what stays in registers: all steps
  /// together take no more memory than what they read, slices of sequences and what is `fixed`.
  bool isWorthIt(Operation *op, const eq::Instance &instance, const Extent &read, const Extent &fixed) {
    bool contracts = llvm::any_of(instance.statements, [](const eq::Statement &statement) {
      return eq::classify(statement) == eq::StatementClass::Contraction;
    });
    Extent made = elementsOf(op->getResult(0));
    return contracts || (read - made).knownNonNegative() || (fixed - made * scan.getSteps()).knownNonNegative();
  }

  Value lift(Operation *op) {
    auto reads = [&](Value operand) { return bool(sequenceOf(operand)); };
    if (op->getNumResults() != 1 || llvm::none_of(op->getOperands(), reads))
      return {};
    SmallVector<Value> slots;
    llvm::DenseSet<unsigned> stepping;
    Extent read = 0, fixed = 0;
    for (auto [number, operand] : llvm::enumerate(nn::operandSlots(op))) {
      Value outside = operand ? sequenceOf(operand) : Value();
      if (outside) {
        stepping.insert(number);
        read += elementsOf(operand);
      } else if (operand) {
        outside = fixedValue(operand);
        fixed += elementsOf(operand);
      }
      if (operand && !outside)
        return {};
      slots.push_back(outside);
    }
    llvm::Expected<eq::Instance> one = nn::instantiate(op);
    if (!one)
      return llvm::consumeError(one.takeError()), Value();
    if (!isWorthIt(op, *one, read, fixed))
      return {};
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute attribute : op->getAttrs())
      if (attribute.getName() != "operandSegmentSizes")
        attributes.push_back(attribute);
    std::string why;
    FailureOr<Operation *> made =
        nn::buildEquationOp(b, op->getLoc(), op->getName().stripDialect(), slots, attributes, why);
    if (failed(made))
      return {};
    llvm::Expected<eq::Instance> all = nn::instantiate(*made);
    bool fits = bool(all) && (*made)->getResult(0).getType() == stacked(op->getResult(0)) &&
                LeadingLoop(*one, *all, stepping).holds();
    if (!all)
      llvm::consumeError(all.takeError());
    if (fits)
      return (*made)->getResult(0);
    (*made)->erase();
    return {};
  }

  nn::ScanOp scan;
  Block &body;
  OpBuilder b;
};
} // namespace

unsigned optimize::computeWholeSequences(nn::ScanOp scan) { return Lifter(scan).run(); }
