//===- PointsFar.cpp - reads that lie in many pages --------------------------===//
//
// What is read one by one, and why, is said in FarReads.h. If it depends on the data, a few places are looked at before
// the loops: those of reads that follow soon on each other, since places in order are near, however many there are.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PointsFar.h"
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "kumiko/Schedule/FarReads.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Places that are looked at, and reads from one of them to the next: a prime, so that it is no multiple of a row. Two
/// of three of the steps are to be long: places from both ends of a tensor are half of them near each other.
constexpr int64_t placesSeen = 17, mostBetween = 61, fewestFar = 11;

/// The loops of `op` at point `number` of all.
static Position pointAt(int64_t number, ArrayRef<Extent> extents) {
  Position position(extents.size());
  for (size_t loop = extents.size(); loop > 0; --loop) {
    position[loop - 1] = Form(number % extents[loop - 1].value());
    number /= extents[loop - 1].value();
  }
  return position;
}

/// Bytes from the first element that data may choose instead.
static Value bytesInside(Kernel &k, tensor::ExtractOp read, const Position &position) {
  auto op = cast<linalg::GenericOp>(read->getParentOp());
  Value bytes = k.index(0);
  int64_t stride = llvm::divideCeil(read.getType().getIntOrFloatBitWidth(), 8);
  for (auto [index, extent] :
       llvm::reverse(llvm::zip_equal(read.getIndices(), k.storage.extents.of(read.getTensor())))) {
    if (!index.getDefiningOp<linalg::IndexOp>()) {
      Value place = k.demand.bodyValue(op, position, index);
      bytes = arith::AddIOp::create(k.b, k.loc, bytes, arith::MulIOp::create(k.b, k.loc, place, k.index(stride)));
    }
    stride *= extent.value();
  }
  return bytes;
}

/// The conditions under which data count a place from the end of the tensor: that it is below 0.
static SmallVector<Value> countsFromEnd(tensor::ExtractOp read) {
  SmallVector<Value> conditions;
  for (Value index : read.getIndices()) {
    while (auto cast = index.getDefiningOp<arith::IndexCastOp>())
      index = cast.getIn();
    auto chosen = index.getDefiningOp<arith::SelectOp>();
    auto compared = chosen ? chosen.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
    if (compared && compared.getPredicate() == arith::CmpIPredicate::slt)
      conditions.push_back(compared);
  }
  return conditions;
}

namespace {
/// What is seen of the places, as truth values; the second one is null where none of them can count from the end.
struct Seen {
  Value lieFar, someFromEnd;
};
} // namespace

static Seen lookAtSome(Kernel &k, tensor::ExtractOp read) {
  auto op = cast<linalg::GenericOp>(read->getParentOp());
  Extents extents = k.storage.extents.loopsOf(op);
  int64_t between = std::clamp<int64_t>(product(extents).value() / placesSeen, 1, mostBetween);
  Value before, fromEnd, far = k.index(0), least = k.index(*k.schedule.farApart);
  for (int64_t n = 0; n < placesSeen; ++n) {
    Position at = pointAt(n * between, extents);
    for (Value condition : countsFromEnd(read)) {
      Value here = k.demand.bodyValue(op, at, condition);
      fromEnd = fromEnd ? Value(arith::OrIOp::create(k.b, k.loc, fromEnd, here)) : here;
    }
    Value place = bytesInside(k, read, at);
    if (before) {
      Value ahead = arith::SubIOp::create(k.b, k.loc, place, before);
      Value back = arith::SubIOp::create(k.b, k.loc, before, place);
      Value apart = arith::MaxSIOp::create(k.b, k.loc, ahead, back);
      Value isFar = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, apart, least);
      far = arith::AddIOp::create(k.b, k.loc, far, arith::IndexCastUIOp::create(k.b, k.loc, k.b.getIndexType(), isFar));
    }
    before = place;
  }
  return {arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, far, k.index(fewestFar)), fromEnd};
}

void kumiko::cpu::nearOrFar(Kernel &k, llvm::function_ref<void()> emit) {
  tensor::ExtractOp read = k.schedule.farApart ? farRead(k.body, k.storage.extents) : tensor::ExtractOp();
  if (!read)
    return emit();
  auto oneByOne = [&] {
    llvm::SaveAndRestore gathers(k.demand.gathers, false);
    k.demand.narrow(1, emit);
  };
  if (*k.schedule.farApart == 0)
    return oneByOne();
  Seen seen = lookAtSome(k, read);
  // To correct each by itself, or to look at two places for it, is more between two reads than is good for them; of
  // vectors it is little.
  auto loads = [&] {
    llvm::SaveAndRestore gathers(k.demand.gathers, false), scheduled(k.schedule.gathers, false);
    emit();
  };
  auto far = [&] {
    if (countsFromEnd(read).size() > 1)
      loads();
    else if (seen.someFromEnd)
      k.ifElse(seen.someFromEnd, loads, oneByOne);
    else
      oneByOne();
  };
  k.ifElse(seen.lieFar, far, emit);
}

