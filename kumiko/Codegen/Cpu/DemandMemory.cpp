//===- DemandMemory.cpp - loads and stores of lanes ------------------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include <set>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Truth values take a byte in memory; everywhere else they are i1.
static bool isTruth(Type element) { return element.isInteger(1); }

/// Further apart, most of what is loaded would be thrown away.
constexpr int64_t widestSieve = 8;

/// How far behind the start of a group of `step` elements `lowest` is, where buffer and loops consist of such groups;
/// then a group may be read as a whole.
static int64_t placeInGroup(MemRefType type, const Form &lowest, int64_t step) {
  auto whole = [&](const Extent &count) { return count.isStatic() && count.value() % step == 0; };
  bool groups = type.hasStaticShape() && type.getDimSize(0) % step == 0 && lowest.constant.isStatic() &&
                lowest.constant.value() >= 0 &&
                llvm::all_of(lowest.terms, [&](const auto &term) { return whole(term.second); });
  return groups ? lowest.constant.value() % step : -1;
}

Value Demand::loadSome(Value memref, Value index, Type stored, int64_t count) {
  auto type = VectorType::get({int64_t(lanes)}, stored);
  if (count == lanes)
    return vector::LoadOp::create(b, loc, type, memref, index);
  return vector::MaskedLoadOp::create(b, loc, type, memref, index, entry.maskOf(count, lanes), spread(zeroOf(stored)));
}

Value Demand::sieve(Value memref, const Form &offset, Type stored) {
  if (!active.isStatic() || active.is(1) || !offset.lane.isStatic() || lanes < 2)
    return Value();
  int64_t apart = offset.lane.value(), last = active.value() - 1, count = lanes;
  int64_t step = std::abs(apart);
  if (apart == 0 || step > widestSieve)
    return Value();
  Form lowest = offset.atLane(apart < 0 ? last : 0);
  // Reads of the same groups at other places share their vectors.
  int64_t first = placeInGroup(cast<MemRefType>(memref.getType()), lowest, step);
  lowest = lowest + Form(-std::max<int64_t>(first, 0));
  // Else from the lowest place on; the last vector ends with the highest, so that nothing beyond it is touched.
  int64_t end = first < 0 ? last * step + 1 : (last + 1) * step, lastStart = std::max<int64_t>(end - count, 0);
  first = std::max<int64_t>(first, 0);
  Value result;
  int64_t vectors = llvm::divideCeil(end, count);
  // In the order of the lanes: what the next turn of a loop reads follows the last of them.
  for (int64_t each = 0; each < vectors; ++each) {
    int64_t n = apart < 0 ? vectors - 1 - each : each;
    int64_t start = std::min(n * count, lastStart);
    Value vector = loadSome(memref, indexOf(lowest + Form(start)), stored, std::min(count, end - start));
    // Of the lanes, those that this vector is the first to have.
    SmallVector<int64_t> choice;
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t place = (apart < 0 ? last - lane : lane) * step + first;
      bool here = place >= start && place < start + count && place >= n * count && place < end;
      choice.push_back(here ? count + place - start : lane);
    }
    result = vector::ShuffleOp::create(b, loc, result ? result : vector, vector, choice);
  }
  return result;
}

Value Demand::fromStored(Value loaded, Type element) {
  Type stored = getElementTypeOrSelf(loaded.getType());
  if (!isTruth(element) || stored == element)
    return loaded;
  Value zero = isa<VectorType>(loaded.getType()) ? spread(zeroOf(stored)) : zeroOf(stored);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, loaded, zero);
}

Value Demand::load(Value memref, const Form &offset, Type element) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  auto truth = [&](Value byte) { return fromStored(byte, element); };
  if (!offset.hasLanes())
    return truth(memref::LoadOp::create(b, loc, memref, indexOf(offset)));
  if (!offset.lane.is(1))
    if (Value lanesOfBlock = blocks.at(memref, offset, [&](const Form &place) { return indexOf(place); }))
      return truth(lanesOfBlock);
  if (!offset.lane.is(1)) {
    if (Value sieved = sieve(memref, offset, stored))
      return truth(sieved);
    return lanewise(element, [&](const Extent &lane) { return load(memref, offset.atLane(lane), element); });
  }
  auto type = VectorType::get({int64_t(lanes)}, stored);
  Value index = indexOf(offset.atLane(0));
  if (allActive())
    return truth(vector::LoadOp::create(b, loc, type, memref, index));
  return truth(vector::MaskedLoadOp::create(b, loc, type, memref, index, mask(), spread(zeroOf(stored))));
}

