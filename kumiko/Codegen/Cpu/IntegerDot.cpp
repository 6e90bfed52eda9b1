//===- IntegerDot.cpp - sums of narrow products, word by word --------------===//
#include "kumiko/Codegen/Cpu/IntegerDot.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Bytes that one turn of a copy takes from a row.
constexpr int64_t copyWidth = 32;

IntegerDot::IntegerDot(Kernel &k)
    : k(k), c(k.shape.contraction), op(c.op), layout(integerLayoutOf(c, k.schedule)), lanes(k.demand.lanes) {
  rowWords = scratchAs(k.b.getI32Type(), 0);
  rowElements = scratchAs(k.b.getIntegerType(layout.group == 4 ? 8 : 16), 0);
  if (k.schedule.packed) {
    columnWords = k.demand.bufferBehind(op->getOperand(c.columnOperand));
    return;
  }
  columnWords = scratchAs(k.b.getI32Type(), layout.rowBytes(c, k.schedule));
}

Value IntegerDot::scratchAs(Type element, int64_t firstByte) {
  int64_t count = (k.schedule.scratchBytes.value() - firstByte) * 8 / element.getIntOrFloatBitWidth();
  return memref::ViewOp::create(k.b, k.loc, MemRefType::get({count}, element), k.scratch, k.index(firstByte),
                                ValueRange{});
}

void IntegerDot::setLanes(int64_t count) {
  k.demand.lanes = count;
  k.demand.active = count;
}

/// Bytes widened to halves; halves as they are.
Value IntegerDot::halves(Value value, bool isSigned) {
  auto half = k.b.getIntegerType(16);
  if (getElementTypeOrSelf(value.getType()) == half)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(vector.clone(half)) : half;
  return isSigned ? Value(arith::ExtSIOp::create(k.b, k.loc, type, value))
                  : arith::ExtUIOp::create(k.b, k.loc, type, value);
}

/// Whether neighbours along `loop` are neighbours in memory.
bool IntegerDot::isContiguous(unsigned operand, unsigned loop) {
  Reads reads(op.getNumLoops(), k.storage);
  Position all;
  for (unsigned number = 0; number < op.getNumLoops(); ++number)
    all.push_back(Form::ofSlot(number));
  OpOperand &tensor = op->getOpOperand(operand);
  reads.collect(tensor.get(), applyMap(op.getMatchingIndexingMap(&tensor), all));
  return !reads.opaque.test(loop) && !reads.forms.empty() &&
         llvm::all_of(reads.forms, [&](const Form &form) { return form.coefficientOf(loop).is(1); });
}

//===--- rows -----------------------------------------------------------------------------------------===//

/// The elements of the row operand at these loop values, as they are multiplied.
Value IntegerDot::rowValue(Position position) {
  OpOperand &tensor = op->getOpOperand(c.rowOperand);
  Value value = k.demand.at(tensor.get(), applyMap(op.getMatchingIndexingMap(&tensor), position));
  if (layout.group == 2)
    return halves(value, c.rowSigned);
  if (!layout.turnsRows)
    return value;
  Value bit = k.demand.constantOf(k.b.getI8IntegerAttr(-128));
  return arith::XOrIOp::create(k.b, k.loc, value, isa<VectorType>(value.getType()) ? k.demand.spread(bit) : bit);
}

/// A run of neighbours in depth: whole vectors, then shorter and shorter ones. Nothing is read or written beyond it.
void IntegerDot::copyRun(Position position, std::optional<unsigned> loop, int64_t extent, bool contiguous,
                         Form target) {
  auto copy = [&](Form at, int64_t width) {
    setLanes(width);
    at.lane = width > 1 ? 1 : 0;
    if (loop)
      position[*loop] = at;
    k.demand.store(rowValue(position), rowElements, target + at);
    setLanes(lanes);
  };
  int64_t width = contiguous ? copyWidth * layout.group / 4 : 1, whole = extent / width * width;
  k.loop(0, whole, width, {}, [&](Form form, ArrayRef<Value>) {
    copy(form, width);
    return SmallVector<Value>();
  });
  for (int64_t done = whole; done < extent; done += width) {
    while (done + width > extent)
      width /= 2;
    copy(Form(done), width);
  }
}

