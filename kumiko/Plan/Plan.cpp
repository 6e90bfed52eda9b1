//===- Plan.cpp - liveness, arena, the list of calls -----------------------===//
#include "kumiko/Plan/Plan.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Turns.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Nn/Views.h"
#include "kumiko/Plan/Joins.h"
#include "kumiko/Plan/Overwrites.h"
#include "kumiko/Plan/Weights.h"
#include "kumiko/plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/include/kumiko/artefact.h"

using namespace mlir;
using namespace kumiko;

constexpr uint64_t arenaAlignment = 64;

static void appendNames(Location loc, llvm::SmallVectorImpl<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    if (!llvm::is_contained(names, name.getName().getValue()))
      names.push_back(name.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location inner : fused.getLocations())
      appendNames(inner, names);
  }
}

std::string kumiko::sourceNodes(Location location) {
  SmallVector<StringRef> names;
  appendNames(location, names);
  return llvm::join(names, ",");
}

namespace {
/// A walk over the network in the order in which it runs finds places and lifetimes; a second one writes the calls. A
/// call is one step, a loop or choice has one before and one after what it holds.
class Planner {
public:
  Planner(ModuleOp module, StringRef name) : module(module) { program.name = name.str(); }

  FailureOr<Program> run() {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main)
      return module.emitError("there is no function @main to plan");
    Block &block = main.getBody().front();
    uint64_t calls = 0;
    hasSymbols = !nn::symbolsOf(main).empty();
    findJoins(main);
    if (failed(findLevels(block, calls)) || failed(describeSymbols(main)))
      return failure();
    describe(main);
    if (failed(collect(block, 0)) || failed(program.isStatic() ? assignArena(main) : planLater(main)) ||
        failed(addCalls(block, 0)))
      return failure();
    overwrites.narrowSchedules();
    weights.finish(program);
    return std::move(program);
  }

private:
  void findJoins(func::FuncOp main) {
    llvm::StringSet<> late;
    for (const nn::Symbol &symbol : nn::symbolsOf(main))
      if (symbol.isData)
        late.insert(symbol.name);
    joins.find(main.getBody().front(), late, [&](Value value) { return extentsOf(value); });
    joins.apply();
  }

