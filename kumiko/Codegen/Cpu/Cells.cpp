//===- Cells.cpp - short rows of elements that are only moved ----------------===//
#include "kumiko/Codegen/Cpu/Cells.h"
#include "kumiko/Codegen/Cpu/Cuts.h"
#include "kumiko/Lower/Checked.h"
#include <numeric>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

/// Elements of a cell, at most; vectors of a group, where whole ones would be more, and where a group is worth a turn.
constexpr int64_t mostInCell = 32, mostVectors = 16, fewestVectors = 4;
/// Loads and shuffles for each vector of the result, at most: more are no faster than one element after the other.
constexpr int64_t mostLoads = 3, mostShuffles = 4;
/// Bytes that are read again for the next outer number: they stay in the first cache.
constexpr int64_t bytesTogether = 16384;
/// Bytes between cells from which on a cache line more for each of them would be waited for.
constexpr int64_t farApart = 128;
/// A shuffle of bytes works on so many everywhere.
constexpr int64_t bytesShuffled = 16;

namespace {
using Origin = Demand::Origin;

/// Places of a buffer that lie as far apart whatever cell is at hand: they differ by numbers, and these not by much.
struct Line {
  Value memref;
  Form place;        ///< without the constant
  int64_t low, high; ///< of the constants, in a group

  int64_t length() const { return high - low + 1; }
  /// Whether the other one moves on as this one does, with no more than `gap` elements between them.
  bool isNear(const Line &other, int64_t gap) const {
    return memref == other.memref && place.terms == other.place.terms && other.low <= high + gap &&
           low <= other.high + gap;
  }
};

/// Vectors of the result, each chosen from what is loaded.
struct Choice {
  unsigned line;
  int64_t start;
};
struct Chosen {
  int64_t first; ///< element of the group
  SmallVector<Choice> loads;
  /// Of each lane: which load and which lane of it; -1 for a constant.
  SmallVector<std::pair<int, int64_t>> lanes;
};

/// The cells of a stretch of the innermost loop around them, in which their origins are linear.
struct Stretch {
  int64_t start = 0, end = 0; ///< where there are several
  SmallVector<Origin> elements;
  SmallVector<Line> lines;
  std::vector<Chosen> vectors;
  bool isApart = false; ///< cells lie in one piece each, far from each other
};

class Cells {
public:
  Cells(Kernel &k, Output &output, Value memref) : k(k), output(output), memref(memref) {}

  bool find();
  void emit();

private:
  bool isWorthIt();
  bool findCell();
  bool coversCell();
  Extent startOf(const Border &border) const;
  bool skipsLongElements() const;
  void findGroup();
  bool trace(Stretch &stretch);
  bool liesApart(const Stretch &stretch) const;
  bool chooseVectors(Stretch &stretch);
  bool chooseVector(Stretch &stretch, int64_t first);
  void findLines(Stretch &stretch) const;
  unsigned lineOf(const Stretch &stretch, const Origin &origin, int64_t place) const;
  /// The place of an element of the group along the constants of its line.
  int64_t placeOf(const Origin &origin, int64_t cell) const;
  const Origin &originOf(const Stretch &stretch, int64_t element) const { return stretch.elements[element % size]; }

  /// Whether the cells of other outer numbers are made of what lies between that of two neighbours.
  bool readsBetween() const;
  /// Then all of them before the next few neighbours, so that what is read is read once.
  void emitTogether(ArrayRef<MergedLoop> outer, const Extent &total);
  void emitAlong(Value low, Value high);
  void emitStretch(const Stretch &stretch, Value low, Value high);
  void group(const Stretch &stretch);
  void copies(const Stretch &stretch);
  void single(const Stretch &stretch);
  /// Where the cell at hand is written.
  Form startOfCell() const;
  Value load(const Line &line, int64_t start);
  Value chosen(const Stretch &stretch, const Chosen &vector, ArrayRef<Value> loaded);
  /// A place over the loops, at the point at hand.
  Form atPoint(const Form &place) const;
  Type stored() const { return cast<MemRefType>(memref.getType()).getElementType(); }
  bool isTruth() const;
  IntegerType bits() const { return IntegerType::get(k.b.getContext(), stored().getIntOrFloatBitWidth()); }

