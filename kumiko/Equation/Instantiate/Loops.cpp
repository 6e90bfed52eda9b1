//===- Loops.cpp - the reads and loops of a statement ----------------------===//
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

Solver::Solver(OpContext &context, const StatementDef &statement, llvm::ArrayRef<unsigned> variadicNumbers)
    : context(context), statement(statement), folding(context, statement), variadicNumbers(variadicNumbers) {
  context.statement = &statement;
  context.variadicNumber = variadicNumbers.front();
}

bool Solver::solve() {
  if (!stateShapes() || !solveRanks() || !collectLoops() || !solveExtents())
    return false;
  dropUnitLoops();
  return true;
}

/// A loop of one point that only occurs inside tuples adds nothing: with group = 1, the g of (g, c). Without it (g, c)
/// is plainly c.
void Solver::dropUnitLoops() {
  auto isUnit = [](const LoopState &loop) { return !loop.bare && loop.extent.is(1); };
  if (llvm::none_of(loops, isUnit))
    return;
  llvm::SmallVector<int, 8> renumbered;
  llvm::SmallVector<LoopState, 8> rest;
  unsigned keptBefore = kept;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    renumbered.push_back(isUnit(loop) ? droppedLoop : static_cast<int>(rest.size()));
    if (!isUnit(loop))
      rest.push_back(loop);
    else if (number < keptBefore)
      --kept;
  }
  for (int &number : loopNumbers)
    if (number >= 0)
      number = renumbered[number];
  loops = std::move(rest);
}

/// Evaluates `into`, `like` and `: (...)`.
bool Solver::stateShapes() {
  if (statement.into) {
    if (const TensorType *type = context.typeOf(statement.into->number))
      statedShapes.push_back({statement.targets[0].tensor, type->shape});
    else
      context.fail("`into` needs a tensor that is present");
  }
  for (const ClauseDef &clause : statement.clauses) {
    if (clause.kind == ClauseDef::Kind::Like) {
      if (const TensorType *type = context.typeOf(clause.otherTensor))
        statedShapes.push_back({clause.number, type->shape});
      else
        context.fail(clause.other + " is absent and has no shape");
    }
    if (clause.kind != ClauseDef::Kind::Shape)
      continue;
    llvm::SmallVector<Extent, 4> shape;
    for (const Item &item : clause.items)
      for (const Extent &extent : context.evaluateInts(*item.value).ints)
        shape.push_back(extent.isStatic() ? Extent(std::max<int64_t>(extent.value(), 0)) : extent);
    statedShapes.push_back({clause.number, std::move(shape)});
  }
  return !context.failed();
}

const llvm::SmallVector<Extent, 4> *Solver::statedShape(unsigned tensor) const {
  for (const auto &[number, shape] : statedShapes)
    if (number == tensor)
      return &shape;
  return nullptr;
}

void Solver::forEachRead(const Node &unresolved, int element, ReadVisitor visit) {
  const Node &node = folding.resolve(unresolved);
  if (node.constant || node.kind == Node::Kind::Tuple)
    return;
  if (node.kind == Node::Kind::Read) {
    bool absent = !typeOf(node);
    if (!absent)
      visit(node, element, /*isPosition=*/false);
    for (const Item &item : absent ? llvm::ArrayRef<Item>() : node.items) {
      // Before the ranks are solved a pack item is visited once: nothing that is asked then depends on the element.
      unsigned count = item.pack ? (loopNumbers.empty() ? 1 : itemRank(item).value_or(0)) : 1;
      for (unsigned d = 0; d < count; ++d)
        forEachRead(*item.value, item.pack ? static_cast<int>(d) : element, visit);
    }
    if (node.otherwise)
      forEachRead(*node.otherwise, element, visit);
    return;
  }
  if (node.kind == Node::Kind::Call && node.builtin == Builtin::Pos) {
    const Node &read = *node.items[0].value;
    if (typeOf(read))
      visit(read, element, /*isPosition=*/true);
    return;
  }
  for (const Node *operand : node.operands)
    forEachRead(*operand, element, visit);
  for (const Item &item : node.items) {
    unsigned count = item.pack ? (loopNumbers.empty() ? 1 : itemRank(item).value_or(0)) : 1;
    for (unsigned d = 0; d < count; ++d)
      forEachRead(*item.value, item.pack ? static_cast<int>(d) : element, visit);
  }
}