  /// Extents of a value between calls. Below Lower its type has plain `?`; what makes it says more.
  SmallVector<eq::Extent, 4> extentsOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.hasStaticShape() || type.getEncoding())
      return nn::extentsOf(type);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return extentsOf(argument);
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto extents = value.getDefiningOp()->getAttrOfType<ArrayAttr>(nn::extentsAttrName))
      if (auto own = dyn_cast<nn::ExtentsAttr>(extents[number]))
        return SmallVector<eq::Extent, 4>(own.getExtents());
    auto call = value.getDefiningOp<nn::CallOp>();
    if (!call)
      return nn::extentsOf(type);
    auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
    return extentsOf(type, kernel.getResultAttrDict(number));
  }

  /// An argument has the extents of its operand; a slice of a sequence all but the first.
  SmallVector<eq::Extent, 4> extentsOf(BlockArgument argument) {
    Operation *op = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto function = dyn_cast<func::FuncOp>(op))
      return extentsOf(cast<RankedTensorType>(argument.getType()), function.getArgAttrDict(number));
    // A state may change its size with the turns.
    if (auto loop = dyn_cast<nn::LoopOp>(op); loop && number <= loop.getStates().size())
      return extentsOf(loop.getResult(number - 1));
    // The condition of a choice has no argument; that of a loop has the number of the turn in its place.
    SmallVector<eq::Extent, 4> extents = extentsOf(op->getOperand(number + (isa<nn::IfOp>(op) ? 1 : 0)));
    if (auto scan = dyn_cast<nn::ScanOp>(op))
      if (size_t states = scan.getStates().size(); number >= states && number < states + scan.getSequences().size())
        extents.erase(extents.begin());
    return extents;
  }

  static SmallVector<eq::Extent, 4> extentsOf(RankedTensorType type, DictionaryAttr attributes) {
    auto extents = attributes ? attributes.getAs<nn::ExtentsAttr>(nn::extentsAttrName) : nn::ExtentsAttr();
    return extents ? SmallVector<eq::Extent, 4>(extents.getExtents()) : nn::extentsOf(type);
  }

  eq::Extent bytesOf(Value value) { return product(extentsOf(value)) * elementBytesOf(value); }

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

  /// Begins a level at call number `first`.
  uint32_t newLevel(uint64_t first) {
    program.levels.push_back({first, first});
    return program.levels.size();
  }

  /// Whether a size within the loop depends on the turns done so far. Elsewhere only all of them count, once: sizes
  /// behind the loop may make no sense with fewer.
  bool usesTurns(nn::LoopOp loop) {
    llvm::StringSet<> names;
    loop.getBody().walk([&](Operation *op) {
      nn::addSymbolsOf(op, names);
      if (auto call = dyn_cast<nn::CallOp>(op))
        nn::addSymbolsOf(module.lookupSymbol(call.getCallee()), names);
    });
    for (Value state : loop.getResults().take_front(loop.getStates().size()))
      for (const eq::Extent &extent : extentsOf(state)) {
        SmallVector<StringRef> here;
        extent.symbols(here);
        names.insert_range(here);
      }
    return names.contains(nn::turnsOf(loop).getValue());
  }

  /// The levels of a program with symbols, in the order in which they begin: behind calls that find symbols, and in
  /// branches, whose shapes may make no sense unless they are taken.
  LogicalResult findLevels(Block &block, uint64_t &calls, bool branch = false) {
    SmallVector<uint32_t> begun;
    uint32_t scope = scopeOf(block);
    if (branch)
      begun.push_back(scope = scopes[&block] = newLevel(calls));
    for (Operation &op : block) {
      if (auto call = dyn_cast<nn::CallOp>(op)) {
        if (!isRun(call))
          continue;
        ++calls;
        auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
        for (auto routine : kernel.getBody().getOps<nn::RoutineOp>())
          if (ArrayAttr symbols = routine.getSymbolsAttr()) {
            begun.push_back(callLevels[call] = newLevel(calls));
            for (auto symbol : symbols.getAsRange<StringAttr>())
              if (!found.try_emplace(symbol.getValue(), program.levels.size()).second)
                return call.emitError() << "the symbol '" << symbol.getValue() << "' is found twice";
          }
      } else if (op.getNumRegions() != 0) {
        ++calls;
        if (!isa<nn::IfOp>(op) && ++around > KUMIKO_MAX_LOOPS)
          return op.emitError("loops are nested more than ") << KUMIKO_MAX_LOOPS << " deep";
        auto loop = dyn_cast<nn::LoopOp>(op);
        bool isCounted = loop && nn::turnsOf(loop), within = isCounted && usesTurns(loop);
        auto beginCounting = [&] {
          begun.push_back(callLevels[loop] = newLevel(calls));
          found[nn::turnsOf(loop).getValue()] = program.levels.size();
        };
        if (within)
          beginCounting();
        for (Region &region : op.getRegions())
          if (failed(findLevels(region.front(), calls, hasSymbols && isa<nn::IfOp>(op))))
            return failure();
        if (isCounted && !within)
          beginCounting();
        around -= !isa<nn::IfOp>(op);
      } else if (auto check = dyn_cast<nn::CheckOp>(op)) {
        addDemand(nn::checkOf(check.getRow()), scope);
      }
    }
    for (uint32_t level : begun)
      program.levels[level - 1].last = calls;
    return success();
  }

  void addDemand(const nn::Check &check, uint32_t scope) {
    program.demands.push_back({ProgramDemand::Kind(check.relation), check.lhs, check.rhs, check.message, scope});
  }

  /// Symbols, the levels at which they are known, and what must hold of them.
  LogicalResult describeSymbols(func::FuncOp main) {
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
      addDemand(check, 0);
    for (const ProgramDemand &demand : program.demands)
      for (const eq::Extent *side : {&demand.left, &demand.right}) {
        SmallVector<StringRef> names;
        side->symbols(names);
        for (StringRef name : names)
          if (llvm::none_of(program.symbols, [&](const ProgramSymbol &symbol) { return symbol.name == name; }))
            return main.emitError() << "a check has the symbol '" << name << "', which the program does not have";
      }
    return success();
  }

  /// 0 where the size is not known.
  uint64_t byteCountOf(Value tensor) {
    eq::Extent bytes = bytesOf(nn::underViews(tensor));
    return bytes.isStatic() ? bytes.value() : 0;
  }

  void describe(func::FuncOp main) {
    for (auto [number, type] : llvm::enumerate(main.getArgumentTypes())) {
      program.inputs.push_back(describe(type, main.getArgAttrDict(number), "input" + Twine(number)));
      places[main.getArgument(number)] = {{Space::Input, uint32_t(number), 0}};
    }
    for (auto [number, type] : llvm::enumerate(main.getResultTypes()))
      program.outputs.push_back(describe(type, main.getResultAttrDict(number), "output" + Twine(number)));
    for (auto [number, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
      places[nn::underViews(value)] = {{Space::Output, uint32_t(number), 0}};
  }

  //===--- places and lifetimes -------------------------------------------------------------------===//

  /// The level of the innermost branch around the block.
  uint32_t scopeOf(Block &block) const {
    for (Block *each = &block; each; each = each->getParentOp()->getBlock())
      if (auto scope = scopes.find(each); scope != scopes.end())
        return scope->second;
    return 0;
  }

  /// A slot of the arena that lives now.
  Place newSlot(eq::Extent bytes, Block &block) {
    lifetimes.push_back({bytes.isStatic() ? uint64_t(bytes.value()) : 0, step, step});
    sizes.push_back(std::move(bytes));
    slotScopes.push_back(scopeOf(block));
    return {{Space::Arena, 0, 0}, lifetimes.size() - 1};
  }

  /// The place of a result; memory that its reader has chosen, or a new slot.
  void define(Value result) {
    if (!places.contains(result) && !definePart(result))
      places[result] = newSlot(bytesOf(result), *result.getDefiningOp()->getBlock());
  }

  /// The first of its parts gives a joined tensor its slot.
  bool definePart(Value result) {
    const JoinedPart *part = joins.partOf(result);
    if (!part)
      return false;
    define(part->whole);
    places[result] = places.lookup(part->whole).moved(part->offset * elementBytesOf(result));
    use(result, step);
    return true;
  }

  static int64_t elementBytesOf(Value value) {
    return kumiko::bytesOf(nn::toEquation(getElementTypeOrSelf(value.getType())));
  }

  /// What the value lies in lives until `until`, views included.
  void use(Value value, uint64_t until) {
    if (auto found = places.find(nn::underViews(value)); found != places.end() && found->second.slot) {
      uint64_t &last = lifetimes[*found->second.slot].last;
      last = std::max(last, until);
    }
  }

  LogicalResult collect(Block &block, uint32_t loops) {
    for (Operation &op : block) {
      if (auto call = dyn_cast<nn::CallOp>(op)) {
        for (Value operand : call->getOperands())
          use(operand, step);
        // Parts have their places, whatever ends with the call.
        llvm::for_each(call->getResults(), [&](Value result) { definePart(result); });
        if (!isRun(call))
          continue;
        if (failed(overwrites.take(call, [&](Value value) { return bytesOf(value); })))
          return failure();
        llvm::for_each(call->getResults(), [&](Value result) { define(result); });
        ++step;
      } else if (op.getNumRegions() != 0) {
        if (failed(collectNest(&op, loops)))
          return failure();
      }
    }
    return success();
  }

  /// What a loop or choice reads or writes lives until its last turn; what lives and dies inside may share memory.
  LogicalResult collectNest(Operation *op, uint32_t loops) {
    for (Value operand : op->getOperands())
      use(operand, step);
    LogicalResult known = success();
    if (auto scan = dyn_cast<nn::ScanOp>(op))
      known = enter(scan, loops);
    else if (auto loop = dyn_cast<nn::LoopOp>(op))
      known = enter(loop, loops);
    else
      known = enter(cast<nn::IfOp>(op));
    ++step;
    bool repeats = !isa<nn::IfOp>(op);
    for (Region &region : op->getRegions())
      if (failed(known) || failed(collect(region.front(), loops + repeats)))
        return failure();
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value value : values)
        use(value, step);
    if (isa<nn::LoopOp>(op))
      use(op->getRegion(0).getArgument(0), step);
    ++step;
    return success();
  }

  /// What separates the two places of a state that may become as large as this.
  static eq::Extent strideOf(const eq::Extent &bytes) {
    return ceilDiv(bytes, int64_t(arenaAlignment)) * int64_t(arenaAlignment);
  }
  eq::Extent strideOf(Value first) { return strideOf(bytesOf(nn::underViews(first))); }

  /// The most bytes that a result of a loop can have, whatever number of turns it takes.
  eq::Extent mostBytesOf(nn::LoopOp loop, Value result) {
    eq::Extent bytes = bytesOf(result);
    StringAttr turns = nn::turnsOf(loop);
    if (!turns || bytes.overflowed())
      return bytes;
    eq::Extent most = *nn::extentOf(loop.getMostAttr());
    return max(nn::withSymbol(bytes, turns, 0), nn::withSymbol(bytes, turns, most));
  }

  /// Two places for a state that begins as `first`, of which a turn reads one and writes the other.
  LogicalResult alternate(Operation *op, Value first, const eq::Extent &stride, Value argument, Value yielded,
                          uint32_t loops) {
    Place place = places.lookup(first);
    if (!place.slot || !first.hasOneUse() || !first.getDefiningOp<nn::CallOp>())
      return op->emitError("the first value of a state has no memory of its own");
    sizes[*place.slot] = 2 * stride;
    lifetimes[*place.slot].bytes = sizes[*place.slot].isStatic() ? sizes[*place.slot].value() : 0;
    if (argument)
      places[argument] = place.stepping({loops, LoopStep::Kind::Odd, stride});
    places[nn::underViews(yielded)] = place.stepping({loops, LoopStep::Kind::Even, stride});
    return success();
  }

  LogicalResult enter(nn::ScanOp scan, uint32_t loops) {
    Block &body = scan.getBody().front();
    Operation *yield = body.getTerminator();
    eq::Extent steps = stepsOf(scan);
    bool backwards = scan.getReverse();
    size_t states = scan.getStates().size();
    auto sliceOf = [&](const Place &whole, Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      eq::Extent bytes = product(ArrayRef(extentsOf(value)).drop_front()) *
                         int64_t(kumiko::bytesOf(nn::toEquation(type.getElementType())));
      return whole.moved(backwards ? max(0, steps - 1) * bytes : 0)
          .stepping({loops, backwards ? LoopStep::Kind::Backward : LoopStep::Kind::Forward, bytes});
    };
    for (auto [number, first] : llvm::enumerate(scan.getStates())) {
      if (failed(alternate(scan, first, strideOf(first), body.getArgument(number), yield->getOperand(number), loops)))
        return failure();
      places[scan.getResult(number)] = places.lookup(first).moved(mod(steps, 2) * strideOf(first));
    }
    for (auto [number, sequence] : llvm::enumerate(scan.getSequences())) {
      FailureOr<Place> whole = placeOf(sequence, nullptr);
      if (failed(whole))
        return failure();
      places[body.getArgument(states + number)] = sliceOf(*whole, sequence);
    }
    for (auto [number, result] : llvm::enumerate(scan.getValues().drop_front(states))) {
      define(result);
      places[nn::underViews(yield->getOperand(states + number))] = sliceOf(places.lookup(result), result);
    }
    return share(scan.getShared(), body.getArguments().take_back(scan.getShared().size()));
  }

  eq::Extent stepsOf(nn::ScanOp scan) { return extentsOf(scan.getSequences().front()).front(); }

  LogicalResult enter(nn::LoopOp loop, uint32_t loops) {
    Block &body = loop.getBody().front();
    Operation *yield = body.getTerminator();
    if (failed(
            alternate(loop, loop.getCondition(), strideOf(loop.getCondition()), Value(), yield->getOperand(0), loops)))
      return failure();
    places[body.getArgument(0)] = newSlot(int64_t(sizeof(int64_t)), *loop->getBlock());
    for (auto [number, first] : llvm::enumerate(loop.getStates())) {
      eq::Extent stride = strideOf(mostBytesOf(loop, loop.getResult(number)));
      if (failed(alternate(loop, first, stride, body.getArgument(1 + number), yield->getOperand(1 + number), loops)))
        return failure();
      // Read where the last turn has left it.
      places[loop.getResult(number)] = places.lookup(first).stepping({loops, LoopStep::Kind::Odd, stride});
    }
    size_t states = loop.getStates().size();
    for (auto [number, result] : llvm::enumerate(loop.getValues().drop_front(states))) {
      Place whole = places[result] = newSlot(mostBytesOf(loop, result), *loop->getBlock());
      Value slice = yield->getOperand(1 + states + number);
      places[nn::underViews(slice)] = whole.stepping({loops, LoopStep::Kind::Forward, bytesOf(slice)});
    }
    return share(loop.getShared(), body.getArguments().take_back(loop.getShared().size()));
  }

  LogicalResult enter(nn::IfOp choice) {
    llvm::for_each(choice.getValues(), [&](Value result) { define(result); });
    for (Region *region : {&choice.getYes(), &choice.getNo()}) {
      for (auto [result, yielded] : llvm::zip_equal(choice.getValues(), region->front().getTerminator()->getOperands()))
        places[nn::underViews(yielded)] = places.lookup(result);
      if (failed(share(choice.getShared(), region->getArguments())))
        return failure();
    }
    return success();
  }

  LogicalResult share(ValueRange outside, ValueRange inside) {
    for (auto [value, argument] : llvm::zip_equal(outside, inside)) {
      FailureOr<Place> place = placeOf(value, nullptr);
      if (failed(place))
        return failure();
      places[argument] = *place;
    }
    return success();
  }

  LogicalResult assignArena(func::FuncOp main) {
    std::vector<uint64_t> workspace(kumiko_plan_workspace_bytes(lifetimes.size()) / sizeof(uint64_t) + 1);
    uint64_t workspaceBytes = workspace.size() * sizeof(uint64_t);
    offsets.resize(lifetimes.size());
    if (kumiko_plan_assign(lifetimes.data(), lifetimes.size(), arenaAlignment, offsets.data(), &program.arenaBytes,
                           workspace.data(), workspaceBytes) != 0 ||
        kumiko_plan_lower_bound(lifetimes.data(), lifetimes.size(), arenaAlignment, &program.arenaLowerBound,
                                workspace.data(), workspaceBytes) != 0)
      return main.emitError("the network's intermediate results do not fit one address space");
    return success();
  }

  /// Sizes are known when shapes are bound, so the runtime chooses the places.
  LogicalResult planLater(func::FuncOp main) {
    numbers.resize(sizes.size());
    for (uint32_t level = 0; level <= program.levels.size(); ++level)
      for (auto [slot, bytes] : llvm::enumerate(sizes)) {
        if (bytes.overflowed())
          return main.emitError("the size of an intermediate result is not known");
        if (program.levelOf(bytes, slotScopes[slot]) != level)
          continue;
        numbers[slot] = program.planned.size();
        program.planned.push_back({bytes, lifetimes[slot].first, lifetimes[slot].last, level});
      }
    return success();
  }

  //===--- calls ----------------------------------------------------------------------------------===//

  FailureOr<Place> placeOf(Value value, const Packing *packing) {
    value = nn::underViews(value);
    if (auto constant = value.getDefiningOp<nn::ConstantOp>()) {
      FailureOr<uint64_t> offset = weights.place(constant, packing);
      if (failed(offset))
        return failure();
      return Place{{Space::Weights, 0, int64_t(*offset)}};
    }
    return places.lookup(value);
  }

  BufferRef resolved(const Place &place) const {
    if (!place.slot)
      return place.buffer;
    if (program.isStatic())
      return place.moved(int64_t(offsets[*place.slot])).buffer;
    BufferRef buffer = place.buffer;
    buffer.space = Space::Planned;
    buffer.number = numbers[*place.slot];
    return buffer;
  }

  LogicalResult addCalls(Block &block, uint32_t loops) {
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

  LogicalResult addNest(Operation *op, uint32_t loops) {
    size_t number = program.calls.size();
    ProgramCall planned;
    planned.kind = isa<nn::IfOp>(op) ? CallKind::Choice : CallKind::Loop;
    planned.loops = loops;
    planned.nodes = sourceNodes(op->getLoc());
    planned.scope = scopeOf(*op->getBlock());
    if (auto scan = dyn_cast<nn::ScanOp>(op)) {
      planned.chunks = stepsOf(scan);
    } else {
      FailureOr<Place> condition = placeOf(op->getOperand(0), nullptr);
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

  void addOmitted(nn::CallOp call) {
    bool isNested = call->getBlock()->getParentOp() != module.lookupSymbol("main");
    program.omitted.push_back({program.calls.size(), originOf(call), sourceNodes(call.getLoc()), isNested});
  }

  std::string originOf(nn::CallOp call) {
    auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
    auto origin = kernel->getAttrOfType<FlatSymbolRefAttr>(nn::variantOfAttrName);
    return (origin ? origin.getValue() : kernel.getName()).str();
  }

  /// What a kernel touches of a tensor that lies apart.
  void describeApart(Value value, BufferRef &buffer) {
    const JoinedPart *part = joins.partOf(value);
    if (!part || part->strides.empty())
      return;
    SmallVector<eq::Extent, 4> extents = extentsOf(value);
    eq::Extent last = 0;
    for (auto [extent, stride] : llvm::zip_equal(extents, part->strides))
      last += (extent - 1) * stride;
    buffer.elementBytes = elementBytesOf(value);
    buffer.bytes = max((last + 1) * int64_t(buffer.elementBytes), 0); // a part may turn out to be empty
    buffer.extents.assign(extents.begin(), extents.end());
    buffer.strides.assign(part->strides.begin(), part->strides.end());
    buffer.isPartial = true;
  }

  LogicalResult addCall(nn::CallOp call, uint32_t loops) {
    if (!isRun(call))
      return addOmitted(call), success();
    auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
    FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
    if (failed(schedule))
      return kernel.emitError("has no usable schedule");
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
      FailureOr<Place> place = placeOf(operand, packing);
      if (failed(place))
        return failure();
      planned.buffers.push_back(resolved(*place));
      planned.buffers.back().bytes = packing ? eq::Extent(packing->storedBytes()) : bytesOf(nn::underViews(operand));
      describeApart(operand, planned.buffers.back());
    }
    planned.results = call->getNumResults();
    for (Value result : call->getResults()) {
      planned.buffers.push_back(resolved(places.lookup(result)));
      planned.buffers.back().bytes = bytesOf(result);
      planned.buffers.back().isPartial = !schedule->placed.empty();
      describeApart(result, planned.buffers.back());
    }
    planned.origin = originOf(call);
    planned.nodes = sourceNodes(call.getLoc());
    program.calls.push_back(std::move(planned));
    return success();
  }

  ModuleOp module;
  Program program;
  WeightsBuilder weights;
  Places places;
  Joins joins{module};
  Overwrites overwrites{module, places, joins};
  std::vector<kumiko_lifetime> lifetimes;
  // Of slots, in the order of lifetimes.
  std::vector<eq::Extent> sizes;
  std::vector<uint32_t> slotScopes;
  std::vector<uint64_t> offsets; ///< of a static program
  std::vector<uint32_t> numbers; ///< of planned buffers
  uint64_t step = 0;
  // Levels, by where they begin.
  llvm::StringMap<uint32_t> found; ///< symbols in the data
  llvm::DenseMap<Operation *, uint32_t> callLevels;
  llvm::DenseMap<Block *, uint32_t> scopes; ///< of branches
  bool hasSymbols = false;
  uint32_t around = 0; ///< loops around the block at hand
};
} // namespace

FailureOr<Program> kumiko::planProgram(ModuleOp module, StringRef name) { return Planner(module, name).run(); }