  Kernel &k;
  Output &output;
  Value memref;
  std::optional<Reads> reads;
  /// Dimensions around the cell, and its elements.
  size_t depth = 0;
  int64_t size = 0;
  /// Where the first cell begins.
  Extent base;
  /// Of each element of the cell: the piece it is of and where in there; none in a border.
  std::vector<std::pair<const Piece *, Position>> inCell;
  SmallVector<MergedLoop> loops;
  std::vector<Stretch> stretches;
  int64_t width = 0, cells = 0; ///< lanes of a vector; of a group
  Position point;
};
} // namespace

bool Cells::isTruth() const {
  return cast<RankedTensorType>(output.pieces.front().source.getType()).getElementType().isInteger(1);
}

/// Whether nothing but moving is done, and rows would fill no vectors.
bool Cells::isWorthIt() {
  if (output.pieces.empty() || !k.schedule.inPlace.empty() || k.demand.lanes < 2 ||
      stored().getIntOrFloatBitWidth() % 8 != 0)
    return false;
  for (auto op : k.body.getOps<linalg::GenericOp>()) {
    bool checks = llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(),
                               [](tensor::ExtractOp each) { return each->hasAttr(checkedAttribute); });
    if (checks || op.getNumReductionLoops() != 0)
      return false;
  }
  size_t rank = output.pieces.front().rank();
  reads.emplace(rank, k.storage);
  Position position;
  SmallVector<unsigned> all;
  for (unsigned d = 0; d < rank; ++d) {
    position.push_back(Form::ofSlot(d));
    all.push_back(d);
  }
  for (const Piece &piece : output.pieces) {
    if (piece.rank() != rank)
      return false;
    reads->collect(piece.source, position);
    reads->forms.push_back(offsetOf(piece, position));
  }
  loops = mergeLoops(*reads, all, k.storage.extents.of(output.pieces.front().source));
  if (loops.empty())
    return false;
  const Extent &row = loops.back().extent, &apart = output.pieces.front().strides[loops.back().loop];
  return !apart.is(1) || (row.isStatic() && row.value() < int64_t(k.demand.lanes));
}

/// The longest cell that is not too long, and the loops around it.
bool Cells::findCell() {
  const Piece &first = output.pieces.front();
  Extents shape(k.storage.extents.of(first.source));
  for (depth = 1; depth <= first.rank(); ++depth) {
    const Extent &apart = first.strides[depth - 1];
    bool fits = apart.isStatic() && apart.value() > 1 && apart.value() <= mostInCell;
    fits &= llvm::all_of(ArrayRef(shape).drop_front(depth), [](const Extent &extent) { return extent.isStatic(); });
    if (fits)
      break;
  }
  if (depth > first.rank())
    return false;
  size = first.strides[depth - 1].value();
  SmallVector<unsigned> around;
  for (unsigned d = 0; d < depth; ++d)
    around.push_back(d);
  loops = mergeLoops(*reads, around, shape);
  for (const Piece &piece : output.pieces) {
    ArrayRef<Extent> extents = k.storage.extents.of(piece.source);
    if (ArrayRef(shape).take_front(depth) != extents.take_front(depth) ||
        ArrayRef(first.strides).take_front(depth) != ArrayRef(piece.strides).take_front(depth))
      return false;
  }
  return !loops.empty() && first.strides[loops.back().loop].is(size) &&
         (loops.size() == 1 || loops.back().extent.isStatic());
}

Extent Cells::startOf(const Border &border) const {
  Extent start = border.constant;
  for (size_t d = 0; d < depth; ++d)
    start += border.low[d] * border.strides[d];
  return start;
}

/// Whether each element of a cell is one of a piece, or all others belong to a border around the only piece.
bool Cells::coversCell() {
  const Piece &first = output.pieces.front();
  bool bordered = !output.borders.empty();
  base = first.constant;
  if (bordered) {
    const Border &border = output.borders.front();
    if (output.pieces.size() != 1 || output.borders.size() != 1 || border.strides != first.strides ||
        ArrayRef(border.extent) != k.storage.extents.of(first.source))
      return false;
    base = startOf(border);
  }
  for (const Piece &piece : output.pieces)
    if (Extent before = base - piece.constant; before.isStatic() && before.value() > 0)
      base = piece.constant;
  inCell.assign(size, {nullptr, Position()});
  int64_t found = 0;
  for (const Piece &piece : output.pieces) {
    ArrayRef<Extent> shape = k.storage.extents.of(piece.source).drop_front(depth);
    int64_t count = 1;
    for (const Extent &extent : shape) {
      if (!extent.isStatic() || extent.value() > size)
        return false;
      count *= extent.value();
    }
    for (int64_t n = 0; n < count && count <= size; ++n, ++found) {
      Position position(depth);
      Extent place = piece.constant - base;
      int64_t rest = n;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d].value()) {
        position.insert(position.begin() + depth, Form(rest % shape[d].value()));
        place += piece.strides[depth + d] * (rest % shape[d].value());
      }
      if (!place.isStatic() || place.value() < 0 || place.value() >= size || inCell[place.value()].first)
        return false;
      inCell[place.value()] = {&piece, position};
    }
  }
  return found == size || bordered;
}