void IntegerDot::copyNest(Position position, unsigned depth, Form flat, Form row) {
  Form target = row * (layout.words() * layout.group);
  if (depthLoops.empty())
    return copyRun(position, std::nullopt, 1, /*contiguous=*/false, target);
  const MergedLoop &loop = depthLoops[depth];
  Form start = flat * loop.extent;
  if (depth + 1 == depthLoops.size())
    return copyRun(position, loop.loop, loop.extent.value(), isContiguous(c.rowOperand, loop.loop), target + start);
  k.loop(0, loop.extent, 1, {}, [&](Form form, ArrayRef<Value>) {
    position[loop.loop] = form;
    copyNest(position, depth + 1, start + form, row);
    return SmallVector<Value>();
  });
}

void IntegerDot::copyRows(Value first, Value last, llvm::function_ref<Position(Form)> rowAt) {
  firstRow = Form::ofSlot(k.demand.addSlot(first));
  k.loop(first, last, 1, [&](Value row) {
    Form form = Form::ofSlot(k.demand.addSlot(row));
    copyNest(rowAt(form), 0, Form(), form + firstRow * -1);
  });
}

//===--- columns --------------------------------------------------------------------------------------===//

Form IntegerDot::panelWord(Form panel, Form word) const { return columnBase + panel * layout.panelWords() + word; }

/// Elements of the column operand in depth from word `word` on, `elements` of them.
Value IntegerDot::columnWord(const Position &loops, Form column, Form depth, int64_t elements) {
  Position position = loops;
  position[c.columns[0]] = column;
  depth.lane = elements > 1 ? 1 : 0;
  if (depthLoops.size() == 1)
    position[depthLoops[0].loop] = depth;
  else if (depthLoops.size() > 1)
    k.delinearize(k.demand.indexOf(depth), depthLoops, position);
  OpOperand &tensor = op->getOpOperand(c.columnOperand);
  return k.demand.at(tensor.get(), applyMap(op.getMatchingIndexingMap(&tensor), position));
}

/// Vectors of neighbouring columns, one for each depth of a word, become a vector of words.
void IntegerDot::interleaveVector(Form panel, int64_t vector, int64_t live, const Position &loops) {
  Form column = panel * layout.panelColumns + Form(vector * lanes);
  column.lane = 1;
  auto word = [&](Form number, int64_t real) {
    SmallVector<Value> parts;
    for (int64_t j = 0; j < layout.group; ++j) {
      k.demand.active = live;
      Value part = j < real && live != 0 ? columnWord(loops, column, number * layout.group + Form(j), 1)
                                         : k.demand.zeroOf(k.b.getIntegerType(c.columnBits));
      k.demand.active = lanes;
      part = k.demand.spread(part);
      parts.push_back(layout.group == 2 ? halves(part, c.columnSigned) : part);
    }
    auto both = [&](Value a, Value b) -> Value { return vector::InterleaveOp::create(k.b, k.loc, a, b); };
    Value joined =
        layout.group == 2 ? both(parts[0], parts[1]) : both(both(parts[0], parts[2]), both(parts[1], parts[3]));
    Value words = vector::BitCastOp::create(k.b, k.loc, VectorType::get({lanes}, k.b.getI32Type()), joined);
    Form target = panelWord(panel, number * layout.panelColumns + Form(layout.startWords() + vector * lanes));
    target.lane = 1;
    k.demand.store(words, columnWords, target);
  };
  int64_t whole = layout.depth / layout.group;
  k.loop(0, whole, 1, {}, [&](Form number, ArrayRef<Value>) {
    word(number, layout.group);
    return SmallVector<Value>();
  });
  if (layout.depth % layout.group != 0)
    word(Form(whole), layout.depth % layout.group);
}

