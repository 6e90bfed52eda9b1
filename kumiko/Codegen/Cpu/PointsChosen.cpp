//===- PointsChosen.cpp - points of which data say what they read ------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "kumiko/Codegen/Cpu/Registers.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Schedule/FarReads.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Rows of so many bytes, of which data choose elements, are fetched while the row before is worked on: in the order of
/// the data each line of them would be waited for. Up to `mostFetches` times as many elements as are chosen.
constexpr int64_t shortestFetchedRow = 1 << 10, longestFetchedRow = 16 << 10, mostFetches = 4;

/// Fewer places are not looked at together: whether all of them are as hoped for is known too late to jump there.
constexpr int64_t fewestPlaces = 4;

/// Short rows of elements that have a place each are moved so many elements together. Places that do not lie side by
/// side are looked at by columns, of at most so many.
constexpr int64_t mostMoved = 64, longestColumns = 7;

/// What the machine gathers.
constexpr unsigned bitsOfWord = 32;

/// Places that are the same for so many rows are looked at before all of these.
constexpr int64_t fewestRows = 4;

void PieceEmitter::lookAtAll() {
  for (const Target &target : targets)
    k.demand.at(target.piece->source, point);
}

bool PieceEmitter::gathersShortRows() const {
  if (holdsRow())
    return false;
  auto gathers = [](linalg::GenericOp op) { return !op.getBody()->getOps<tensor::ExtractOp>().empty(); };
  return lane.extent.isStatic() && lane.extent.value() < k.demand.lanes && !hasFunctions(k.body) &&
         llvm::any_of(k.body.getOps<linalg::GenericOp>(), gathers);
}

bool PieceEmitter::checksPlaces() const {
  auto isChecked = [](tensor::ExtractOp op) { return op->hasAttr(checkedAttribute); };
  return llvm::any_of(k.body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
    return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), isChecked);
  });
}

bool PieceEmitter::readsOneByOne() const { return lanesChoose && k.demand.lanes == 1; }

bool PieceEmitter::movesElements() const {
  // By itself an element that is read at two places takes less if both are corrected than if both are looked at.
  bool isLittle = !readsOneByOne() || llvm::hasSingleElement(k.body.getOps<linalg::GenericOp>());
  return lanesChoose && isLittle && (movesChecked() || movesGuarded());
}

bool PieceEmitter::movesChecked() const {
  auto moves = [](linalg::GenericOp op) {
    return llvm::all_of(op.getBody()->getTerminator()->getOperands(),
                        [](Value value) { return value.getDefiningOp<tensor::ExtractOp>(); });
  };
  return checksPlaces() && llvm::all_of(k.body.getOps<linalg::GenericOp>(), moves);
}

/// Elements that are multiplied more often than this are worked on as vectors, once these are put together.
constexpr int64_t mostProducts = 4;

/// Whether `op` is little more than a read at a place from data that is replaced where it does not exist. Nothing in it
/// rounds otherwise in a vector than by itself, as a product and a sum may.
static bool isGuardedRead(linalg::GenericOp op, KernelExtents &extents) {
  auto isFew = [](const Extent &extent) { return extent.isStatic() && extent.value() <= fewPlaces; };
  auto isPlain = [&](Operation &inner) {
    // Among few places lanes choose together.
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      return extract->hasAttr(guardedAttribute) && !extract->hasAttr(checkedAttribute) &&
             llvm::none_of(extents.of(extract.getTensor()), isFew);
    // The number of a loop is at most an index as it is: what is looked at are data alone.
    if (auto number = dyn_cast<linalg::IndexOp>(inner))
      return llvm::all_of(number->getUsers(), llvm::IsaPred<tensor::ExtractOp>);
    return inner.hasTrait<OpTrait::ConstantLike>() || isa<arith::IndexCastOp, arith::SelectOp, arith::CmpIOp>(inner) ||
           isa<arith::AndIOp, arith::NegFOp, arith::MulFOp>(inner);
  };
  bool reads = !op.getBody()->getOps<tensor::ExtractOp>().empty();
  return op.getNumReductionLoops() == 0 && (!reads || placeRead(op)) &&
         llvm::all_of(op.getBody()->without_terminator(), isPlain);
}

