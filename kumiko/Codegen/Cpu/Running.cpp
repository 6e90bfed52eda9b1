//===- Running.cpp - running sums, in one pass ------------------------------===//
//
//   sum = start;  for j: sum += x[j], result[j] = sum
//
// Along long rows vectors are scanned and take up what the last one ended with. Short rows, of which many lie behind
// each other, are summed by doubling, in vectors that do not end where rows do.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/OrderedShare.h"
#include "kumiko/Codegen/Cpu/Reads.h"
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Lower/Exact.h"
#include <numeric>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

namespace {
/// Rows of a running sum whose elements lie along memory.
class RunningEmitter {
public:
  explicit RunningEmitter(Kernel &k) : k(k), shape(k.shape.running), op(shape.op), share(k, shape.loops) {}

  void emit() {
    if (isStream())
      k.pastCaches(k.outputs, [&] { emitAll(); });
    else
      emitAll();
  }

private:
  /// One sum waits for the last one of its row: those of several rows do not wait for each other.
  static constexpr int64_t rowsTogether = 4;
  /// Vectors of a row from the end that are summed before they are stored.
  static constexpr int64_t vectorsTogether = 4;
  /// Rows of at most this many elements become straight-line code, or are added up element by element.
  static constexpr int64_t shortRow = 8, straightRow = 32, mediumRow = 512;
  /// Bytes whose first and last cache line do not count; those that malloc lets buffers begin at.
  static constexpr int64_t longStretch = 4096, narrowestBytes = 16;

  void emitAll() {
    if (share.byStrips())
      return strips();
    if (hasFewColumns())
      return scansColumns() ? scanColumns() : fewColumns();
    if (shape.loops.lane) {
      // From memory one register at a time of each row comes sooner than two.
      int64_t lanes = k.schedule.pastCaches ? lanesOfSums() : k.demand.lanes;
      // Vectors of these bytes never lie across two lines, of which both would be waited for.
      if (k.schedule.storesInOrder && shape.rowsLieFarApart(bytesOfResult()))
        lanes = std::min(lanes, narrowestBytes / bytesOfResult());
      return k.demand.narrow(lanes, [&] { share.outer([&] { share.alongLanes([&] { rows({share.point}); }); }); });
    }
    if (unsigned joined = joinedLoops(); joined || mustDouble()) {
      int64_t length = shape.loops.extents[shape.along].value(), rows = rowsOfVectors();
      auto one = [&] { doubled(length); };
      return joined ? share.outerJoined(joined, rows, [&] { doubled(rows * length); }, one) : share.outer(one);
    }
    if (scans())
      return k.demand.narrow(hasHalves() ? k.demand.lanes : lanesOfSums(), [&] { share.outer([&] { scan(); }); });
    if (liesSideBySide())
      return share.outerVectors([&] { wovenRows(); }, [&] { rows({share.point}); });
    outerRows([&](std::vector<Position> points) { rows(std::move(points)); });
  }

  void outerRows(llvm::function_ref<void(std::vector<Position>)> body) {
    share.outerTogether(isStraight() ? 1 : rowsTogether, body);
  }

  /// Whether results are written past the caches: in strips, from one end of memory to the other, and where sums along
  /// a row take no longer than to read it.
  bool isStream() {
    if (share.byStrips())
      return !goesBack();
    const Extent &length = shape.loops.extents[shape.along];
    return !shape.loops.lane && scans() && isa<IntegerType>(sumType()) && llvm::all_of(k.outputs, [&](Value memref) {
      return typicalSize(length) * cast<MemRefType>(memref.getType()).getElementTypeBitWidth() >= 8 * longStretch;
    });
  }

  int64_t bytesOfResult() const {
    return std::max<int64_t>(cast<MemRefType>(k.outputs.front().getType()).getElementTypeBitWidth() / 8, 1);
  }

