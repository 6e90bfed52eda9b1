//===- Running.cpp - running sums, in one pass ------------------------------===//
//
//   sum = start;  for j: sum += x[j], result[j] = sum
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/OrderedShare.h"
#include "kumiko/Kernel/KernelShape.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

namespace {
class RunningEmitter {
public:
  explicit RunningEmitter(Kernel &k) : k(k), shape(k.shape.running), op(shape.op), share(k, shape.loops) {}

  void emit() {
    share.outer([&] { share.alongLanes([&] { row(); }); });
  }

private:
  AffineMap result() { return op.getIndexingMapsArray().back(); }

  void row() {
    const Extent &length = shape.loops.extents[shape.along];
    Value start = k.demand.at(op.getDpsInits()[0], applyMap(result(), share.point));
    if (shape.loops.lane)
      start = k.demand.spread(start);
    k.loop(0, length, 1, {start}, [&](Form number, ArrayRef<Value> before) {
      Form at = shape.reverse ? number * -1 + Form(length - 1) : number;
      share.point[shape.along] = at;
      Value next = add(at, before[0]);
      write(shape.exclusive ? before[0] : next);
      return SmallVector<Value>{next};
    });
  }

  Value add(const Form &at, Value sum) {
    // Where the condition of the body holds for this point: beside it, if the point itself does not count.
    Position inside = share.point;
    inside[shape.reduced] = at;
    if (shape.exclusive)
      inside[shape.along] = at + Form(shape.reverse ? -1 : 1);
    SmallVector<Value> arguments(op->getNumOperands());
    arguments.back() = sum;
    return k.demand.body(op, inside, arguments)[0];
  }

  void write(Value sum) {
    k.demand.fix(op->getResult(0), sum);
    Position position = applyMap(result(), share.point);
    for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
      for (const Piece &piece : output.pieces)
        k.demand.store(k.demand.at(piece.source, position), memref, offsetOf(piece, position));
    k.demand.unfix(op->getResult(0));
  }

  Kernel &k;
  const RunningShape &shape;
  linalg::GenericOp op;
  OrderedShare share;
};
} // namespace

void kumiko::cpu::emitRunning(Kernel &k) { RunningEmitter(k).emit(); }
