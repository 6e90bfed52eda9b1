//===- Ranks.cpp - how many indices a pack stands for ----------------------===//
//
// Fixpoint over the reads: a read of a tensor of rank r whose other items are known determines the pack that is left.
// Of several reads the largest wins, because bare packs broadcast.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

// More dimensions than any tensor has; a hostile rank must not make a million loops.
static constexpr int maxRank = 64;

bool Solver::solveRanks() {
  ranks.assign(statement.indices.size(), -1);
  if (llvm::none_of(statement.indices, [](const IndexDef &index) { return index.pack; }))
    return true;
  if (!givenRanks())
    return false;
  // Each round finds at least one pack, or is the last.
  for (size_t round = 0; round <= statement.indices.size(); ++round) {
    llvm::SmallVector<int, 8> candidates(ranks.size(), -1);
    forEachRead([&](const Node &read, int, bool) { equalInZip(read.items); });
    for (const TargetDef &target : statement.targets)
      equalInZip(target.items);
    for (const ClauseDef &clause : statement.clauses)
      if (clause.kind == ClauseDef::Kind::Condition)
        equalInZip(clause.items);

    bool found = false;
    for (unsigned number : variadicNumbers) {
      context.variadicNumber = number;
      forEachRead([&](const Node &read, int, bool) {
        if (const TensorType *type = typeOf(read); type && !read.items.empty())
          found |= rankCandidates(read.items, type->shape.size(), candidates);
      });
    }
    for (const TargetDef &target : statement.targets)
      if (const auto *shape = statedShape(target.tensor))
        found |= rankCandidates(target.items, shape->size(), candidates);
    if (!found || context.failed())
      break;
    for (auto [rank, candidate] : llvm::zip_equal(ranks, candidates))
      rank = std::max(rank, candidate);
  }
  for (auto [index, rank] : llvm::zip_equal(statement.indices, ranks)) {
    if (index.pack && rank < 0)
      context.fail("the rank of " + index.name + "... is unknown; add `where rank " + index.name + " = ...`");
    if (rank > maxRank)
      context.fail("the rank of " + index.name + "... is " + llvm::Twine(rank) + ", at most " + llvm::Twine(maxRank) +
                   " is possible");
  }
  return !context.failed();
}

/// `rank i = e`, and `i in list`.
bool Solver::givenRanks() {
  for (const ClauseDef &clause : statement.clauses) {
    bool isRank = clause.kind == ClauseDef::Kind::Rank;
    if (!isRank && (clause.kind != ClauseDef::Kind::Range || !statement.indices[clause.number].pack))
      continue;
    Constant value = context.evaluate(*clause.value);
    if (context.failed())
      return false;
    if (isRank) {
      bool good = value.kind == Constant::Kind::Int && value.integer.isStatic() && value.integer.value() >= 0 &&
                  value.integer.value() <= maxRank;
      if (!good) {
        context.fail("the rank of " + clause.name + " cannot be " + value.integer.str());
        return false;
      }
      ranks[clause.number] = static_cast<int>(value.integer.value());
    } else if (value.isList()) {
      ranks[clause.number] = static_cast<int>(value.size());
    }
  }
  return true;
}

/// Packs that are zipped in one item have one length.
void Solver::equalInZip(llvm::ArrayRef<Item> items) {
  for (const Item &item : items) {
    if (!item.pack || item.value->kind == Node::Kind::Tuple)
      continue;
    llvm::SmallVector<unsigned, 4> packs;
    zippedPacks(*item.value, packs);
    std::optional<unsigned> rank;
    for (unsigned pack : packs)
      if (!rank && ranks[pack] >= 0)
        rank = ranks[pack];
    if (!rank && !isPack(folding.resolve(*item.value)))
      rank = listLength(*item.value);
    if (!rank)
      rank = positionCount(item);
    for (unsigned pack : packs)
      if (rank && ranks[pack] < 0)
        ranks[pack] = static_cast<int>(*rank);
  }
}

/// The length of the list after `at`, when it is one.
std::optional<unsigned> Solver::positionCount(const Item &item) {
  if (!item.at)
    return std::nullopt;
  Constant position = context.evaluate(*item.at);
  return position.isList() ? std::optional<unsigned>(position.size()) : std::nullopt;
}

/// When exactly one item has unknown rank, its packs get what the others leave.
bool Solver::rankCandidates(llvm::ArrayRef<Item> items, size_t rank, llvm::SmallVectorImpl<int> &candidates) {
  size_t known = 0;
  const Item *unknown = nullptr;
  for (const Item &item : items) {
    auto count = itemRank(item);
    if (count) {
      known += *count;
      continue;
    }
    if (unknown)
      return false;
    unknown = &item;
  }
  if (!unknown)
    return false;
  llvm::SmallVector<unsigned, 4> packs;
  zippedPacks(*unknown->value, packs);
  for (unsigned pack : packs)
    candidates[pack] = std::max(candidates[pack], rank > known ? static_cast<int>(rank - known) : 0);
  return !packs.empty();
}

std::optional<unsigned> Solver::itemRank(const Item &item) {
  if (!item.pack || item.value->kind == Node::Kind::Tuple)
    return 1;
  llvm::SmallVector<unsigned, 4> packs;
  zippedPacks(*item.value, packs);
  for (unsigned pack : packs)
    if (ranks[pack] >= 0)
      return ranks[pack];
  if (auto length = listLength(*item.value))
    return length;
  if (auto count = positionCount(item))
    return count;
  if (packs.empty())
    context.fail("how many dimensions an item has depends on a size that is open or too large");
  return std::nullopt;
}

/// The packs of an item, without those of index lists inside it that are packs themselves.
void Solver::zippedPacks(const Node &unresolved, llvm::SmallVectorImpl<unsigned> &packs) {
  const Node &node = folding.resolve(unresolved);
  if (node.constant)
    return;
  if (isPack(node))
    packs.push_back(node.number);
  for (const Node *operand : node.operands)
    zippedPacks(*operand, packs);
  if (node.kind == Node::Kind::Tuple)
    return;
  for (const Item &item : node.items)
    if (!item.pack && item.value->kind != Node::Kind::Tuple)
      zippedPacks(*item.value, packs);
}

/// The length of the lists that an item zips; nothing when it has none.
std::optional<unsigned> Solver::listLength(const Node &unresolved) {
  const Node &node = folding.resolve(unresolved);
  if (node.constant) {
    Constant value = context.evaluate(node, /*report=*/false);
    return value.isList() ? std::optional<unsigned>(value.size()) : std::nullopt;
  }
  for (const Node *operand : node.operands)
    if (auto length = listLength(*operand))
      return length;
  if (node.kind == Node::Kind::Tuple)
    return std::nullopt;
  for (const Item &item : node.items) {
    if (item.pack)
      continue;
    if (auto length = listLength(*item.value))
      return length;
  }
  return std::nullopt;
}

} // namespace kumiko::eq