/// Whether all that is read are cells of long elements with others between them.
bool Cells::skipsLongElements() const {
  auto skips = [&](const Origin &o) { return o.memref && std::abs(placeOf(o, 1) - placeOf(o, 0)) > size; };
  return stored().getIntOrFloatBitWidth() == 64 &&
         llvm::all_of(stretches, [&](const Stretch &stretch) { return llvm::all_of(stretch.elements, skips); });
}

/// Whole vectors where these are few; else as many as a turn should have, of which the last two may overlap.
void Cells::findGroup() {
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8, most = k.demand.lanes;
  width = std::max(std::min(most, 4 * most / bytes), bytesShuffled / bytes);
  // Vectors as wide as a cache line lie across two, and most of what they hold would be thrown away.
  if (width * bytes == lineBytes && skipsLongElements())
    width /= 2;
  cells = width / std::gcd(width, size);
  if (cells * size / width > mostVectors)
    cells = llvm::divideCeil(fewestVectors * width, size);
  while (cells * size < fewestVectors * width)
    cells *= 2;
}

bool Cells::trace(Stretch &stretch) {
  SmallVector<IndexRange> ranges;
  for (const MergedLoop &loop : loops)
    ranges.push_back(IndexRange::ofLoop(0, loop.extent));
  if (stretches.size() > 1)
    ranges.back() = {stretch.start, stretch.end - 1};
  bool known = true;
  k.demand.withoutEmitting(ranges, [&](ArrayRef<Form> numbers) {
    for (auto &[piece, position] : inCell) {
      Position place = position;
      for (auto [loop, number] : llvm::zip_equal(loops, numbers))
        if (piece)
          place[loop.loop] = number;
      std::optional<Origin> origin =
          piece ? k.demand.originAt(piece->source, place) : k.demand.originOfScalar(output.borders.front().value);
      known = origin.has_value();
      if (!known)
        return;
      stretch.elements.push_back(*origin);
    }
  });
  return known && llvm::all_of(stretch.elements, [&](const Origin &origin) {
           return !origin.memref ||
                  (cast<MemRefType>(origin.memref.getType()).getElementType() == stored() && origin.memref != memref &&
                   origin.place.constant.isStatic() && origin.place.coefficientOf(loops.size() - 1).isStatic());
         });
}

int64_t Cells::placeOf(const Origin &origin, int64_t cell) const {
  return origin.place.constant.value() + cell * origin.place.coefficientOf(loops.size() - 1).value();
}

void Cells::findLines(Stretch &stretch) const {
  for (const Origin &origin : stretch.elements) {
    if (!origin.memref)
      continue;
    auto [low, high] = std::minmax(placeOf(origin, 0), placeOf(origin, cells - 1));
    Line found{origin.memref, origin.place, low, high};
    found.place.constant = 0;
    // It may join two that were apart.
    llvm::erase_if(stretch.lines, [&](const Line &line) {
      if (!line.isNear(found, width))
        return false;
      found.low = std::min(found.low, line.low);
      found.high = std::max(found.high, line.high);
      return true;
    });
    stretch.lines.push_back(found);
  }
}

unsigned Cells::lineOf(const Stretch &stretch, const Origin &origin, int64_t place) const {
  Line at{origin.memref, origin.place, place, place};
  return llvm::find_if(stretch.lines, [&](const Line &line) { return line.isNear(at, 0); }) - stretch.lines.begin();
}

