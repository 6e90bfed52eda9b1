//===- PointsTurn.cpp - rows that are cut where data say ---------------------===//
//
// A sequence that is reversed up to its end, and stays as it is behind that, is read at
//
//   t < length(b) ? length(b) - 1 - t : t
//
// Where t runs inside of b, its loop is cut at length(b): on either side the place is linear in t, and it exists where
// it does at both ends. So nothing is left to be done for each t but to read and write, with lanes along t where the
// sequence lies in one piece. Where b runs inside of t, both are exchanged as long as what is written meanwhile lies
// near; a piece that lies on one side of the cut, as most do, then needs no loops for a rest. Else at least all ends
// are looked at before the loops. A few sequences side by side are vectors along t, one of each, which are woven when
// stored. A machine that gathers needs no exchange: it reads a row by few instructions and writes along memory.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "kumiko/Lower/Checked.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Vectors that a row must have to be cut, and elements between which a longer row does not notice how its place is
/// found.
constexpr int64_t fewestVectors = 2, longestPlacedRow = 64;
/// Loops are exchanged for rows of at most so many bytes, of which all elements have a place of their own; the wider an
/// element, the fewer: each is read from a line of its own, and lines must wait in the cache for the other elements.
/// Or for a few elements that have a place together, of longer rows where all lie near. So many rows at a time, of so
/// many bytes: twice as many were slower, presumably since all lines read meanwhile then fill the first cache. A chunk
/// has at least `fewestTurns` rows.
constexpr int64_t mostBytesByElement = 64, mostBytesTimesElement = 768, mostBytesByRow = 128, mostBytesByRowNear = 256,
                  fewestTogether = 16, mostTogether = 128, mostBytesTogether = 1024, mostBytesOfRowsTogether = 8192,
                  fewestTurns = 32;
/// Also longer rows, where all of them are no more than these bytes and lie in the second cache; but none whose lines
/// would fall into a few sets of the first, being a multiple of `bytesOfSets` apart. And those of short elements where
/// all lie in the last cache.
constexpr int64_t mostBytesNear = 1 << 20, mostBytesOfRowNear = 1700, bytesOfSets = 512, mostBytesInCaches = 8 << 20;
/// Sequences up to so many side by side are read in vectors, each by itself, and woven when stored; more of elements of
/// one or two bytes. A chunk has at least `fewestWoven` rows then.
constexpr int64_t mostWoven = 4, mostWovenShort = 8, fewestWoven = 128;
/// A machine that gathers does so for rows of at least so many bytes, or so many where elements are cut out of words.
constexpr int64_t fewestBytesGathered = 28, fewestBytesOfNarrow = 64, bytesOfWord = 4;
/// Such a machine also writes fast only along memory: of elements that have a place together, loops are exchanged for
/// rows of at most so many bytes times those of an element. Otherwise `mostUnrolled` of them are straight-line code.
constexpr int64_t mostBytesTimesElementByRow = 128, mostUnrolled = 8;
/// Where the second cache does not hold all of it, what is read and written so many lines further on is asked for.
/// (Vectors that lie across two missing lines wait longer than elements do.)
constexpr int64_t linesAhead = 16;
/// Rows of a few elements that are moved in one turn of a loop; those together are a multiple of it.
constexpr int64_t rowsPerTurn = 4;

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// Whether it is a sum of numbers of loops, of constants and of elements that are read; `needed` are these.
static bool isSum(Value value, linalg::GenericOp op, llvm::SetVector<Value> &needed) {
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody()) {
    needed.insert(value);
    return true;
  }
  Operation *sum = value.getDefiningOp();
  if (!sum || sum->getBlock() != op.getBody() || sum->hasTrait<OpTrait::ConstantLike>())
    return sum && sum->hasTrait<OpTrait::ConstantLike>();
  if (isa<linalg::IndexOp>(sum)) {
    needed.insert(value);
    return true;
  }
  return isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp>(sum) &&
         llvm::all_of(sum->getOperands(), [&](Value operand) {
           return operand.getType().isIntOrIndex() &&
                  (operand.getType().isIndex() || operand.getType().isInteger(64)) && isSum(operand, op, needed);
         });
}

