//===- Extents.cpp - the range of every index ------------------------------===//
//
// In this order: (1) given by `where i in e`; (2) the dimension of a bare read x(i); (3) the missing factor of a tuple;
// (4) the largest extent that keeps every affine read without `else` inside its tensor. Rules 3 and 4 take turns until
// nothing more is found. With symbols, what must be equal and is not written equal becomes a check at run time.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

bool Solver::solveExtents() {
  if (!givenExtents())
    return false;
  llvm::SmallVector<Dimension, 8> dimensions;
  collectDimensions(dimensions);
  for (const Dimension &dimension : dimensions)
    if (isIndex(*dimension.value))
      meet(loopOf(*dimension.value, dimension.element), dimension);
  while (!context.failed() && (splitTuples(dimensions) || fitWindows(dimensions))) {
  }
  for (unsigned loop = 0; loop < loops.size() && !context.failed(); ++loop) {
    if (!loops[loop].solved)
      context.fail("the range of index " + nameOf(loop) + " is unknown; add `where " +
                   statement.indices[loops[loop].index].name + " in ...`");
    else if (loops[loop].extent.overflowed())
      context.fail("the extent of index " + nameOf(loop) + " does not fit in 64 bits");
  }
  for (const Dimension &dimension : dimensions)
    if (dimension.value->kind == Node::Kind::Tuple && !context.failed())
      splitTuple(dimension); // all factors are known now: the product must fit
  return !context.failed();
}

static Extent notNegative(const Extent &extent) {
  return extent.isStatic() ? Extent(std::max<int64_t>(extent.value(), 0)) : extent;
}

bool Solver::givenExtents() {
  for (const ClauseDef &clause : statement.clauses) {
    if (clause.kind != ClauseDef::Kind::Range)
      continue;
    Constant value = context.evaluate(*clause.value);
    const IndexDef &index = statement.indices[clause.number];
    bool number = value.kind == Constant::Kind::Int, list = value.kind == Constant::Kind::Ints && index.pack;
    if (!number && !list)
      context.fail("the range of " + clause.name + " must be " + (index.pack ? "an integer or a list" : "an integer"));
    if (list && static_cast<int>(value.ints.size()) != ranks[clause.number])
      context.fail("the range of " + clause.name + "... has " + llvm::Twine(value.ints.size()) + " extents but " +
                   clause.name + " has rank " + llvm::Twine(ranks[clause.number]));
    if (context.failed())
      return false;
    for (int d = 0, rank = index.pack ? ranks[clause.number] : 1; d < rank; ++d) {
      int loop = loopNumbers[firstLoop[clause.number] + d];
      if (loop < 0)
        continue; // the index only stands where nothing is left of it
      settle(loop, notNegative(list ? value.ints[d] : value.integer), "its range");
      loops[loop].given = true;
    }
  }
  return true;
}

void Solver::settle(unsigned loop, const Extent &extent, llvm::StringRef origin) {
  loops[loop].solved = true;
  loops[loop].extent = extent;
  loops[loop].origin = origin;
}

void Solver::collectDimensions(llvm::SmallVectorImpl<Dimension> &dimensions) {
  auto add = [&](const Layout &entries, llvm::ArrayRef<Extent> shape, int element, bool inside,
                 llvm::StringRef tensor) {
    for (auto [entry, extent] : llvm::zip(entries, shape))
      if (entry.value)
        dimensions.push_back(
            {entry.value, entry.element >= 0 ? entry.element : element, entry.barePack, inside, extent, tensor});
  };
  for (unsigned number : variadicNumbers) {
    context.variadicNumber = number;
    forEachRead([&](const Node &read, int element, bool isPosition) {
      const TensorType *type = typeOf(read);
      add(aligned(read.items, type->shape.size(), read.text), type->shape, element, !read.otherwise && !isPosition,
          read.text);
    });
  }
  for (auto [target, entries] : llvm::zip_equal(statement.targets, targetLayouts))
    if (const auto *shape = statedShape(target.tensor))
      add(entries, *shape, -1, false, target.name);
}