/// The loads that the lanes from element `first` of the group on are chosen from.
bool Cells::chooseVector(Stretch &stretch, int64_t first) {
  Chosen vector{first, {}, SmallVector<std::pair<int, int64_t>>(width, {-1, 0})};
  SmallVector<std::pair<unsigned, int64_t>> places; // line and place of each lane that is no constant
  for (int64_t lane = 0; lane < width; ++lane) {
    const Origin &origin = originOf(stretch, first + lane);
    if (!origin.memref)
      continue;
    int64_t place = placeOf(origin, (first + lane) / size);
    places.push_back({lineOf(stretch, origin, place), place});
  }
  llvm::sort(places);
  for (auto [n, each] : llvm::enumerate(places)) {
    auto [number, place] = each;
    const Line &line = stretch.lines[number];
    if (!vector.loads.empty() && vector.loads.back().line == number && place < vector.loads.back().start + width)
      continue;
    // Vectors that follow each other from the first place of the line on are shared by those that need no more.
    int64_t start = line.low + (place - line.low) / width * width;
    bool goesBeyond = llvm::any_of(ArrayRef(places).drop_front(n), [&](const auto &other) {
      return other.first == number && other.second >= start + width;
    });
    vector.loads.push_back({number, std::max(line.low, std::min(goesBeyond ? place : start, line.high + 1 - width))});
  }
  for (int64_t lane = 0; lane < width; ++lane) {
    const Origin &origin = originOf(stretch, first + lane);
    if (!origin.memref)
      continue;
    int64_t place = placeOf(origin, (first + lane) / size);
    unsigned number = lineOf(stretch, origin, place);
    auto has = [&](const Choice &load) {
      return load.line == number && place >= load.start && place < load.start + width;
    };
    int load = llvm::find_if(vector.loads, has) - vector.loads.begin();
    vector.lanes[lane] = {load, place - vector.loads[load].start};
  }
  bool few = int64_t(vector.loads.size()) <= mostShuffles;
  stretch.vectors.push_back(std::move(vector));
  return few;
}

/// Whether a vector that is loaded for a cell holds nothing of another one, but maybe a cache line that none needs.
bool Cells::liesApart(const Stretch &stretch) const {
  const Origin &first = stretch.elements.front();
  if (!first.memref || isTruth())
    return false;
  auto follows = [&](auto each) {
    Form next = first.place + Form(int64_t(each.index()));
    const Origin &origin = each.value();
    return origin.memref == first.memref && origin.place.terms == next.terms && origin.place.constant == next.constant;
  };
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8, apart = std::abs(placeOf(first, 1) - placeOf(first, 0)) * bytes;
  bool isVector = llvm::isPowerOf2_64(size) && size <= width;
  return apart >= (isVector ? lineBytes : farApart) && llvm::all_of(llvm::enumerate(stretch.elements), follows);
}

bool Cells::chooseVectors(Stretch &stretch) {
  findLines(stretch);
  stretch.isApart = liesApart(stretch);
  if (stretch.isApart)
    return true;
  int64_t total = cells * size;
  for (int64_t first = 0; first < total; first += width)
    if (!chooseVector(stretch, std::min(first, total - width)))
      return false;
  // Lines that are woven as they are need no more than lanes along them.
  if (output.pieces.size() == 1 && int64_t(stretch.lines.size()) == size)
    return false;
  llvm::SmallDenseSet<std::pair<unsigned, int64_t>> loads;
  for (const Chosen &vector : stretch.vectors)
    for (const Choice &load : vector.loads)
      loads.insert({load.line, load.start});
  return loads.size() <= mostLoads * stretch.vectors.size();
}

bool Cells::find() {
  if (!isWorthIt() || !findCell() || !coversCell())
    return false;
  const MergedLoop &along = loops.back();
  int64_t start = 0;
  for (int64_t cut : cutsAlong(along.loop, along.extent, *reads))
    stretches.push_back({std::exchange(start, cut), cut, {}, {}, {}});
  stretches.push_back({start, along.extent.isStatic() ? along.extent.value() : 0, {}, {}, {}});
  if (!llvm::all_of(stretches, [&](Stretch &stretch) { return trace(stretch); }))
    return false;
  findGroup();
  return typicalSize(along.extent) >= cells &&
         llvm::all_of(stretches, [&](Stretch &stretch) { return chooseVectors(stretch); });
}

Form Cells::atPoint(const Form &place) const {
  Form result(place.constant);
  for (const auto &[loop, coefficient] : place.terms)
    result = result + point[loop] * coefficient;
  return result;
}