/// The only place in `op` that is checked, as a choice; null where there is none.
static arith::SelectOp chosenPlace(linalg::GenericOp op) {
  auto extracts = op.getBody()->getOps<tensor::ExtractOp>();
  if (!llvm::hasSingleElement(extracts))
    return arith::SelectOp();
  auto unsure = (*extracts.begin())->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute);
  if (!unsure || unsure.size() != 1)
    return arith::SelectOp();
  return withoutCasts((*extracts.begin()).getIndices()[unsure[0]]).getDefiningOp<arith::SelectOp>();
}

std::optional<Turn> PieceEmitter::turnOf(linalg::GenericOp op, ArrayRef<Form> dims) const {
  arith::SelectOp place = chosenPlace(op);
  auto below = place ? place.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto number = below ? withoutCasts(below.getLhs()).getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  llvm::SetVector<Value> needed, ofBound;
  if (!number || below.getPredicate() != arith::CmpIPredicate::slt || !isSum(below.getRhs(), op, ofBound) ||
      !isSum(place.getTrueValue(), op, needed) || !isSum(place.getFalseValue(), op, needed))
    return std::nullopt;
  const Form &form = dims[number.getDim()];
  if (form.terms.size() != 1 || !form.terms[0].second.is(1) || !form.constant.is(0))
    return std::nullopt;
  unsigned loop = form.terms[0].first;
  needed.insert(ofBound.begin(), ofBound.end());
  for (Value value : needed) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument && ofBound.contains(value))
      return std::nullopt; // It moves with a loop.
    if (!argument)
      continue;
    for (AffineExpr expr : op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber())).getResults())
      if (std::optional<Form> at = applyLinear(expr, dims); !at || !at->coefficientOf(loop).is(0))
        return std::nullopt;
  }
  return Turn{op, Position(dims), below, below.getRhs(), loop};
}

void PieceEmitter::findTurn() {
  auto isPlain = [](linalg::GenericOp op) { return op.getNumReductionLoops() == 0; };
  auto isBare = [](const Target &target) { return target.borders->empty(); };
  if (woven() != 1 || !rowPhases.empty() || sources->bodies.size() != 1 ||
      !llvm::all_of(k.body.getOps<linalg::GenericOp>(), isPlain) || !llvm::all_of(targets, isBare))
    return;
  turn = turnOf(sources->bodies[0].first, sources->bodies[0].second);
  if (!turn)
    return;
  if (turn->loop == lane.loop) {
    if (typicalSize(lane.extent) < fewestVectors * k.demand.lanes)
      turn.reset();
    return;
  }
  bool isShortRow = lane.extent.isStatic() && (lanesChoose || lane.extent.value() <= longestPlacedRow);
  bool isInside = !loops.empty() && loops.back().loop == turn->loop && !lanesChoose;
  if (!isShortRow || loops.empty() || (!isInside && !takeBetween()))
    turn.reset();
}

/// Whether `op` chooses elements of a buffer that one instruction reads for all lanes.
static bool isGathered(const Kernel &k, linalg::GenericOp op) {
  Value tensor = (*op.getBody()->getOps<tensor::ExtractOp>().begin()).getTensor();
  Extent count = k.storage.extents.elementsOf(tensor);
  return k.demand.gathers && k.demand.bufferBehind(tensor) && count.isStatic() && count.value() <= INT32_MAX;
}

