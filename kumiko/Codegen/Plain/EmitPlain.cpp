//===- EmitPlain.cpp - kernels as linalg ops on memory -----------------------===//
//
// Each op of the body in turn, its buffers row-major and without holes; nothing looks at what a kernel computes.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Common/Entry.h"
#include "kumiko/Codegen/Common/KernelFunction.h"
#include "kumiko/Codegen/Common/Routine.h"
#include "kumiko/Codegen/Plain/Passes.h"
#include "kumiko/Codegen/Plain/Places.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Schedule/Schedule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "runtime/include/kumiko/kumiko.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kumiko {
#define GEN_PASS_DEF_EMITPLAINPASS
#include "kumiko/Codegen/Plain/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using plain::Places;

static bool makesTensor(Operation &op) { return op.getNumResults() && isa<TensorType>(op.getResult(0).getType()); }

namespace {
class Emitter {
public:
  Emitter(OpBuilder &b, func::FuncOp function, nn::KernelOp kernel, KernelExtents &extents,
          ArrayRef<std::string> symbols)
      : b(b), loc(kernel.getLoc()), extents(extents), places(kernel, extents), body(kernel.getBody().front()),
        module(function->getParentOfType<ModuleOp>()), block(&function.getBody().front()),
        entry(block, loc, block->getArgument(1), symbols) {}

  LogicalResult emit();

private:
  void emitOp(Operation &op);
  void emit(linalg::GenericOp op);
  void emit(linalg::FillOp op) { fill(op.value(), memoryOf(op.getResult(0))); }
  /// In the body of another op only elements of it are read.
  void emit(tensor::SplatOp op) { op->getBlock() == &body ? fill(op.getInput(), memoryOf(op)) : void(); }
  void emit(tensor::PadOp op);
  void emit(tensor::ExtractSliceOp op) { copy(part(memoryOf(op.getSource()), op, op.getResult()), memoryOf(op)); }
  void emit(tensor::InsertSliceOp op);
  void emit(tensor::ExtractOp op);
  void emit(nn::ExtentOp op) { scalars.map(op.getResult(), index(op.getValue())); }

  Value index(const Extent &extent) { return entry.valueOf(extent); }
  OpFoldResult number(const Extent &extent) {
    return extent.isStatic() ? OpFoldResult(b.getIndexAttr(extent.value())) : OpFoldResult(index(extent));
  }
  SmallVector<OpFoldResult> numbers(ArrayRef<OpFoldResult> mixed) {
    return llvm::map_to_vector(mixed, [&](OpFoldResult each) { return number(KernelExtents::ofIndex(each)); });
  }
  SmallVector<int64_t> shapeOf(Value tensor) {
    return llvm::map_to_vector(extents.of(tensor), [](const Extent &extent) {
      return extent.isStatic() ? extent.value() : ShapedType::kDynamic;
    });
  }
  Value scalar(Value of) { return scalars.lookupOrDefault(of); }
  /// As memory holds elements of this type, and a scalar of it there and back.
  Type stored(Type element) { return storageOf(RankedTensorType::get({}, element), 1).getElementType(); }
  Value toMemory(Value scalar);
  Value fromMemory(Value scalar, Type type);

  /// Buffer number `number`, as a tensor of this shape.
  Value buffer(unsigned number, Value shapedLike);
  Value view(Value pointer, const Extent &offset, Value shapedLike);
  /// The tensor in its memory, which may have another shape there.
  Value memoryOf(Value tensor);
  /// The part that a slice is, of the shape of `shapedLike`.
  Value part(Value memory, OffsetSizeAndStrideOpInterface slice, Value shapedLike);
  void copy(Value from, Value to) { linalg::CopyOp::create(b, loc, from, to); }
  void fill(Value with, Value memory) { linalg::FillOp::create(b, loc, toMemory(scalar(with)), memory); }
  /// What the destination holds, where it is not written in place.
  void bringOver(OpResult result, Value destination);

  OpBuilder &b;
  Location loc;
  KernelExtents &extents;
  Places places;
  Block &body;
  ModuleOp module;
  Block *block;
  Entry entry;
  IRMapping scalars;
  /// Set once a place that does not exist was chosen; null where none is chosen.
  Value outside;
  bool refused = false;
};
} // namespace

Value Emitter::toMemory(Value scalar) {
  Type type = stored(scalar.getType());
  return type == scalar.getType() ? scalar : arith::ExtUIOp::create(b, loc, type, scalar).getResult();
}

