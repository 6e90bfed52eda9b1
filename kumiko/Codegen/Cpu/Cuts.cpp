#include "kumiko/Codegen/Cpu/Cuts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// More stretches than these are not worth a loop each.
constexpr size_t mostStretches = 8;

namespace {
/// value + slope * (i - start) from `start` on.
struct Stretch {
  int64_t start, value, slope;

  int64_t at(int64_t i) const { return value + slope * (i - start); }
  Stretch from(int64_t i) const { return {i, at(i), slope}; }
};
/// All of a loop; empty where nothing is known.
using Curve = SmallVector<Stretch, 4>;
/// A truth value as the number of one bit that it is.
constexpr int64_t isTrue = -1;

/// The values of a body along one loop.
class Curves {
public:
  Curves(unsigned loop, int64_t extent, ArrayRef<Form> dims) : loop(loop), extent(extent), dims(dims) {}

  Curve of(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    Curve curve = compute(value);
    known[value] = curve;
    return curve;
  }

private:
  Curve compute(Value value) {
    if (llvm::APInt number; matchPattern(value, m_ConstantInt(&number)))
      return number.getSignificantBits() <= 31 ? Curve{{0, number.getSExtValue(), 0}} : Curve();
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return ofLoop(dims[index.getDim()]);
    if (isa<arith::IndexCastOp>(op))
      return of(op->getOperand(0));
    if (isa<arith::SelectOp>(op))
      return joined(of(op->getOperand(0)), of(op->getOperand(1)), of(op->getOperand(2)));
    if (op->getNumOperands() != 2)
      return {};
    Curve a = of(op->getOperand(0)), b = of(op->getOperand(1)), result;
    if (a.empty() || b.empty())
      return {};
    bool fine = eachPart(a, b, [&](Stretch x, Stretch y, int64_t end) { return apply(op, x, y, end, result); });
    return fine ? simplified(result) : Curve();
  }

  Curve ofLoop(const Form &form) const {
    bool alone =
        llvm::all_of(form.terms, [&](const auto &term) { return term.first == loop && term.second.isStatic(); });
    if (!alone || !form.constant.isStatic() || form.hasLanes())
      return {};
    return {{0, form.constant.value(), form.coefficientOf(loop).value()}};
  }

  /// Calls `body` with what both are between two neighbouring cuts of either; false as soon as it is.
  bool eachPart(const Curve &a, const Curve &b, llvm::function_ref<bool(Stretch, Stretch, int64_t)> body) const {
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      int64_t start = std::max(a[i].start, b[j].start);
      int64_t endA = i + 1 < a.size() ? a[i + 1].start : extent, endB = j + 1 < b.size() ? b[j + 1].start : extent;
      if (!body(a[i].from(start), b[j].from(start), std::min(endA, endB)))
        return false;
      i += endA <= endB;
      j += endB <= endA;
    }
    return true;
  }

  /// The first point behind `from` at which `key`, which only rises or only falls, is no longer what it is there.
  static int64_t nextChange(int64_t from, int64_t end, llvm::function_ref<int64_t(int64_t)> key) {
    int64_t same = key(from);
    while (from + 1 < end) {
      int64_t middle = from + (end - from) / 2;
      (key(middle) == same ? from : end) = middle;
    }
    return end;
  }

  /// False for numbers so large that products of them would not fit.
  static bool add(Curve &result, Stretch stretch) {
    constexpr int64_t largest = int64_t(1) << 31;
    result.push_back(stretch);
    return result.size() <= 2 * mostStretches && std::abs(stretch.value) < largest &&
           std::abs(stretch.slope) < int64_t(1) << 20;
  }

