//===- KeepRows.cpp - addresses of rows that data choose elements of ----------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko {
#define GEN_PASS_DEF_KEEPROWSPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// An address for fewer elements costs what it saves.
constexpr size_t fewestElements = 4;

/// Whether `value` is, but for steps that correct it, an element of memory or of a vector.
static bool isFromData(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<LLVM::LoadOp, LLVM::ExtractElementOp>(op))
    return true;
  bool corrects = isa_and_nonnull<LLVM::SelectOp, LLVM::ZExtOp, LLVM::SExtOp>(op);
  return corrects && isFromData(op->getOperands().back());
}

namespace {
/// An element at row + place.
struct Element {
  LLVM::GEPOp gep;
  Value place;
};
using Row = std::pair<Value, Value>;

struct KeepRows final : kumiko::impl::KeepRowsPassBase<KeepRows> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) {
      llvm::MapVector<Row, SmallVector<Element>> rows;
      for (auto gep : block->getOps<LLVM::GEPOp>()) {
        auto sum = gep.getDynamicIndices().size() == 1 && gep.getRawConstantIndices().size() == 1
                       ? gep.getDynamicIndices()[0].getDefiningOp<LLVM::AddOp>()
                       : LLVM::AddOp();
        if (!sum || sum.getType() != IntegerType::get(gep.getContext(), 64))
          continue;
        if (isFromData(sum.getRhs()) && !isFromData(sum.getLhs()))
          rows[{gep.getBase(), sum.getLhs()}].push_back({gep, sum.getRhs()});
      }
      for (const auto &[row, elements] : rows)
        if (elements.size() >= fewestElements)
          keep(row, elements);
    });
  }

  static void keep(Row row, ArrayRef<Element> elements) {
    LLVM::GEPOp first = elements.front().gep;
    OpBuilder b(first);
    Type type = first.getType(), element = first.getElemType();
    Value start = LLVM::GEPOp::create(b, first.getLoc(), type, element, row.first, LLVM::GEPArg(row.second));
    // LLVM takes addresses in loops apart, but not those whose origin it has to forget.
    Value kept = LLVM::LaunderInvariantGroupOp::create(b, first.getLoc(), type, start);
    for (auto [gep, place] : elements) {
      b.setInsertionPoint(gep);
      gep.replaceAllUsesWith(
          LLVM::GEPOp::create(b, gep.getLoc(), type, element, kept, LLVM::GEPArg(place)).getResult());
      gep.erase();
    }
  }
};
} // namespace