/// By measurement: reads that wait for pages are fastest if each comes with so many other loads. Where it comes with
/// fewer, asking for what is written counts as one; where it does not, that makes them slower.
constexpr int64_t loadsPerRead = 3;

bool PieceEmitter::asksForResults() const {
  if (k.demand.lanes > 1)
    return !outgrowsCache();
  int64_t loads = sources->forms.size();
  for (auto op : k.body.getOps<linalg::GenericOp>())
    loads += llvm::range_size(op.getBody()->getOps<tensor::ExtractOp>());
  return loads < loadsPerRead;
}

double PieceEmitter::missedAlong() const {
  if (!k.schedule.storesInOrder || targets.size() != 1 || lanesChoose || turn || woven() > 1 || hasFunctions(k.body))
    return 0;
  std::optional<Chosen> chosen = chosenAlong(lane.loop);
  bool isMove = sources->bodies.empty() && sources->forms.size() == 1;
  if (!chosen && !isMove)
    return 0;
  int64_t bytes = bytesOf(targets.front());
  int64_t reads = 1, least = INT64_MAX;
  SmallVector<MergedLoop> all(loops);
  all.push_back(lane);
  for (const MergedLoop &loop : all) {
    Extent apart = isMove ? sources->forms.front().coefficientOf(loop.loop) : chosenAlong(loop.loop)->apart;
    if (!loop.extent.isStatic() || !apart.isStatic())
      return 0;
    reads *= loop.extent.value();
    least = std::min(least, std::abs(apart.value()) * bytes);
  }
  return pagesMissed(k.schedule, reads, least);
}

/// Bytes of a vector that is read in many pages: wider ones lie across two missing lines more often, which takes longer
/// than to read these by two vectors. Those of rows that share a set, where a core pauses for that.
static int64_t bytesOfMissed(const Schedule &schedule) { return schedule.wideCore ? 32 : 16; }
constexpr int64_t bytesOfShared = 16;

Pace PieceEmitter::paceOfMoves(int64_t lanes) const {
  if (double missed = missedAlong(); missed >= missedByGathers)
    return {1, missed >= missedByLoads ? pauseOfKnown : 0};
  if (k.schedule.storesInOrder || targets.size() != 1 || lanesChoose || turn || woven() > 1 ||
      !sources->bodies.empty() || sources->forms.size() != 1)
    return {lanes, 0};
  // A column of so many lines that share a set of the first cache does not fit into the second one, either.
  constexpr int64_t fewestLines = 1000, longRow = 512, shortRow = 3 * lineBytes;
  const Form &form = sources->forms.front();
  int64_t bytes = bytesOf(targets.front());
  auto shareSets = [&](const Extent &apart) {
    return k.schedule.crowdsSets && apart.isStatic() && sharesSets(apart.value() * bytes);
  };
  Extent step = form.coefficientOf(lane.loop);
  if (shareSets(step) && typicalSize(lane.extent) >= fewestLines)
    return {1, pauseOfRows};
  int64_t row = typicalSize(lane.extent) * bytes, reads = 1;
  if (loops.empty() || !step.is(1) || row > longRow)
    return {lanes, 0};
  // Where outer numbers go on in the same lines, rows have been read when they are asked for.
  for (const MergedLoop &loop : ArrayRef(loops).drop_back())
    if (Extent next = form.coefficientOf(loop.loop); next.isStatic() && std::abs(next.value()) * bytes < lineBytes)
      return {lanes, 0};
  for (const MergedLoop &loop : loops)
    reads *= typicalSize(loop.extent);
  Extent apart = form.coefficientOf(loops.back().loop);
  if (!apart.isStatic() || pagesMissed(k.schedule, reads, apart.value() * bytes) < missedByLoads)
    return {lanes, 0};
  if (shareSets(apart) && row <= shortRow)
    return {std::min(lanes, bytesOfShared / bytes), pauseOfVectors};
  return {std::min(lanes, bytesOfMissed(k.schedule) / bytes), 0};
}
