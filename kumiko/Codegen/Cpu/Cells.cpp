//===- Cells.cpp - short rows of elements that are only moved ----------------===//
#include "kumiko/Codegen/Cpu/CellEmitter.h"
#include "kumiko/Codegen/Cpu/Cuts.h"
#include "kumiko/Lower/Checked.h"
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Elements of a cell, at most; vectors of a group, where whole ones would be more, and where a group is worth a turn.
constexpr int64_t mostInCell = 32, mostVectors = 16, fewestVectors = 4;
/// Loads and shuffles for each vector of the result, at most: more are no faster than one element after the other.
constexpr int64_t mostLoads = 3, mostShuffles = 4;
/// Lanes along memory have at least so many elements.
constexpr int64_t fewestAlong = 4;
/// Bytes between cells from which on a cache line more for each of them would be waited for.
constexpr int64_t farApart = 128;
/// A set of the first cache has so many lines, at least.
constexpr int64_t linesOfSet = 8;
/// A shuffle of bytes works on so many everywhere.
constexpr int64_t bytesShuffled = 16;

bool CellEmitter::isTruth() const {
  return cast<RankedTensorType>(output.pieces.front().source.getType()).getElementType().isInteger(1);
}

/// Whether nothing but moving is done, and rows would fill no vectors.
bool CellEmitter::isWorthIt() {
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
  bool alongAround = loops.size() > 1 && llvm::all_of(ArrayRef(reads->forms).drop_back(), [&](const Form &form) {
                       return form.coefficientOf(loops.end()[-2].loop).is(1);
                     });
  alongMemory = alongAround ? typicalSize(loops.end()[-2].extent) : 0;
  if (!apart.is(1) || (row.isStatic() && row.value() < int64_t(k.demand.lanes)))
    return true;
  // A vector of such rows would lie across two lines each.
  bool isLine = row.isStatic() && row.value() * stored().getIntOrFloatBitWidth() / 8 <= lineBytes;
  return isLine && loops.size() > 1 && llvm::all_of(ArrayRef(reads->forms).drop_back(), [&](const Form &form) {
           return isApartBySets(form.coefficientOf(loops.end()[-2].loop));
         });
}

bool CellEmitter::isApartBySets(const Extent &elements) const {
  return elements.isStatic() && sharesSets(elements.value() * (stored().getIntOrFloatBitWidth() / 8));
}

bool CellEmitter::isWord() const {
  constexpr int64_t word = 8;
  return size * (stored().getIntOrFloatBitWidth() / 8) <= word;
}

bool CellEmitter::crowdsSet() const {
  return !k.schedule.storesInOrder && readsOnInLines() &&
         llvm::all_of(stretches, [&](const Stretch &stretch) { return liesApart(stretch) && isApartBySets(stretch); });
}

bool CellEmitter::isApartBySets(const Stretch &stretch) const {
  return llvm::all_of(stretch.elements, [&](const Origin &origin) {
    return origin.memref && isApartBySets(origin.place.coefficientOf(loops.size() - 1));
  });
}

/// Where a set has room for more lines, vectors of more than a few elements win although they wait for these: twice as
/// many where they are chosen from what is loaded.
bool CellEmitter::isWorthVectors(const Stretch &stretch) const {
  constexpr int64_t few = 4;
  return k.schedule.storesInOrder && (liesApart(stretch) ? size > few : size >= 2 * few);
}

bool CellEmitter::readsOnInLines() const {
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8;
  auto isNear = [&](const Extent &apart) {
    return !apart.isStatic() || (!apart.is(0) && std::abs(apart.value()) * bytes < lineBytes);
  };
  return llvm::any_of(stretches, [&](const Stretch &stretch) {
    return llvm::any_of(stretch.elements, [&](const Origin &origin) {
      return llvm::any_of(llvm::seq<unsigned>(0, loops.size() - 1),
                          [&](unsigned loop) { return isNear(origin.place.coefficientOf(loop)); });
    });
  });
}