bool PieceEmitter::movesGuarded() const {
  auto ops = k.body.getOps<linalg::GenericOp>();
  auto isRead = [&](linalg::GenericOp op) { return isGuardedRead(op, k.storage.extents); };
  auto isValue = [](Operation &op) { return isa<tensor::EmptyOp>(op) || op.hasTrait<OpTrait::ConstantLike>(); };
  auto isKnown = [&](Operation &op) { return isa<linalg::GenericOp>(op) || isValue(op); };
  int64_t products = 0;
  for (linalg::GenericOp op : ops)
    products += llvm::range_size(op.getBody()->getOps<arith::MulFOp>());
  return !sources->bodies.empty() && products <= mostProducts && llvm::all_of(ops, isRead) &&
         llvm::all_of(k.body.without_terminator(), isKnown);
}

std::optional<Chosen> PieceEmitter::chosenAlong(unsigned loop) const {
  auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  auto extracts = op ? llvm::to_vector(op.getBody()->getOps<tensor::ExtractOp>()) : SmallVector<tensor::ExtractOp>();
  Value tensor = extracts.size() == 1 ? extracts[0].getTensor() : Value();
  Value buffer = tensor ? k.demand.bufferBehind(tensor) : Value();
  if (targets.size() != 1 || !buffer)
    return std::nullopt;
  bool isWhole = isa<BlockArgument>(tensor) && !k.storage.strides.contains(tensor);
  auto isComputed = [](Value index) { return !index.getDefiningOp<linalg::IndexOp>(); };
  if (llvm::count_if(extracts[0].getIndices(), isComputed) != 1)
    return std::nullopt;
  auto place = llvm::find_if(extracts[0].getIndices(), isComputed);
  size_t dimension = std::distance(extracts[0].getIndices().begin(), place);
  ArrayRef<Extent> extents = k.storage.extents.of(tensor);
  return Chosen{tensor,
                extents[dimension],
                apartAlong(extracts[0], loop, k.storage.extents),
                dimension + 1 == extents.size(),
                isWhole,
                cast<MemRefType>(buffer.getType()).getElementType()};
}

/// Lanes that choose among more bytes wait for most of them: loads one by one are asked for sooner.
constexpr int64_t mostBytesTogether = 128 << 10;

bool PieceEmitter::readsTogether() const {
  std::optional<Chosen> chosen = chosenAlong(lane.loop);
  auto isFew = [](const Extent &extent) { return extent.isStatic() && extent.value() <= fewPlaces; };
  // Narrow elements are cut out of gathered words, which takes longer than to load them; but not than to find out for
  // each row again where.
  bool isNarrow = chosen && chosen->stored.getIntOrFloatBitWidth() < bitsOfWord &&
                  llvm::any_of(loops, [&](const MergedLoop &loop) { return sources->choosing.test(loop.loop); });
  bool isLarge = chosen && chosen->count.isStatic() &&
                 chosen->count.value() * chosen->stored.getIntOrFloatBitWidth() / 8 > mostBytesTogether;
  return (k.demand.gathers && !isNarrow && !isLarge) || (chosen && isFew(chosen->count) && isFew(chosen->apart)) ||
         holdsRow();
}

/// A row is not worth its loads for fewer places, which are less where words would be put together one by one (see
/// rowsAcross).
constexpr int64_t fewestOfRow = 6, fewestWordsOfRow = 5;

bool PieceEmitter::canHoldRow() const {
  std::optional<Chosen> chosen = chosenAlong(lane.loop);
  bool isWord = chosen && chosen->stored.getIntOrFloatBitWidth() == bitsOfWord;
  bool oneByOne = k.demand.gathers && isWord && (loops.empty() || !placesFollow(loops.back()));
  return chosen && lanesChoose && typicalSize(lane.extent) >= (oneByOne ? fewestWordsOfRow : fewestOfRow) &&
         chosen->isLast && chosen->isWhole && chosen->apart.is(0) &&
         fitsRegisters(chosen->count, chosen->stored, k.demand.lanes);
}

bool PieceEmitter::outgrowsSecondCache(const Chosen &chosen) const {
  Extent count = k.storage.extents.elementsOf(chosen.tensor);
  return count.isStatic() && count.value() * chosen.stored.getIntOrFloatBitWidth() / 8 > secondCacheBytes;
}

