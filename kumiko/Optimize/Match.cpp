//===- Match.cpp - do two instances say the same? --------------------------===//
#include "kumiko/Optimize/Match.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::Expr;

InstanceMatch::InstanceMatch(const eq::Instance &first, const eq::Instance &second) : a(first), b(second) {
  placements.resize(a.tensors.size());
  for (unsigned tensor = 0; tensor < a.tensors.size(); ++tensor)
    partners.push_back(tensor);
}

void InstanceMatch::place(unsigned tensor, ArrayRef<unsigned> placement) { placements[tensor] = Placement(placement); }

/// Element types and extents agree under the placement.
bool InstanceMatch::types(unsigned tensor) const {
  const eq::TensorType &first = a.tensors[tensor].type, &second = b.tensors[partners[tensor]].type;
  if (first.element != second.element || !placements[tensor])
    return false;
  for (auto [dimension, place] : enumerate(*placements[tensor]))
    if (place >= second.shape.size() || first.shape[dimension] != second.shape[place])
      return false;
  return true;
}

bool InstanceMatch::loops(unsigned first, unsigned second) {
  if (loopOfA[first] >= 0 || loopOfB[second] >= 0)
    return loopOfA[first] == int(second) && loopOfB[second] == int(first);
  if (statementA->loops[first].extent != statementB->loops[second].extent ||
      (first < statementA->kept) != (second < statementB->kept))
    return false;
  loopOfA[first] = second;
  loopOfB[second] = first;
  return true;
}

/// The index of a dimension of one element that the first instance does not have.
bool InstanceMatch::isOnePoint(const Expr &index) const {
  if (index.kind == Expr::Kind::Integer)
    return index.integer == 0 && !index.symbolic;
  return index.kind == Expr::Kind::Loop && statementB->loops[index.loop].extent.is(1);
}

bool InstanceMatch::indices(unsigned tensor, ArrayRef<const Expr *> first, ArrayRef<const Expr *> second) {
  if (!types(tensor))
    return false;
  const Placement &placement = *placements[tensor];
  SmallVector<bool, 6> used(second.size());
  for (auto [index, place] : zip_equal(first, placement)) {
    used[place] = true;
    if (!expressions(*index, *second[place]))
      return false;
  }
  for (auto [index, isUsed] : zip_equal(second, used))
    if (!isUsed && !isOnePoint(*index))
      return false;
  return true;
}

bool InstanceMatch::expressions(const Expr &first, const Expr &second) {
  if (first.kind != second.kind || first.type != second.type || !first.otherwise != !second.otherwise)
    return false;
  if (first.otherwise && !expressions(*first.otherwise, *second.otherwise))
    return false;
  switch (first.kind) {
  case Expr::Kind::Integer:
    if (first.symbolic || second.symbolic)
      return first.symbolic && second.symbolic && *first.symbolic == *second.symbolic;
    return first.integer == second.integer;
  case Expr::Kind::Real:
    return bit_cast<uint64_t>(first.real) == bit_cast<uint64_t>(second.real);
  case Expr::Kind::Loop:
    return loops(first.loop, second.loop);
  case Expr::Kind::Read:
    return partners[first.tensor] == second.tensor && indices(first.tensor, first.operands, second.operands);
  case Expr::Kind::Apply:
    if (first.function != second.function)
      return false;
    break;
  case Expr::Kind::Select:
  case Expr::Kind::Cast:
    break;
  }
  return first.operands.size() == second.operands.size() &&
         all_of(zip_equal(first.operands, second.operands),
                [&](auto pair) { return expressions(*std::get<0>(pair), *std::get<1>(pair)); });
}

/// Each dimension of the first goes to the first free dimension of the second that has an equal index.
bool InstanceMatch::target(const eq::Target &first, const eq::Target &second) {
  if (partners[first.tensor] != second.tensor)
    return false;
  if (placements[first.tensor])
    return indices(first.tensor, first.indices, second.indices);
  if (first.indices.size() != second.indices.size())
    return false;
  SmallVector<bool, 6> used(second.indices.size());
  Placement placement;
  for (const Expr *index : first.indices) {
    std::optional<unsigned> found;
    for (unsigned place = 0; place < used.size() && !found; ++place) {
      auto savedA = loopOfA, savedB = loopOfB;
      if (!used[place] && expressions(*index, *second.indices[place]))
        found = place;
      else
        loopOfA = savedA, loopOfB = savedB;
    }
    if (!found)
      return false;
    used[*found] = true;
    placement.push_back(*found);
  }
  placements[first.tensor] = placement;
  return types(first.tensor);
}

bool InstanceMatch::statements(const eq::Statement &first, const eq::Statement &second) {
  statementA = &first;
  statementB = &second;
  loopOfA.assign(first.loops.size(), -1);
  loopOfB.assign(second.loops.size(), -1);
  if (first.loops.size() != second.loops.size() || first.kept != second.kept || first.combine != second.combine ||
      first.continues != second.continues || first.into.has_value() != second.into.has_value() ||
      first.targets.size() != second.targets.size() || first.conditions.size() != second.conditions.size())
    return false;
  if (first.into) {
    // The target starts as that tensor, so it lies the same way.
    if (partners[*first.into] != *second.into || !types(*first.into))
      return false;
    placements[first.targets[0].tensor] = placements[*first.into];
  }
  for (auto [x, y] : zip_equal(first.values, second.values))
    if (!expressions(*x, *y))
      return false;
  for (auto [x, y] : zip_equal(first.conditions, second.conditions))
    if (!expressions(*x, *y))
      return false;
  for (auto [x, y] : zip_equal(first.targets, second.targets))
    if (!target(x, y))
      return false;
  for (unsigned loop = 0; loop < first.loops.size(); ++loop) {
    // A loop that nothing mentions (a repeated sum) is as good as any other of its extent.
    for (unsigned other = 0; loopOfA[loop] < 0 && other < second.loops.size(); ++other)
      if (loopOfB[other] < 0)
        (void)loops(loop, other);
    if (loopOfA[loop] < 0)
      return false;
    if (loop > first.kept && loopOfA[loop] < loopOfA[loop - 1]) {
      // Of equal maxima the first counts, so their positions depend on the order.
      if (first.targets.size() > 1)
        return false;
      reordered = true;
    }
  }
  return true;
}

bool InstanceMatch::everything() {
  if (a.tensors.size() != b.tensors.size() || a.statements.size() != b.statements.size())
    return false;
  return all_of(zip_equal(a.statements, b.statements),
                [&](auto pair) { return statements(std::get<0>(pair), std::get<1>(pair)); });
}