/// The longest cell that is not too long, and the loops around it.
bool CellEmitter::findCell() {
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

Extent CellEmitter::startOf(const Border &border) const {
  Extent start = border.constant;
  for (size_t d = 0; d < depth; ++d)
    start += border.low[d] * border.strides[d];
  return start;
}

/// Whether each element of a cell is one of a piece, or all others belong to a border around the only piece.
bool CellEmitter::coversCell() {
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
bool CellEmitter::skipsLongElements() const {
  auto skips = [&](const Origin &o) { return o.memref && std::abs(placeOf(o, 1) - placeOf(o, 0)) > size; };
  return stored().getIntOrFloatBitWidth() == 64 &&
         llvm::all_of(stretches, [&](const Stretch &stretch) { return llvm::all_of(stretch.elements, skips); });
}

/// Whole vectors where these are few; else as many as a turn should have, of which the last two may overlap.
void CellEmitter::findGroup() {
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

bool CellEmitter::trace(Stretch &stretch) {
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

int64_t CellEmitter::placeOf(const Origin &origin, int64_t cell) const {
  return origin.place.constant.value() + cell * origin.place.coefficientOf(loops.size() - 1).value();
}

void CellEmitter::findLines(Stretch &stretch) const {
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

unsigned CellEmitter::lineOf(const Stretch &stretch, const Origin &origin, int64_t place) const {
  Line at{origin.memref, origin.place, place, place};
  return llvm::find_if(stretch.lines, [&](const Line &line) { return line.isNear(at, 0); }) - stretch.lines.begin();
}

/// The loads that the lanes from element `first` of the group on are chosen from.
bool CellEmitter::chooseVector(Stretch &stretch, int64_t first) {
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

SmallVector<CellEmitter::Run> CellEmitter::runsOf(const Stretch &stretch) const {
  SmallVector<Run> runs;
  for (auto [n, origin] : llvm::enumerate(stretch.elements)) {
    const Origin *before = n == 0 ? nullptr : &stretch.elements[n - 1];
    bool goesOn = before && origin.memref && origin.memref == before->memref &&
                  origin.place.terms == before->place.terms &&
                  origin.place.constant == (before->place + Form(1)).constant;
    if (goesOn)
      ++runs.back().length;
    else
      runs.push_back({int64_t(n), 1});
  }
  return runs;
}

/// Whether a vector that is loaded for a cell holds nothing of another one, but maybe a cache line that none needs.
bool CellEmitter::liesApart(const Stretch &stretch) const {
  const Origin &first = stretch.elements.front();
  if (!first.memref || runsOf(stretch).size() != 1)
    return false;
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8, apart = std::abs(placeOf(first, 1) - placeOf(first, 0)) * bytes;
  bool isVector = llvm::isPowerOf2_64(size) && size <= width;
  return apart >= (isVector ? lineBytes : farApart);
}

/// Whether a vector of the result is better put together from its elements, or runs of them, than turned or woven. Of
/// bytes, that takes many more steps than to turn them, if there are enough; of truth values it does not, since these
/// are turned bit by bit.
bool CellEmitter::canPick(const Stretch &stretch) const {
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8;
  bool isWide = bytes >= 4 || (bytes == 1 && areFew) || (isTruth() && int64_t(stretch.lines.size()) == size);
  auto inMemory = [](const Origin &origin) { return bool(origin.memref); };
  return output.pieces.size() == 1 && output.borders.empty() && alongMemory < int64_t(k.demand.lanes) &&
         llvm::all_of(stretch.elements, inMemory) && (isFasterInRuns(stretch) || (isWide && readsInLines(stretch)));
}

/// Whether to copy the runs of a cell takes less than to put vectors together from elements. Words of two or four bytes
/// are turned as words.
bool CellEmitter::isFasterInRuns(const Stretch &stretch) const {
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8, count = runsOf(stretch).size();
  bool areWords = size * bytes == 2 * count || size * bytes == 4 * count;
  return k.schedule.wideCore && count > 1 && size >= 2 * count && (bytes >= 4 || !areWords);
}

/// Whether most of what a group reads lies side by side, in cache lines that find room in the first cache: so they stay
/// there for the next group.
bool CellEmitter::readsInLines(const Stretch &stretch) const {
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8, neighbours = 0;
  std::set<int64_t> places, lines;
  for (const Origin &origin : stretch.elements)
    for (int64_t cell = 0; cell < cells; ++cell) {
      places.insert(placeOf(origin, cell));
      lines.insert(llvm::divideFloorSigned(placeOf(origin, cell) * bytes, lineBytes));
    }
  std::map<int64_t, int64_t> inSet;
  for (int64_t line : lines)
    ++inSet[line & (setBytes / lineBytes - 1)];
  for (int64_t place : places)
    neighbours += places.contains(place + 1);
  return 2 * neighbours >= int64_t(places.size()) &&
         llvm::all_of(inSet, [](const auto &set) { return set.second <= linesOfSet; });
}

bool CellEmitter::chooseVectors(Stretch &stretch) {
  findLines(stretch);
  stretch.isApart = liesApart(stretch);
  if (stretch.isApart || shareSets)
    return true;
  int64_t total = cells * size;
  for (int64_t first = 0; first < total; first += width)
    if (!chooseVector(stretch, std::min(first, total - width)))
      return stretch.isPicked = canPick(stretch);
  // Lines that are woven as they are need no more than lanes along them.
  if (output.pieces.size() == 1 && int64_t(stretch.lines.size()) == size)
    return stretch.isPicked = canPick(stretch);
  llvm::SmallDenseSet<std::pair<unsigned, int64_t>> loads;
  for (const Chosen &vector : stretch.vectors)
    for (const Choice &load : vector.loads)
      loads.insert({load.line, load.start});
  stretch.isPicked = loads.size() > mostLoads * stretch.vectors.size();
  return !stretch.isPicked || canPick(stretch);
}

/// Whether fewer cells than whole vectors have are worth a group, the last two of its vectors overlapping. Where there
/// are lanes along memory (see PieceEmitter::laysRowsSideBySide), these are faster than to put vectors together from
/// elements.
bool CellEmitter::fewWillDo() const {
  return loops.size() > 1 && stretches.size() == 1 && loops.back().extent.value() * size >= fewestVectors * width &&
         alongMemory < std::max<int64_t>(k.demand.lanes / 4, fewestAlong);
}

bool CellEmitter::find() {
  if (!isWorthIt() || !findCell() || !coversCell())
    return false;
  const MergedLoop &along = loops.back();
  int64_t start = 0;
  for (int64_t cut : cutsAlong(along.loop, along.extent, *reads))
    stretches.emplace_back(std::exchange(start, cut), cut);
  stretches.emplace_back(start, along.extent.isStatic() ? along.extent.value() : 0);
  if (!llvm::all_of(stretches, [&](Stretch &stretch) { return trace(stretch); }))
    return false;
  findGroup();
  shareSets = (isWord() || !readsOnInLines()) && llvm::all_of(stretches, [&](const Stretch &stretch) {
                return isApartBySets(stretch) && !isWorthVectors(stretch);
              });
  if (crowdsSet())
    cells = std::min(cells, linesOfSet / 2);
  else if (shareSets)
    cells = 2;
  // Cells that are copied one by one come in any number.
  bool areCopied = llvm::all_of(stretches, [&](const Stretch &stretch) { return liesApart(stretch); });
  if (areCopied && loops.size() > 1 && !along.extent.is(0))
    cells = std::min(cells, along.extent.value());
  areFew = typicalSize(along.extent) < cells;
  if (areFew && !fewWillDo())
    return false;
  cells = areFew ? along.extent.value() : cells;
  bool found = llvm::all_of(stretches,
                            [&](Stretch &stretch) { return chooseVectors(stretch) && (!areFew || stretch.isPicked); });
  for (Stretch &stretch : stretches) {
    if (found && stretch.isPicked)
      findSquares(stretch);
    if (stretch.isApart || (stretch.isPicked && stretch.squares.empty() && isFasterInRuns(stretch)))
      stretch.runs = runsOf(stretch);
  }
  // Of these the last group repeats as few as can be.
  if (stretches.size() == 1 && stretches.front().isApart && !areFew && !shareSets && along.extent.isStatic())
    cells = llvm::divideCeil(along.extent.value(), llvm::divideCeil(along.extent.value(), cells));
  return found;
}

bool kumiko::cpu::emitCells(Kernel &k, Output &output, Value memref) {
  CellEmitter cells(k, output, memref);
  if (!cells.find())
    return false;
  cells.emit();
  return true;
}