bool PieceEmitter::comesFromBeyond() const {
  std::optional<Chosen> chosen = chosenAlong(lane.loop);
  return chosen && k.schedule.storesInOrder && k.demand.gathers &&
         chosen->stored.getIntOrFloatBitWidth() >= bitsOfWord && outgrowsSecondCache(*chosen);
}

tensor::ExtractOp PieceEmitter::chosenOfRow() const {
  auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  if (targets.size() != 1 || !lanesChoose || !movesChecked() || !op || !lane.extent.isStatic())
    return tensor::ExtractOp();
  auto extracts = op.getBody()->getOps<tensor::ExtractOp>();
  if (!llvm::hasSingleElement(extracts))
    return tensor::ExtractOp();
  tensor::ExtractOp extract = *extracts.begin();
  auto isLoop = [](Value index) { return index.getDefiningOp<linalg::IndexOp>(); };
  Extent length = k.storage.extents.of(extract.getTensor()).back();
  unsigned bytes = cast<RankedTensorType>(extract.getTensor().getType()).getElementTypeBitWidth() / 8;
  bool fits = length.isStatic() && length.value() * bytes >= shortestFetchedRow &&
              length.value() * bytes <= longestFetchedRow && length.value() <= mostFetches * lane.extent.value();
  bool inRow = llvm::all_of(extract.getIndices().drop_back(), isLoop) && !isLoop(extract.getIndices().back());
  return fits && inRow && k.demand.bufferBehind(extract.getTensor()) ? extract : tensor::ExtractOp();
}

/// Elements that were read one by one are written as vectors of so many bytes: each is put into its lane as it is read,
/// and there are fewer writes than the machine takes. Wide ones as half of that: of four, LLVM makes two writes, the
/// second one first, and these are slower than such as go along memory. Those that the second cache does not hold are
/// written by themselves where stores leave in order: these keep fewer reads waiting for pages at once.
constexpr int64_t bytesWritten = 32, bytesOfWideWritten = 16, bytesOfWide = 8, mostWritten = 8;

bool PieceEmitter::columnsCrowd() const {
  std::optional<Chosen> chosen = loops.empty() ? std::nullopt : chosenAlong(loops.back().loop);
  if (!chosen || !chosen->isLast || !chosen->apart.isStatic() || sources->choosing.test(loops.back().loop))
    return false;
  int64_t bytes = chosen->apart.value() * (chosen->stored.getIntOrFloatBitWidth() / 8);
  bool haveOwnLines = typicalSize(lane.extent) * lineBytes <= bytes;
  return k.schedule.crowdsSets && haveOwnLines && outgrowsSecondCache(*chosen) && sharesSets(bytes);
}

void PieceEmitter::moveEach(ArrayRef<Position> positions) {
  std::optional<Chosen> chosen = chosenAlong(lane.loop);
  unsigned pause = k.schedule.wideCore && columnsCrowd() ? pauseOfColumns : 0;
  bool isBeyond = chosen && outgrowsSecondCache(*chosen);
  for (const Target &target : targets) {
    int64_t bytes = bytesOf(target);
    int64_t ofWide = k.schedule.storesInOrder && isBeyond ? bytesOfWide : bytesOfWideWritten;
    int64_t together = bytes >= bytesOfWide ? ofWide : bytesWritten;
    size_t most = std::min(together / std::max<int64_t>(bytes, 1), mostWritten);
    Form first;
    SmallVector<Value> values;
    for (const Position &position : positions) {
      Form offset = offsetOf(*target.piece, position), apart = offset + first * -1;
      bool follows = apart.isConstant() && apart.constant.is(int64_t(values.size()));
      if (!values.empty() && (!follows || values.size() == most)) {
        k.demand.storeTogether(values, target.memref, first);
        values.clear();
      }
      if (values.empty())
        first = offset;
      k.pause(pause);
      values.push_back(k.demand.at(target.piece->source, position));
    }
    k.demand.storeTogether(values, target.memref, first);
  }
}

bool PieceEmitter::correctsSeveral() const {
  auto checksSeveral = [](tensor::ExtractOp op) {
    auto unsure = op->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute);
    return unsure && unsure.size() > 1;
  };
  return k.demand.mayCountFromEnd() && k.demand.lanes >= lanesOfAvx512 &&
         llvm::any_of(k.body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
           return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), checksSeveral);
         });
}

