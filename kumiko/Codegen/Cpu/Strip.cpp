#include "kumiko/Codegen/Cpu/Strip.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

Strip::Strip(Kernel &k, ArrayRef<unsigned> places, unsigned column, const Extents &extents)
    : k(k), places(places), column(column), extents(extents), width(k.schedule.strip) {
  auto result = cast<MemRefType>(k.outputs[0].getType());
  bytes = result.getElementTypeBitWidth() / 8;
  Extent rows = width;
  for (unsigned place : places)
    rows *= extents[place];
  auto type = MemRefType::get({rows.value()}, result.getElementType());
  buffer = memref::ViewOp::create(k.b, k.loc, type, k.scratch, k.index(0), ValueRange());
  // Where vectors cannot go past the caches in any case, strips begin anywhere.
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(k.b, k.loc, k.outputs[0]);
  auto behind = [&](int64_t unit) { return arith::AndIOp::create(k.b, k.loc, address, k.index(unit - 1)); };
  Value even = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, behind(bytesPastCaches), k.index(0));
  Value elements = arith::DivUIOp::create(k.b, k.loc, behind(lineBytes), k.index(bytes));
  shift = arith::SelectOp::create(k.b, k.loc, even, elements, k.index(0));
}

void Strip::begin(Value number) {
  Value start = arith::MulIOp::create(k.b, k.loc, number, k.index(width));
  start = arith::SubIOp::create(k.b, k.loc, start, shift);
  Value end = arith::AddIOp::create(k.b, k.loc, start, k.index(width));
  columns = {arith::MaxSIOp::create(k.b, k.loc, start, k.index(0)),
             arith::MinSIOp::create(k.b, k.loc, end, k.index(extents[column]))};
}

Form Strip::offset(ArrayRef<Form> point) {
  Form row;
  for (unsigned place : places)
    row = row * extents[place] + point[place];
  return row * width + point[column] + Form::ofSlot(k.demand.addSlot(columns.first), -1);
}

void Strip::fetch(Value tensor, AffineMap map, Position point) {
  // Points lie inside of what is padded.
  auto pad = tensor.getDefiningOp<tensor::PadOp>();
  if (pad && llvm::all_of(pad.getMixedLowPad(), isZeroInteger))
    tensor = pad.getSource();
  Value buffer = k.demand.bufferBehind(tensor);
  if (!buffer || !map.isProjectedPermutation())
    return;
  int64_t line = lineBytes * 8 / cast<MemRefType>(buffer.getType()).getElementTypeBitWidth();
  unsigned slot = k.demand.addSlot(columns.first);
  // What is read may begin within a line; what is asked for beyond the end is not read.
  for (int64_t n = 0; n <= width; n += line) {
    point[column] = Form::ofSlot(slot) + Form(n);
    Position position;
    for (AffineExpr expr : map.getResults())
      position.push_back(point[cast<AffineDimExpr>(expr).getPosition()]);
    Form offset = k.storage.offsetIn(tensor, position);
    if (!offset.coefficientOf(slot).is(1))
      return;
    memref::PrefetchOp::create(k.b, k.loc, buffer, k.demand.indexOf(offset), /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
}