Value Emitter::fromMemory(Value scalar, Type type) {
  if (type == scalar.getType())
    return scalar;
  // A truth value is set where its byte is not 0.
  Value zero = entry.constantOf(b.getIntegerAttr(scalar.getType(), 0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, scalar, zero);
}

Value Emitter::view(Value pointer, const Extent &offset, Value shapedLike) {
  Value bytes = memrefFromPointer(b, loc, pointer, MemRefType::get({ShapedType::kDynamic}, b.getI8Type()));
  SmallVector<Value> sizes;
  for (const Extent &extent : extents.of(shapedLike))
    if (!extent.isStatic())
      sizes.push_back(index(extent));
  auto type = MemRefType::get(shapeOf(shapedLike), stored(getElementTypeOrSelf(shapedLike)));
  return memref::ViewOp::create(b, loc, type, bytes, index(offset), sizes);
}

Value Emitter::buffer(unsigned number, Value shapedLike) {
  return view(bufferPointer(b, loc, block->getArgument(0), int32_t(number)), 0, shapedLike);
}

Value Emitter::memoryOf(Value tensor) {
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return constantTable(b, module, elements);
  std::optional<unsigned> number = places.bufferOf(tensor);
  return number ? buffer(*number, tensor) : view(block->getArgument(3), places.scratchOffsetOf(tensor), tensor);
}

Value Emitter::part(Value memory, OffsetSizeAndStrideOpInterface slice, Value shapedLike) {
  auto at = numbers(slice.getMixedOffsets()), sizes = numbers(slice.getMixedSizes()),
       strides = numbers(slice.getMixedStrides());
  auto type = memref::SubViewOp::inferRankReducedResultType(shapeOf(shapedLike), cast<MemRefType>(memory.getType()), at,
                                                            sizes, strides);
  return memref::SubViewOp::create(b, loc, type, memory, at, sizes, strides);
}

void Emitter::bringOver(OpResult result, Value destination) {
  Value root = plain::rootOf(destination);
  if (root != plain::rootOf(result) && !root.getDefiningOp<tensor::EmptyOp>())
    copy(memoryOf(destination), memoryOf(result));
}

/// The element that data or arithmetic choose; a place that does not exist is not read, and told if checked.
void Emitter::emit(tensor::ExtractOp op) {
  auto splat = op.getTensor().getDefiningOp<tensor::SplatOp>();
  Value memory = splat ? Value() : memoryOf(op.getTensor()), inside = entry.constantOf(b.getBoolAttr(true)),
        allowed = inside;
  SmallVector<Value> at = llvm::map_to_vector(op.getIndices(), [&](Value each) { return scalar(each); });
  auto checked = op->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute);
  for (auto [d, place] : llvm::enumerate(at)) {
    Value extent = index(extents.of(op.getTensor())[d]);
    Value good = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, extent);
    inside = arith::AndIOp::create(b, loc, inside, good);
    if (checked && llvm::is_contained(checked.asArrayRef(), int64_t(d)))
      allowed = arith::AndIOp::create(b, loc, allowed, good);
  }
  if (checked) {
    if (!outside)
      outside = entry.failure();
    Value zero = index(0), before = memref::LoadOp::create(b, loc, outside, zero);
    Value error = entry.constantOf(b.getI32IntegerAttr(KUMIKO_E_INDEX));
    memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, allowed, before, error), outside, zero);
  }
  if (splat)
    return scalars.map(op.getResult(), scalar(splat.getInput()));
  Value none = entry.constantOf(b.getZeroAttr(stored(op.getType())));
  auto read = scf::IfOp::create(
      b, loc, inside,
      [&](OpBuilder &then, Location) {
        scf::YieldOp::create(then, loc, memref::LoadOp::create(then, loc, memory, at).getResult());
      },
      [&](OpBuilder &otherwise, Location) { scf::YieldOp::create(otherwise, loc, none); });
  scalars.map(op.getResult(), fromMemory(read.getResult(0), op.getType()));
}

