#include "kumiko/Import/Build/DimensionNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kumiko;

std::string DimensionNames::symbolFor(StringRef name, StringRef input, size_t axis) {
  if (joinsAll)
    return name.str();
  std::vector<Member> &family = families[name];
  for (const Member &member : family)
    if (member.input == input && member.axis == axis)
      return family[member.leader].symbol;
  std::string symbol = name.str();
  if (!family.empty()) {
    symbol = (name.take_front(100) + "@").str();
    for (char c : input.take_front(60))
      symbol += isSymbolName(StringRef(&c, 1)) ? c : '_';
    if (any_of(family, [&](const Member &member) { return member.symbol == symbol; }))
      symbol += "." + std::to_string(family.size());
  }
  familyOf[symbol] = name.str();
  family.push_back({symbol, input.str(), axis, family.size()});
  return symbol;
}

void DimensionNames::relate(const Extent &a, const Extent &b) {
  if (families.empty() || joinsAll)
    return;
  SmallVector<StringRef, 4> names;
  a.symbols(names);
  SmallVector<StringRef, 4> others;
  b.symbols(others);
  append_range(names, others);
  StringMap<size_t> first; ///< by family, the first leader that was met
  for (StringRef symbol : names) {
    auto found = familyOf.find(symbol);
    if (found == familyOf.end())
      continue;
    std::vector<Member> &family = families[found->second];
    size_t leader = find_if(family, [&](const Member &member) { return member.symbol == symbol; })->leader;
    size_t &other = first.try_emplace(found->second, leader).first->second;
    if (other == leader)
      continue;
    size_t low = std::min(other, leader), high = std::max(other, leader);
    for (Member &member : family)
      if (member.leader == high)
        member.leader = low;
    other = low;
    hasChanged = true;
  }
}

std::vector<std::string> DimensionNames::separate() const {
  std::vector<std::string> result;
  for (const auto &entry : families) {
    std::string list;
    for (auto [number, member] : enumerate(entry.getValue()))
      if (member.leader == number)
        list += (list.empty() ? "" : ", ") + member.symbol;
    if (!joinsAll && StringRef(list).contains(", "))
      result.push_back(std::move(list));
  }
  sort(result);
  return result;
}
