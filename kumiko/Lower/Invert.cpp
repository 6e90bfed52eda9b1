//===- Invert.cpp - from "who writes where" to "who is written by whom" ----===//
#include "kumiko/Lower/Invert.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Lower/Access.h"
#include "kumiko/Lower/Range.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Expr;
using eq::Function;

/// An expression counts as longer than a number.
static bool isLonger(const Extent &a, const Extent &b) {
  return b.isStatic() && (!a.isStatic() || a.value() > b.value());
}

namespace {

class Inversion {
public:
  Inversion(const eq::Instance &instance, const eq::Statement &statement, ExprStorage &storage)
      : instance(instance), statement(statement), storage(storage), arena(storage.arena) {
    for (const eq::Loop &loop : statement.loops)
      extents.push_back(loop.extent);
    replacement.resize(extents.size());
  }

  Expected<Inverted> run() {
    if (statement.targets.size() != 1)
      return createStringError("has two results at computed places");
    findPlainDimensions();
    addKeptLoops();
    addReducedLoops();
    addConditions();
    result.combine = statement.combine;
    result.into = statement.into;
    result.continues = statement.continues;
    result.text = statement.text;
    result.values.push_back(rewritten(*statement.values[0]));
    for (const Expr *condition : statement.conditions)
      result.conditions.push_back(rewritten(*condition));
    return Inverted{std::move(result), std::move(required)};
  }

private:
  /// Dimensions that are one loop over all their elements stay as they are; of a diagonal, the first.
  void findPlainDimensions() {
    const eq::Target &target = statement.targets[0];
    BitVector used(extents.size());
    for (auto [index, extent] : zip_equal(target.indices, instance.tensors[target.tensor].type.shape)) {
      plain.push_back(index->kind == Expr::Kind::Loop && !used.test(index->loop) && extent == extents[index->loop]);
      if (plain.back())
        used.set(index->loop);
    }
  }

  void addKeptLoops() {
    const eq::Target &target = statement.targets[0];
    eq::Target &place = result.targets.emplace_back();
    place.tensor = target.tensor;
    for (auto [d, index] : enumerate(target.indices)) {
      const Expr *loop = newLoop("o" + std::to_string(d), instance.tensors[target.tensor].type.shape[d]);
      place.indices.push_back(loop);
      if (plain[d])
        replacement[index->loop] = loop;
    }
    result.kept = result.loops.size();
  }

  /// Linear indices are solved for the longest of their loops that nothing else has taken.
  void addReducedLoops() {
    const eq::Target &target = statement.targets[0];
    SmallVector<std::optional<LinearIndex>> linear(target.indices.size());
    SmallVector<int> solvedFor(target.indices.size(), -1);
    BitVector taken(extents.size());
    for (auto [d, index] : enumerate(target.indices)) {
      if (plain[d] || !(linear[d] = linearIndex(*index, extents)))
        continue;
      for (auto [loop, coefficient] : linear[d]->terms)
        if (coefficient.isStatic() && coefficient.value() > 0 && !taken.test(loop) && !replacement[loop] &&
            (solvedFor[d] < 0 || isLonger(extents[loop], extents[solvedFor[d]])))
          solvedFor[d] = loop;
      if (solvedFor[d] >= 0)
        taken.set(solvedFor[d]);
    }
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (!replacement[loop] && !taken.test(loop))
        replacement[loop] = newLoop(statement.loops[loop].name, extents[loop]);
    // A solution may mention loops solved in another dimension; without those it stays a comparison.
    for (auto [d, loop] : enumerate(solvedFor)) {
      if (loop < 0)
        continue;
      bool known =
          all_of(linear[d]->terms, [&](auto term) { return int(term.first) == loop || replacement[term.first]; });
      if (!known) {
        replacement[loop] = newLoop(statement.loops[loop].name, extents[loop]);
        continue;
      }
      solve(d, loop, *linear[d]);
    }
  }