/// Rule 2, and the rule that single indices agree while packs broadcast.
void Solver::meet(unsigned loop, const Dimension &dimension) {
  LoopState &state = loops[loop];
  if (state.given)
    return;
  if (!state.solved)
    return settle(loop, dimension.extent, dimension.tensor);
  if (state.extent == dimension.extent || (dimension.barePack && dimension.extent.is(1)))
    return;
  if (dimension.barePack && state.extent.is(1))
    return settle(loop, dimension.extent, dimension.tensor);
  if (state.extent.isStatic() && dimension.extent.isStatic()) {
    context.fail("index " + nameOf(loop) + " is " + state.extent.str() + " in " + state.origin + " but " +
                 dimension.extent.str() + " in " + dimension.tensor);
    return;
  }
  if (dimension.barePack) {
    context.instance.broadcastChecks.push_back({state.extent, dimension.extent});
    state.extent = Extent::broadcast(state.extent, dimension.extent);
    return;
  }
  checkEqual(state.extent, dimension.extent);
  if (dimension.extent.isStatic())
    settle(loop, dimension.extent, dimension.tensor);
}

void Solver::checkEqual(const Extent &a, const Extent &b) {
  auto pair = std::make_pair(a, b);
  if (a != b && !llvm::is_contained(context.instance.checks, pair))
    context.instance.checks.push_back(std::move(pair));
}

bool Solver::splitTuples(llvm::ArrayRef<Dimension> dimensions) {
  bool found = false;
  for (const Dimension &dimension : dimensions)
    if (dimension.value->kind == Node::Kind::Tuple && !context.failed())
      found |= splitTuple(dimension);
  return found;
}

/// Rule 3: true when a factor was found. With all factors known, checks their product.
bool Solver::splitTuple(const Dimension &dimension) {
  llvm::SmallVector<unsigned, 4> parts = tupleLoops(*dimension.value, dimension.element), unknown;
  Extent known = 1;
  for (unsigned loop : parts) {
    if (!loops[loop].solved)
      unknown.push_back(loop);
    else
      known *= loops[loop].extent;
  }
  if (unknown.size() > 1)
    return false;
  const Extent &whole = dimension.extent;
  if (unknown.empty()) {
    if (known == whole)
      return false;
    if (known.isStatic() && whole.isStatic())
      context.fail("the tuple covers " + known.str() + " but the dimension of " + dimension.tensor + " is " +
                   whole.str());
    else
      checkEqual(known, whole);
    return false;
  }
  if (known.isStatic() && whole.isStatic() && (known.is(0) || whole.value() % known.value() != 0)) {
    context.fail("the dimension of " + dimension.tensor + " is " + whole.str() + ", which is not a multiple of " +
                 known.str() + ", so index " + nameOf(unknown[0]) + " has no range");
    return false;
  }
  settle(unknown[0], floorDiv(whole, known), dimension.tensor);
  return true;
}

/// Rule 4 for all indices it can answer now; of several reads the tightest counts.
bool Solver::fitWindows(llvm::ArrayRef<Dimension> dimensions) {
  llvm::SmallVector<std::pair<unsigned, Extent>, 4> found;
  for (const Dimension &dimension : dimensions) {
    if (!dimension.mustStayInside || dimension.value->kind == Node::Kind::Tuple || isIndex(*dimension.value))
      continue;
    auto fit = fitWindow(dimension);
    if (!fit)
      continue;
    auto *known = llvm::find_if(found, [&](const auto &other) { return other.first == fit->first; });
    if (known == found.end())
      found.push_back(*fit);
    else
      known->second = min(known->second, fit->second);
  }
  for (const auto &[loop, extent] : found)
    settle(loop, notNegative(extent), "the reads it must keep inside");
  return !found.empty();
}

std::optional<std::pair<unsigned, Extent>> Solver::fitWindow(const Dimension &dimension) {
  auto form = linear(*dimension.value, dimension.element);
  if (!form)
    return std::nullopt;
  std::optional<unsigned> unknown;
  Extent highest = form->constant, step;
  for (const auto &[loop, coefficient] : form->terms) {
    if (loops[loop].solved) {
      if (coefficient.knownNonNegative())
        highest += coefficient * (loops[loop].extent - Extent(1));
      else if (!coefficient.knownNonPositive())
        return std::nullopt;
      continue;
    }
    if (unknown || !coefficient.knownNonNegative() || coefficient.is(0))
      return std::nullopt;
    unknown = loop;
    step = coefficient;
  }
  if (!unknown)
    return std::nullopt;
  return std::make_pair(*unknown, floorDiv(dimension.extent - Extent(1) - highest, step) + Extent(1));
}

} // namespace kumiko::eq
