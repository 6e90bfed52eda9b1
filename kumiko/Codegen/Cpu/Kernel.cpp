//===- Kernel.cpp - loops that all templates use ---------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"

using namespace mlir;
using namespace kumiko::cpu;

void Kernel::loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body) {
  auto forOp = scf::ForOp::create(b, loc, low, high, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  body(forOp.getInductionVar());
}

SmallVector<Value> Kernel::loop(int64_t low, int64_t high, int64_t step, SmallVector<Value> carried,
                                llvm::function_ref<SmallVector<Value>(Form, ArrayRef<Value>)> body) {
  if (low >= high)
    return carried;
  if (low + step >= high)
    return body(Form(low), carried);
  auto forOp = scf::ForOp::create(b, loc, index(low), index(high), index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> arguments(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
  SmallVector<Value> next = body(Form::ofSlot(demand.addSlot(forOp.getInductionVar())), arguments);
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

std::pair<Value, Value> Kernel::chunkRange(int64_t total, Value number, int64_t chunks) {
  if (chunks <= 1)
    return {index(0), index(total)};
  int64_t size = (total + chunks - 1) / chunks;
  Value low = arith::MulIOp::create(b, loc, number, index(size));
  Value high = arith::AddIOp::create(b, loc, low, index(size));
  return {low, arith::MinSIOp::create(b, loc, high, index(total))};
}

void Kernel::vectors(int64_t extent, int64_t unroll, llvm::function_ref<void(Form)> body) {
  int64_t lanes = demand.lanes, full = extent / lanes;
  auto lanesAt = [&](Form form) {
    form.lane = 1;
    body(form);
  };
  int64_t turns = full / unroll;
  loop(0, turns * unroll * lanes, unroll * lanes, {}, [&](Form form, ArrayRef<Value>) {
    for (int64_t u = 0; u < unroll; ++u)
      lanesAt(form + Form(u * lanes));
    return SmallVector<Value>();
  });
  for (int64_t v = turns * unroll; v < full; ++v)
    lanesAt(Form(v * lanes));
  if (extent % lanes == 0)
    return;
  demand.active = extent % lanes;
  lanesAt(Form(full * lanes));
  demand.active = lanes;
}

void Kernel::delinearize(Value flat, ArrayRef<MergedLoop> loops, Position &position) {
  for (size_t n = loops.size(); n-- > 0;) {
    Value number = flat;
    if (n != 0) {
      number = arith::RemUIOp::create(b, loc, flat, index(loops[n].extent));
      flat = arith::DivUIOp::create(b, loc, flat, index(loops[n].extent));
    }
    position[loops[n].loop] = Form::ofSlot(demand.addSlot(number));
  }
}

/// The border falls into boxes: for each dimension the part before and after the inside, with the dimensions before it
/// inside and those after it whole. Of a box, the last dimensions are one contiguous run.
void Kernel::fillBorder(const Border &border, Value memref) {
  Value value = demand.constantOf(border.value);
  size_t rank = border.shape.size();
  for (size_t d = 0; d < rank; ++d) {
    int64_t after = border.shape[d] - border.low[d] - border.extent[d];
    for (auto [start, count] : {std::pair{int64_t(0), border.low[d]}, {border.low[d] + border.extent[d], after}}) {
      if (count == 0)
        continue;
      int64_t outer = 1, run = count * border.strides[d];
      for (size_t e = 0; e < d; ++e)
        outer *= border.extent[e];
      loop(index(0), index(outer), 1, [&](Value number) {
        Position position(rank);
        SmallVector<MergedLoop> loops;
        for (unsigned e = 0; e < d; ++e)
          loops.push_back({e, border.extent[e]});
        delinearize(number, loops, position);
        Form offset(border.constant + start * border.strides[d]);
        for (size_t e = 0; e < d; ++e)
          offset = offset + (position[e] + Form(border.low[e])) * border.strides[e];
        vectors(run, 1, [&](Form lane) { demand.store(value, memref, offset + lane); });
      });
    }
  }
}