bool PieceEmitter::correctsTogether() const {
  return correctsSeveral() || (k.demand.mayCountFromEnd() && k.demand.gathers);
}

void PieceEmitter::moveLanes(const Form &form) {
  if (correctsTogether()) {
    // A machine that is fast at it gathers unless too many pages are waited for.
    llvm::SaveAndRestore gathers(k.demand.gathers, k.schedule.gathers || !k.schedule.storesInOrder);
    return storeAll();
  }
  std::vector<Position> positions;
  for (unsigned n = 0; n < k.demand.lanes; ++n) {
    point[lane.loop] = form.atLane(n);
    positions.push_back(point);
  }
  point[lane.loop] = form;
  moveEach(positions);
}

void PieceEmitter::moveRows(const MergedLoop &along, Value first, int64_t count) {
  unsigned slot = k.demand.addSlot(first, 1, IndexRange::ofLoop(0, along.extent));
  std::vector<Position> positions;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t n = 0; n < lane.extent.value(); ++n) {
      point[along.loop] = Form::ofSlot(slot) + Form(row);
      point[lane.loop] = Form(n);
      positions.push_back(point);
    }
  moveEach(positions);
}

/// Whether an index that is checked may follow from the number of a loop, and not from data alone.
static bool checksNumbers(Operation &each) {
  auto op = dyn_cast<linalg::GenericOp>(each);
  if (!op)
    return !isa<tensor::EmptyOp>(each) && !each.hasTrait<OpTrait::ConstantLike>();
  if (op.getBody()->getOps<tensor::ExtractOp>().empty())
    return !op.getBody()->getOps<linalg::IndexOp>().empty();
  SmallVector<Value> checked;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    if (auto unsure = extract->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute))
      for (int64_t d : unsure.asArrayRef())
        checked.push_back(extract.getIndices()[d]);
  return llvm::any_of(neededInside(op.getBody(), checked),
                      [](Value value) { return value.getDefiningOp<linalg::IndexOp>(); });
}

bool PieceEmitter::placesFollow(const MergedLoop &along) const {
  auto follow = [&](const Form &form) {
    return form.coefficientOf(along.loop) == form.coefficientOf(lane.loop) * lane.extent;
  };
  return llvm::all_of(sources->forms, follow) && llvm::none_of(k.body.without_terminator(), checksNumbers);
}

std::optional<MergedLoop> PieceEmitter::loopOfPlaces(const Extent &outer) const {
  auto chooses = [&](const MergedLoop &loop) { return sources->choosing.test(loop.loop); };
  bool areShort = !lanesChoose && gathersShortRows() && checksPlaces() && !loops.empty() && chooses(loops.back());
  if (!lane.extent.isStatic() || !(areShort || movesElements()) || readsOneByOne())
    return std::nullopt;
  const MergedLoop &places = areShort ? loops.back() : lane;
  ArrayRef<MergedLoop> rows = ArrayRef(loops).drop_back(areShort ? 1 : 0);
  Extent count = areShort ? floorDiv(outer, places.extent) : outer;
  bool serve = places.extent.isStatic() && places.extent.value() > 0 && llvm::none_of(rows, chooses) &&
               typicalSize(count) >= fewestRows * typicalSize(k.schedule.chunks);
  return serve ? std::optional(places) : std::nullopt;
}

void PieceEmitter::lookAtPlaces(const MergedLoop &places, llvm::function_ref<void()> emit) {
  auto look = [&] {
    llvm::fill(point, Form(0));
    k.vectors(places.extent, 1, [&](Form form) {
      point[places.loop] = form;
      lookAtAll();
    });
  };
  k.demand.lookAhead(look, emit, emit, lookOf());
}

