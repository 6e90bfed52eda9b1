//===- DemandGather.cpp - reads of all lanes at once --------------------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Bytes of what the machine gathers, at least.
constexpr int64_t bytesOfWord = 4;

bool Demand::canGather(Value tensor) const {
  Value memref = memory.lookup(tensor);
  Extent count = storage.extents.elementsOf(tensor);
  if (!memref || !count.isStatic() || count.value() > INT32_MAX)
    return false;
  int64_t bits = cast<MemRefType>(memref.getType()).getElementTypeBitWidth(), bytes = count.value() * bits / 8;
  return bits >= 8 * bytesOfWord || (bits >= 8 && bytes >= bytesOfWord && bytes <= INT32_MAX);
}

/// Words are gathered where elements are narrower. One that would end behind the buffer begins earlier, and is shifted.
Value Demand::gatherTogether(Value tensor, Value same, Value places, Value from) {
  Value memref = memory.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8, all = storage.extents.elementsOf(tensor).value() * bytes;
  auto vectorOf = [&](Type type) { return VectorType::get({int64_t(lanes)}, type); };
  if (bytes >= bytesOfWord) {
    Value none = zeroOf(vectorOf(stored));
    return fromStored(vector::GatherOp::create(b, loc, vectorOf(stored), memref, same, places, from, none), element);
  }
  Type i32 = b.getI32Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto all32 = [&](int64_t value) {
    return constantOf(DenseElementsAttr::get(vectorOf(i32), b.getI32IntegerAttr(value)));
  };
  auto toI64 = [&](Value index) -> Value { return arith::IndexCastOp::create(b, loc, b.getI64Type(), index); };
  Value first = arith::MulIOp::create(b, loc, same, indexOf(bytes));
  Value last = arith::SubIOp::create(b, loc, indexOf(all - bytesOfWord), first);
  Value wanted = arith::MulIOp::create(b, loc, places, all32(bytes));
  Value read = arith::MinSIOp::create(b, loc, wanted, spread(arith::IndexCastOp::create(b, loc, i32, last)));
  Value buffer = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value base = LLVM::IntToPtrOp::create(b, loc, pointer, toI64(arith::AddIOp::create(b, loc, buffer, first)));
  Value pointers = LLVM::GEPOp::create(b, loc, vectorOf(pointer), b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{read});
  Value words =
      LLVM::masked_gather::create(b, loc, vectorOf(i32), pointers, from, ValueRange(zeroOf(vectorOf(i32))), 1);
  Value bits = arith::ShLIOp::create(b, loc, arith::SubIOp::create(b, loc, wanted, read), all32(3));
  Value shifted = arith::ShRUIOp::create(b, loc, words, bits);
  Value narrow = arith::TruncIOp::create(b, loc, vectorOf(b.getIntegerType(bytes * 8)), shifted);
  if (!isa<IntegerType>(stored))
    narrow = arith::BitcastOp::create(b, loc, vectorOf(stored), narrow);
  return fromStored(narrow, element);
}

/// The lower half of each index. Of two registers one instruction chooses these, where LLVM would narrow each of them
/// and put the halves together.
static Value lowerHalves(OpBuilder &b, Location loc, Value indices, int64_t lanes) {
  auto narrow = VectorType::get({lanes}, b.getI32Type());
  auto cast = indices.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getIn().getType() == narrow)
    return cast.getIn();
  constexpr int64_t perRegister = 8;
  if (lanes != 2 * perRegister)
    return arith::IndexCastOp::create(b, loc, narrow, indices);
  Value all = arith::IndexCastOp::create(b, loc, VectorType::get({lanes}, b.getI64Type()), indices);
  SmallVector<Value> registers;
  for (int64_t first : {int64_t(0), perRegister}) {
    Value part = vector::ExtractStridedSliceOp::create(b, loc, all, ArrayRef<int64_t>{first},
                                                       ArrayRef<int64_t>{perRegister}, ArrayRef<int64_t>{1});
    registers.push_back(vector::BitCastOp::create(b, loc, narrow, part));
  }
  SmallVector<int64_t> even;
  for (int64_t lane = 0; lane < lanes; ++lane)
    even.push_back(2 * lane);
  return vector::ShuffleOp::create(b, loc, registers[0], registers[1], even);
}

/// The places of all lanes at once, in 32 bits. (Gathers of the machine are slower than one load per lane on many.)
Value Demand::gather(Value tensor, ArrayRef<Value> indices) {
  Value memref = memory.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Extent count = storage.extents.elementsOf(tensor);
  if (!memref || !count.isStatic() || count.value() > INT32_MAX)
    return Value();
  Extents strides =
      storage.strides.contains(tensor) ? storage.strides.lookup(tensor) : rowMajorStrides(storage.extents.of(tensor));
  auto type = VectorType::get({int64_t(lanes)}, b.getI32Type());
  bool together = gathers && canGather(tensor);
  Value same = indexOf(0), places, from = mask();
  // Lanes whose places do not exist are not asked for: that takes less than to let them have another one.
  if (together && wanted)
    from = arith::AndIOp::create(b, loc, from, wanted->right);
  for (const auto &[d, stride] : llvm::enumerate(strides)) {
    if (!isa<VectorType>(indices[d].getType())) {
      same = arith::AddIOp::create(b, loc, same, arith::MulIOp::create(b, loc, indices[d], indexOf(stride)));
      continue;
    }
    Value factor = constantOf(DenseElementsAttr::get(type, b.getI32IntegerAttr(stride.value())));
    Value index = together ? lowerHalves(b, loc, wanted ? wanted->indices[d] : indices[d], lanes)
                           : arith::IndexCastOp::create(b, loc, type, indices[d]).getResult();
    Value term = arith::MulIOp::create(b, loc, index, factor);
    places = places ? Value(arith::AddIOp::create(b, loc, places, term)) : term;
  }
  if (behind)
    places = arith::AddIOp::create(b, loc, places, behind);
  if (together)
    return gatherTogether(tensor, same, places, from);
  unsigned base = addSlot(same);
  return lanewise(element, [&](const Extent &lane) {
    Value place = vector::ExtractOp::create(b, loc, places, placeOf(lane));
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), place);
    return load(memref, Form::ofSlot(base) + Form::ofSlot(addSlot(index)), element);
  });
}