void Emitter::emit(linalg::GenericOp op) {
  SmallVector<Value> ins, outs;
  for (Value operand : op.getDpsInputs())
    ins.push_back(isa<RankedTensorType>(operand.getType()) ? memoryOf(operand) : scalar(operand));
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    if (!op.getRegionOutputArgs()[number].use_empty() || op.getNumReductionLoops())
      bringOver(cast<OpResult>(result), op.getDpsInits()[number]);
    outs.push_back(memoryOf(result));
  }
  auto emitBody = [&](OpBuilder &, Location, ValueRange arguments) {
    for (auto [old, now] : llvm::zip_equal(op.getBody()->getArguments(), arguments))
      scalars.map(old, fromMemory(now, old.getType()));
    for (Operation &inner : op.getBody()->without_terminator())
      emitOp(inner);
    auto results = op.getBody()->getTerminator()->getOperands();
    linalg::YieldOp::create(b, loc, llvm::map_to_vector(results, [&](Value each) { return toMemory(scalar(each)); }));
  };
  linalg::GenericOp::create(b, loc, TypeRange(), ins, outs, op.getIndexingMapsArray(), op.getIteratorTypesArray(),
                            emitBody);
}

void Emitter::emit(tensor::PadOp op) {
  Value filler = op.getConstantPaddingValue(), memory = memoryOf(op);
  if (!filler) {
    op.emitError("is padded with what is no constant");
    refused = true;
    return;
  }
  TypedAttr known; // may stand inside of the op
  fill(matchPattern(filler, m_Constant(&known)) ? entry.constantOf(known) : filler, memory);
  SmallVector<OpFoldResult> ones(op.getType().getRank(), b.getIndexAttr(1)), low = numbers(op.getMixedLowPad());
  auto sizes = llvm::map_to_vector(extents.of(op.getSource()), [&](const Extent &each) { return number(each); });
  copy(memoryOf(op.getSource()), memref::SubViewOp::create(b, loc, memory, low, sizes, ones));
}

void Emitter::emit(tensor::InsertSliceOp op) {
  bringOver(cast<OpResult>(op.getResult()), op.getDest());
  copy(memoryOf(op.getSource()), part(memoryOf(op), op, op.getSource()));
}

void Emitter::emitOp(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<linalg::GenericOp, linalg::FillOp, tensor::SplatOp, tensor::PadOp, tensor::ExtractSliceOp,
            tensor::InsertSliceOp, tensor::ExtractOp, nn::ExtentOp>([&](auto each) { emit(each); })
      .Case<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, tensor::BitcastOp>(
          [](auto) {}) // nothing moves
      .Default([&](Operation *other) {
        DenseElementsAttr elements; // a table is made where it is read
        if (!makesTensor(*other))
          b.clone(*other, scalars);
        else if (!matchPattern(other, m_Constant(&elements)))
          refused = failed(other->emitError("has no plain loops"));
      });
}

LogicalResult Emitter::emit() {
  entry.anchor = arith::IndexCastOp::create(b, loc, b.getIndexType(), block->getArgument(2));
  for (Operation &op : body.without_terminator())
    emitOp(op);
  for (auto [number, result] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (unsigned to = body.getNumArguments() + number;
        places.bufferOf(result) != to && !plain::rootOf(result).getDefiningOp<tensor::EmptyOp>())
      copy(memoryOf(result), buffer(to, result));
  Value zero = entry.constantOf(b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, loc, outside ? memref::LoadOp::create(b, loc, outside, index(0)).getResult() : zero);
  return success(!refused && !entry.overflowed());
}

static LogicalResult emitKernel(nn::KernelOp kernel, ArrayRef<std::string> symbols) {
  KernelExtents extents;
  Block &body = kernel.getBody().front();
  auto routine = dyn_cast<nn::RoutineOp>(body.front());
  if (failed(routine ? checkRoutine(kernel, symbols) : checkSizes(kernel, extents, symbols)))
    return failure();
  OpBuilder b(kernel);
  func::FuncOp function = createFunction(b, kernel);
  if (routine) {
    emitRoutine(b, function, routine, body.getTerminator()->getOperands(), /*chunks=*/1, symbols);
    return success();
  }
  if (failed(Emitter(b, function, kernel, extents, symbols).emit()))
    return kernel.emitError("is not yet compiled to plain loops");
  return success();
}

namespace {
struct EmitPlain final : kumiko::impl::EmitPlainPassBase<EmitPlain> {
  void runOnOperation() override {
    SmallVector<nn::KernelOp> kernels(getOperation().getOps<nn::KernelOp>());
    SmallVector<std::string> symbols = symbolsOfProgram(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      function.erase();
    for (nn::KernelOp kernel : kernels) {
      if (failed(emitKernel(kernel, symbols)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
