//===- Plan.cpp - liveness, arena, the list of calls -----------------------===//
#include "kumiko/Plan/Plan.h"
#include "kumiko/Nn/Symbols.h"
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
    if (failed(describeSymbols(main)))
      return failure();
    describe(main);
    collectLifetimes(main);
    if (failed(program.isStatic() ? assignArena(main) : planLater(main)))
      return failure();
    for (auto call : main.getOps<nn::CallOp>())
      if (failed(addCall(call)))
        return failure();
    weights.finish(program);
    return std::move(program);
  }

private:
  /// Extents of a value between calls. Below Lower its type has plain `?`; the kernel that makes it says more.
  SmallVector<eq::Extent, 4> extentsOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    auto call = value.getDefiningOp<nn::CallOp>();
    if (type.hasStaticShape() || type.getEncoding() || !call)
      return nn::extentsOf(type);
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto extents = call->getAttrOfType<ArrayAttr>(nn::extentsAttrName))
      if (auto own = dyn_cast<nn::ExtentsAttr>(extents[number]))
        return SmallVector<eq::Extent, 4>(own.getExtents());
    auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
    return extentsOf(type, kernel.getResultAttrDict(number));
  }

  static SmallVector<eq::Extent, 4> extentsOf(RankedTensorType type, DictionaryAttr attributes) {
    auto extents = attributes ? attributes.getAs<nn::ExtentsAttr>(nn::extentsAttrName) : nn::ExtentsAttr();
    return extents ? SmallVector<eq::Extent, 4>(extents.getExtents()) : nn::extentsOf(type);
  }

  eq::Extent bytesOf(Value value) {
    return product(extentsOf(value)) * int64_t(kumiko::bytesOf(nn::toEquation(getElementTypeOrSelf(value.getType()))));
  }

  ProgramValue describe(Type type, DictionaryAttr attributes, Twine fallback) {
    auto tensor = cast<RankedTensorType>(type);
    auto name = attributes ? attributes.getAs<StringAttr>("nn.name") : StringAttr();
    ProgramValue value;
    value.name = name ? name.str() : fallback.str();
    value.type = nn::toEquation(tensor).element;
    SmallVector<eq::Extent, 4> extents = extentsOf(tensor, attributes);
    for (const eq::Extent &extent : extents)
      value.shape.push_back(extent.isStatic() ? extent.value() : -1);
    if (!value.isStatic())
      value.extents.assign(extents.begin(), extents.end());
    return value;
  }

  /// Symbols, the levels at which they are known, and what must hold of them.
  LogicalResult describeSymbols(func::FuncOp main) {
    llvm::StringMap<uint32_t> found; // by a call, the level that it begins
    uint64_t number = 0;
    for (auto call : main.getOps<nn::CallOp>()) {
      auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
      for (auto routine : kernel.getBody().getOps<nn::RoutineOp>())
        if (ArrayAttr symbols = routine.getSymbolsAttr()) {
          program.levelCalls.push_back(number);
          for (auto symbol : symbols.getAsRange<StringAttr>())
            found[symbol.getValue()] = program.levelCalls.size();
        }
      ++number;
    }
    for (const nn::Symbol &symbol : nn::symbolsOf(main)) {
      if (symbol.isData && !found.contains(symbol.name))
        return main.emitError() << "no call finds the symbol '" << symbol.name << "'";
      program.symbols.push_back({symbol.name, symbol.isData ? found.lookup(symbol.name) : 0});
      eq::Extent value = eq::Extent::symbol(symbol.name);
      if (symbol.lower > 0)
        program.demands.push_back({ProgramDemand::Kind::AtMost, symbol.lower, value, "'" + symbol.name + "'"});
      if (symbol.upper)
        program.demands.push_back({ProgramDemand::Kind::AtMost, value, *symbol.upper, "'" + symbol.name + "'"});
    }
    for (const nn::Check &check : nn::checksOf(main))
      program.demands.push_back({ProgramDemand::Kind(check.relation), check.lhs, check.rhs, check.message});
    return success();
  }

  /// 0 where the size is not known.
  uint64_t byteCountOf(Value tensor) {
    eq::Extent bytes = bytesOf(underViews(tensor));
    return bytes.isStatic() ? bytes.value() : 0;
  }

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
          eq::Extent bytes = bytesOf(result);
          slots[result] = lifetimes.size();
          sizes.push_back(bytes);
          lifetimes.push_back({bytes.isStatic() ? uint64_t(bytes.value()) : 0, step, step});
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

  /// Sizes are known when shapes are bound, so the runtime chooses the places.
  LogicalResult planLater(func::FuncOp main) {
    SmallVector<uint32_t> numbers(sizes.size());
    for (uint32_t level = 0; level <= program.levelCalls.size(); ++level)
      for (auto [slot, bytes] : llvm::enumerate(sizes)) {
        if (bytes.overflowed())
          return main.emitError("the size of an intermediate result is not known");
        if (program.levelOf(bytes) != level)
          continue;
        numbers[slot] = program.planned.size();
        program.planned.push_back({bytes, lifetimes[slot].first, lifetimes[slot].last});
      }
    for (auto [value, slot] : slots)
      places[value] = {Space::Planned, numbers[slot], 0};
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
    planned.chunks = schedule->chunks;
    planned.scratchBytes = schedule->scratchBytes;
    if (planned.scratchBytes.isStatic())
      program.scratchBytes = std::max<uint64_t>(program.scratchBytes, planned.scratchBytes.value());
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
  std::vector<eq::Extent> sizes; ///< in the order of lifetimes
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
      constexpr StringRef spaces[] = {"input", "output", "weights", "arena", "planned"};
      bool numbered = buffer.space != Space::Weights && buffer.space != Space::Arena;
      texts.push_back(
          (spaces[uint32_t(buffer.space)] + (numbered ? Twine(buffer.number) : "+" + Twine(buffer.offset))).str());
    }
    call->setAttr("buffers", b.getStrArrayAttr(llvm::to_vector_of<StringRef>(texts)));
  }
}