  /// Whether columns are so few that most lanes would be converted for nothing, or left out, of bytes.
  bool hasFewColumns() {
    constexpr int64_t mostColumns = 4;
    const OrderedLoops &loops = shape.loops;
    return loops.lane && loops.extents[*loops.lane].isStatic() && loops.extents[*loops.lane].value() <= mostColumns &&
           share.takesWholeRows() && (converts() || (bytesOfResult() == 1 && scansColumns()));
  }

  void fewColumns() {
    int64_t columns = shape.loops.extents[*shape.loops.lane].value();
    // Two halves take longer to convert than four.
    int64_t fewest = hasHalves() ? 4 : 1;
    k.demand.narrow(std::max<int64_t>(llvm::PowerOf2Ceil(columns), fewest), [&] {
      k.demand.active = columns;
      outerRows([&](std::vector<Position> points) {
        for (Position &point : points)
          point[*shape.loops.lane].lane = 1;
        rows(std::move(points));
      });
      k.demand.active = k.demand.lanes;
    });
  }

  /// Whether the columns of a row lie one behind the other, and the sums of all of them are worth a vector: two or four
  /// halves that are converted alone take as long as a vector of them.
  bool scansColumns() {
    const OrderedLoops &loops = shape.loops;
    const Extent &columns = loops.extents[*loops.lane], &length = loops.extents[shape.along];
    if (!hasHalves() || columns.is(1) || !llvm::isPowerOf2_64(columns.value()) || !mayRegroup() || !sumsAlone() ||
        !length.isStatic() || (shape.exclusive ? isStraight() : length.value() < 4))
      return false;
    std::optional<Reads> reads = readsAlong(*loops.lane);
    return reads && reads->canMerge(shape.along, *loops.lane, columns);
  }

  void scanColumns() {
    columns = shape.loops.extents[*shape.loops.lane].value();
    scanned = *shape.loops.lane;
    int64_t elements = columns * shape.loops.extents[shape.along].value();
    int64_t lanes = std::min<int64_t>(k.demand.lanes, llvm::bit_floor(uint64_t(elements)) / 2);
    k.demand.narrow(lanes, [&] {
      share.outer([&] {
        share.point[shape.along] = Form(0);
        scan();
      });
    });
  }

  Type sumType() const { return getElementTypeOrSelf(shape.op->getResult(0).getType()); }

  /// Whether a row is straight-line code by itself: the next one need not wait for it, and what is written lies side by
  /// side. Sums that are converted on the way take the machine longer than to wait for each other.
  bool isStraight() const {
    const Extent &length = shape.loops.extents[shape.along];
    return length.isStatic() && length.value() <= (shape.loops.lane || converts() ? shortRow : straightRow);
  }

  bool converts() const {
    return llvm::any_of(k.outputs,
                        [&](Value memref) { return cast<MemRefType>(memref.getType()).getElementType() != sumType(); });
  }

  //===--- lanes along the row ---------------------------------------------------------------------===//

  Value combine(Value before, Value after) { return k.demand.combine(op, before, after)[0]; }

  bool mayRegroup() { return shape.neutral && !op->hasAttr(exactAttribute); }

  /// Whether parts of a row may be combined first, and the row is worth a vector.
  bool scans() {
    const Extent &length = shape.loops.extents[shape.along];
    auto along = dyn_cast<AffineDimExpr>(result().getResults().back());
    return mayRegroup() && along && along.getPosition() == shape.along &&
           typicalSize(length) >= 2 * int64_t(k.demand.lanes) && !fewShuffles();
  }

  /// Whether a row is so short that its doubles are added up one by one, beside those of other rows, before vectors of
  /// them are shuffled. Halves are converted in vectors.
  bool fewShuffles() {
    return sumType().isF64() && !k.schedule.wideCore && !hasHalves() &&
           typicalSize(shape.loops.extents[shape.along]) <= mediumRow &&
           typicalSize(shape.loops.outerExtent()) >= 2 * rowsTogether * typicalSize(k.schedule.chunks);
  }

  bool hasHalves() {
    auto isHalf = [](Value tensor) { return getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth() <= 16; };
    return llvm::any_of(op.getDpsInputs(), isHalf) || llvm::any_of(k.outputs, isHalf);
  }