bool PieceEmitter::takeBetween() {
  bool isLast = loops.back().loop == turn->loop, isNext = loops.size() > 1 && loops.end()[-2].loop == turn->loop;
  if (lanesChoose ? !isLast : !isNext)
    return false;
  MergedLoop between = lanesChoose ? lane : loops.back();
  Extent turns = 1;
  for (const MergedLoop &loop : lanesChoose ? ArrayRef(loops) : ArrayRef(loops).drop_back())
    turns *= loop.extent;
  if (!between.extent.isStatic() || typicalSize(turns) < fewestTurns * typicalSize(k.schedule.chunks))
    return false;
  int64_t element = 0, elements = between.extent.value() * (lanesChoose ? 1 : lane.extent.value());
  for (const Target &target : targets)
    element += bytesOf(target);
  int64_t bytes = std::max<int64_t>(element * elements, 1);
  int64_t total = typicalSize(turns) * bytes;
  bool isNear = total <= mostBytesNear, isNarrow = bytes <= mostBytesByElement || total <= mostBytesInCaches;
  bool isWorth = isNear ? bytes <= mostBytesOfRowNear && bytes % bytesOfSets != 0
                        : isNarrow && bytes * element <= mostBytesTimesElement;
  bool byGathers = lanesChoose && isGathered(k, turn->op) &&
                   bytes >= (element < bytesOfWord ? fewestBytesOfNarrow : fewestBytesGathered);
  if (lanesChoose && !isNear && !isWorth && !byGathers)
    return false;
  turn->between = between;
  if (byGathers)
    return true;
  bool isShortRow = bytes <= (isNear ? mostBytesByRowNear : mostBytesByRow) &&
                    (!k.demand.gathers || bytes * element <= mostBytesTimesElementByRow);
  if (lanesChoose ? isWorth : isShortRow) {
    int64_t most = (lanesChoose ? mostBytesTogether : mostBytesOfRowsTogether) / bytes;
    turn->together = std::clamp(most / rowsPerTurn * rowsPerTurn, fewestTogether, mostTogether);
  }
  turn->isWoven = turn->together && lanesChoose && targets.size() == 1 &&
                  between.extent.value() <= (element <= 2 ? mostWovenShort : mostWoven) &&
                  typicalSize(turns) >= fewestWoven * typicalSize(k.schedule.chunks);
  if (!lanesChoose)
    loops.pop_back();
  return true;
}

void PieceEmitter::gatheredRow() {
  // A register at a time, so that rows are written from their start on: the parts of a wider vector might not be.
  int64_t bytes = bytesOfWord;
  for (const Target &target : targets)
    bytes = std::max<int64_t>(bytes, bytesOf(target));
  int64_t most = k.demand.lanes * bytesOfWord / bytes, width = llvm::PowerOf2Ceil(lane.extent.value());
  k.demand.narrow(std::min(most, width), [&] {
    k.vectors(lane.extent, 1, [&](Form form) {
      point[lane.loop] = form;
      storeAll();
    });
  });
}

/// The numbers of the loops of an op, which are forms over those of a point.
static Position numbersAt(ArrayRef<Form> dims, ArrayRef<Form> point) {
  Position numbers;
  for (const Form &form : dims) {
    Form here(form.constant);
    for (const auto &[loop, factor] : form.terms)
      here = here + point[loop] * factor;
    numbers.push_back(here);
  }
  return numbers;
}

static Value indexInBody(Kernel &k, linalg::GenericOp op, ArrayRef<Form> numbers, Value wanted) {
  Value value = k.demand.bodyValue(op, numbers, wanted);
  return value.getType().isIndex() ? value : arith::IndexCastOp::create(k.b, k.loc, k.b.getIndexType(), value);
}

Value PieceEmitter::boundHere() {
  point[turn->loop] = Form(0);
  return indexInBody(k, turn->op, numbersAt(turn->dims, point), turn->bound);
}

/// Asks for lines of so many elements, `linesAhead` from `offset` in the direction that they are gone over.
static void askAhead(Kernel &k, Value memref, const Form &offset, int64_t elements, bool backwards, bool isWrite) {
  int64_t bytes = cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  int64_t line = lineBytes / std::max<int64_t>(bytes, 1), first = linesAhead * line;
  for (int64_t n = first; n < first + elements; n += line)
    memref::PrefetchOp::create(k.b, k.loc, memref, k.demand.indexOf(offset + Form(backwards ? -n : n)), isWrite,
                               /*localityHint=*/3, /*isDataCache=*/true);
}

/// The same for what `op` reads on one side of the cut.
static void askForRead(Kernel &k, linalg::GenericOp op, ArrayRef<Form> numbers, bool turned, int64_t elements) {
  tensor::ExtractOp extract = *op.getBody()->getOps<tensor::ExtractOp>().begin();
  arith::SelectOp place = chosenPlace(op);
  Value at = indexInBody(k, op, numbers, turned ? place.getTrueValue() : place.getFalseValue());
  Position position;
  for (Value index : extract.getIndices()) {
    auto number = index.getDefiningOp<linalg::IndexOp>();
    position.push_back(number ? numbers[number.getDim()] : Form::ofSlot(k.demand.addSlot(at)));
  }
  Form offset = k.storage.offsetIn(extract.getTensor(), position);
  askAhead(k, k.demand.bufferBehind(extract.getTensor()), offset, elements, /*backwards=*/turned, /*isWrite=*/false);
}