Value Cells::load(const Line &line, int64_t start) {
  int64_t count = std::min(width, line.length());
  Value index = k.demand.indexOf(atPoint(line.place) + Form(start)), loaded;
  if (count == 1) {
    loaded = memref::LoadOp::create(k.b, k.loc, line.memref, index);
    loaded = vector::BroadcastOp::create(k.b, k.loc, VectorType::get({width}, stored()), loaded);
  } else {
    loaded = vector::LoadOp::create(k.b, k.loc, VectorType::get({count}, stored()), line.memref, index);
  }
  if (count != 1 && count != width) {
    SmallVector<int64_t> all;
    for (int64_t lane = 0; lane < width; ++lane)
      all.push_back(std::min(lane, count - 1));
    loaded = vector::ShuffleOp::create(k.b, k.loc, loaded, loaded, all);
  }
  return vector::BitCastOp::create(k.b, k.loc, VectorType::get({width}, bits()), loaded);
}

/// The constant as it lies in memory.
static llvm::APInt bitsOf(TypedAttr constant, unsigned bits) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(constant).getValue().zextOrTrunc(bits);
}

Value Cells::chosen(const Stretch &stretch, const Chosen &vector, ArrayRef<Value> loaded) {
  auto type = VectorType::get({width}, bits());
  Value result;
  SmallVector<llvm::APInt> constants(width, llvm::APInt::getZero(bits().getWidth()));
  for (int64_t lane = 0; lane < width; ++lane)
    if (vector.lanes[lane].first < 0)
      constants[lane] = bitsOf(originOf(stretch, vector.first + lane).constant, bits().getWidth());
  if (llvm::any_of(vector.lanes, [](const auto &lane) { return lane.first < 0; }))
    result = k.demand.constantOf(DenseElementsAttr::get(type, constants));
  for (auto [number, load] : llvm::enumerate(loaded)) {
    SmallVector<int64_t> choice;
    for (int64_t lane = 0; lane < width; ++lane) {
      // What a later load brings may be anything until then.
      auto [from, place] = vector.lanes[lane];
      choice.push_back(from == int(number)  ? width + place
                       : from > int(number) ? vector::ShuffleOp::kPoisonIndex
                                            : lane);
    }
    result = vector::ShuffleOp::create(k.b, k.loc, result ? result : load, load, choice);
  }
  if (isTruth()) // which may be any byte but 0
    result = arith::MinUIOp::create(
        k.b, k.loc, result, k.demand.constantOf(DenseElementsAttr::get(type, llvm::APInt(bits().getWidth(), 1))));
  return vector::BitCastOp::create(k.b, k.loc, VectorType::get({width}, stored()), result);
}

Form Cells::startOfCell() const {
  Form start(base);
  for (auto [loop, number] : llvm::zip_equal(loops, point))
    start = start + number * output.pieces.front().strides[loop.loop];
  return start;
}

/// Each cell of a group as a vector, or as several of which the last two may overlap.
void Cells::copies(const Stretch &stretch) {
  int64_t length = std::min<int64_t>(width, llvm::bit_floor(uint64_t(size)));
  const Origin &first = stretch.elements.front();
  auto type = VectorType::get({length}, stored());
  for (int64_t cell = 0; cell < cells; ++cell) {
    SmallVector<std::pair<Value, Value>> moved; // what, and where to
    for (int64_t n = 0; n < size; n += length) {
      int64_t start = std::min(n, size - length);
      Form place = atPoint(first.place) + Form(placeOf(first, cell) - placeOf(first, 0) + start);
      Value loaded = vector::LoadOp::create(k.b, k.loc, type, first.memref, k.demand.indexOf(place));
      moved.push_back({loaded, k.demand.indexOf(startOfCell() + Form(cell * size + start))});
    }
    for (auto [loaded, index] : moved)
      vector::StoreOp::create(k.b, k.loc, loaded, memref, index);
  }
}

void Cells::group(const Stretch &stretch) {
  if (stretch.isApart)
    return copies(stretch);
  llvm::SmallDenseMap<std::pair<unsigned, int64_t>, Value> known;
  Form start = startOfCell();
  for (const Chosen &vector : stretch.vectors) {
    SmallVector<Value> loaded;
    for (const Choice &choice : vector.loads) {
      Value &value = known[{choice.line, choice.start}];
      if (!value)
        value = load(stretch.lines[choice.line], choice.start);
      loaded.push_back(value);
    }
    vector::StoreOp::create(k.b, k.loc, chosen(stretch, vector, loaded), memref,
                            k.demand.indexOf(start + Form(vector.first)));
  }
}