  /// Within a vector each lane takes up the one 1, 2, 4, ... before it in its column; then all take up what the last
  /// vector ended with.
  void scan() {
    int64_t lanes = k.demand.lanes;
    Extent length = shape.loops.extents[shape.along] * columns;
    Extent full = floorDiv(length, lanes) * lanes, rest = length - full;
    SmallVector<Value> carried = {k.demand.spread(k.demand.at(op.getDpsInits()[0], applyMap(result(), share.point)))};
    auto partial = [&] {
      carried = k.unlessZero(rest, carried, [&](ArrayRef<Value> before) {
        k.demand.active = rest;
        SmallVector<Value> after = {scanVectors({Form(full)}, before[0])};
        k.demand.active = lanes;
        return after;
      });
    };
    if (shape.reverse) {
      partial();
      return scanFromEnd(full, carried);
    }
    carried = k.loop(0, full, lanes, carried, [&](Form number, ArrayRef<Value> before) {
      return SmallVector<Value>{scanVectors({number}, before[0])};
    });
    partial();
  }

  /// From the end a group of vectors is summed before it is stored, from its start: that takes the machine less time,
  /// since it expects memory to be gone over upwards.
  void scanFromEnd(const Extent &full, SmallVector<Value> carried) {
    int64_t lanes = k.demand.lanes, group = vectorsTogether * lanes;
    Extent grouped = floorDiv(full, group) * group, left = full - grouped;
    auto vectors = [&](const Form &first, int64_t count, ArrayRef<Value> before) {
      std::vector<Form> places;
      for (int64_t n = count - 1; n >= 0; --n)
        places.push_back(first + Form(n * lanes));
      return SmallVector<Value>{scanVectors(places, before[0])};
    };
    if (left.isStatic())
      carried = left.is(0) ? carried : vectors(Form(grouped), left.value() / lanes, carried);
    else
      carried = k.loop(0, left, lanes, carried, [&](Form number, ArrayRef<Value> before) {
        return vectors(number * -1 + Form(full - lanes), 1, before);
      });
    k.loop(0, grouped, group, carried, [&](Form number, ArrayRef<Value> before) {
      return vectors(number * -1 + Form(grouped - group), vectorsTogether, before);
    });
  }

  /// The sums of the vectors that begin at `places`, which go on in the order of the sum; returns what the next vector
  /// starts with. They are stored as memory lies.
  Value scanVectors(ArrayRef<Form> places, Value carried) {
    std::vector<Position> points;
    SmallVector<Value> sums;
    for (Form place : places) {
      place.lane = 1;
      share.point[scanned] = place;
      points.push_back(share.point);
      sums.push_back(scanVector(share.point[shape.along], carried));
    }
    if (shape.reverse) {
      std::reverse(points.begin(), points.end());
      std::reverse(sums.begin(), sums.end());
    }
    write(points, sums);
    return carried;
  }

  /// The sums of the vector at the point; `carried` becomes what the next one starts with.
  Value scanVector(const Form &first, Value &carried) {
    int64_t lanes = k.demand.lanes;
    Value neutral = k.demand.spread(k.demand.constantOf(changesNothing(shape.neutral)));
    Value elements = k.demand.spread(add(share.point, first, neutral));
    if (!k.demand.active.is(lanes))
      elements = arith::SelectOp::create(k.b, k.loc, k.demand.mask(), elements, neutral);
    auto moved = [&](Value vector, int64_t distance) -> Value {
      SmallVector<int64_t> choice;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t from = shape.reverse ? lane + distance : lane - distance;
        choice.push_back(from < 0 || from >= lanes ? lanes + lane : from);
      }
      return vector::ShuffleOp::create(k.b, k.loc, vector, neutral, choice);
    };
    Value values = elements;
    for (int64_t distance = columns; distance < lanes; distance *= 2)
      values = combine(moved(values, distance), values);
    auto beforeEach = [&]() -> Value {
      // Of integers what an element added is taken off again, which takes less than a shuffle.
      if (isa<arith::AddIOp>(combiner()))
        return arith::SubIOp::create(k.b, k.loc, values, elements);
      return moved(values, columns);
    };
    Value sums = combine(carried, shape.exclusive ? beforeEach() : values);
    SmallVector<int64_t> end;
    for (int64_t lane = 0; lane < lanes; ++lane)
      end.push_back((shape.reverse ? 0 : lanes - columns) + lane % columns);
    carried = combine(carried, vector::ShuffleOp::create(k.b, k.loc, values, values, end));
    return sums;
  }

