//===- PlanCalls.cpp - the list of calls ------------------------------------===//
#include "kumiko/Plan/Planner.h"

using namespace mlir;
using namespace kumiko;

LogicalResult Planner::addCalls(Block &block, uint32_t loops) {
  for (Operation &op : block) {
    LogicalResult added = success();
    if (auto call = dyn_cast<nn::CallOp>(op))
      added = addCall(call, loops);
    else if (op.getNumRegions() != 0)
      added = addNest(&op, loops);
    if (failed(added))
      return failure();
  }
  return success();
}

LogicalResult Planner::addNest(Operation *op, uint32_t loops) {
  size_t number = program.calls.size();
  ProgramCall planned;
  planned.kind = isa<nn::IfOp>(op) ? CallKind::Choice : CallKind::Loop;
  planned.loops = loops;
  planned.nodes = sourceNodes(op->getLoc());
  planned.scope = scopeOf(*op->getBlock());
  if (auto scan = dyn_cast<nn::ScanOp>(op)) {
    planned.chunks = stepsOf(scan);
  } else {
    FailureOr<ValuePlace> condition = placeOf(op->getOperand(0), nullptr);
    if (failed(condition))
      return failure();
    planned.buffers.push_back(resolved(*condition));
  }
  if (auto loop = dyn_cast<nn::LoopOp>(op)) {
    planned.chunks = *nn::extentOf(loop.getMostAttr());
    planned.level = callLevels.lookup(loop);
    if (StringAttr turns = nn::turnsOf(loop))
      planned.turns = turns.str();
    planned.buffers.front().steps.push_back({loops, LoopStep::Kind::Odd, strideOf(loop.getCondition())});
    planned.buffers.push_back(resolved(places.lookup(loop.getBody().getArgument(0))));
  }
  for (Value result : op->getResults()) {
    planned.ends.push_back(resolved(places.lookup(result)));
    planned.ends.back().bytes = bytesOf(result);
  }
  program.calls.push_back(std::move(planned));
  bool repeats = !isa<nn::IfOp>(op);
  for (auto [which, region] : llvm::enumerate(op->getRegions())) {
    size_t first = program.calls.size();
    if (failed(addCalls(region.front(), loops + repeats)))
      return failure();
    ProgramCall &nest = program.calls[number];
    (which == 0 ? nest.body : nest.otherwise) = program.calls.size() - first;
    if (nest.kind == CallKind::Choice)
      (which == 0 ? nest.level : nest.otherwiseLevel) = scopes.lookup(&region.front());
  }
  return success();
}

void Planner::addOmitted(nn::CallOp call) {
  bool isNested = call->getBlock()->getParentOp() != module.lookupSymbol("main");
  program.omitted.push_back({program.calls.size(), originOf(call), sourceNodes(call.getLoc()), isNested});
}

std::string Planner::originOf(nn::CallOp call) {
  auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
  auto origin = kernel->getAttrOfType<FlatSymbolRefAttr>(nn::variantOfAttrName);
  return (origin ? origin.getValue() : kernel.getName()).str();
}

void Planner::describeApart(Value value, BufferRef &buffer) {
  const JoinedPart *part = joins.partOf(value);
  if (!part || part->strides.empty())
    return;
  SmallVector<Extent, 4> extents = extentsOf(value);
  Extent last = 0;
  for (auto [extent, stride] : llvm::zip_equal(extents, part->strides))
    last += (extent - 1) * stride;
  buffer.elementBytes = elementBytesOf(value);
  buffer.bytes = max((last + 1) * int64_t(buffer.elementBytes), 0); // a part may turn out to be empty
  buffer.extents.assign(extents.begin(), extents.end());
  buffer.strides.assign(part->strides.begin(), part->strides.end());
  buffer.isPartial = true;
}

LogicalResult Planner::addCall(nn::CallOp call, uint32_t loops) {
  if (!isRun(call))
    return addOmitted(call), success();
  auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
  FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
  if (failed(schedule))
    return kernel.emitError("has no usable schedule");
  FailureOr<Layouts> layouts = Layouts::of(kernel);
  if (failed(layouts))
    return failure();
  Block &body = kernel.getBody().front();
  KernelExtents extents;
  auto packings = packingsOf(shapeOfKernel(body, body.getTerminator()->getOperands(), extents), *schedule, body);
  ProgramCall planned;
  planned.kernel = kernel.getName().str();
  planned.chunks = schedule->chunks;
  planned.scratchBytes = schedule->scratchBytes;
  planned.loops = loops;
  planned.level = callLevels.lookup(call);
  planned.scope = scopeOf(*call->getBlock());
  if (planned.scratchBytes.isStatic())
    program.scratchBytes = std::max<uint64_t>(program.scratchBytes, planned.scratchBytes.value());
  for (auto [number, operand] : llvm::enumerate(call->getOperands())) {
    const Packing *packing = packingOfArgument(packings, number);
    FailureOr<ValuePlace> place = placeOf(operand, packing);
    if (failed(place))
      return failure();
    planned.buffers.push_back(resolved(*place));
    planned.buffers.back().bytes = packing ? Extent(packing->storedBytes()) : bytesOf(nn::underViews(operand));
    describeApart(operand, planned.buffers.back());
  }
  planned.results = call->getNumResults();
  for (Value result : call->getResults()) {
    planned.buffers.push_back(resolved(places.lookup(result)));
    planned.buffers.back().bytes = bytesOf(result);
    planned.buffers.back().isPartial = !layouts->placed.empty();
    describeApart(result, planned.buffers.back());
  }
  planned.origin = originOf(call);
  planned.nodes = sourceNodes(call.getLoc());
  program.calls.push_back(std::move(planned));
  return success();
}
