//===- Kernel.cpp - loops that all templates use ---------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numeric>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

void Kernel::loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body) {
  auto forOp = scf::ForOp::create(b, loc, low, high, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  body(forOp.getInductionVar());
}

SmallVector<Value> Kernel::loop(const Extent &low, const Extent &high, int64_t step, SmallVector<Value> carried,
                                llvm::function_ref<SmallVector<Value>(Form, ArrayRef<Value>)> body) {
  Extent length = high - low;
  if (length.isStatic() && length.value() <= 0)
    return carried;
  if (length.isStatic() && length.value() <= step)
    return body(Form(low), carried);
  auto forOp = scf::ForOp::create(b, loc, index(low), index(high), index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> arguments(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
  int64_t multipleOf = low.isStatic() ? std::gcd(low.value(), step) : 1;
  unsigned slot = demand.addSlot(forOp.getInductionVar(), multipleOf, IndexRange::ofLoop(low, high, step));
  SmallVector<Value> next = body(Form::ofSlot(slot), arguments);
  if (!carried.empty())
    scf::YieldOp::create(b, loc, next);
  return llvm::to_vector(ValueRange(forOp.getResults()));
}

void Kernel::onlyIf(Value condition, llvm::function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

void Kernel::ifElse(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  then();
  b.setInsertionPointToStart(ifOp.elseBlock());
  otherwise();
}

void Kernel::askFor(Value memref, const Form &next, int64_t count) {
  constexpr int64_t fewestBytes = 24 << 10;
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (!type.hasStaticShape() || type.getNumElements() * bytes < fewestBytes)
    return;
  // From the last one on: the first may lie in a line that is at hand.
  for (int64_t n = count - 1; n >= 0; n -= lineBytes / bytes)
    memref::PrefetchOp::create(b, loc, memref, demand.indexOf(next + Form(n)), /*isWrite=*/true,
                               /*localityHint=*/3, /*isDataCache=*/true);
}

void Kernel::askAhead(Value memref, const Form &first, int64_t count) {
  constexpr int64_t bytesAhead = 2048;
  int64_t bytes = cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  if (schedule.askAhead)
    askFor(memref, first + Form(bytesAhead / bytes), count);
}

void Kernel::onlyFirstChunk(llvm::function_ref<void()> body) {
  onlyIf(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, chunk, index(0)), body);
}

void Kernel::unlessZero(const Extent &extent, llvm::function_ref<void()> body) {
  unlessZero(extent, {}, [&](ArrayRef<Value>) {
    body();
    return SmallVector<Value>();
  });
}

SmallVector<Value> Kernel::unlessZero(const Extent &extent, SmallVector<Value> values,
                                      llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> body) {
  if (extent.is(0))
    return values;
  if (extent.isStatic())
    return body(values);
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, index(extent), index(0));
  auto ifOp = scf::IfOp::create(b, loc, TypeRange(ValueRange(values)), some, /*withElseRegion=*/!values.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  SmallVector<Value> next = body(values);
  if (values.empty())
    return values;
  scf::YieldOp::create(b, loc, next);
  b.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(b, loc, values);
  return llvm::to_vector(ValueRange(ifOp.getResults()));
}

std::pair<Value, Value> Kernel::shareOf(Value number, const Extent &size, const Extent &total) {
  Value low = arith::MulIOp::create(b, loc, number, index(size));
  Value high = arith::AddIOp::create(b, loc, low, index(size));
  return {low, arith::MinSIOp::create(b, loc, high, index(total))};
}

std::pair<Value, Value> Kernel::chunkRange(const Extent &total) {
  if (schedule.chunks.isStatic() && schedule.chunks.value() <= 1)
    return {index(0), index(total)};
  return shareOf(chunk, ceilDiv(total, schedule.chunks), total);
}

void Kernel::runs(Value low, Value high, const Extent &length,
                  llvm::function_ref<void(Value number, Value from, Value to)> body) {
  // A length that is a symbol may be 0, by which nothing can be divided.
  unlessZero(length, [&] {
    Value first = arith::DivUIOp::create(b, loc, low, index(length));
    Value past = arith::AddIOp::create(b, loc, high, index(length - 1));
    loop(first, arith::DivUIOp::create(b, loc, past, index(length)), 1, [&](Value number) {
      Value start = arith::MulIOp::create(b, loc, number, index(length));
      auto inside = [&](Value place) { return arith::SubIOp::create(b, loc, place, start); };
      body(number, arith::MaxSIOp::create(b, loc, inside(low), index(0)),
           arith::MinSIOp::create(b, loc, inside(high), index(length)));
    });
  });
}

Value Kernel::endOfGroups(Value low, Value high, int64_t count) {
  // A chunk without points ends before it begins.
  Value points = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, high, low), index(0));
  Value odd = arith::RemUIOp::create(b, loc, points, index(count));
  return arith::SubIOp::create(b, loc, arith::AddIOp::create(b, loc, low, points), odd);
}

void Kernel::vectors(const Extent &extent, int64_t unroll, llvm::function_ref<void(Form)> body) {
  int64_t lanes = demand.lanes;
  auto lanesAt = [&](Form form) {
    form.lane = 1;
    body(form);
    return SmallVector<Value>();
  };
  Extent full = floorDiv(extent, lanes) * lanes, turns = floorDiv(extent, unroll * lanes) * (unroll * lanes);
  loop(0, turns, unroll * lanes, {}, [&](Form form, ArrayRef<Value>) {
    for (int64_t u = 0; u < unroll; ++u)
      lanesAt(form + Form(u * lanes));
    return SmallVector<Value>();
  });
  if (extent.isStatic())
    for (int64_t v = turns.value(); v < full.value(); v += lanes)
      lanesAt(Form(v));
  else
    loop(turns, full, lanes, {}, [&](Form form, ArrayRef<Value>) { return lanesAt(form); });
  Extent rest = extent - full;
  unlessZero(rest, [&] {
    demand.active = rest;
    lanesAt(Form(full));
    demand.active = lanes;
  });
}

void Kernel::sharedVectors(const Extent &extent, std::pair<Value, Value> share, llvm::function_ref<void(Form)> body) {
  Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, chunk, index(schedule.chunks - 1));
  vectorsOfShare(extent, share, last, body);
}

