//===- Running.cpp - running sums, in one pass ------------------------------===//
//
//   sum = start;  for j: sum += x[j], result[j] = sum
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/OrderedShare.h"
#include "kumiko/Lower/Exact.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

namespace {
/// Rows of a running sum whose elements lie along memory.
class RunningEmitter {
public:
  explicit RunningEmitter(Kernel &k) : k(k), shape(k.shape.running), op(shape.op), share(k, shape.loops) {}

  void emit() {
    if (shape.loops.lane)
      return share.outer([&] { share.alongLanes([&] { rows({share.point}); }); });
    if (scans())
      return share.outer([&] { scan(); });
    if (liesSideBySide())
      return share.outerVectors([&] { wovenRows(); }, [&] { rows({share.point}); });
    if (turns())
      return k.demand.narrow(k.demand.lanes / 2,
                             [&] { share.outerVectors([&] { turnedRows(); }, [&] { rows({share.point}); }); });
    share.outerTogether(isStraight() ? 1 : rowsTogether,
                        [&](std::vector<Position> points) { rows(std::move(points)); });
  }

private:
  /// One sum waits for the last one of its row: those of several rows do not wait for each other.
  static constexpr int64_t rowsTogether = 4;
  /// Rows of at most this many elements become straight-line code.
  static constexpr int64_t shortRow = 8, straightRow = 32;

  /// Whether a row is straight-line code by itself: the next one need not wait for it, and what is written lies side by
  /// side. Sums that are converted on the way take the machine longer than to wait for each other.
  bool isStraight() const {
    const Extent &length = shape.loops.extents[shape.along];
    Type sum = getElementTypeOrSelf(shape.op->getResult(0).getType());
    bool converts = llvm::any_of(
        k.outputs, [&](Value memref) { return cast<MemRefType>(memref.getType()).getElementType() != sum; });
    return length.isStatic() && length.value() <= (shape.loops.lane || converts ? shortRow : straightRow);
  }

  //===--- lanes along the row ---------------------------------------------------------------------===//

  Value combine(Value before, Value after) { return k.demand.combine(op, before, after)[0]; }

  /// Whether parts of a row may be combined first, and the row is worth a vector.
  bool scans() {
    const Extent &length = shape.loops.extents[shape.along];
    auto along = dyn_cast<AffineDimExpr>(result().getResults().back());
    return shape.neutral && !op->hasAttr(exactAttribute) && along && along.getPosition() == shape.along &&
           typicalSize(length) >= 2 * int64_t(k.demand.lanes);
  }

  /// Within a vector each lane takes up the one 1, 2, 4, ... before it; then all take up what the last vector ended
  /// with.
  void scan() {
    int64_t lanes = k.demand.lanes;
    const Extent &length = shape.loops.extents[shape.along];
    Extent full = floorDiv(length, lanes) * lanes, rest = length - full;
    SmallVector<Value> carried = {k.demand.spread(k.demand.at(op.getDpsInits()[0], applyMap(result(), share.point)))};
    auto partial = [&] {
      carried = k.unlessZero(rest, carried, [&](ArrayRef<Value> before) {
        k.demand.active = rest;
        SmallVector<Value> after = {scanVector(Form(full), before[0])};
        k.demand.active = lanes;
        return after;
      });
    };
    if (shape.reverse)
      partial();
    carried = k.loop(0, full, lanes, carried, [&](Form number, ArrayRef<Value> before) {
      Form first = shape.reverse ? number * -1 + Form(full - lanes) : number;
      return SmallVector<Value>{scanVector(first, before[0])};
    });
    if (!shape.reverse)
      partial();
  }

