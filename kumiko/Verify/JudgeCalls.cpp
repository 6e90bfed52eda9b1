//===- JudgeCalls.cpp - compiled code and equations side by side ------------===//
#include "kumiko/Emit/Jit.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Verify/BindSymbols.h"
#include "kumiko/Verify/Verify.h"
#include "kumiko/Verify/WatchedCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace kumiko;

namespace {
/// The results of those calls that are judged, as they were when the call was done.
class Recording {
public:
  Recording(const Program &program, const llvm::DenseSet<size_t> &wanted) : program(program), wanted(wanted) {}

  int watch(const WatchedCalls::Event &event) {
    symbols = event.symbols;
    if (event.run)
      if (int code = event.run(event.buffers, event.symbols, event.chunk, event.scratch))
        return code;
    bool done = !event.run || event.chunk + 1 == numberOf(program, event.symbols, event.call.chunks);
    // Calls inside of a loop are judged with it.
    if (!done || !wanted.contains(event.number) || event.call.isKernel() != bool(event.run))
      return KUMIKO_OK;
    // The last buffers of a kernel are its results.
    size_t operands = event.run ? event.call.buffers.size() - event.call.results : 0;
    llvm::ArrayRef<BufferRef> places = event.run ? llvm::ArrayRef(event.call.buffers) : event.call.ends;
    for (size_t number = operands; number < places.size(); ++number) {
      std::vector<char> &result = results[event.number].emplace_back();
      const char *bytes = static_cast<const char *>(event.buffers[number]);
      if (places[number].strides.empty())
        result.assign(bytes, bytes + numberOf(program, event.symbols, places[number].bytes));
      else
        gather(places[number], 0, bytes, event.symbols, result);
    }
    return KUMIKO_OK;
  }

  /// What the symbols were when the program had ended; while its memory is there.
  llvm::StringMap<int64_t> values() const {
    llvm::StringMap<int64_t> result;
    for (auto [number, symbol] : llvm::enumerate(program.symbols))
      if (symbols) // a program without calls shows none
        result[symbol.name] = symbols[number];
    return result;
  }

  llvm::DenseMap<size_t, std::vector<std::vector<char>>> results;

private:
  /// The elements of a tensor that lies in a larger one, from dimension number `dimension` on.
  void gather(const BufferRef &place, size_t dimension, const char *bytes, const int64_t *symbols,
              std::vector<char> &result) const {
    if (dimension == place.extents.size()) {
      result.insert(result.end(), bytes, bytes + place.elementBytes);
      return;
    }
    int64_t extent = numberOf(program, symbols, place.extents[dimension]),
            stride = numberOf(program, symbols, place.strides[dimension]);
    for (int64_t n = 0; n < extent; ++n)
      gather(place, dimension + 1, bytes + n * stride * place.elementBytes, symbols, result);
  }

  const int64_t *symbols = nullptr;
  const Program &program;
  const llvm::DenseSet<size_t> &wanted;
};
} // namespace

/// True when every node that `part` names is named by `whole`.
static bool within(llvm::StringRef part, llvm::StringRef whole) {
  llvm::SmallVector<llvm::StringRef> parts, wholes;
  part.split(parts, ',');
  whole.split(wholes, ',');
  return llvm::all_of(parts, [&](llvm::StringRef node) { return llvm::is_contained(wholes, node); });
}

/// The kernel that `op` calls; empty when it holds a program of its own, as loops do.
static llvm::StringRef calleeOf(mlir::Operation *op) {
  auto call = llvm::dyn_cast<nn::CallOp>(op);
  return call ? call.getCallee() : llvm::StringRef();
}

namespace {
/// A call of the program, or one that is left out of it.
struct Step {
  llvm::StringRef kernel, nodes;
  std::optional<size_t> number; ///< nothing for one that is left out
};
} // namespace

/// The calls of the program in the order in which they were fused, those inside of others left out.
static std::vector<Step> stepsOf(const Program &program) {
  std::vector<Step> steps;
  auto omitted = program.omitted.begin();
  for (size_t number = 0; number <= program.calls.size();) {
    for (; omitted != program.omitted.end() && omitted->before <= number; ++omitted)
      if (!omitted->isNested)
        steps.push_back({omitted->kernel, omitted->nodes, std::nullopt});
    if (number == program.calls.size())
      break;
    const ProgramCall &call = program.calls[number];
    steps.push_back({call.origin, call.nodes, number});
    number += 1 + call.body + call.otherwise;
  }
  return steps;
}

/// The last step that belongs to the fused call number `index`, whose first is `first`. Scheduling may have cut a
/// kernel into several; its pieces follow each other and name nodes of the whole.
static size_t lastPiece(llvm::ArrayRef<Step> steps, size_t first, llvm::ArrayRef<mlir::Operation *> fused,
                        size_t index) {
  if (steps[first].kernel == calleeOf(fused[index]))
    return first;
  std::string nodes = sourceNodes(fused[index]->getLoc());
  llvm::StringRef next = index + 1 < fused.size() ? calleeOf(fused[index + 1]) : llvm::StringRef();
  size_t last = first;
  while (last + 1 < steps.size() && !steps[last + 1].kernel.empty() && steps[last + 1].kernel != next &&
         within(steps[last + 1].nodes, nodes))
    ++last;
  return last;
}

