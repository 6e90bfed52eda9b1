//===- StatementRun.cpp - walking the points of a statement ---------------------------------===//
#include "kumiko/Evaluate/StatementRun.h"
#include "kumiko/Evaluate/Contraction.h"
#include "kumiko/Evaluate/Writer.h"
#include "kumiko/Support/Convert.h"
#include <algorithm>

using namespace kumiko;
using namespace kumiko::eval;
using eq::Combine;
using eq::Expr;

namespace {

class StatementRun {
public:
  StatementRun(const Setting &setting, Nest nest, bool empty) : setting(setting), nest(std::move(nest)), empty(empty) {}

  llvm::Error prepare(llvm::ArrayRef<Destination> destinations);
  llvm::Error run();

private:
  llvm::Error prepareReduction();
  /// Calls `visit` for every position of `loops`, the last one fastest.
  llvm::Error forEach(llvm::ArrayRef<unsigned> loops, llvm::function_ref<llvm::Error()> visit);
  /// Calls `visit` with the number of lanes for every block at the present position.
  llvm::Error forEachBlock(llvm::function_ref<llvm::Error(int64_t)> visit);
  void start(int64_t lanes);
  llvm::Error take(int64_t lanes);
  llvm::Error write(int64_t lanes);

  bool reduces() const { return setting.statement.combine != Combine::Set; }
  bool isArg() const { return setting.statement.targets.size() == 2; }

  const Setting &setting;
  Nest nest;
  bool empty; ///< some reduced loop has no points
  Program values;
  llvm::SmallVector<unsigned, 2> valueRegisters;
  unsigned mask = noRegister;
  Combiner combiner = {};
  ArgCombiner argCombiner = {};
  std::vector<std::unique_ptr<Writer>> writers;
  Registers registers;
  /// Accumulators of the first and second value, and whether a point was seen.
  Registers results;
  llvm::SmallVector<int64_t, 6> position;
};

} // namespace

llvm::Error StatementRun::prepareReduction() {
  ElementType type = setting.statement.values[0]->type;
  combiner = combinerOf(setting.statement.combine, type, setting.precision);
  results.grow(3);
  if (isArg()) {
    combiner.accumulator = combiner.value;
    argCombiner = argCombinerOf(setting.statement.combine == Combine::Max, combiner.value, type == ElementType::U64,
                                carrierOf(setting.statement.values[1]->type, setting.precision));
  } else if (!combiner.lanes) {
    return llvm::createStringError("`" + setting.statement.text + "`: this reduction is not defined on " +
                                   nameOf(type));
  }
  return llvm::Error::success();
}

llvm::Error StatementRun::prepare(llvm::ArrayRef<Destination> destinations) {
  const eq::Statement &statement = setting.statement;
  position.assign(nest.extents.size(), 0);
  if (reduces())
    if (llvm::Error error = prepareReduction())
      return error;
  bool masked = !reduces() && !statement.conditions.empty();
  for (unsigned i = 0; i < statement.targets.size(); ++i) {
    const Expr *value = statement.values[i];
    Carrier carrier = reduces() && i == 0 ? combiner.accumulator : carrierOf(value->type, setting.precision);
    ElementType have = carrierOf(value->type, setting.precision) == carrier ? value->type : elementOf(carrier);
    writers.push_back(std::make_unique<Writer>(setting, nest, destinations[i]));
    if (llvm::Error error = writers.back()->prepare(statement.targets[i], have, masked))
      return error;
  }
  if (empty)
    return llvm::Error::success();
  ProgramBuilder builder(setting, nest);
  for (const Expr *condition : statement.conditions)
    if (llvm::Error error = builder.require(*condition))
      return error;
  llvm::SmallVector<ProgramBuilder::Value, 3> outputs;
  for (const Expr *value : statement.values) {
    llvm::Expected<ProgramBuilder::Value> output = builder.value(*value);
    if (!output)
      return output.takeError();
    outputs.push_back(*output);
  }
  outputs.push_back(builder.mask());
  auto outputRegisters = builder.finish(outputs, values);
  mask = outputRegisters.pop_back_val();
  valueRegisters.assign(outputRegisters.begin(), outputRegisters.end());
  values.prepare(registers);
  return llvm::Error::success();
}