  //===--- lanes across rows -----------------------------------------------------------------------===//

  /// Sums of a strip of columns, in scratch, row after row: a result that leaves the caches is written as it lies.
  void strips() {
    int64_t lanes = k.demand.lanes, width = k.schedule.strip;
    auto type = MemRefType::get({width}, sumType());
    Value sums = memref::ViewOp::create(k.b, k.loc, type, k.scratch, k.index(0), ValueRange());
    share.outerTiles(width / lanes, [&](Value from, Value to) {
      Value first = arith::MulIOp::create(k.b, k.loc, from, k.index(lanes));
      Form before = Form::ofSlot(k.demand.addSlot(first)) * -1;
      auto keep = [&](Value sum, const Form &place) {
        bool past = std::exchange(k.demand.pastCaches, false);
        k.demand.store(k.demand.spread(sum), sums, place);
        k.demand.pastCaches = past;
      };
      auto vectors = [&](llvm::function_ref<void(Form)> body) {
        vectorsOfStrip(from, to, [&](Form form) {
          share.point[*shape.loops.lane] = form;
          body(form + before);
        });
      };
      vectors([&](Form place) { keep(k.demand.at(op.getDpsInits()[0], applyMap(result(), share.point)), place); });
      const Extent &length = shape.loops.extents[shape.along];
      k.loop(0, length, 1, {}, [&](Form number, ArrayRef<Value>) {
        Form at = shape.reverse ? number * -1 + Form(length - 1) : number;
        share.point[shape.along] = at;
        vectors([&](Form place) {
          Value sum = k.demand.load(sums, place, sumType()), next = add(share.point, at, sum);
          write({share.point}, {shape.exclusive ? sum : next});
          keep(next, place);
        });
        return SmallVector<Value>();
      });
    });
  }

  /// Whether strips are gone over downwards, as rows that come from the end are, where these lie side by side.
  bool goesBack() const {
    return shape.reverse && !k.schedule.storesInOrder && !shape.rowsLieFarApart(bytesOfResult());
  }

  /// From the last one on where rows come from the end: memory is gone over in one direction.
  void vectorsOfStrip(Value from, Value to, llvm::function_ref<void(Form)> body) {
    const Extent &columns = shape.loops.extents[*shape.loops.lane];
    if (!goesBack())
      return k.someVectors(columns, from, to, body);
    int64_t lanes = k.demand.lanes;
    Value full = arith::MinSIOp::create(k.b, k.loc, to, k.index(floorDiv(columns, lanes)));
    k.someVectors(columns, full, to, body);
    Value last = arith::AddIOp::create(k.b, k.loc, from, arith::SubIOp::create(k.b, k.loc, full, k.index(1)));
    k.loop(from, full, 1, [&](Value number) {
      Form form = Form::ofSlot(k.demand.addSlot(arith::SubIOp::create(k.b, k.loc, last, number)), lanes);
      form.lane = 1;
      body(form);
    });
  }

  //===--- short rows, by doubling -----------------------------------------------------------------===//

  /// As many as a register has of the sums.
  int64_t lanesOfSums() const {
    return sumType().getIntOrFloatBitWidth() > 32 ? std::max(k.demand.lanes / 2, 1u) : k.demand.lanes;
  }

  /// The fewest rows that fill vectors.
  int64_t rowsOfVectors() const {
    int64_t lanes = lanesOfSums();
    return lanes / std::gcd(lanes, shape.loops.extents[shape.along].value());
  }

  /// Whether sums rely on few steps to be rounded seldom.
  bool mustDouble() const { return shape.doubles() && isa<FloatType>(sumType()) && !sumType().isF64(); }