void PieceEmitter::bothSides(Value low, Value high, llvm::function_ref<void(Value, Value)> body) {
  Value bound = boundHere();
  Value cut = arith::MaxSIOp::create(k.b, k.loc, arith::MinSIOp::create(k.b, k.loc, bound, high), low);
  k.demand.given(turn->condition, true, [&] { body(low, cut); });
  k.demand.given(turn->condition, false, [&] { body(cut, high); });
}

void PieceEmitter::onOneSide(Value first, Value past, llvm::function_ref<void()> whole,
                             llvm::function_ref<void()> cut) {
  Value bound = boundHere();
  Value isBefore = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, bound, past);
  Value isBehind = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sle, bound, first);
  auto side = [&](bool turned) { k.demand.given(turn->condition, turned, whole); };
  k.ifElse(isBefore, [&] { side(true); }, [&] { k.ifElse(isBehind, [&] { side(false); }, cut); });
}

void PieceEmitter::lookAtEnds(Value low, Value high) {
  bothSides(low, high, [&](Value first, Value past) {
    k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, first, past), [&] {
      for (Value at : {first, Value(arith::SubIOp::create(k.b, k.loc, past, k.index(1)))}) {
        point[turn->loop] = Form::ofSlot(k.demand.addSlot(at));
        lookAtAll();
      }
    });
  });
}

void PieceEmitter::eachBetween(llvm::function_ref<void()> body) {
  if (!turn->between)
    return body();
  const MergedLoop &between = *turn->between;
  k.loop(k.index(0), k.index(between.extent), 1, [&](Value number) {
    point[between.loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, between.extent)));
    body();
  });
}

void PieceEmitter::eachStraight(llvm::function_ref<void()> body) {
  const MergedLoop &between = *turn->between;
  int64_t extent = between.extent.value(), middle = extent / mostUnrolled * mostUnrolled;
  auto straight = [&](const Form &first, int64_t count) {
    for (int64_t n = 0; n < count; ++n) {
      point[between.loop] = first + Form(n);
      body();
    }
  };
  k.loop(0, middle, mostUnrolled, {}, [&](Form first, ArrayRef<Value>) {
    straight(first, mostUnrolled);
    return SmallVector<Value>();
  });
  straight(Form(middle), extent - middle);
}

void PieceEmitter::turnedRows(const MergedLoop &along, Value low, Value high, llvm::function_ref<void()> whole) {
  auto rowsFrom = [&](Value first, Value past, int64_t count) {
    k.loop(first, past, count, [&](Value number) {
      unsigned slot = k.demand.addSlot(number, 1, IndexRange::ofLoop(0, along.extent));
      for (int64_t n = 0; n < count; ++n) {
        point[along.loop] = Form::ofSlot(slot) + Form(n);
        whole();
      }
    });
  };
  auto part = [&](Value first, Value past) {
    int64_t count = lanesChoose || isShort() ? rowsPerTurn : 1;
    Value middle = k.endOfGroups(first, past, count);
    rowsFrom(first, middle, count);
    rowsFrom(middle, past, 1);
  };
  auto cut = [&](Value first, Value past) {
    if (!lanesChoose)
      point[lane.loop] = Form(0);
    bothSides(first, past, part);
  };
  auto inTurn = [&](Value number) {
    point[along.loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, along.extent)));
    if (lanesChoose && !turn->together)
      return whole();
    turn->between && !turn->together ? eachStraight(whole) : eachBetween(whole);
  };
  auto exchanged = [&] {
    Value middle = k.endOfGroups(low, high, turn->together);
    k.loop(low, middle, turn->together, [&](Value first) {
      Value past = arith::AddIOp::create(k.b, k.loc, first, k.index(turn->together));
      eachBetween([&] {
        if (!lanesChoose)
          point[lane.loop] = Form(0);
        onOneSide(
            first, past, [&] { rowsFrom(first, past, lanesChoose || isShort() ? rowsPerTurn : 1); },
            [&] { cut(first, past); });
      });
    });
    eachBetween([&] { cut(middle, high); });
  };
  auto look = [&] {
    point[lane.loop] = Form(0);
    eachBetween([&] { lookAtEnds(low, high); });
  };
  auto quick = [&] {
    if (!turn->between)
      return cut(low, high);
    if (turn->isWoven)
      return k.pastCaches(targets.front().memref, [&] {
        wovenRows(along, low, high, [&](Value first, Value past) { eachBetween([&] { cut(first, past); }); });
      });
    turn->together ? exchanged() : k.loop(low, high, 1, inTurn);
  };
  k.demand.lookAhead(look, quick, [&] { k.loop(low, high, 1, inTurn); }, Demand::Look::FromStart);
}