llvm::Error StatementRun::forEach(llvm::ArrayRef<unsigned> loops, llvm::function_ref<llvm::Error()> visit) {
  for (;;) {
    if (llvm::Error error = visit())
      return error;
    size_t depth = loops.size();
    while (depth > 0 && ++position[loops[depth - 1]] == nest.extents[loops[depth - 1]])
      position[loops[--depth]] = 0;
    if (depth == 0)
      return llvm::Error::success();
  }
}

llvm::Error StatementRun::forEachBlock(llvm::function_ref<llvm::Error(int64_t)> visit) {
  if (nest.lanes.empty())
    return visit(1);
  unsigned loop = nest.lanes.front();
  for (int64_t begin = 0; begin < nest.extents[loop]; begin += nest.chunk) {
    position[loop] = begin;
    if (llvm::Error error = visit(std::min(nest.chunk, nest.extents[loop] - begin) * nest.perPosition))
      return error;
  }
  position[loop] = 0;
  return llvm::Error::success();
}

/// The reduction begins anew.
void StatementRun::start(int64_t lanes) {
  fillIdentity(combiner, setting.statement.values[0]->type, results[0], lanes);
  if (!isArg())
    return;
  std::fill_n(results.integers(1), lanes, 0);
  std::fill_n(results.integers(2), lanes, 0);
}

/// One block of values joins the accumulators.
llvm::Error StatementRun::take(int64_t lanes) {
  if (llvm::Error error = values.run(position, lanes, registers))
    return error;
  const int64_t *condition = registers.integers(mask);
  const void *value = registers[valueRegisters[0]];
  if (isArg())
    (nest.lanesReduced ? argCombiner.fold : argCombiner.lanes)(results[0], results[1], results.integers(2), value,
                                                               registers[valueRegisters[1]], condition, lanes);
  else
    (nest.lanesReduced ? combiner.fold : combiner.lanes)(results[0], value, condition, lanes);
  return llvm::Error::success();
}