void Cells::single(const Stretch &stretch) {
  Form start = startOfCell();
  Type element = cast<RankedTensorType>(output.pieces.front().source.getType()).getElementType();
  for (auto [n, origin] : llvm::enumerate(stretch.elements)) {
    Value value = origin.memref ? k.demand.load(origin.memref, atPoint(origin.place), element)
                                : k.demand.constantOf(origin.constant);
    k.demand.store(value, memref, start + Form(int64_t(n)));
  }
}

void Cells::emitStretch(const Stretch &stretch, Value low, Value high) {
  auto at = [&](Value number) { point.back() = Form::ofSlot(k.demand.addSlot(number)); };
  Value count = arith::SubIOp::create(k.b, k.loc, high, low);
  Value enough = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, count, k.index(cells));
  auto choice = scf::IfOp::create(k.b, k.loc, enough, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  Value last = arith::SubIOp::create(k.b, k.loc, high, k.index(cells));
  k.loop(low, high, cells, [&](Value number) {
    at(arith::MinSIOp::create(k.b, k.loc, number, last));
    group(stretch);
  });
  k.b.setInsertionPointToStart(choice.elseBlock());
  k.loop(low, high, 1, [&](Value number) {
    at(number);
    single(stretch);
  });
}

void Cells::emitAlong(Value low, Value high) {
  if (stretches.size() == 1)
    return emitStretch(stretches.front(), low, high);
  for (const Stretch &stretch : stretches)
    emitStretch(stretch, arith::MaxSIOp::create(k.b, k.loc, low, k.index(stretch.start)),
                arith::MinSIOp::create(k.b, k.loc, high, k.index(stretch.end)));
}

bool Cells::readsBetween() const {
  const MergedLoop &along = loops.back();
  for (const Stretch &stretch : stretches)
    for (const Line &line : stretch.lines) {
      Extent apart = line.place.coefficientOf(loops.size() - 1);
      for (auto [n, loop] : llvm::enumerate(ArrayRef(loops).drop_back())) {
        Extent step = line.place.coefficientOf(n);
        if (!loop.extent.isStatic() || !step.isStatic() || step.is(0) ||
            std::abs(step.value()) * loop.extent.value() > std::abs(apart.value()))
          return false;
      }
    }
  return stretches.size() == 1 && !stretches.front().lines.empty() &&
         typicalSize(along.extent) >= typicalSize(k.schedule.chunks) * cells;
}

void Cells::emitTogether(ArrayRef<MergedLoop> outer, const Extent &total) {
  int64_t apart = 1, bytes = stored().getIntOrFloatBitWidth() / 8;
  for (const Line &line : stretches.front().lines)
    apart = std::max(apart, std::abs(line.place.coefficientOf(loops.size() - 1).value()));
  int64_t groups = std::max<int64_t>(bytesTogether / (apart * bytes * cells), 1);
  auto [low, high] = k.chunkRange(loops.back().extent);
  k.loop(low, high, groups * cells, [&, high = high](Value from) {
    Value to = arith::AddIOp::create(k.b, k.loc, from, k.index(groups * cells));
    to = arith::MinSIOp::create(k.b, k.loc, to, high);
    k.loop(k.index(0), k.index(total), 1, [&](Value number) {
      k.delinearize(number, outer, point);
      emitAlong(from, to);
    });
  });
}

void Cells::emit() {
  if (!output.borders.empty())
    output.borders.front().doneDimensions = output.pieces.front().rank() - depth;
  Extent around = 1;
  SmallVector<MergedLoop> outer;
  for (auto [n, loop] : llvm::enumerate(ArrayRef(loops).drop_back())) {
    outer.push_back({unsigned(n), loop.extent});
    around *= loop.extent;
  }
  point.assign(loops.size(), Form());
  if (!outer.empty() && readsBetween())
    return emitTogether(outer, around);
  auto [low, high] = k.chunkRange(around * loops.back().extent);
  if (outer.empty())
    return emitAlong(low, high);
  // Cells in runs along the last loop, of which the first and last may be shorter than it.
  k.runs(low, high, loops.back().extent, [&](Value number, Value from, Value to) {
    k.delinearize(number, outer, point);
    emitAlong(from, to);
  });
}

bool kumiko::cpu::emitCells(Kernel &k, Output &output, Value memref) {
  Cells cells(k, output, memref);
  if (!cells.find())
    return false;
  cells.emit();
  return true;
}
