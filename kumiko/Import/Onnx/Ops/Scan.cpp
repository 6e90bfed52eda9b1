#include "kumiko/Import/Onnx/Ops/Scan.h"
#include "kumiko/Nn/Nn.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Results makeScan(NodeContext &n, const ScanOperands &operands, llvm::function_ref<ValueList(ArrayRef<Value>)> body) {
  if (n.failed())
    return {};
  int64_t steps = n.shapeOf(operands.sequences.front())[0];
  for (Value sequence : operands.sequences)
    if (n.shapeOf(sequence)[0] != steps) {
      n.fail(Code::OperandShape, "sequences of " + Twine(steps) + " and of " + Twine(n.shapeOf(sequence)[0]) +
                                     " steps cannot be read together");
      return {};
    }
  OpBuilder &builder = n.builder();
  Region region;
  SmallVector<mlir::Type> types;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&region);
    for (Value value : operands.states)
      block->addArgument(value.getType(), n.location());
    for (Value value : operands.sequences)
      block->addArgument(nn::ScanOp::sliceOf(value.getType()), n.location());
    for (Value value : operands.shared)
      block->addArgument(value.getType(), n.location());
    SmallVector<Value> arguments(block->getArguments());
    ValueList yielded = body(arguments);
    if (n.failed())
      return {};
    for (Value value : ArrayRef(yielded).drop_front(operands.states.size())) {
      Ints shape{steps};
      append_range(shape, n.shapeOf(value));
      types.push_back(n.typeOf(shape, n.elementOf(value)));
    }
    if (n.failed())
      return {};
    nn::YieldOp::create(builder, n.location(), yielded);
  }
  auto scan = nn::ScanOp::create(builder, n.location(), operands.states, operands.sequences, operands.shared, types,
                                 operands.reverse);
  scan.getBody().takeBody(region);
  return Results(scan.getValues());
}

} // namespace kumiko::onnx