/// For each of the fused calls the call of the program after which its results are there; nothing where that is none
/// of its own.
static llvm::Expected<std::vector<std::optional<size_t>>> lastPieces(const Program &program,
                                                                     llvm::ArrayRef<mlir::Operation *> fused) {
  std::vector<std::optional<size_t>> last;
  std::vector<Step> steps = stepsOf(program);
  size_t number = 0;
  for (size_t index = 0; index < fused.size(); ++index) {
    if (number >= steps.size())
      return defectError("the compiled program has fewer calls than the fused one");
    // Reading a symbol is one call.
    bool reads = llvm::isa<nn::SymbolOp>(fused[index]);
    size_t piece = reads ? number : lastPiece(steps, number, fused, index);
    last.push_back(steps[piece].number);
    number = piece + 1;
  }
  return last;
}

/// Compares what a call has left with the equations' results of `op`.
static llvm::Error judgeCall(llvm::ArrayRef<std::vector<char>> results, mlir::Operation *op,
                             llvm::ArrayRef<const Tensor *> right, const Tolerance &tolerance,
                             std::vector<Judgement> &judgements) {
  if (results.size() < right.size())
    return defectError("a call of the compiled program has fewer results than the fused one");
  for (auto [result, reference, value] : llvm::zip(results.take_back(right.size()), right, op->getResults())) {
    if (reference->element() == ElementType::Invalid)
      continue; // nobody reads it
    ElementType element = nn::toEquation(llvm::cast<mlir::RankedTensorType>(value.getType())).element;
    auto got =
        Tensor::view(element, reference->shape(), {reinterpret_cast<const uint8_t *>(result.data()), result.size()});
    if (!got)
      return got.takeError();
    Judgement judgement{sourceNodes(op->getLoc()), element, compare(*got, *reference), false};
    judgement.good = tolerance.accepts(judgement.distance, element);
    judgements.push_back(std::move(judgement));
  }
  return llvm::Error::success();
}

/// Runs the program; nothing when a problem was added, else what its symbols were.
static std::optional<llvm::StringMap<int64_t>> record(const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                                      Recording &recording, ProblemList &problems) {
  auto jit = Jit::create(compiled.program, compiled.kernels, compiled.target);
  if (!jit) {
    takeProblems(jit.takeError(), problems);
    return std::nullopt;
  }
  auto watch = [&](const WatchedCalls::Event &event) { return recording.watch(event); };
  WatchedCalls watched(compiled.program, *(*jit)->artefact(), watch);
  auto executable = Executable::fromArtefact(watched.artefact(), problems);
  if (!executable || !executable->prepare(inputs, /*threads=*/1, problems) || !executable->run(problems))
    return std::nullopt;
  return recording.values();
}

std::optional<llvm::StringMap<int64_t>> kumiko::symbolValues(const CompiledModel &compiled,
                                                             llvm::ArrayRef<Tensor> inputs, ProblemList &problems) {
  if (compiled.program.isStatic())
    return llvm::StringMap<int64_t>();
  llvm::DenseSet<size_t> none;
  Recording recording(compiled.program, none);
  return record(compiled, inputs, recording, problems);
}

std::vector<Judgement> kumiko::judgeCalls(mlir::ModuleOp fused, const CompiledModel &compiled,
                                          llvm::ArrayRef<Tensor> inputs, const Tolerance &tolerance,
                                          Precision precision, ProblemList &problems) {
  auto main = fused.lookupSymbol<mlir::func::FuncOp>("main");
  llvm::SmallVector<mlir::Operation *> calls;
  for (mlir::Operation &op : main.getBody().front())
    if (llvm::isa<nn::CallOp, nn::SymbolOp>(op) || op.getNumRegions() != 0)
      calls.push_back(&op);
  auto last = lastPieces(compiled.program, calls);
  if (!last) {
    takeProblems(last.takeError(), problems);
    return {};
  }
  // Those that read symbols have no results; they go when symbols get their values.
  llvm::DenseMap<mlir::Operation *, size_t> judged;
  llvm::DenseSet<size_t> wanted;
  for (auto [op, call] : llvm::zip_equal(calls, *last))
    if (!llvm::isa<nn::SymbolOp>(op) && call)
      wanted.insert(judged[op] = *call);
  Recording recording(compiled.program, wanted);
  auto symbols = record(compiled, inputs, recording, problems);
  if (!symbols)
    return {};
  bindSymbols(fused, *symbols);
  std::vector<Judgement> judgements;
  GraphOptions options;
  options.precision = precision;
  options.afterOp = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *>,
                        llvm::ArrayRef<const Tensor *> results) -> llvm::Error {
    bool done = !judgements.empty() && !judgements.back().good;
    // What is inside of a loop or a kernel is judged with it.
    auto call = judged.find(op);
    if (done || call == judged.end())
      return llvm::Error::success();
    auto got = std::move(recording.results[call->second]);
    return judgeCall(got, op, results, tolerance, judgements);
  };
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  auto results = evaluateGraph(main, arguments, options);
  if (!results)
    takeProblems(results.takeError(), problems);
  return judgements;
}