/// A column whose depth is contiguous: each element or word goes to its place.
void IntegerDot::scatterColumn(Form panel, Form column, const Position &loops) {
  Form inPanel = column + panel * -layout.panelColumns;
  auto words = [&](Form first, int64_t count, int64_t elements) {
    k.demand.lanes = layout.group * count;
    k.demand.active = elements;
    Value part = k.demand.spread(columnWord(loops, column, first * layout.group, layout.group * count));
    if (layout.group == 2)
      part = halves(part, c.columnSigned);
    setLanes(lanes);
    Value joined = vector::BitCastOp::create(k.b, k.loc, VectorType::get({count}, k.b.getI32Type()), part);
    for (int64_t w = 0; w < count; ++w)
      k.demand.store(vector::ExtractOp::create(k.b, k.loc, joined, w), columnWords,
                     panelWord(panel, (first + Form(w)) * layout.panelColumns + Form(layout.startWords()) + inPanel));
  };
  int64_t whole = layout.depth / layout.group, step = 8, stepped = whole / step * step;
  k.loop(0, stepped, step, {}, [&](Form number, ArrayRef<Value>) {
    words(number, step, step * layout.group);
    return SmallVector<Value>();
  });
  k.loop(stepped, whole, 1, {}, [&](Form number, ArrayRef<Value>) {
    words(number, 1, layout.group);
    return SmallVector<Value>();
  });
  if (layout.depth % layout.group != 0)
    words(Form(whole), 1, layout.depth % layout.group);
}

/// What the sums of the panel's columns begin with: a dot product with ones says what a column adds up to.
void IntegerDot::startPanel(Form panel) {
  for (int64_t v = 0; v < layout.panelColumns / lanes; ++v) {
    auto place = [&](Form word) {
      Form form = panelWord(panel, word + Form(v * lanes));
      form.lane = 1;
      return form;
    };
    Value sum = k.demand.spread(k.demand.zeroOf(k.b.getI32Type()));
    if (layout.turnsRows) {
      Value ones = k.demand.spread(k.demand.constantOf(k.b.getI32IntegerAttr(0x01010101)));
      sum = k.loop(0, layout.words(), 1, {sum}, [&](Form word, ArrayRef<Value> carried) {
        Value words =
            k.demand.load(columnWords, place(word * layout.panelColumns + Form(layout.startWords())), k.b.getI32Type());
        return SmallVector<Value>{dot(ones, words, carried[0])};
      })[0];
      Value factor = k.demand.spread(k.demand.constantOf(k.b.getI32IntegerAttr(layout.startFactor())));
      sum = arith::MulIOp::create(k.b, k.loc, sum, factor);
    }
    k.demand.store(sum, columnWords, place(Form()));
  }
}

void IntegerDot::copyPanel(Form panel, int64_t live, const Position &loops) {
  bool deep = depthLoops.size() == 1 && isContiguous(c.columnOperand, depthLoops[0].loop);
  if (deep) {
    Form first = panel * layout.panelColumns;
    // Columns beyond the last would be summed into lanes that nobody stores.
    k.loop(k.demand.indexOf(first), k.demand.indexOf(first + Form(live)), 1,
           [&](Value column) { scatterColumn(panel, Form::ofSlot(k.demand.addSlot(column)), loops); });
  } else {
    for (int64_t v = 0; v < layout.panelColumns / lanes; ++v)
      interleaveVector(panel, v, std::clamp<int64_t>(live - v * lanes, 0, lanes), loops);
  }
  if (layout.startWords() != 0)
    startPanel(panel);
}

