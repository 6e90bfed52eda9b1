//===- Layout.cpp - index lists with packs and `at` spelled out ------------===//
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {

Layout Solver::layout(llvm::ArrayRef<Item> items) {
  Layout result;
  bool placed = false;
  for (const Item &item : items) {
    placed |= item.at != nullptr;
    if (item.at)
      continue;
    const Node &value = folding.resolve(*item.value);
    if (!item.pack || value.kind == Node::Kind::Tuple) {
      result.push_back({&value});
      continue;
    }
    unsigned count = itemRank(item).value_or(0);
    for (unsigned element = 0; element < count; ++element)
      result.push_back({&value, static_cast<int>(element), isPack(value)});
  }
  if (!placed)
    return result;

  // Items with a position go to their place in the finished list; the others keep their order around them.
  llvm::SmallVector<std::pair<int64_t, Entry>, 4> positioned;
  for (const Item &item : items) {
    if (!item.at)
      continue;
    const Node &value = folding.resolve(*item.value);
    bool pack = item.pack && value.kind != Node::Kind::Tuple;
    unsigned count = pack ? itemRank(item).value_or(0) : 1;
    Constant position = context.evaluate(*item.at);
    bool isList = position.kind == Constant::Kind::Ints;
    if (!isList && position.kind != Constant::Kind::Int)
      context.fail("a position must be an integer");
    if (isList && position.ints.size() != count)
      context.fail("`at` gives " + llvm::Twine(position.ints.size()) + " positions to " + llvm::Twine(count) +
                   " indices");
    for (unsigned element = 0; element < count && !context.failed(); ++element) {
      Extent place = isList ? position.ints[element] : position.integer + Extent(element);
      Entry entry{&value, pack ? static_cast<int>(element) : -1, pack && isPack(value)};
      positioned.push_back({place.isStatic() ? place.value() : -1, entry});
    }
  }
  size_t total = result.size() + positioned.size();
  llvm::sort(positioned, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [number, place] : llvm::enumerate(positioned)) {
    if (place.first < 0 || static_cast<uint64_t>(place.first) >= total)
      context.fail("position " + llvm::Twine(place.first) + " is outside a list of " + llvm::Twine(total) + " indices");
    else if (number > 0 && positioned[number - 1].first == place.first)
      context.fail("two indices are at position " + llvm::Twine(place.first));
  }
  // Distinct positions below the total, in ascending order: each insertion point exists when its turn comes.
  if (!context.failed())
    for (const auto &[place, entry] : positioned)
      result.insert(result.begin() + place, entry);
  return result;
}

Layout Solver::aligned(llvm::ArrayRef<Item> items, size_t rank, llvm::StringRef tensor) {
  Layout result = layout(items);
  size_t written = result.size();
  while (result.size() > rank) {
    auto *leading = llvm::find_if(result, [](const Entry &entry) { return entry.barePack; });
    if (leading == result.end())
      break;
    result.erase(leading);
  }
  if (result.size() != rank) {
    context.fail(tensor + " has rank " + llvm::Twine(rank) + " but is indexed with " + llvm::Twine(written));
    result.resize(rank, Entry{});
  }
  return result;
}

llvm::SmallVector<unsigned, 4> Solver::tupleLoops(const Node &tuple, int element) {
  llvm::SmallVector<unsigned, 4> result;
  auto add = [&](const Node &index, int d) {
    bool pack = statement.indices[index.number].pack;
    if (loopNumbers[firstLoop[index.number] + (pack ? std::max(d, 0) : 0)] != droppedLoop)
      result.push_back(loopOf(index, d));
  };
  for (const Item &part : tuple.items) {
    if (!part.pack)
      add(*part.value, element);
    for (int d = 0; part.pack && d < ranks[part.value->number]; ++d)
      add(*part.value, d);
  }
  return result;
}

Extent Solver::extentProduct(llvm::ArrayRef<unsigned> numbers) const {
  llvm::SmallVector<Extent, 4> extents;
  for (unsigned loop : numbers)
    extents.push_back(loops[loop].extent);
  return product(extents);
}

const TensorType *Solver::typeOf(const Node &read) {
  if (!context.isVariadic(read.number))
    return context.typeOf(read.number);
  Constant number = read.nth ? context.evaluate(*read.nth) : Constant();
  if (number.kind != Constant::Kind::Int || !number.integer.isStatic() || number.integer.value() < 0 ||
      number.integer.value() >= context.tensors[read.number].count) {
    context.fail(read.text + " has no operand of that number");
    return nullptr;
  }
  return context.typeOf(read.number, static_cast<unsigned>(number.integer.value()));
}

unsigned Solver::tensorNumber(const Node &read) {
  unsigned first = context.tensors[read.number].first;
  if (!context.isVariadic(read.number))
    return first;
  return first + static_cast<unsigned>(context.evaluate(*read.nth).integer.value());
}

} // namespace kumiko::eq