  /// coefficient * loop + rest = o.
  void solve(unsigned d, unsigned loop, const LinearIndex &index) {
    const Expr *distance = result.targets[0].indices[d];
    auto subtract = [&](const Expr *rest) { distance = apply(Function::Sub, ElementType::Index, distance, rest); };
    int64_t factor = 1;
    if (!index.constant.is(0))
      subtract(number(index.constant));
    for (auto [other, coefficient] : index.terms) {
      if (other == loop)
        factor = coefficient.value();
      else if (coefficient.is(1))
        subtract(replacement[other]);
      else
        subtract(apply(Function::Mul, ElementType::Index, replacement[other], number(coefficient)));
    }
    const Expr *value = distance;
    if (factor != 1) {
      value = apply(Function::FloorDiv, ElementType::Index, distance, integer(factor));
      const Expr *whole = apply(Function::Mul, ElementType::Index, value, integer(factor));
      result.conditions.push_back(apply(Function::Eq, ElementType::B1, whole, distance));
    }
    result.conditions.push_back(apply(Function::Ge, ElementType::B1, value, integer(0)));
    result.conditions.push_back(apply(Function::Lt, ElementType::B1, value, number(extents[loop])));
    replacement[loop] = value;
    solved.insert(loop);
    solvedDimension.insert(d);
  }

  /// A place that comes from data must exist; one that is computed from loops, as in col2im, need not.
  void addConditions() {
    const eq::Target &target = statement.targets[0];
    for (auto [d, index] : enumerate(target.indices))
      if (!plain[d] && !solvedDimension.contains(d)) {
        const Expr *place = rewritten(*index);
        result.conditions.push_back(apply(Function::Eq, ElementType::B1, place, result.targets[0].indices[d]));
        const Extent &extent = instance.tensors[target.tensor].type.shape[d];
        bool exists = extent.isStatic() && rangeOf(*index, extents).within(extent.value());
        if (eq::readsTensor(*index) && !exists)
          required.push_back({place, extent});
      }
  }

  bool mentionsSolved(const Expr &expr) const {
    return (expr.kind == Expr::Kind::Loop && solved.contains(expr.loop)) ||
           any_of(expr.operands, [&](const Expr *operand) { return mentionsSolved(*operand); });
  }

  /// The expression over the new loops. A read by a solved loop may leave its tensor where the conditions do not hold.
  const Expr *rewritten(const Expr &expr) {
    if (expr.kind == Expr::Kind::Loop)
      return replacement[expr.loop];
    if (const Expr *known = done.lookup(&expr))
      return known;
    Expr copy = expr;
    SmallVector<const Expr *, 4> operands;
    for (const Expr *operand : expr.operands)
      operands.push_back(rewritten(*operand));
    copy.operands = ArrayRef(operands).copy(arena);
    if (expr.otherwise)
      copy.otherwise = rewritten(*expr.otherwise);
    else if (expr.kind == Expr::Kind::Read && mentionsSolved(expr))
      copy.otherwise = zero(expr.type);
    return done[&expr] = new (arena.Allocate<Expr>()) Expr(copy);
  }

  const Expr *make(Expr::Kind kind, ElementType type, Expr expr = {}) {
    expr.kind = kind;
    expr.type = type;
    return new (arena.Allocate<Expr>()) Expr(expr);
  }
  const Expr *integer(int64_t value) {
    Expr expr{};
    expr.integer = value;
    return make(Expr::Kind::Integer, ElementType::Index, expr);
  }
  const Expr *number(const Extent &extent) {
    if (extent.isStatic())
      return integer(extent.value());
    storage.extents.push_back(std::make_unique<Extent>(extent));
    Expr expr{};
    expr.symbolic = storage.extents.back().get();
    return make(Expr::Kind::Integer, ElementType::Index, expr);
  }
  const Expr *zero(ElementType type) { return make(isFloat(type) ? Expr::Kind::Real : Expr::Kind::Integer, type); }
  const Expr *apply(Function function, ElementType type, const Expr *a, const Expr *b) {
    Expr expr{};
    const Expr *operands[] = {a, b};
    expr.function = function;
    expr.operands = ArrayRef(operands).copy(arena);
    return make(Expr::Kind::Apply, type, expr);
  }
  const Expr *newLoop(std::string name, Extent extent) {
    Expr expr{};
    expr.loop = result.loops.size();
    result.loops.push_back({std::move(name), extent});
    return make(Expr::Kind::Loop, ElementType::Index, expr);
  }

  const eq::Instance &instance;
  const eq::Statement &statement;
  ExprStorage &storage;
  BumpPtrAllocator &arena;
  Extents extents;
  SmallVector<bool> plain; ///< by dimension of the target
  eq::Statement result;
  /// What stands for each old loop.
  SmallVector<const Expr *> replacement;
  SmallVector<RequiredIndex, 2> required;
  SmallDenseSet<unsigned> solved, solvedDimension;
  DenseMap<const Expr *, const Expr *> done;
};

} // namespace

Expected<Inverted> lower::invert(const eq::Instance &instance, const eq::Statement &statement, ExprStorage &storage) {
  return Inversion(instance, statement, storage).run();
}
