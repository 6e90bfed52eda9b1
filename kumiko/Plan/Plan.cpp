//===- Plan.cpp - liveness, arena, the list of calls -----------------------===//
#include "kumiko/Lower/Names.h"
#include "kumiko/Plan/Planner.h"

using namespace mlir;
using namespace kumiko;

std::string kumiko::sourceNodes(Location location) { return llvm::join(nodesOf(location), ","); }

FailureOr<Program> Planner::run() {
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
  overwrites.writeLayouts();
  weights.finish(program);
  return std::move(program);
}

void Planner::findJoins(func::FuncOp main) {
  llvm::StringSet<> late;
  for (const nn::Symbol &symbol : nn::symbolsOf(main))
    if (symbol.isData)
      late.insert(symbol.name);
  joins.find(main.getBody().front(), late, [&](Value value) { return extentsOf(value); });
  joins.apply();
}

SmallVector<Extent, 4> Planner::extentsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape() || type.getEncoding())
    return nn::extentsOf(type);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return extentsOf(argument);
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto extents = value.getDefiningOp()->getAttrOfType<ArrayAttr>(nn::extentsAttrName))
    if (auto own = dyn_cast<nn::ExtentsAttr>(extents[number]))
      return SmallVector<Extent, 4>(own.getExtents());
  auto call = value.getDefiningOp<nn::CallOp>();
  if (!call)
    return nn::extentsOf(type);
  auto kernel = module.lookupSymbol<nn::KernelOp>(call.getCallee());
  return extentsOf(type, kernel.getResultAttrDict(number));
}

SmallVector<Extent, 4> Planner::extentsOf(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto function = dyn_cast<func::FuncOp>(op))
    return extentsOf(cast<RankedTensorType>(argument.getType()), function.getArgAttrDict(number));
  // A state may change its size with the turns.
  if (auto loop = dyn_cast<nn::LoopOp>(op); loop && number <= loop.getStates().size())
    return extentsOf(loop.getResult(number - 1));
  // The condition of a choice has no argument; that of a loop has the number of the turn in its place.
  SmallVector<Extent, 4> extents = extentsOf(op->getOperand(number + (isa<nn::IfOp>(op) ? 1 : 0)));
  if (auto scan = dyn_cast<nn::ScanOp>(op))
    if (size_t states = scan.getStates().size(); number >= states && number < states + scan.getSequences().size())
      extents.erase(extents.begin());
  return extents;
}

SmallVector<Extent, 4> Planner::extentsOf(RankedTensorType type, DictionaryAttr attributes) {
  auto extents = attributes ? attributes.getAs<nn::ExtentsAttr>(nn::extentsAttrName) : nn::ExtentsAttr();
  return extents ? SmallVector<Extent, 4>(extents.getExtents()) : nn::extentsOf(type);
}

ProgramValue Planner::describe(Type type, DictionaryAttr attributes, Twine fallback) {
  auto tensor = cast<RankedTensorType>(type);
  auto name = attributes ? attributes.getAs<StringAttr>("nn.name") : StringAttr();
  ProgramValue value;
  value.name = name ? name.str() : fallback.str();
  value.type = nn::toEquation(tensor).element;
  SmallVector<Extent, 4> extents = extentsOf(tensor, attributes);
  for (const Extent &extent : extents)
    value.shape.push_back(extent.isStatic() ? extent.value() : -1);
  if (!value.isStatic())
    value.extents.assign(extents.begin(), extents.end());
  return value;
}

uint32_t Planner::newLevel(uint64_t first) {
  program.levels.push_back({first, first});
  return program.levels.size();
}

bool Planner::usesTurns(nn::LoopOp loop) {
  llvm::StringSet<> names;
  loop.getBody().walk([&](Operation *op) {
    nn::addSymbolsOf(op, names);
    if (auto call = dyn_cast<nn::CallOp>(op))
      nn::addSymbolsOf(module.lookupSymbol(call.getCallee()), names);
  });
  for (Value state : loop.getResults().take_front(loop.getStates().size()))
    for (const Extent &extent : extentsOf(state)) {
      SmallVector<StringRef> here;
      extent.symbols(here);
      names.insert_range(here);
    }
  return names.contains(nn::turnsOf(loop).getValue());
}

LogicalResult Planner::findLevels(Block &block, uint64_t &calls, bool branch) {
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

void Planner::addDemand(const nn::Check &check, uint32_t scope) {
  program.demands.push_back({ProgramDemand::Kind(check.relation), check.lhs, check.rhs, check.message, scope});
}

LogicalResult Planner::describeSymbols(func::FuncOp main) {
  for (const nn::Symbol &symbol : nn::symbolsOf(main)) {
    if (symbol.isData && !found.contains(symbol.name))
      return main.emitError() << "no call finds the symbol '" << symbol.name << "'";
    program.symbols.push_back({symbol.name, symbol.isData ? found.lookup(symbol.name) : 0});
    Extent value = Extent::symbol(symbol.name);
    if (symbol.lower > 0)
      program.demands.push_back({ProgramDemand::Kind::AtMost, symbol.lower, value, "'" + symbol.name + "'"});
    if (symbol.upper)
      program.demands.push_back({ProgramDemand::Kind::AtMost, value, *symbol.upper, "'" + symbol.name + "'"});
  }
  for (const nn::Check &check : nn::checksOf(main))
    addDemand(check, 0);
  for (const ProgramDemand &demand : program.demands)
    for (const Extent *side : {&demand.left, &demand.right}) {
      SmallVector<StringRef> names;
      side->symbols(names);
      for (StringRef name : names)
        if (llvm::none_of(program.symbols, [&](const ProgramSymbol &symbol) { return symbol.name == name; }))
          return main.emitError() << "a check has the symbol '" << name << "', which the program does not have";
    }
  return success();
}

uint64_t Planner::byteCountOf(Value tensor) {
  Extent bytes = bytesOf(nn::underViews(tensor));
  return bytes.isStatic() ? bytes.value() : 0;
}

void Planner::describe(func::FuncOp main) {
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes())) {
    program.inputs.push_back(describe(type, main.getArgAttrDict(number), "input" + Twine(number)));
    places[main.getArgument(number)] = {{Space::Input, uint32_t(number), 0}};
  }
  for (auto [number, type] : llvm::enumerate(main.getResultTypes()))
    program.outputs.push_back(describe(type, main.getResultAttrDict(number), "output" + Twine(number)));
  for (auto [number, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
    places[nn::underViews(value)] = {{Space::Output, uint32_t(number), 0}};
}

uint32_t Planner::scopeOf(Block &block) const {
  for (Block *each = &block; each; each = each->getParentOp()->getBlock())
    if (auto scope = scopes.find(each); scope != scopes.end())
      return scope->second;
  return 0;
}

FailureOr<Program> kumiko::planProgram(ModuleOp module, StringRef name) { return Planner(module, name).run(); }