void PieceEmitter::fetchNextRow(const Form &form) {
  tensor::ExtractOp extract = nextRow ? chosenOfRow() : tensor::ExtractOp();
  if (!extract)
    return;
  Value tensor = extract.getTensor();
  int64_t length = k.storage.extents.of(tensor).back().value(), times = llvm::divideCeil(length, lane.extent.value());
  int64_t line = lineBytes * 8 / cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
  Position next = point;
  next[nextRow->first] = nextRow->second;
  Position dims = loopsAt(cast<linalg::GenericOp>(extract->getParentOp()), 0, next), place;
  for (Value index : extract.getIndices().drop_back())
    place.push_back(dims[index.getDefiningOp<linalg::IndexOp>().getDim()]);
  place.emplace_back();
  for (int64_t n = 0; n < times * int64_t(k.demand.lanes); n += line) {
    Value at = k.demand.indexOf(form.atLane(0) * times + Form(n));
    at = arith::MinSIOp::create(k.b, k.loc, at, k.index(length - 1));
    place.back() = Form::ofSlot(k.demand.addSlot(at));
    memref::PrefetchOp::create(k.b, k.loc, k.demand.bufferBehind(tensor),
                               k.demand.indexOf(k.storage.offsetIn(tensor, place)), /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void PieceEmitter::movedRow() {
  int64_t length = lane.extent.value(), start = length > mostMoved ? length / k.demand.lanes * k.demand.lanes : 0;
  if (start != 0)
    k.vectors(start, 1, [&](Form form) { element(form); });
  if (start == length)
    return;
  // Whole vectors are looked at, the last with lanes of the one before. No element is moved twice.
  int64_t most = std::min<int64_t>(k.demand.lanes, llvm::bit_floor(uint64_t(length)));
  auto eachVector = [&](llvm::function_ref<void(Form)> emit) {
    int64_t width = most;
    for (int64_t n = start; n < length; n += width) {
      int64_t rest = std::max<int64_t>(llvm::PowerOf2Ceil(length - n), narrowestVector);
      width = std::min(most, rest);
      Form form(std::min(n, length - width));
      form.lane = width == 1 ? 0 : 1;
      point[lane.loop] = form;
      k.demand.narrow(width, [&] { emit(form); });
    }
  };
  std::vector<Position> positions;
  for (int64_t n = start; n < length; ++n) {
    point[lane.loop] = Form(n);
    positions.push_back(point);
  }
  eachVector([&](Form form) { fetchNextRow(form); });
  auto move = [&] {
    if (!correctsTogether())
      return moveEach(positions);
    // A few that are left over take less one by one.
    int64_t rest = (length - start) % most, apart = 2 * rest < most ? rest : 0;
    eachVector([&](Form form) {
      if (apart == 0 || form.constant.value() + int64_t(k.demand.lanes) <= length - apart)
        storeAll();
    });
    if (apart != 0)
      moveEach(ArrayRef(positions).take_back(apart));
  };
  k.demand.lookAhead([&] { eachVector([&](Form) { lookAtAll(); }); }, move,
                     [&] { eachVector([&](Form) { storeAll(); }); }, lookOf());
}

bool PieceEmitter::restApart() {
  int64_t lanes = k.demand.lanes;
  if (!lane.extent.isStatic() || lane.extent.value() <= lanes || !movesElements() || !k.demand.gathers || holdsRow())
    return false;
  int64_t rest = lane.extent.value() % lanes;
  if (!llvm::isPowerOf2_64(rest))
    return false;
  Form form(lane.extent.value() - rest);
  form.lane = rest == 1 ? 0 : 1;
  k.vectors(lane.extent - rest, 1, [&](Form whole) { element(whole); });
  k.demand.narrow(rest, [&] { element(form); });
  return true;
}

void PieceEmitter::shortRow() {
  if (movesElements())
    return movedRow();
  int64_t length = lane.extent.value();
  auto lanesFrom = [&](int64_t first) {
    Form form(first);
    form.lane = 1;
    element(form);
  };
  int64_t width = llvm::bit_floor(uint64_t(length)), rest = length - width;
  // Where each lane is read by itself, a small rest costs less than lanes that are read again. One that is a vector of
  // its own takes as many instructions either way, and stores that overlap wait for each other.
  bool isApart = llvm::isPowerOf2_64(rest) || (lanesChoose && 2 * rest <= width);
  k.demand.narrow(width, [&] {
    lanesFrom(0);
    if (rest != 0 && !isApart)
      lanesFrom(length - width);
  });
  narrowPieces(isApart ? width : length);
}

void PieceEmitter::rows(const MergedLoop &along, Value low, Value high, llvm::function_ref<void()> whole) {
  auto at = [&](Value number) {
    point[along.loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, along.extent)));
    if (chosenOfRow()) {
      Value next = arith::AddIOp::create(k.b, k.loc, number, k.index(1));
      next = arith::MinSIOp::create(k.b, k.loc, next, k.index(along.extent - 1));
      nextRow = {along.loop, Form::ofSlot(k.demand.addSlot(next))};
    }
    whole();
    nextRow.reset();
  };
  if (turn && along.loop == turn->loop)
    return turnedRows(along, low, high, whole);
  if (!rowCuts.empty() && along.loop == loops.back().loop) {
    for (Part part : partsOf(rowCuts, along)) {
      Value first = arith::MaxSIOp::create(k.b, k.loc, low, k.index(part.start));
      Value last = arith::MinSIOp::create(k.b, k.loc, high, k.index(part.end));
      k.loop(first, last, 1, [&](Value number) {
        point[along.loop] = Form::ofSlot(k.demand.addSlot(number, 1, {part.start, part.end - 1}));
        whole();
      });
    }
    return;
  }
  Value middle = low;
  if (int64_t together = rowsAcross(along)) {
    middle = k.endOfGroups(low, high, together);
    k.loop(low, middle, together, [&](Value first) { gatherAcross(along, first, together); });
  } else if (int64_t together = rowsTogether(along)) {
    middle = k.endOfGroups(low, high, together);
    k.loop(low, middle, together, [&](Value first) {
      auto quick = [&] {
        if (lanesChoose)
          return moveRows(along, first, together);
        unsigned slot = k.demand.addSlot(first, 1, IndexRange::ofLoop(0, along.extent));
        for (int64_t n = 0; n < together; ++n) {
          point[along.loop] = Form::ofSlot(slot) + Form(n);
          whole();
        }
      };
      Value end = arith::AddIOp::create(k.b, k.loc, first, k.index(together));
      k.demand.lookAhead([&] { lookAtRows(along, first, together); }, quick, [&] { k.loop(first, end, 1, at); },
                         lookOf());
    });
  }
  k.loop(middle, high, 1, at);
}

int64_t PieceEmitter::rowsTogether(const MergedLoop &along) const {
  bool shortRows = gathersShortRows() && (checksPlaces() || movesGuarded());
  auto isBare = [](const Target &target) { return target.borders->empty(); };
  if (!shortRows || (lanesChoose && (!movesElements() || !llvm::all_of(targets, isBare))))
    return 0;
  // By measurement on Zen 4, which pauses make slower: one such row after the other leaves room for the next one.
  if (lanesChoose && !k.schedule.wideCore && columnsCrowd())
    return 0;
  int64_t length = lane.extent.value(), most = k.demand.lanes;
  if (lanesChoose)
    most = std::min<int64_t>(most, llvm::bit_floor(uint64_t(mostMoved / length)));
  int64_t together = std::min<int64_t>(most, llvm::bit_floor(uint64_t(typicalSize(along.extent))));
  bool looks = !lanesChoose || k.demand.knowsPlaces() || placesFollow(along) || length <= longestColumns;
  // Rows that nothing is left to check of are worth any number.
  return looks && together >= (!lanesChoose && k.demand.knowsPlaces() ? 2 : fewestPlaces) ? together : 0;
}

void PieceEmitter::lookAtRows(const MergedLoop &along, Value first, int64_t count) {
  Form row = Form::ofSlot(k.demand.addSlot(first, 1, IndexRange::ofLoop(0, along.extent)));
  auto look = [&](int64_t width, const Form &rows, const Form &lanes) {
    point[along.loop] = rows;
    point[lane.loop] = lanes;
    k.demand.narrow(width, [&] { lookAtAll(); });
  };
  Form lanes;
  lanes.lane = 1;
  if (lanesChoose && placesFollow(along)) {
    // From one row into the next; the last vector ends with the last row.
    int64_t total = count * lane.extent.value(),
            width = std::min<int64_t>(k.demand.lanes, llvm::bit_floor(uint64_t(total)));
    for (int64_t n = 0; n < total; n += width)
      look(width, row, lanes + Form(std::min(n, total - width)));
    return;
  }
  for (int64_t n = 0; n < (lanesChoose ? lane.extent.value() : 1); ++n)
    look(count, row + lanes, Form(n));
}
