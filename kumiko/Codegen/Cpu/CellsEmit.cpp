//===- CellsEmit.cpp - writing cells -----------------------------------------===//
#include "kumiko/Codegen/Cpu/CellEmitter.h"
#include "kumiko/Schedule/FarReads.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Bytes that are read again for the next outer number: they stay in the first cache.
constexpr int64_t bytesTogether = 16384;
/// By how many cells they are asked for ahead.
constexpr int64_t cellsAhead = 16;

Form CellEmitter::atPoint(const Form &place) const {
  Form result(place.constant);
  for (const auto &[loop, coefficient] : place.terms)
    result = result + point[loop] * coefficient;
  return result;
}

Form CellEmitter::atCell(const Origin &origin, int64_t cell) const {
  return atPoint(origin.place) + Form(placeOf(origin, cell) - placeOf(origin, 0));
}

Value CellEmitter::load(const Line &line, int64_t start) {
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

Value CellEmitter::chosen(const Stretch &stretch, const Chosen &vector, ArrayRef<Value> loaded) {
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
  return vector::BitCastOp::create(k.b, k.loc, VectorType::get({width}, stored()), result);
}

Form CellEmitter::startOfCell() const {
  Form start(base);
  for (auto [loop, number] : llvm::zip_equal(loops, point))
    start = start + number * output.pieces.front().strides[loop.loop];
  return start;
}

static constexpr int64_t longWord = 8, shortWord = 4;

bool CellEmitter::takesLongWords(int64_t length) const {
  // A wide core is on to the next rows while one waits for its words: long ones leave too little between these.
  bool isCrowded = k.schedule.crowdsSets && k.schedule.wideCore;
  return shareSets && !isCrowded && length * (stored().getIntOrFloatBitWidth() / 8) >= 4 * longWord;
}

/// Some four words of cells that share sets of the cache, or short words of ones in many pages, or behind a pause.
int64_t CellEmitter::copiedAtOnce(const Stretch &stretch, int64_t length) const {
  int64_t bytes = stored().getIntOrFloatBitWidth() / 8,
          most = std::min<int64_t>(width, llvm::bit_floor(uint64_t(length)));
  if (!copiesWords(stretch))
    return most;
  int64_t word = takesLongWords(length) ? longWord : shortWord;
  return std::min(most, std::max<int64_t>(word / bytes, 1));
}

/// The same bits, of which LLVM does not know where they come from: it would make one long copy of several.
Value CellEmitter::asWord(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  auto word = k.b.getIntegerType(type.getNumElements() * type.getElementTypeBitWidth());
  Value bits = vector::BitCastOp::create(k.b, k.loc, VectorType::get({1}, word), vector);
  bits = vector::ExtractOp::create(k.b, k.loc, bits, ArrayRef<int64_t>{0});
  bits = LLVM::InlineAsmOp::create(k.b, k.loc, word, bits, /*asm_string=*/"", /*constraints=*/"=r,0",
                                   /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
             .getResult(0);
  bits = vector::BroadcastOp::create(k.b, k.loc, VectorType::get({1}, word), bits);
  return vector::BitCastOp::create(k.b, k.loc, type, bits);
}

int64_t CellEmitter::bytesApart(const Stretch &stretch) const {
  return std::abs(stretch.elements.front().place.coefficientOf(loops.size() - 1).value()) *
         (stored().getIntOrFloatBitWidth() / 8);
}

double CellEmitter::pagesMissedBy(const Stretch &stretch) const {
  return pagesMissed(k.schedule, typicalSize(loops.back().extent), bytesApart(stretch));
}

bool CellEmitter::copiesWords(const Stretch &stretch) const {
  return shareSets || (!k.schedule.wideCore && pagesMissedBy(stretch) >= missedByLoads);
}

unsigned CellEmitter::pauseBefore(const Stretch &stretch) const {
  // Elsewhere what shares sets comes from further away: nothing is too soon for it.
  if (shareSets)
    return k.schedule.crowdsSets && !takesLongWords(size) && !readsOnInLines() ? pauseOfRows : 0;
  return k.schedule.storesInOrder && pagesMissedBy(stretch) >= missedByLoads ? pauseOfKnown : 0;
}

bool CellEmitter::comeFromAfar(const Stretch &stretch) const {
  // The processor itself asks for lines that follow each other soon.
  constexpr int64_t soon = 4 * lineBytes;
  // Of such machines the second cache holds more; and what is asked for drives other lines of its set out.
  bool isLarge = k.schedule.storesInOrder;
  if (isApartBySets(stretch))
    return false;
  int64_t far = isLarge ? 2 * secondCacheBytes : 1 << 20;
  int64_t apart = bytesApart(stretch);
  // Where pages have to be looked for, asking ahead makes more of them wait.
  if (pagesMissedBy(stretch) >= (isLarge ? missedByGathers : missedByLoads))
    return false;
  return stretch.isApart && !shareSets && apart >= soon && typicalSize(loops.back().extent) * apart >= far;
}

void CellEmitter::fetch(const Stretch &stretch) {
  const Origin &first = stretch.elements.front();
  for (int64_t cell = 0; cell < cells; ++cell) {
    // Of two lines that a cell lies across, the second one is asked for before the load asks for both.
    Form end = atCell(first, cell) + Form(size - 1);
    memref::PrefetchOp::create(k.b, k.loc, first.memref, k.demand.indexOf(end), /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
}

/// Each run of a cell as a vector, or as several of which the last two may overlap. Truth values stay the bytes that
/// they are, here as in vectors that are chosen from: whoever reads one asks whether it is 0.
void CellEmitter::copies(const Stretch &stretch) {
  unsigned pause = pauseBefore(stretch);
  // LLVM would read more cells than there are registers before it writes the first one.
  constexpr int64_t mostRead = 4;
  for (int64_t cell = 0; cell < cells; ++cell) {
    if (cell != 0 && cell % mostRead == 0)
      k.keepOrder();
    k.pause(pause);
    for (const Run &run : stretch.runs)
      copy(stretch, run, cell);
  }
}

void CellEmitter::copy(const Stretch &stretch, const Run &run, int64_t cell) {
  const Origin &origin = stretch.elements[run.first];
  int64_t most = copiedAtOnce(stretch, run.length), bytes = stored().getIntOrFloatBitWidth() / 8;
  // Stores that overlap wait for each other, where they leave in order: as long as a short one and another would take.
  bool isSplit =
      run.length * bytes >= lineBytes / 2 || (k.schedule.storesInOrder && llvm::isPowerOf2_64(run.length % most));
  SmallVector<std::pair<Value, Value>> moved; // what, and where to
  for (int64_t n = 0, length = most; n < run.length; n += length) {
    if (isSplit)
      length = std::min<int64_t>(most, llvm::bit_floor(uint64_t(run.length - n)));
    int64_t start = std::min(n, run.length - length);
    auto type = VectorType::get({length}, stored());
    Form place = atCell(origin, cell) + Form(start);
    Value loaded = vector::LoadOp::create(k.b, k.loc, type, origin.memref, k.demand.indexOf(place));
    Value index = k.demand.indexOf(startOfCell() + Form(cell * size + run.first + start));
    if (copiesWords(stretch))
      vector::StoreOp::create(k.b, k.loc, asWord(loaded), memref, index);
    else
      moved.push_back({loaded, index});
  }
  for (auto [loaded, index] : moved)
    vector::StoreOp::create(k.b, k.loc, loaded, memref, index);
}

/// Vectors of the group, each put together from its elements.
void CellEmitter::picked(const Stretch &stretch) {
  int64_t total = cells * size;
  Type element = cast<RankedTensorType>(output.pieces.front().source.getType()).getElementType();
  for (int64_t n = 0; n < total; n += width) {
    int64_t first = std::min(n, total - width);
    SmallVector<Value> elements;
    for (int64_t number = first; number < first + width; ++number) {
      const Origin &origin = originOf(stretch, number);
      elements.push_back(k.demand.load(origin.memref, atCell(origin, number / size), element));
    }
    k.demand.storeTogether(elements, memref, startOfCell() + Form(first));
  }
}

void CellEmitter::group(const Stretch &stretch) {
  if (!stretch.runs.empty())
    return copies(stretch);
  if (shareSets) {
    for (int64_t cell = 0; cell < cells; ++cell)
      single(stretch, cell);
    return;
  }
  if (stretch.isPicked)
    return stretch.squares.empty() ? picked(stretch) : turned(stretch);
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

void CellEmitter::single(const Stretch &stretch, int64_t cell) {
  Form start = startOfCell() + Form(cell * size);
  Type element = cast<RankedTensorType>(output.pieces.front().source.getType()).getElementType();
  for (auto [n, origin] : llvm::enumerate(stretch.elements)) {
    Value value = origin.memref ? k.demand.load(origin.memref, atCell(origin, cell), element)
                                : k.demand.constantOf(origin.constant);
    k.demand.store(value, memref, start + Form(int64_t(n)));
  }
}

void CellEmitter::emitStretch(const Stretch &stretch, Value low, Value high) {
  auto at = [&](Value number) { point.back() = Form::ofSlot(k.demand.addSlot(number)); };
  Value count = arith::SubIOp::create(k.b, k.loc, high, low);
  Value enough = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sge, count, k.index(cells));
  auto choice = scf::IfOp::create(k.b, k.loc, enough, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  Value last = arith::SubIOp::create(k.b, k.loc, high, k.index(cells));
  bool fetches = comeFromAfar(stretch);
  k.loop(low, high, cells, [&](Value number) {
    if (fetches) {
      Value ahead = arith::AddIOp::create(k.b, k.loc, number, k.index(llvm::alignTo(cellsAhead, cells)));
      at(arith::MinSIOp::create(k.b, k.loc, ahead, last));
      fetch(stretch);
    }
    at(arith::MinSIOp::create(k.b, k.loc, number, last));
    group(stretch);
  });
  k.b.setInsertionPointToStart(choice.elseBlock());
  k.loop(low, high, 1, [&](Value number) {
    at(number);
    single(stretch, 0);
  });
}

void CellEmitter::emitAlong(Value low, Value high) {
  if (stretches.size() == 1)
    return emitStretch(stretches.front(), low, high);
  for (const Stretch &stretch : stretches)
    emitStretch(stretch, arith::MaxSIOp::create(k.b, k.loc, low, k.index(stretch.start)),
                arith::MinSIOp::create(k.b, k.loc, high, k.index(stretch.end)));
}

bool CellEmitter::readsBetween() const {
  const MergedLoop &along = loops.back();
  // Lines of so few rows stay in the first cache anyway, and the result is written from one end to the other.
  constexpr int64_t fewRows = 64;
  if (k.schedule.storesInOrder && stretches.size() == 1 &&
      typicalSize(ceilDiv(along.extent, cells)) * int64_t(stretches.front().lines.size()) <= fewRows)
    return false;
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
  int64_t chunks = crowdsSet() ? 1 : typicalSize(k.schedule.chunks);
  return stretches.size() == 1 && !stretches.front().lines.empty() && typicalSize(along.extent) >= chunks * cells;
}

void CellEmitter::emitTogether(ArrayRef<MergedLoop> outer, const Extent &total) {
  int64_t apart = 1, bytes = stored().getIntOrFloatBitWidth() / 8;
  for (const Line &line : stretches.front().lines)
    apart = std::max(apart, std::abs(line.place.coefficientOf(loops.size() - 1).value()));
  int64_t together = std::max<int64_t>(bytesTogether / (apart * bytes * cells), 1) * cells;
  const Extent &extent = loops.back().extent;
  auto [low, high] = k.chunkRange(ceilDiv(extent, together) * total);
  k.runs(low, high, total, [&](Value number, Value first, Value last) {
    Value from = arith::MulIOp::create(k.b, k.loc, number, k.index(together));
    Value to = arith::AddIOp::create(k.b, k.loc, from, k.index(together));
    to = arith::MinSIOp::create(k.b, k.loc, to, k.index(extent));
    k.loop(first, last, 1, [&](Value number) {
      k.delinearize(number, outer, point);
      emitAlong(from, to);
    });
  });
}

void CellEmitter::emit() {
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
