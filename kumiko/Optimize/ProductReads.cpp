#include "kumiko/Optimize/ProductReads.h"
#include "kumiko/Equation/Access.h"

using namespace kumiko;
using namespace kumiko::optimize;
using eq::Expr;

namespace {

class Reader {
public:
  Reader(const eq::Instance &instance, const eq::Statement &statement, std::string &why)
      : instance(instance), statement(statement), why(why) {}

  std::optional<ProductReads> read() {
    const Expr &product = *statement.values[0];
    bool good = factor(*product.operands[0], 0) && factor(*product.operands[1], 1) && target() && conditions() &&
                isEachLoopOnce();
    return good ? std::optional(std::move(reads)) : std::nullopt;
  }

private:
  bool refuse(const llvm::Twine &reason) {
    if (why.empty())
      why = reason.str();
    return false;
  }

  static bool isZero(const Expr &expr) {
    switch (expr.kind) {
    case Expr::Kind::Integer:
      return !expr.symbolic && expr.integer == 0;
    case Expr::Kind::Real:
      return expr.real == 0;
    case Expr::Kind::Cast:
      return isZero(*expr.operands[0]);
    default:
      return false;
    }
  }

  bool factor(const Expr &expr, unsigned side) {
    const Expr *read = &expr;
    for (;; read = read->operands[read->kind == Expr::Kind::Select])
      if (read->kind == Expr::Kind::Select && isZero(*read->operands[2]))
        chosen.push_back(read->operands[0]);
      else if (read->kind != Expr::Kind::Cast)
        break;
    if (read->kind != Expr::Kind::Read)
      return refuse("a factor is computed on the way");
    if (read->otherwise && !isZero(*read->otherwise))
      return refuse("what lies beside a factor is not 0");
    reads.tensors[side] = read->tensor;
    reads.padded[side] = read->otherwise != nullptr;
    for (const Expr *each : read->operands) {
      std::optional<ProductIndex> index = indexOf(*each);
      if (!index)
        return refuse("an index of '" + instance.tensors[read->tensor].name + "' is no sum of loops");
      reads.indices[side].push_back(*index);
    }
    return true;
  }

  bool target() {
    for (const Expr *each : statement.targets[0].indices) {
      std::optional<ProductIndex> index = indexOf(*each);
      if (!index || index->divisor != 1)
        return refuse("an index of the result is no sum of loops");
      reads.indices[2].push_back(*index);
    }
    reads.tensors[2] = statement.targets[0].tensor;
    return true;
  }

  std::optional<ProductIndex> indexOf(const Expr &expr) const {
    const Expr *inner = &expr;
    ProductIndex index;
    while (inner->kind == Expr::Kind::Cast)
      inner = inner->operands[0];
    bool divides = inner->kind == Expr::Kind::Apply &&
                   (inner->function == eq::Function::FloorDiv || inner->function == eq::Function::Div);
    if (divides) {
      const Expr &divisor = *inner->operands[1];
      if (divisor.kind != Expr::Kind::Integer || divisor.symbolic || divisor.integer < 2)
        return std::nullopt;
      index.divisor = divisor.integer;
      inner = inner->operands[0];
    }
    std::optional<eq::AffineIndex> affine = eq::affineIndex(*inner, statement.loops.size());
    if (!affine)
      return std::nullopt;
    index.constant = affine->constant;
    for (auto [loop, coefficient] : llvm::enumerate(affine->coefficients))
      if (!coefficient.is(0))
        index.terms.emplace_back(loop, coefficient);
    return index;
  }

  /// What is divided must leave no rest, and nothing else may be asked.
  bool conditions() {
    llvm::SmallVector<const Expr *> open(statement.conditions.begin(), statement.conditions.end());
    llvm::append_range(open, chosen);
    reads.choosesZero = !chosen.empty();
    llvm::SmallVector<ProductIndex> exact;
    while (!open.empty()) {
      const Expr &condition = *open.pop_back_val();
      bool isBoth = condition.kind == Expr::Kind::Apply && condition.function == eq::Function::And;
      std::optional<ProductIndex> index = isBoth ? std::nullopt : dividesExactly(condition);
      if (isBoth)
        open.append(condition.operands.begin(), condition.operands.end());
      else if (!index)
        return refuse("a condition chooses among its points");
      else
        exact.push_back(*index);
    }
    size_t divided = 0;
    for (unsigned side : {0, 1})
      for (const ProductIndex &index : reads.indices[side]) {
        auto same = [&](const ProductIndex &other) {
          return other.divisor == index.divisor && other.constant == index.constant && other.terms == index.terms;
        };
        if (index.isDivided() && !llvm::any_of(exact, same))
          return refuse("an index is divided and leaves a rest");
        divided += index.isDivided();
      }
    return divided == exact.size() ? true : refuse("a condition chooses among its points");
  }

  /// e of `e % s == 0`, with the divisor s.
  std::optional<ProductIndex> dividesExactly(const Expr &condition) const {
    if (condition.kind != Expr::Kind::Apply || condition.function != eq::Function::Eq ||
        !isZero(*condition.operands[1]))
      return std::nullopt;
    const Expr *rest = condition.operands[0];
    while (rest->kind == Expr::Kind::Cast)
      rest = rest->operands[0];
    if (rest->kind != Expr::Kind::Apply || (rest->function != eq::Function::Mod && rest->function != eq::Function::Rem))
      return std::nullopt;
    const Expr &divisor = *rest->operands[1];
    std::optional<ProductIndex> index = indexOf(*rest->operands[0]);
    if (!index || index->divisor != 1 || divisor.kind != Expr::Kind::Integer || divisor.symbolic || divisor.integer < 2)
      return std::nullopt;
    index->divisor = divisor.integer;
    return index;
  }

  bool isEachLoopOnce() {
    for (const ProductIndices &side : reads.indices)
      for (unsigned loop = 0; loop < statement.loops.size(); ++loop)
        if (llvm::count_if(side, [&](const ProductIndex &index) { return index.uses(loop); }) > 1)
          return refuse("two indices of a tensor run along '" + statement.loops[loop].name + "' together");
    return true;
  }

  const eq::Instance &instance;
  const eq::Statement &statement;
  std::string &why;
  ProductReads reads;
  llvm::SmallVector<const Expr *, 1> chosen; ///< conditions without which a factor is 0
};

} // namespace

std::optional<ProductReads> optimize::productReadsOf(const eq::Instance &instance, const eq::Statement &statement,
                                                     std::string &why) {
  return Reader(instance, statement, why).read();
}