llvm::Error StatementRun::write(int64_t lanes) {
  for (unsigned i = 0; i < writers.size(); ++i) {
    const void *from = reduces() ? results[i] : registers[valueRegisters[i]];
    if (llvm::Error error = writers[i]->write(position, lanes, from, reduces() ? nullptr : registers.integers(mask)))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error StatementRun::run() {
  if (!reduces())
    return forEach(nest.outer, [&] {
      return forEachBlock([&](int64_t lanes) {
        llvm::Error error = values.run(position, lanes, registers);
        return error ? std::move(error) : write(lanes);
      });
    });
  auto reduceBlock = [&](int64_t lanes, llvm::function_ref<llvm::Error()> visit) -> llvm::Error {
    start(lanes);
    if (!empty)
      if (llvm::Error error = forEach(nest.inner, visit))
        return error;
    return write(lanes);
  };
  return forEach(nest.outer, [&] {
    if (nest.lanesReduced)
      return reduceBlock(1, [&] { return forEachBlock([&](int64_t lanes) { return take(lanes); }); });
    return forEachBlock([&](int64_t lanes) { return reduceBlock(lanes, [&] { return take(lanes); }); });
  });
}

/// Runs a contraction whose results do not simply lie in the target: into a tensor over the kept loops, and from there
/// by an ordinary statement.
static llvm::Error contractAndScatter(const Setting &setting, const Contraction &contraction,
                                      const Destination &destination, uint64_t limit) {
  const eq::Statement &statement = setting.statement;
  llvm::ArrayRef<int64_t> shape = llvm::ArrayRef(contraction.extents).take_front(contraction.kept);
  ElementType type = elementOf(sumCarrier(contraction.type));
  llvm::Expected<Tensor> sums = Tensor::zeros(type, shape, limit);
  if (!sums)
    return sums.takeError();
  std::vector<Expr> loops(contraction.kept);
  llvm::SmallVector<const Expr *, 6> indices;
  for (unsigned loop = 0; loop < contraction.kept; ++loop) {
    loops[loop].kind = Expr::Kind::Loop;
    loops[loop].type = ElementType::Index;
    loops[loop].loop = loop;
    indices.push_back(&loops[loop]);
  }
  Linear dense = addressOf(indices, shape, shape).known;
  dense.coefficients.resize(contraction.extents.size(), 0);
  if (llvm::Error error = contract(contraction, dense, sums->mutableData(), type, setting.precision, limit))
    return error;
  Expr read;
  read.kind = Expr::Kind::Read;
  read.type = type;
  read.operands = indices;
  read.tensor = setting.bound.size();
  eq::Statement scatter = statement;
  scatter.loops.truncate(contraction.kept);
  scatter.values = {&read};
  llvm::SmallVector<const Tensor *, 8> bound(setting.bound);
  bound.push_back(&*sums);
  return runStatement({setting.instance, scatter, bound, setting.precision}, destination, limit);
}

/// True when the statement was a contraction and is done.
static llvm::Expected<bool> runContraction(const Setting &setting, const Destination &destination, uint64_t limit) {
  std::optional<Contraction> contraction = matchContraction(setting);
  if (!contraction)
    return false;
  Address address = addressOf(setting.statement.targets[0].indices, destination.shape, contraction->extents);
  bool sameClass = isFloat(contraction->type) == isFloat(destination.type);
  if (!address.unknown.empty() || destination.combines || !sameClass) {
    if (llvm::Error error = contractAndScatter(setting, *contraction, destination, limit))
      return std::move(error);
    return true;
  }
  if (llvm::Error error =
          contract(*contraction, address.known, destination.memory, destination.stored, setting.precision, limit))
    return std::move(error);
  return true;
}

/// Several targets that do not belong together are several statements.
static llvm::Error runSeparately(const Setting &setting, llvm::ArrayRef<Destination> destinations, uint64_t limit) {
  for (unsigned i = 0; i < destinations.size(); ++i) {
    eq::Statement single = setting.statement;
    single.targets = {setting.statement.targets[i]};
    single.values = {setting.statement.values[i]};
    if (llvm::Error error =
            runStatement({setting.instance, single, setting.bound, setting.precision}, destinations[i], limit))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error eval::runStatement(const Setting &setting, llvm::ArrayRef<Destination> destinations, uint64_t limit) {
  const eq::Statement &statement = setting.statement;
  bool isArg = statement.combine == Combine::Max || statement.combine == Combine::Min;
  if (destinations.size() > 1 && (!isArg || destinations.size() > 2))
    return runSeparately(setting, destinations, limit);
  llvm::SmallVector<int64_t, 6> extents;
  for (const eq::Loop &loop : statement.loops)
    extents.push_back(loop.extent.value());
  unsigned kept = statement.combine == Combine::Set ? extents.size() : statement.kept;
  if (llvm::is_contained(llvm::ArrayRef(extents).take_front(kept), 0))
    return llvm::Error::success();
  bool empty = llvm::is_contained(extents, 0);
  llvm::SmallVector<Linear, 4> reads;
  if (empty) {
    std::fill(extents.begin() + kept, extents.end(), 1);
  } else {
    llvm::Expected<bool> done = destinations.size() == 1 ? runContraction(setting, destinations[0], limit) : false;
    if (!done || *done)
      return done.takeError();
    reads = linearReads(setting);
  }
  StatementRun run(setting, makeNest(extents, kept, reads), empty);
  if (llvm::Error error = run.prepare(destinations))
    return error;
  return run.run();
}
