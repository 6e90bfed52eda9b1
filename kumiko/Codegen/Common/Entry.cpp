//===- Entry.cpp - what a kernel computes once, before its loops ------------===//
#include "kumiko/Codegen/Common/Entry.h"
#include "kumiko/Extents/ExtentCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kumiko;

Entry::Entry(Block *block, Location loc, Value table, ArrayRef<std::string> names)
    : block(block), loc(loc), table(table), names(names) {}

Value Entry::constantOf(TypedAttr value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder b = OpBuilder::atBlockBegin(block);
    constant = arith::ConstantOp::create(b, loc, value);
  }
  return constant;
}

OpBuilder Entry::atAnchor() {
  assert(anchor && "expressions have a place");
  return OpBuilder(anchor);
}

Value Entry::failure() {
  OpBuilder b = atAnchor();
  Value memory = memref::AllocaOp::create(b, loc, MemRefType::get({1}, b.getI32Type()));
  memref::StoreOp::create(b, loc, constantOf(b.getI32IntegerAttr(0)), memory, valueOf(0));
  return memory;
}

Value Entry::valueOf(const Extent &extent) {
  if (extent.isStatic())
    return constantOf(Builder(loc.getContext()).getIndexAttr(extent.value()));
  if (extent.overflowed()) {
    tooLarge = true;
    return valueOf(0);
  }
  std::string text = extent.str();
  if (Value value = values.lookup(text))
    return value;
  return values[text] = compute(extent);
}

Value Entry::symbolOf(StringRef name) {
  if (Value value = values.lookup(name))
    return value;
  OpBuilder b = atAnchor();
  Type pointer = table.getType(), i64 = b.getI64Type();
  auto number = int32_t(llvm::find(names, name) - names.begin());
  Value place = LLVM::GEPOp::create(b, loc, pointer, i64, table, LLVM::GEPArg(number));
  Value loaded = LLVM::LoadOp::create(b, loc, i64, place);
  return values[name] = arith::IndexCastOp::create(b, loc, b.getIndexType(), loaded);
}

/// Rounds down. A size by which something is divided may be 0, and then there is nothing to compute; but the division
/// itself must not trap.
static Value divide(OpBuilder &b, Location loc, Value lhs, Value rhs, Value zero, Value one) {
  if (!matchPattern(rhs, m_Constant())) {
    Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rhs, zero);
    rhs = arith::SelectOp::create(b, loc, none, one, rhs);
  }
  return arith::FloorDivSIOp::create(b, loc, lhs, rhs);
}

Value Entry::compute(const Extent &extent) {
  SmallVector<Value> stack;
  for (const ExtentStep &step : codeOf(extent)) {
    if (step.kind == ExtentStep::Kind::Constant || step.kind == ExtentStep::Kind::Symbol) {
      stack.push_back(step.kind == ExtentStep::Kind::Symbol ? symbolOf(step.name) : valueOf(step.value));
      continue;
    }
    Value rhs = stack.pop_back_val(), &lhs = stack.back();
    Value zero = valueOf(0), one = valueOf(1);
    OpBuilder b = atAnchor();
    switch (step.kind) {
    case ExtentStep::Kind::Add:
      lhs = arith::AddIOp::create(b, loc, lhs, rhs);
      break;
    case ExtentStep::Kind::Multiply:
      lhs = arith::MulIOp::create(b, loc, lhs, rhs);
      break;
    case ExtentStep::Kind::FloorDiv:
      lhs = divide(b, loc, lhs, rhs, zero, one);
      break;
    case ExtentStep::Kind::Max:
      lhs = arith::MaxSIOp::create(b, loc, lhs, rhs);
      break;
    case ExtentStep::Kind::Min:
      lhs = arith::MinSIOp::create(b, loc, lhs, rhs);
      break;
    default: // broadcast
      Value single = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lhs, one);
      lhs = arith::SelectOp::create(b, loc, single, rhs, lhs);
    }
  }
  return stack.back();
}

Value Entry::maskOf(const Extent &active, unsigned lanes) {
  auto type = VectorType::get({int64_t(lanes)}, IntegerType::get(loc.getContext(), 1));
  if (active.isStatic()) {
    SmallVector<bool> bits;
    for (unsigned lane = 0; lane < lanes; ++lane)
      bits.push_back(lane < active.value());
    return constantOf(DenseElementsAttr::get(type, bits));
  }
  Value &mask = masks[active.str()];
  if (!mask) {
    Value count = valueOf(active);
    OpBuilder b = atAnchor();
    mask = vector::CreateMaskOp::create(b, loc, type, count);
  }
  return mask;
}
