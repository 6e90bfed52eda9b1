//===- Contraction.cpp - which statements are contractions --------------------------===//
#include "kumiko/Evaluate/Contraction.h"

using namespace kumiko;
using namespace kumiko::eval;
using eq::Expr;

/// A read under casts, known to be inside.
static std::optional<Contraction::Side> matchSide(const Setting &setting, const Expr *expr,
                                                  llvm::ArrayRef<int64_t> extents) {
  Contraction::Side side{};
  for (; expr->kind == Expr::Kind::Cast; expr = expr->operands[0])
    side.casts.insert(side.casts.begin(), expr->type);
  if (expr->kind != Expr::Kind::Read)
    return std::nullopt;
  side.tensor = setting.bound[expr->tensor];
  if (!side.tensor || side.tensor->rank() != expr->operands.size())
    return std::nullopt;
  Address address = addressOf(expr->operands, side.tensor->shape(), extents);
  if (!address.unknown.empty())
    return std::nullopt;
  side.address = std::move(address.known);
  return side;
}

static bool isTooSmall(const Contraction &contraction) {
  int64_t points = 1, rows = 1, columns = 1;
  for (unsigned loop = 0; loop < contraction.extents.size(); ++loop) {
    int64_t extent = std::min<int64_t>(contraction.extents[loop], 1 << 20);
    bool inA = contraction.a.address.coefficients[loop], inB = contraction.b.address.coefficients[loop];
    points = std::min<int64_t>(points * extent, 1 << 20);
    if (loop < contraction.kept && inA != inB)
      (inA ? rows : columns) = std::min<int64_t>((inA ? rows : columns) * extent, 1 << 20);
  }
  return points < 1 << 12 || std::max(rows, columns) < 8;
}

std::optional<Contraction> eval::matchContraction(const Setting &setting) {
  const eq::Statement &statement = setting.statement;
  const Expr *value = statement.values.front();
  bool isSum = statement.combine == eq::Combine::Sum && statement.targets.size() == 1 && statement.conditions.empty();
  if (!isSum || value->kind != Expr::Kind::Apply || value->function != eq::Function::Mul)
    return std::nullopt;
  if (value->type == ElementType::B1)
    return std::nullopt;
  Contraction contraction{};
  contraction.type = value->type;
  contraction.kept = statement.kept;
  for (const eq::Loop &loop : statement.loops)
    contraction.extents.push_back(loop.extent.value());
  if (value->operands[0]->type != value->type || value->operands[1]->type != value->type)
    return std::nullopt;
  std::optional<Contraction::Side> a = matchSide(setting, value->operands[0], contraction.extents);
  std::optional<Contraction::Side> b = matchSide(setting, value->operands[1], contraction.extents);
  if (!a || !b)
    return std::nullopt;
  contraction.a = std::move(*a);
  contraction.b = std::move(*b);
  return isTooSmall(contraction) ? std::nullopt : std::optional(std::move(contraction));
}
