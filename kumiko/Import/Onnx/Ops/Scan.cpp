#include "kumiko/Import/Onnx/Ops/Scan.h"
#include "kumiko/Nn/Nn.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Results makeScan(NodeContext &n, const ScanOperands &operands, llvm::function_ref<ValueList(ArrayRef<Value>)> body) {
  if (n.failed())
    return {};
  Extent steps = n.sizesOf(operands.sequences.front())[0];
  ValueList sequences;
  for (Value sequence : operands.sequences) {
    Sizes sizes = n.sizesOf(sequence);
    if (!n.agree(sizes[0], steps, "sequences have as many steps")) {
      n.fail(Code::OperandShape,
             "sequences of " + steps.str() + " and of " + sizes[0].str() + " steps cannot be read together");
      return {};
    }
    sizes[0] = steps;
    sequences.push_back(n.reshape(sequence, sizes));
  }
  if (n.failed())
    return {};
  OpBuilder &builder = n.builder();
  Region region;
  SmallVector<mlir::Type> types;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&region);
    for (Value value : operands.states)
      block->addArgument(value.getType(), n.location());
    for (Value value : sequences)
      block->addArgument(nn::ScanOp::sliceOf(value.getType()), n.location());
    for (Value value : operands.shared)
      block->addArgument(value.getType(), n.location());
    SmallVector<Value> arguments(block->getArguments());
    ValueList yielded = body(arguments);
    if (n.failed())
      return {};
    for (auto [next, first] : zip(yielded, operands.states))
      next = n.reshape(next, n.sizesOf(first));
    for (Value value : ArrayRef(yielded).drop_front(operands.states.size())) {
      Sizes shape{steps};
      append_range(shape, n.sizesOf(value));
      types.push_back(n.typeOf(shape, n.elementOf(value)));
    }
    if (n.failed())
      return {};
    nn::YieldOp::create(builder, n.location(), yielded);
  }
  auto scan =
      nn::ScanOp::create(builder, n.location(), operands.states, sequences, operands.shared, types, operands.reverse);
  scan.getBody().takeBody(region);
  return Results(scan.getValues());
}

} // namespace kumiko::onnx