  /// The sums from `first` on; returns what the next vector starts with.
  Value scanVector(Form first, Value carried) {
    int64_t lanes = k.demand.lanes;
    first.lane = 1;
    share.point[shape.along] = first;
    Value neutral = k.demand.spread(k.demand.constantOf(shape.neutral));
    Value values = k.demand.spread(add(share.point, first, neutral));
    if (!k.demand.active.is(lanes))
      values = arith::SelectOp::create(k.b, k.loc, k.demand.mask(), values, neutral);
    auto moved = [&](Value vector, int64_t distance) -> Value {
      SmallVector<int64_t> choice;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t from = shape.reverse ? lane + distance : lane - distance;
        choice.push_back(from < 0 || from >= lanes ? lanes + lane : from);
      }
      return vector::ShuffleOp::create(k.b, k.loc, vector, neutral, choice);
    };
    for (int64_t distance = 1; distance < lanes; distance *= 2)
      values = combine(moved(values, distance), values);
    Value sums = combine(carried, shape.exclusive ? moved(values, 1) : values);
    write({share.point}, {sums});
    SmallVector<int64_t> end(lanes, shape.reverse ? 0 : lanes - 1);
    return combine(carried, vector::ShuffleOp::create(k.b, k.loc, values, values, end));
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

  /// Whether rows that are converted on the way are worth turning squares of them, and back: one by one the conversions
  /// take longest.
  bool turns() {
    const Extent &length = shape.loops.extents[shape.along];
    if (isStraight() || k.demand.lanes < 8 || shape.loops.outer.empty() || !length.isStatic() ||
        length.value() <= shortRow || length.value() > straightRow ||
        typicalSize(shape.loops.extents[shape.loops.outer.back()]) < 2 * k.demand.lanes)
      return false;
    auto along = dyn_cast<AffineDimExpr>(result().getResults().back());
    auto isNarrow = [](Value memref) { return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() <= 32; };
    return along && along.getPosition() == shape.along && llvm::all_of(k.outputs, isNarrow);
  }

  /// Squares of the rows that the lanes of the point are, in the order of the sums.
  void turnedRows() {
    int64_t length = shape.loops.extents[shape.along].value(), lanes = k.demand.lanes;
    Position point = share.point;
    Value sum = k.demand.spread(k.demand.at(op.getDpsInits()[0], applyMap(result(), point)));
    int64_t blocks = llvm::divideCeil(length, lanes);
    for (int64_t number = 0; number < blocks; ++number) {
      int64_t first = (shape.reverse ? blocks - 1 - number : number) * lanes, count = std::min(lanes, length - first);
      unsigned slot = k.demand.addSlot(k.index(first));
      k.demand.blocks.begin(slot, lanes, count);
      std::vector<Position> points(count, point);
      SmallVector<Value> written(count);
      for (int64_t n = 0; n < count; ++n) {
        int64_t line = shape.reverse ? count - 1 - n : n;
        k.demand.blocks.setLine(line);
        Form at = Form::ofSlot(slot) + Form(line);
        points[line][shape.along] = at;
        Value next = k.demand.spread(add(points[line], at, sum));
        written[line] = shape.exclusive ? sum : next;
        sum = next;
      }
      k.demand.blocks.end();
      writeTurned(points, written, first);
    }
  }

  /// Columns from `first` on, a vector each, row by row.
  void writeTurned(ArrayRef<Position> points, ArrayRef<Value> sums, int64_t first) {
    for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
      for (const Piece &piece : output.pieces) {
        SmallVector<Value> columns;
        for (auto [point, sum] : llvm::zip_equal(points, sums)) {
          k.demand.fix(op->getResult(0), sum);
          columns.push_back(k.demand.spread(k.demand.at(piece.source, applyMap(result(), point))));
          k.demand.unfix(op->getResult(0));
        }
        k.demand.active = int64_t(columns.size());
        columns.resize(k.demand.lanes, columns.back());
        unsigned last = shape.loops.outer.back();
        for (auto [lane, row] : llvm::enumerate(k.demand.blocks.turn(columns))) {
          Position point = points.front();
          point[last] = point[last].atLane(int64_t(lane));
          point[shape.along] = Form(first);
          point[shape.along].lane = 1;
          k.demand.store(row, memref, offsetOf(piece, applyMap(result(), point)));
        }
        k.demand.active = k.demand.lanes;
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
};
} // namespace

void kumiko::cpu::emitRunning(Kernel &k) { RunningEmitter(k).emit(); }
