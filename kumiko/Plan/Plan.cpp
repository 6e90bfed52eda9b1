//===- Plan.cpp - liveness, arena, the list of calls -----------------------===//
#include "kumiko/Plan/Plan.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Plan/Weights.h"
#include "kumiko/plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kumiko;

constexpr uint64_t arenaAlignment = 64;

/// The value whose bytes `value` has.
static Value underViews(Value value) {
  while (isa_and_nonnull<nn::ReshapeOp, nn::BitcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

static void appendNames(Location loc, llvm::SmallVectorImpl<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    if (!llvm::is_contained(names, name.getName().getValue()))
      names.push_back(name.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location inner : fused.getLocations())
      appendNames(inner, names);
  }
}

namespace {
class Planner {
public:
  Planner(ModuleOp module, StringRef name) : module(module) { program.name = name.str(); }

  FailureOr<Program> run() {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main)
      return module.emitError("there is no function @main to plan");
    describe(main);
    collectLifetimes(main);
    if (failed(assignArena(main)))
      return failure();
    for (auto call : main.getOps<nn::CallOp>())
      if (failed(addCall(call)))
        return failure();
    weights.finish(program);
    return std::move(program);
  }

private:
  ProgramValue describe(Type type, DictionaryAttr attributes, Twine fallback) {
    auto tensor = cast<RankedTensorType>(type);
    auto name = attributes ? attributes.getAs<StringAttr>("nn.name") : StringAttr();
    ProgramValue value;
    value.name = name ? name.str() : fallback.str();
    value.type = nn::toEquation(tensor).element;
    value.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    return value;
  }

  uint64_t byteCountOf(Value tensor) { return describe(tensor.getType(), {}, "").byteCount(); }

  void describe(func::FuncOp main) {
    for (auto [number, type] : llvm::enumerate(main.getArgumentTypes())) {
      program.inputs.push_back(describe(type, main.getArgAttrDict(number), "input" + Twine(number)));
      places[main.getArgument(number)] = {Space::Input, uint32_t(number), 0};
    }
    for (auto [number, type] : llvm::enumerate(main.getResultTypes()))
      program.outputs.push_back(describe(type, main.getResultAttrDict(number), "output" + Twine(number)));
    for (auto [number, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
      places[underViews(value)] = {Space::Output, uint32_t(number), 0};
  }

  /// A buffer lives from the call that writes it to the last call that reads it, views included.
  void collectLifetimes(func::FuncOp main) {
    uint64_t step = 0;
    for (auto call : main.getOps<nn::CallOp>()) {
      for (Value operand : call->getOperands())
        if (auto found = slots.find(underViews(operand)); found != slots.end())
          lifetimes[found->second].last = step;
      for (Value result : call->getResults())
        if (!places.contains(result)) {
          slots[result] = lifetimes.size();
          lifetimes.push_back({byteCountOf(result), step, step});
        }
      ++step;
    }
  }

  LogicalResult assignArena(func::FuncOp main) {
    std::vector<uint64_t> offsets(lifetimes.size());
    std::vector<uint64_t> workspace(kumiko_plan_workspace_bytes(lifetimes.size()) / sizeof(uint64_t) + 1);
    if (kumiko_plan_assign(lifetimes.data(), lifetimes.size(), arenaAlignment, offsets.data(), &program.arenaBytes,
                           workspace.data(), workspace.size() * sizeof(uint64_t)) != 0)
      return main.emitError("the network's intermediate results do not fit one address space");
    for (auto [value, slot] : slots)
      places[value] = {Space::Arena, 0, offsets[slot]};
    return success();
  }

  FailureOr<BufferRef> placeOf(Value value, const Packing *packing) {
    value = underViews(value);
    if (auto constant = value.getDefiningOp<nn::ConstantOp>()) {
      FailureOr<uint64_t> offset = weights.place(constant, packing);
      if (failed(offset))
        return failure();
      return BufferRef{Space::Weights, 0, *offset};
    }
    return places.lookup(value);
  }

  LogicalResult addCall(nn::CallOp call) {
    auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
    FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
    if (failed(schedule))
      return kernel.emitError("has no usable schedule");
    Block &body = kernel.getBody().front();
    KernelExtents extents;
    auto packings = packingsOf(shapeOfKernel(body, body.getTerminator()->getOperands(), extents), *schedule, body);
    KernelCall planned;
    planned.kernel = kernel.getName().str();
    planned.chunks = schedule->chunks.value();
    planned.scratchBytes = schedule->scratchBytes.value();
    program.scratchBytes = std::max<uint64_t>(program.scratchBytes, planned.scratchBytes);
    for (auto [number, operand] : llvm::enumerate(call->getOperands())) {
      const Packing *packing = packingOfArgument(packings, number);
      FailureOr<BufferRef> place = placeOf(operand, packing);
      if (failed(place))
        return failure();
      place->bytes = packing ? packing->elementCount() * packing->elementBytes : byteCountOf(operand);
      planned.buffers.push_back(*place);
    }
    planned.results = call->getNumResults();
    for (Value result : call->getResults()) {
      planned.buffers.push_back(places.lookup(result));
      planned.buffers.back().bytes = byteCountOf(result);
    }
    SmallVector<StringRef> names;
    appendNames(call.getLoc(), names);
    planned.nodes = llvm::join(names, ",");
    program.calls.push_back(std::move(planned));
    return success();
  }

  ModuleOp module;
  Program program;
  WeightsBuilder weights;
  llvm::DenseMap<Value, BufferRef> places;
  llvm::MapVector<Value, size_t> slots;
  std::vector<kumiko_lifetime> lifetimes;
};
} // namespace

FailureOr<Program> kumiko::planProgram(ModuleOp module, StringRef name) { return Planner(module, name).run(); }

void kumiko::annotate(ModuleOp module, const Program &program) {
  Builder b(module.getContext());
  auto main = module.lookupSymbol<func::FuncOp>("main");
  main->setAttr("nn.arena_bytes", b.getI64IntegerAttr(program.arenaBytes));
  main->setAttr("nn.weights_bytes", b.getI64IntegerAttr(program.weightsBytes));
  for (auto [call, planned] : llvm::zip_equal(main.getOps<nn::CallOp>(), program.calls)) {
    SmallVector<std::string> texts;
    for (const BufferRef &buffer : planned.buffers) {
      constexpr StringRef spaces[] = {"input", "output", "weights", "arena"};
      bool numbered = buffer.space == Space::Input || buffer.space == Space::Output;
      texts.push_back(
          (spaces[uint32_t(buffer.space)] + (numbered ? Twine(buffer.number) : "+" + Twine(buffer.offset))).str());
    }
    call->setAttr("buffers", b.getStrArrayAttr(llvm::to_vector_of<StringRef>(texts)));
  }
}
