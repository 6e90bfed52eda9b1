#include "kumiko/Codegen/Cpu/Registers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// What the instructions choose: words of 32 bits, as many to a register as there are lanes, or of 64, half as many.
constexpr unsigned narrowWord = 32, wideWord = 64;
/// A row is held by at most so many registers.
constexpr int64_t mostRegisters = 4;

static unsigned wordOf(Type stored) { return stored.getIntOrFloatBitWidth() <= narrowWord ? narrowWord : wideWord; }

bool kumiko::cpu::fitsRegisters(const Extent &length, Type stored, unsigned lanes) {
  if (!length.isStatic() || !stored.isIntOrFloat() || stored.getIntOrFloatBitWidth() % 8 != 0)
    return false;
  unsigned word = wordOf(stored);
  bool canChoose = lanes == lanesOfAvx512 || (lanes == lanesOfAvx2 && word == narrowWord);
  return canChoose && length.value() > 0 && length.value() <= mostRegisters * lanes * narrowWord / word;
}

/// `count` lanes of a vector from `first` on.
static Value slice(OpBuilder &b, Location loc, Value vector, int64_t first, int64_t count) {
  if (cast<VectorType>(vector.getType()).getNumElements() == count)
    return vector;
  return vector::ExtractStridedSliceOp::create(b, loc, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
                                               ArrayRef<int64_t>{1});
}

/// The words at the places of one register, of which `start` is that of the first; their registers are a power of two.
/// The instructions look at no more bits of a place than they need.
static Value permute(OpBuilder &b, Location loc, ArrayRef<Value> words, Value places, int64_t start = 0) {
  auto type = cast<VectorType>(places.getType());
  bool isWide = type.getElementType().isInteger(wideWord);
  bool isAvx512 = type.getNumElements() * type.getElementTypeBitWidth() == lanesOfAvx512 * narrowWord;
  auto call = [&](StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), operands).getResult(0);
  };
  if (words.size() == 1)
    return call(!isAvx512 ? "llvm.x86.avx2.permd"
                : isWide  ? "llvm.x86.avx512.permvar.di.512"
                          : "llvm.x86.avx512.permvar.si.512",
                {words[0], places});
  if (words.size() == 2 && isAvx512)
    return call(isWide ? "llvm.x86.avx512.vpermi2var.q.512" : "llvm.x86.avx512.vpermi2var.d.512",
                {words[0], places, words[1]});
  size_t half = words.size() / 2;
  int64_t middle = start + int64_t(half) * type.getNumElements();
  Value low = permute(b, loc, words.take_front(half), places, start);
  Value high = permute(b, loc, words.drop_front(half), places, middle);
  Attribute number = b.getIntegerAttr(type.getElementType(), middle);
  Value border = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
  Value isLow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, places, border);
  return arith::SelectOp::create(b, loc, isLow, low, high);
}

Value kumiko::cpu::chooseFromRow(OpBuilder &b, Location loc, ArrayRef<Value> parts, int64_t length, Value places) {
  auto rowType = cast<VectorType>(parts[0].getType());
  Type stored = rowType.getElementType();
  int64_t lanes = rowType.getNumElements(), word = wordOf(stored), inRegister = lanes * narrowWord / word;
  auto vectorOf = [&](Type element) { return VectorType::get({lanes}, element); };
  Type bits = b.getIntegerType(stored.getIntOrFloatBitWidth()), words = b.getIntegerType(word);
  SmallVector<Value> registers;
  for (Value part : parts) {
    if (bits != stored)
      part = arith::BitcastOp::create(b, loc, vectorOf(bits), part);
    if (bits != words)
      part = arith::ExtUIOp::create(b, loc, vectorOf(words), part);
    for (int64_t first = 0; first < lanes; first += inRegister)
      registers.push_back(slice(b, loc, part, first, inRegister));
  }
  int64_t used = llvm::divideCeil(length, inRegister);
  registers.resize(llvm::PowerOf2Ceil(used), registers[used - 1]);
  Value numbers = arith::IndexCastOp::create(b, loc, vectorOf(words), places), chosen;
  if (inRegister == lanes) {
    chosen = permute(b, loc, registers, numbers);
  } else {
    chosen = numbers;
    for (int64_t first = 0; first < lanes; first += inRegister) {
      Value some = permute(b, loc, registers, slice(b, loc, numbers, first, inRegister));
      chosen =
          vector::InsertStridedSliceOp::create(b, loc, some, chosen, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
    }
  }
  if (bits != words)
    chosen = arith::TruncIOp::create(b, loc, vectorOf(bits), chosen);
  return bits == stored ? chosen : Value(arith::BitcastOp::create(b, loc, vectorOf(stored), chosen));
}