void IntegerDot::copyColumns(Value first, Value last, const Position &loops) {
  columnBase = Form::ofSlot(k.demand.addSlot(first), -layout.panelWords());
  int64_t columns = c.extentOf(c.columns).value(), full = columns / layout.panelColumns;
  Value end = arith::MinSIOp::create(k.b, k.loc, last, k.index(full));
  k.loop(first, end, 1,
         [&](Value panel) { copyPanel(Form::ofSlot(k.demand.addSlot(panel)), layout.panelColumns, loops); });
  if (columns % layout.panelColumns == 0)
    return;
  Value partial = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sgt, last, k.index(full));
  k.onlyIf(partial, [&] { copyPanel(Form(full), columns % layout.panelColumns, loops); });
}

//===--- products -------------------------------------------------------------------------------------===//

Value IntegerDot::dot(Value row, Value column, Value sum) {
  Type i32 = k.b.getI32Type();
  if (layout.group == 4) {
    auto bytes = VectorType::get({4 * lanes}, k.b.getI8Type());
    Value a = vector::BitCastOp::create(k.b, k.loc, bytes, row),
          b = vector::BitCastOp::create(k.b, k.loc, bytes, column);
    if (!layout.columnSigned)
      std::swap(a, b); // the factor without a sign comes first
    std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(32 * lanes);
    return LLVM::CallIntrinsicOp::create(k.b, k.loc, sum.getType(), k.b.getStringAttr(name), ValueRange{sum, a, b})
        .getResult(0);
  }
  // Every target has an instruction or two for this, and its code generator knows the pattern.
  auto half = VectorType::get({2 * lanes}, k.b.getIntegerType(16)), wide = VectorType::get({2 * lanes}, i32);
  auto widened = [&](Value words) -> Value {
    return arith::ExtSIOp::create(k.b, k.loc, wide, vector::BitCastOp::create(k.b, k.loc, half, words));
  };
  Value products = arith::MulIOp::create(k.b, k.loc, widened(row), widened(column));
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  Value pairs = arith::AddIOp::create(k.b, k.loc, vector::ShuffleOp::create(k.b, k.loc, products, products, even),
                                      vector::ShuffleOp::create(k.b, k.loc, products, products, odd));
  return arith::AddIOp::create(k.b, k.loc, sum, pairs);
}

SmallVector<Value> IntegerDot::sums(Form row, int64_t count, Form panel, int64_t width) {
  int64_t vectors = layout.panelColumns / lanes;
  Type i32 = k.b.getI32Type();
  auto columnsAt = [&](Form word, int64_t v) {
    Form form = panelWord(panel + Form(v / vectors), word + Form(v % vectors * lanes));
    form.lane = 1;
    return k.demand.load(columnWords, form, i32);
  };
  SmallVector<Value> sums;
  SmallVector<Value> starts;
  for (int64_t v = 0; v < width; ++v)
    starts.push_back(layout.startWords() ? columnsAt(Form(), v) : k.demand.spread(k.demand.zeroOf(i32)));
  for (int64_t r = 0; r < count; ++r)
    llvm::append_range(sums, starts);

  Form base = (row + firstRow * -1) * layout.words();
  auto step = [&](Form word, SmallVector<Value> carried) {
    SmallVector<Value> columns;
    for (int64_t v = 0; v < width; ++v)
      columns.push_back(columnsAt(word * layout.panelColumns + Form(layout.startWords()), v));
    for (int64_t r = 0; r < count; ++r) {
      Value words = k.demand.spread(k.demand.load(rowWords, base + Form(r * layout.words()) + word, i32));
      for (int64_t v = 0; v < width; ++v)
        carried[r * width + v] = dot(words, columns[v], carried[r * width + v]);
    }
    return carried;
  };
  int64_t unroll = k.schedule.depthUnroll, whole = layout.words() / unroll * unroll;
  sums = k.loop(0, whole, unroll, sums, [&](Form word, ArrayRef<Value> carried) {
    SmallVector<Value> next(carried);
    for (int64_t u = 0; u < unroll; ++u)
      next = step(word + Form(u), next);
    return next;
  });
  for (int64_t word = whole; word < layout.words(); ++word)
    sums = step(Form(word), sums);
  return sums;
}