Value Demand::asStored(Value value, Value memref) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  if (!isTruth(getElementTypeOrSelf(value.getType())) || isTruth(stored))
    return value;
  Type wide = isa<VectorType>(value.getType()) ? Type(VectorType::get({int64_t(lanes)}, stored)) : stored;
  return arith::ExtUIOp::create(b, loc, wide, value);
}

void Demand::store(Value value, Value memref, const Form &offset) {
  value = asStored(value, memref);
  if (!offset.hasLanes()) {
    memref::StoreOp::create(b, loc, value, memref, indexOf(offset));
    return;
  }
  value = spread(value);
  // One lane is stored by itself: x86 code generation of LLVM 22 turns a truncation that is stored under a mask of one
  // lane into a store of the wide value, which writes beyond the end.
  if (!offset.lane.is(1) || active.is(1))
    return storeLanes(value, memref, offset);
  Value index = indexOf(offset.atLane(0));
  if (allActive())
    vector::StoreOp::create(b, loc, value, memref, index);
  else
    vector::MaskedStoreOp::create(b, loc, memref, index, mask(), value);
}

/// The vector whose lane n is what `placeOf(n)` says: the number of a vector and a lane of it.
static Value chosenOf(OpBuilder &b, Location loc, ArrayRef<Value> vectors, int64_t lanes,
                      llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> placeOf) {
  std::set<int64_t> chosen;
  for (int64_t lane = 0; lane < lanes; ++lane)
    chosen.insert(placeOf(lane).first);
  Value result = vectors[*chosen.begin()];
  bool isFirst = true;
  if (chosen.size() > 1)
    chosen.erase(chosen.begin());
  for (int64_t number : chosen) {
    SmallVector<int64_t> choice;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [from, place] = placeOf(lane);
      // Until their own vector comes, lanes hold what lies there in the first.
      choice.push_back(from == number ? lanes + place : isFirst ? place : lane);
    }
    result = vector::ShuffleOp::create(b, loc, result, vectors[number], choice);
    isFirst = false;
  }
  return result;
}

/// Groups of vectors are woven first, and what they become into each other: of eight vectors each is put together by
/// three shuffles and not by seven.
SmallVector<Value> Demand::weave(ArrayRef<Value> values) {
  int64_t count = values.size(), all = lanes, groups = 2;
  if (count == 1)
    return SmallVector<Value>(values);
  while (count % groups != 0)
    ++groups;
  int64_t size = count / groups;
  SmallVector<Value> woven;
  for (int64_t group = 0; group < groups; ++group)
    llvm::append_range(woven, weave(values.slice(group * size, size)));
  SmallVector<Value> result;
  for (int64_t number = 0; number < count; ++number)
    result.push_back(chosenOf(b, loc, woven, all, [&](int64_t lane) {
      int64_t place = number * all + lane, part = place % count;
      int64_t inGroup = place / count * size + part % size;
      return std::pair(part / size * size + inGroup / all, inGroup % all);
    }));
  return result;
}

void Demand::storeInterleaved(ArrayRef<Value> values, Value memref, const Form &first) {
  int64_t parts = values.size(), count = lanes, end = active.value() * parts;
  for (const auto &[vector, woven] : llvm::enumerate(weave(values))) {
    int64_t rest = end - int64_t(vector) * count;
    if (rest <= 0)
      return;
    Value index = indexOf(first.atLane(0) + Form(int64_t(vector) * count));
    if (rest == 1) // see store()
      memref::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, woven, 0), memref, index);
    else if (rest < count)
      vector::MaskedStoreOp::create(b, loc, memref, index, entry.maskOf(rest, lanes), woven);
    else
      vector::StoreOp::create(b, loc, woven, memref, index);
  }
}

void Demand::storeLanes(ArrayRef<Value> values, Value memref, ArrayRef<Form> offsets) {
  SmallVector<Value> stored = llvm::map_to_vector(values, [&](Value value) { return spread(asStored(value, memref)); });
  bool closed = llvm::all_of(offsets, [&](const Form &offset) { return offset.lane.is(int64_t(values.size())); });
  if (active.isStatic() && values.size() > 1 && closed)
    return storeInterleaved(stored, memref, offsets.front());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (active.isStatic() && lane >= active.value())
      return;
    OpBuilder::InsertionGuard guard(b);
    if (!active.isStatic()) {
      Value live = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, indexOf(lane), indexOf(active));
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, live, /*withElseRegion=*/false).thenBlock());
    }
    for (auto [value, offset] : llvm::zip_equal(stored, offsets))
      memref::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, value, int64_t(lane)), memref,
                              indexOf(offset.atLane(lane)));
  }
}