void PieceEmitter::wovenRows(const MergedLoop &along, Value low, Value high,
                             llvm::function_ref<void(Value, Value)> cut) {
  const Target &target = targets.front();
  int64_t lanes = k.demand.lanes, count = turn->between->extent.value();
  int64_t bytes = bytesOf(target);
  bool asks = isGathered(k, turn->op) && typicalSize(along.extent) * count * bytes > secondCacheBytes;
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
    return arith::CmpIOp::create(k.b, k.loc, predicate, left, right);
  };
  // Groups begin where cache lines may.
  Value start = arith::CeilDivUIOp::create(k.b, k.loc, low, k.index(lanes));
  start = arith::MinSIOp::create(k.b, k.loc, arith::MulIOp::create(k.b, k.loc, start, k.index(lanes)), high);
  Value middle = k.endOfGroups(start, high, lanes);
  cut(low, start);
  k.loop(start, middle, lanes, [&](Value first) {
    Value past = arith::AddIOp::create(k.b, k.loc, first, k.index(lanes)), isCut;
    SmallVector<Value> isTurned;
    for (int64_t n = 0; n < count; ++n) {
      point[turn->between->loop] = Form(n);
      Value bound = boundHere();
      isTurned.push_back(compare(arith::CmpIPredicate::sge, bound, past));
      Value ends = arith::XOrIOp::create(k.b, k.loc, isTurned.back(), compare(arith::CmpIPredicate::sgt, bound, first));
      isCut = isCut ? Value(arith::OrIOp::create(k.b, k.loc, isCut, ends)) : ends;
    }
    auto woven = [&] {
      SmallVector<Value> values;
      SmallVector<Form> offsets;
      point[along.loop] = Form::ofSlot(k.demand.addSlot(first, lanes, IndexRange::ofLoop(0, along.extent)));
      point[along.loop].lane = 1;
      for (int64_t n = 0; n < count; ++n) {
        point[turn->between->loop] = Form(n);
        auto side = [&](bool turned) {
          Value value;
          Position start = point;
          start[along.loop] = point[along.loop].atLane(0);
          if (asks)
            askForRead(k, turn->op, numbersAt(turn->dims, start), turned, lanes * count);
          k.demand.given(turn->condition, turned, [&] { value = k.demand.at(target.piece->source, point); });
          return value;
        };
        Type element = getElementTypeOrSelf(target.piece->source.getType());
        values.push_back(k.demand.choose(
            isTurned[n], element, /*wide=*/true, [&] { return side(true); }, [&] { return side(false); }));
        offsets.push_back(offsetOf(*target.piece, point));
      }
      if (asks && !k.demand.pastCaches)
        askAhead(k, target.memref, offsets.front().atLane(0), lanes * count, /*backwards=*/false, /*isWrite=*/true);
      k.demand.storeLanes(values, target.memref, offsets);
    };
    k.ifElse(isCut, [&] { cut(first, past); }, woven);
  });
  cut(middle, high);
}

void PieceEmitter::turnedLanes(Value low, Value high) {
  int64_t lanes = k.demand.lanes;
  auto at = [&](Value number, int64_t apart) {
    point[lane.loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, lane.extent)));
    point[lane.loop].lane = apart;
    storeAll();
  };
  auto oneByOne = [&](Value first, Value past) { k.loop(first, past, 1, [&](Value number) { at(number, 0); }); };
  auto part = [&](Value first, Value past) {
    Value last = arith::SubIOp::create(k.b, k.loc, past, k.index(lanes));
    Value isLong = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, last, first);
    auto choice = scf::IfOp::create(k.b, k.loc, isLong, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(choice.thenBlock());
    // The last vector may have lanes of the one before, which come out the same.
    k.loop(first, last, lanes, [&](Value number) { at(number, 1); });
    at(last, 1);
    k.b.setInsertionPointToStart(choice.elseBlock());
    oneByOne(first, past);
  };
  k.demand.lookAhead([&] { lookAtEnds(low, high); }, [&] { bothSides(low, high, part); }, [&] { oneByOne(low, high); },
                     Demand::Look::FromStart);
}