  static bool apply(Operation *op, Stretch x, Stretch y, int64_t end, Curve &result) {
    if (isa<arith::AddIOp>(op))
      return add(result, {x.start, x.value + y.value, x.slope + y.slope});
    if (isa<arith::SubIOp>(op))
      return add(result, {x.start, x.value - y.value, x.slope - y.slope});
    if (isa<arith::MulIOp>(op) && (x.slope == 0 || y.slope == 0))
      return add(result, {x.start, x.value * y.value, x.slope * y.value + y.slope * x.value});
    if (isa<arith::MaxSIOp, arith::MinSIOp, arith::CmpIOp>(op))
      return compare(op, x, y, end, result);
    if (isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op))
      return divide(op, x, y, end, result);
    if (isa<arith::AndIOp>(op) && x.slope == 0 && y.slope == 0)
      return add(result, {x.start, x.value & y.value, 0});
    return false;
  }

  static bool holds(arith::CmpIPredicate predicate, int64_t apart) {
    using enum arith::CmpIPredicate;
    switch (predicate) {
    case slt:
      return apart < 0;
    case sle:
      return apart <= 0;
    case sgt:
      return apart > 0;
    case sge:
      return apart >= 0;
    case eq:
      return apart == 0;
    default:
      return apart != 0;
    }
  }

  static bool compare(Operation *op, Stretch x, Stretch y, int64_t end, Curve &result) {
    auto comparison = dyn_cast<arith::CmpIOp>(op);
    if (comparison && comparison.getPredicate() > arith::CmpIPredicate::sge)
      return false; // of unsigned numbers
    Stretch apart{x.start, x.value - y.value, x.slope - y.slope};
    auto sign = [&](int64_t i) { return int64_t(apart.at(i) > 0) - int64_t(apart.at(i) < 0); };
    for (int64_t i = x.start; i < end; i = nextChange(i, end, sign)) {
      Stretch part = isa<arith::MaxSIOp>(op) == (sign(i) >= 0) ? x.from(i) : y.from(i);
      if (comparison)
        part = {i, holds(comparison.getPredicate(), sign(i)) ? isTrue : 0, 0};
      if (!add(result, part))
        return false;
    }
    return true;
  }

  static bool divide(Operation *op, Stretch x, Stretch y, int64_t end, Curve &result) {
    bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(op);
    if (y.slope != 0 || y.value <= 0 || (isUnsigned && std::min(x.value, x.at(end - 1)) < 0))
      return false;
    auto quotient = [&](int64_t i) { return x.at(i) / y.value; };
    for (int64_t i = x.start; i < end; i = nextChange(i, end, quotient)) {
      Stretch rest{i, x.at(i) - quotient(i) * y.value, x.slope};
      if (!add(result, isa<arith::DivSIOp, arith::DivUIOp>(op) ? Stretch{i, quotient(i), 0} : rest))
        return false;
    }
    return true;
  }

  /// `a` where the condition holds, else `b`.
  Curve joined(const Curve &condition, const Curve &a, const Curve &b) const {
    if (condition.empty() || a.empty() || b.empty())
      return {};
    Curve result;
    bool fine = eachPart(condition, a, [&](Stretch c, Stretch, int64_t end) {
      const Curve &taken = c.value != 0 ? a : b;
      for (const auto &[n, stretch] : llvm::enumerate(taken)) {
        int64_t last = n + 1 < taken.size() ? taken[n + 1].start : extent, start = std::max(stretch.start, c.start);
        if (start < std::min(last, end) && !add(result, stretch.from(start)))
          return false;
      }
      return true;
    });
    return fine ? simplified(result) : Curve();
  }

  /// Without cuts at which nothing changes.
  static Curve simplified(const Curve &curve) {
    Curve result;
    for (const Stretch &stretch : curve)
      if (result.empty() || result.back().at(stretch.start) != stretch.value || result.back().slope != stretch.slope)
        result.push_back(stretch);
    return result.size() <= mostStretches ? result : Curve();
  }

  unsigned loop;
  int64_t extent;
  ArrayRef<Form> dims;
  llvm::DenseMap<Value, Curve> known;
};
} // namespace

SmallVector<int64_t> kumiko::cpu::cutsAlong(unsigned loop, const Extent &extent, const Reads &reads) {
  if (!extent.isStatic() || extent.value() < 2 || extent.value() > INT32_MAX)
    return {};
  llvm::SmallSetVector<int64_t, 8> cuts;
  for (auto [op, dims] : reads.bodies) {
    Curves curves(loop, extent.value(), dims);
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
      for (Value index : extract.getIndices())
        for (const Stretch &stretch : curves.of(index))
          cuts.insert(stretch.start);
  }
  cuts.remove(0);
  if (cuts.size() >= mostStretches)
    return {};
  SmallVector<int64_t> sorted(cuts.begin(), cuts.end());
  llvm::sort(sorted);
  return sorted;
}