void Kernel::someVectors(const Extent &extent, Value from, Value to, llvm::function_ref<void(Form)> body) {
  Extent full = floorDiv(extent, demand.lanes);
  Value end = arith::MinSIOp::create(b, loc, to, index(full));
  Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, to, index(full));
  vectorsOfShare(extent, {from, end}, last, body);
}

void Kernel::vectorsOfShare(const Extent &extent, std::pair<Value, Value> share, Value hasRest,
                            llvm::function_ref<void(Form)> body) {
  int64_t lanes = demand.lanes;
  auto lanesAt = [&](Form form) {
    form.lane = 1;
    body(form);
  };
  loop(share.first, share.second, 1, [&](Value vector) { lanesAt(Form::ofSlot(demand.addSlot(vector), lanes)); });
  Extent rest = mod(extent, lanes);
  if (rest.is(0))
    return;
  onlyIf(hasRest, [&] {
    unlessZero(rest, [&] {
      demand.active = rest;
      lanesAt(Form(floorDiv(extent, lanes) * lanes));
      demand.active = lanes;
    });
  });
}

void Kernel::delinearize(Value flat, ArrayRef<MergedLoop> loops, Position &position) {
  for (size_t n = loops.size(); n-- > 0;) {
    Value number = flat;
    if (n != 0) {
      number = arith::RemUIOp::create(b, loc, flat, index(loops[n].extent));
      flat = arith::DivUIOp::create(b, loc, flat, index(loops[n].extent));
    }
    position[loops[n].loop] = Form::ofSlot(demand.addSlot(number, 1, IndexRange::ofLoop(0, loops[n].extent)));
  }
}

void Kernel::fillBorders() {
  for (auto [output, memref] : llvm::zip_equal(written, outputs))
    if (!output.borders.empty())
      onlyFirstChunk([&, memref = memref, &output = output] {
        for (const Border &border : output.borders)
          fillBorder(border, memref);
      });
}

/// The border falls into boxes: for each dimension the part before and after the inside, with the dimensions before it
/// inside and those after it whole. Of a box, the last dimensions are one contiguous run.
void Kernel::fillBorder(const Border &border, Value memref) {
  Value value = demand.scalarOutside(border.value);
  size_t rank = border.shape.size();
  for (size_t d = 0; d < rank - border.doneDimensions; ++d) {
    Extent inside = border.low[d] + border.extent[d];
    const std::pair<Extent, Extent> ends[] = {{0, border.low[d]}, {inside, border.shape[d] - inside}};
    for (const auto &[start, count] : ends) {
      if (count.is(0))
        continue;
      Extent outer = 1, run = count * border.strides[d];
      for (size_t e = 0; e < d; ++e)
        outer *= border.extent[e];
      loop(index(0), index(outer), 1, [&, &start = start](Value number) {
        Position position(rank);
        SmallVector<MergedLoop> loops;
        for (unsigned e = 0; e < d; ++e)
          loops.push_back({e, border.extent[e]});
        delinearize(number, loops, position);
        Form offset(border.constant + start * border.strides[d]);
        for (size_t e = 0; e < d; ++e)
          offset = offset + (position[e] + Form(border.low[e])) * border.strides[e];
        // A few elements at the ends of each row are no vector.
        if (run.isStatic() && 2 * run.value() <= demand.lanes)
          for (int64_t n = 0; n < run.value(); ++n)
            demand.store(value, memref, offset + Form(n));
        else
          vectors(run, 1, [&](Form lane) { demand.store(value, memref, offset + lane); });
      });
    }
  }
}