void Solver::forEachRead(ReadVisitor visit) {
  auto visitItems = [&](llvm::ArrayRef<Item> items) {
    for (const Item &item : items) {
      unsigned count = item.pack && !loopNumbers.empty() ? itemRank(item).value_or(0) : 1;
      for (unsigned d = 0; d < count; ++d)
        forEachRead(*item.value, item.pack ? static_cast<int>(d) : -1, visit);
    }
  };
  for (const Node *value : statement.values)
    forEachRead(*value, -1, visit);
  for (const ClauseDef &clause : statement.clauses)
    if (clause.kind == ClauseDef::Kind::Condition)
      visitItems(clause.items);
  for (const TargetDef &target : statement.targets)
    visitItems(target.items);
}

std::string Solver::nameOf(unsigned loop) const {
  std::string name = statement.indices[loops[loop].index].name.str();
  if (loops[loop].element >= 0)
    name += std::to_string(loops[loop].element);
  return name;
}

unsigned Solver::loopOf(const Node &index, int element) {
  bool pack = statement.indices[index.number].pack;
  int position = pack ? element : 0;
  if (position < 0 || (pack && position >= ranks[index.number])) {
    context.fail("the pack " + index.text + "... has rank " + llvm::Twine(pack ? ranks[index.number] : 1) +
                 ", another one is zipped with it");
    position = 0;
    if (pack && ranks[index.number] == 0)
      return 0;
  }
  int &number = loopNumbers[firstLoop[index.number] + position];
  if (number < 0) {
    number = static_cast<int>(loops.size());
    LoopState state;
    state.index = index.number;
    state.element = pack ? position : -1;
    loops.push_back(state);
  }
  return number;
}

bool Solver::collectLoops() {
  unsigned total = 0;
  for (auto [index, rank] : llvm::zip_equal(statement.indices, ranks)) {
    firstLoop.push_back(total);
    total += index.pack ? rank : 1;
  }
  loopNumbers.assign(std::max(total, 1u), noLoop);
  for (const TargetDef &target : statement.targets) {
    const auto *shape = statedShape(target.tensor);
    targetLayouts.push_back(shape ? aligned(target.items, shape->size(), target.name) : layout(target.items));
    if (context.failed())
      return false;
    for (auto [d, entry] : llvm::enumerate(targetLayouts.back())) {
      // A reduction into an extent of 1 reduces that loop: it only looks as if it were on the left.
      bool reduced = shape && entry.barePack && (*shape)[d].is(1) && statement.assign != AssignKind::Set;
      if (!reduced)
        collectEntry(entry, -1);
    }
  }
  kept = loops.size();
  for (unsigned number : variadicNumbers) {
    context.variadicNumber = number;
    for (const Node *value : statement.values)
      collectLoops(*value, -1);
    for (const ClauseDef &clause : statement.clauses) {
      if (clause.kind != ClauseDef::Kind::Condition)
        continue;
      for (const Entry &entry : layout(clause.items))
        collectEntry(entry, -1);
    }
  }
  return !context.failed();
}

void Solver::collectEntry(const Entry &entry, int element) {
  if (entry.value)
    collectLoops(*entry.value, entry.element >= 0 ? entry.element : element);
}

/// Makes the loops of an expression in the order of the text.
void Solver::collectLoops(const Node &unresolved, int element) {
  const Node &node = folding.resolve(unresolved);
  if (node.constant || context.failed())
    return;
  switch (node.kind) {
  case Node::Kind::Name:
    if (isIndex(node))
      if (unsigned loop = loopOf(node, element); !context.failed())
        loops[loop].bare = true;
    return;
  case Node::Kind::Tuple:
    tupleLoops(node, element);
    return;
  case Node::Kind::Read:
    if (const TensorType *type = typeOf(node)) {
      if (node.items.empty() && !type->shape.empty()) {
        context.fail(node.text + " has rank " + llvm::Twine(type->shape.size()) + " and needs indices");
        return;
      }
      for (const Entry &entry : aligned(node.items, type->shape.size(), node.text))
        collectEntry(entry, element);
    }
    if (node.otherwise)
      collectLoops(*node.otherwise, element);
    return;
  default:
    break;
  }
  for (const Node *operand : node.operands)
    collectLoops(*operand, element);
  for (const Item &item : node.items) {
    unsigned count = item.pack ? itemRank(item).value_or(0) : 1;
    for (unsigned d = 0; d < count; ++d)
      collectLoops(*item.value, item.pack ? static_cast<int>(d) : element);
  }
}

} // namespace kumiko::eq
