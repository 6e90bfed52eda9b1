#include "kumiko/Lower/Names.h"

using namespace mlir;
using namespace kumiko;

/// The metadata is an array of three: the result, the loops, the reads.
constexpr unsigned resultPlace = 0, loopsPlace = 1, readsPlace = 2;

static ArrayAttr namesIn(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto names = fused ? dyn_cast_if_present<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  bool fits = names && names.size() == 3 && isa<StringAttr>(names[resultPlace]) && isa<ArrayAttr>(names[loopsPlace]) &&
              isa<ArrayAttr>(names[readsPlace]);
  return fits ? names : ArrayAttr();
}

static SmallVector<StringRef> listAt(ArrayAttr names, unsigned place) {
  SmallVector<StringRef> list;
  for (Attribute name : cast<ArrayAttr>(names[place]))
    list.push_back(isa<StringAttr>(name) ? cast<StringAttr>(name).getValue() : StringRef());
  return list;
}

std::string StatementNames::text() const {
  return node.empty() || result.empty() ? node + result : node + "/" + result;
}

Location kumiko::withNames(Location location, StringRef result, ArrayRef<StringRef> loops, ArrayRef<StringRef> reads) {
  Builder b(location.getContext());
  Attribute names[] = {b.getStringAttr(result), b.getStrArrayAttr(loops), b.getStrArrayAttr(reads)};
  return FusedLoc::get(b.getContext(), {location}, b.getArrayAttr(names));
}

Location kumiko::keepLoops(Location location, llvm::function_ref<bool(unsigned)> isKept) {
  ArrayAttr names = namesIn(location);
  if (!names)
    return location;
  SmallVector<StringRef> loops;
  for (auto [number, name] : llvm::enumerate(listAt(names, loopsPlace)))
    if (isKept(number))
      loops.push_back(name);
  return withNames(cast<FusedLoc>(location).getLocations().front(), cast<StringAttr>(names[resultPlace]).getValue(),
                   loops, listAt(names, readsPlace));
}

StatementNames kumiko::namesOf(linalg::GenericOp op) {
  StatementNames result;
  if (SmallVector<StringRef> nodes = nodesOf(op.getLoc()); !nodes.empty())
    result.node = nodes.front().str();
  ArrayAttr names = namesIn(op.getLoc());
  if (!names)
    return result;
  result.result = cast<StringAttr>(names[resultPlace]).str();
  result.loops = listAt(names, loopsPlace);
  result.reads = listAt(names, readsPlace);
  if (result.loops.size() != op.getNumLoops())
    result.loops.clear();
  if (result.reads.size() > size_t(op.getNumDpsInputs()))
    result.reads.clear();
  return result;
}

static void appendNodes(Location location, SmallVectorImpl<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (!llvm::is_contained(names, name.getName().getValue()))
      names.push_back(name.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location inner : fused.getLocations())
      appendNodes(inner, names);
  }
}

SmallVector<StringRef> kumiko::nodesOf(Location location) {
  SmallVector<StringRef> names;
  appendNodes(location, names);
  return names;
}