  /// How often elements of other lanes are taken up until sums are complete. Where an element does not count itself,
  /// all move by one first.
  int64_t doublingSteps() const {
    int64_t length = shape.loops.extents[shape.along].value();
    return shape.exclusive ? 1 + llvm::Log2_64_Ceil(length - 1) : llvm::Log2_64_Ceil(length);
  }

  /// Whether vectors that go on from one row to the next take less time than one sum after the other. Of 64 bits they
  /// have half as many lanes: then there must be few steps, or few vectors, whose shuffles stay in registers.
  bool doublingPays() const {
    if (sumType().getIntOrFloatBitWidth() <= 32 || doublingSteps() <= 3)
      return true;
    return rowsOfVectors() <= 2 && (!shape.exclusive || isa<IntegerType>(sumType()));
  }

  Operation *combiner() { return op.getBody()->getTerminator()->getOperand(0).getDefiningOp(); }

  /// Whether the body depends on the numbers of loops by its condition alone.
  bool sumsAlone() {
    Operation *condition = combiner()->getOperand(1).getDefiningOp<arith::SelectOp>().getCondition().getDefiningOp();
    return llvm::all_of(op.getBody()->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
      return llvm::all_of(index->getUsers(), [&](Operation *user) { return user == condition; });
    });
  }

  /// All that is read and written, by the numbers of the loops, where that lies side by side along the given one; the
  /// reduced loop is that along the row.
  std::optional<Reads> readsAlong(unsigned innermost) {
    Reads reads(shape.loops.extents.size(), k.storage);
    Position numbers;
    for (unsigned loop = 0; loop < shape.loops.extents.size(); ++loop)
      numbers.push_back(Form::ofSlot(loop == shape.reduced ? shape.along : loop));
    for (OpOperand *input : op.getDpsInputOperands())
      reads.collect(input->get(), applyMap(op.getMatchingIndexingMap(input), numbers));
    reads.known.insert(op->getResult(0));
    Position position = applyMap(result(), numbers);
    for (const auto &output : k.written)
      for (const Piece &piece : output.pieces) {
        if (piece.rank() != position.size())
          return std::nullopt;
        reads.collect(piece.source, position);
        reads.forms.push_back(offsetOf(piece, position));
      }
    auto alongMemory = [&](const Form &form) { return form.coefficientOf(innermost).is(1); };
    if (!reads.bodies.empty() || !llvm::all_of(reads.forms, alongMemory))
      return std::nullopt;
    return reads;
  }

  /// How many of the last outer loops are one with that along the row wherever something is read or written, so that
  /// vectors may go on from one row to the next; 0 where they should not.
  unsigned joinedLoops() {
    const Extent &length = shape.loops.extents[shape.along];
    if (lanesOfSums() < 2 || !shape.doubles() || !doublingPays() || !sumsAlone())
      return 0;
    std::optional<Reads> reads = readsAlong(shape.along);
    if (!reads)
      return 0;
    unsigned joined = 0;
    Extent rows = 1;
    for (unsigned loop : llvm::reverse(shape.loops.outer)) {
      if (!reads->canMerge(loop, shape.along, rows * length))
        break;
      rows *= shape.loops.extents[loop];
      ++joined;
    }
    return typicalSize(rows) >= 2 * rowsOfVectors() ? joined : 0;
  }

  /// So many elements from the point on, of one row or of several: each takes up the sum that ends 1, 2, 4, ... before
  /// it in its row. Vectors end anywhere in a row, and what it sums up to does not depend on where.
  void doubled(int64_t elements) {
    k.demand.narrow(lanesOfSums(), [&] {
      int64_t lanes = k.demand.lanes, vectors = llvm::divideCeil(elements, lanes);
      // What there is after each step.
      std::vector<SmallVector<Value>> steps(doublingSteps() + 1, SmallVector<Value>(vectors));
      // From the end a group of vectors comes before its stores, as in scanFromEnd.
      int64_t group = shape.reverse ? vectorsTogether : 1;
      for (int64_t begin = 0; begin < vectors; begin += group) {
        int64_t end = std::min(begin + group, vectors);
        auto number = [&](int64_t n) { return shape.reverse ? vectors - 1 - n : n; };
        auto activate = [&](int64_t number) { k.demand.active = std::min(lanes, elements - number * lanes); };
        for (int64_t n = begin; n < end; ++n) {
          activate(number(n));
          doubledVector(steps, number(n));
        }
        int64_t first = std::min(number(begin), number(end - 1));
        for (int64_t n = first; n < first + end - begin; ++n) {
          activate(n);
          write({pointOf(n)}, {steps.back()[n]});
        }
      }
    });
  }

  /// Where a vector of them begins.
  Position pointOf(int64_t number) {
    Form at(number * int64_t(k.demand.lanes));
    at.lane = 1;
    share.point[shape.along] = at;
    return share.point;
  }

  void doubledVector(std::vector<SmallVector<Value>> &steps, int64_t number) {
    Value neutral = k.demand.spread(k.demand.constantOf(shape.neutral));
    Position point = pointOf(number);
    steps[0][number] = k.demand.spread(add(point, point[shape.along], neutral));
    for (size_t step = 0; step + 1 < steps.size(); ++step) {
      bool moves = shape.exclusive && step == 0;
      int64_t distance = int64_t(1) << (shape.exclusive && !moves ? step - 1 : step);
      Value here = moves ? neutral : steps[step][number], before = elementsBefore(steps[step], number, distance);
      steps[step + 1][number] = !before ? here : moves ? before : combine(before, here);
    }
  }

  /// The elements that lie `distance` before those of a vector; what changes nothing where they are not in the same
  /// row, and null where none of them is.
  Value elementsBefore(ArrayRef<Value> vectors, int64_t number, int64_t distance) {
    int64_t length = shape.loops.extents[shape.along].value(), lanes = k.demand.lanes;
    int64_t apart = shape.reverse ? distance : -distance;
    // They come from two vectors at most.
    int64_t first = llvm::divideFloorSigned(number * lanes + apart, lanes);
    SmallVector<int64_t> places, inRow;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t here = number * lanes + lane, there = here + apart;
      bool sameRow = lane < k.demand.active.value() && there >= 0 && there / length == here / length;
      places.push_back(sameRow ? there - first * lanes : vector::ShuffleOp::kPoisonIndex);
      inRow.push_back(sameRow ? lane : lanes + lane);
    }
    auto isNone = [](int64_t place) { return place == vector::ShuffleOp::kPoisonIndex; };
    if (llvm::all_of(places, isNone))
      return Value();
    auto vector = [&](int64_t number) { // one that is not there is not asked for
      bool there = number >= 0 && number < int64_t(vectors.size()) && vectors[number];
      return there ? vectors[number] : k.demand.spread(k.demand.constantOf(shape.neutral));
    };
    auto shuffle = [&](Value first, Value second, ArrayRef<int64_t> choice) -> Value {
      return vector::ShuffleOp::create(k.b, k.loc, first, second, choice);
    };
    Value moved = shuffle(vector(first), vector(first + 1), places);
    return llvm::none_of(places, isNone) ? moved : shuffle(moved, vector(-1), inRow);
  }

  //===--- lanes across short rows -----------------------------------------------------------------===//

  /// Whether rows of a few elements, one behind the other, fill vectors across them: these are sieved out of what lies
  /// side by side, and woven when they are stored. Shuffles of doubles, and of seven vectors, take as long as one
  /// element after the other.
  bool liesSideBySide() {
    const Extent &length = shape.loops.extents[shape.along];
    if (shape.loops.outer.empty() || !length.isStatic() || length.value() < 2 || length.value() > shortRow ||
        length.value() == 7 || typicalSize(shape.loops.extents[shape.loops.outer.back()]) < 2 * k.demand.lanes)
      return false;
    Position numbers;
    for (unsigned loop = 0; loop < shape.loops.extents.size(); ++loop)
      numbers.push_back(Form::ofSlot(loop));
    Position position = applyMap(result(), numbers);
    for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
      for (const Piece &piece : output.pieces) {
        Form offset = piece.rank() == position.size() ? offsetOf(piece, position) : Form();
        if (cast<MemRefType>(memref.getType()).getElementTypeBitWidth() > 32 ||
            !offset.coefficientOf(shape.along).is(1) || offset.coefficientOf(shape.loops.outer.back()) != length)
          return false;
      }
    return true;
  }

  void wovenRows() {
    int64_t length = shape.loops.extents[shape.along].value();
    Value sum = k.demand.spread(k.demand.at(op.getDpsInits()[0], applyMap(result(), share.point)));
    std::vector<Position> points(length, share.point);
    SmallVector<Value> written(length);
    for (int64_t number = 0; number < length; ++number) {
      int64_t place = shape.reverse ? length - 1 - number : number;
      points[place][shape.along] = Form(place);
      Value next = k.demand.spread(add(points[place], Form(place), sum));
      written[place] = shape.exclusive ? sum : next;
      sum = next;
    }
    for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
      for (const Piece &piece : output.pieces) {
        SmallVector<Value> values;
        SmallVector<Form> offsets;
        for (auto [point, value] : llvm::zip_equal(points, written)) {
          Position position = applyMap(result(), point);
          k.demand.fix(op->getResult(0), value);
          values.push_back(k.demand.at(piece.source, position));
          offsets.push_back(offsetOf(piece, position));
          k.demand.unfix(op->getResult(0));
        }
        k.demand.storeLanes(values, memref, offsets);
      }
  }

  //===--- element by element ----------------------------------------------------------------------===//

  void rows(std::vector<Position> points) {
    const Extent &length = shape.loops.extents[shape.along];
    SmallVector<Value> sums;
    for (const Position &point : points) {
      Value start = k.demand.at(op.getDpsInits()[0], applyMap(result(), point));
      sums.push_back(shape.loops.lane ? k.demand.spread(start) : start);
    }
    auto turn = [&](Form number, ArrayRef<Value> carried) {
      Form at = shape.reverse ? number * -1 + Form(length - 1) : number;
      SmallVector<Value> next, written;
      for (auto [point, sum] : llvm::zip_equal(points, carried)) {
        point[shape.along] = at;
        next.push_back(add(point, at, sum));
        written.push_back(shape.exclusive ? sum : next.back());
      }
      write(points, written);
      return next;
    };
    if (!isStraight()) {
      k.loop(0, length, 1, sums, turn);
      return;
    }
    for (int64_t number = 0; number < length.value(); ++number)
      sums = turn(Form(number), sums);
  }

  Value add(const Position &point, const Form &at, Value sum) {
    // Where the condition of the body holds for this point: beside it, if the point itself does not count.
    Position inside = point;
    inside[shape.reduced] = at;
    if (shape.exclusive)
      inside[shape.along] = at + Form(shape.reverse ? -1 : 1);
    SmallVector<Value> arguments(op->getNumOperands());
    arguments.back() = sum;
    return k.demand.body(op, inside, arguments)[0];
  }

  void write(ArrayRef<Position> points, ArrayRef<Value> sums) {
    for (auto [point, sum] : llvm::zip_equal(points, sums)) {
      k.demand.fix(op->getResult(0), sum);
      Position position = applyMap(result(), point);
      for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
        for (const Piece &piece : output.pieces)
          k.demand.store(k.demand.at(piece.source, position), memref, offsetOf(piece, position));
      k.demand.unfix(op->getResult(0));
    }
  }

  AffineMap result() { return op.getIndexingMapsArray().back(); }

  Kernel &k;
  const RunningShape &shape;
  linalg::GenericOp op;
  OrderedShare share;
  /// The loop whose numbers lanes have in a scan: that along the row, or that of the columns that lie side by side, so
  /// many, which then goes on from one row to the next.
  unsigned scanned = shape.along;
  int64_t columns = 1;
};
} // namespace

void kumiko::cpu::emitRunning(Kernel &k) { RunningEmitter(k).emit(); }
