//===- JudgeCalls.cpp - compiled code and equations side by side ------------===//
#include "kumiko/Emit/EmitError.h"
#include "kumiko/Emit/Jit.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Verify/Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;

namespace {
/// Walks the artefact's table on this thread, one call at a time.
class Walker {
public:
  Walker(const kumiko_artefact &artefact, llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<ProgramValue> outputs)
      : artefact(artefact), inputs(inputs), arena(allocate(artefact.arena_bytes)),
        scratch(allocate(artefact.scratch_bytes)) {
    for (const ProgramValue &output : outputs)
      results.push_back(allocate(output.byteCount()));
  }

  /// The kernel's code.
  int run(size_t number) {
    const kumiko_call &call = artefact.calls[number];
    llvm::SmallVector<void *> buffers;
    for (const kumiko_buffer &buffer : llvm::ArrayRef(call.buffers, call.buffer_count))
      buffers.push_back(address(buffer));
    for (int64_t chunk = 0; chunk < call.chunks; ++chunk)
      if (int code = call.kernel(buffers.data(), nullptr, chunk, scratch.get()))
        return code;
    return 0;
  }

  /// A result of the call: its last buffers are its results.
  const uint8_t *result(size_t number, size_t index, size_t count) {
    const kumiko_call &call = artefact.calls[number];
    return static_cast<uint8_t *>(address(call.buffers[call.buffer_count - count + index]));
  }

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;
  static Memory allocate(uint64_t bytes) {
    return Memory(std::aligned_alloc(64, llvm::alignTo(std::max<uint64_t>(bytes, 1), 64)));
  }

  void *address(const kumiko_buffer &buffer) {
    auto at = [&](const void *base) { return static_cast<char *>(const_cast<void *>(base)) + buffer.offset; };
    switch (Space(buffer.space)) {
    case Space::Input:
      return at(inputs[buffer.number].data());
    case Space::Output:
      return at(results[buffer.number].get());
    case Space::Weights:
      return at(artefact.weights);
    case Space::Arena:
      return at(arena.get());
    case Space::Planned:
      break; // of programs with symbols, which are not judged call by call
    }
    llvm_unreachable("a space that artefact.h does not have");
  }

  const kumiko_artefact &artefact;
  llvm::ArrayRef<Tensor> inputs;
  Memory arena, scratch;
  std::vector<Memory> results;
};
} // namespace

/// True when every node that `part` names is named by `whole`.
static bool within(llvm::StringRef part, llvm::StringRef whole) {
  llvm::SmallVector<llvm::StringRef> parts, wholes;
  part.split(parts, ',');
  whole.split(wholes, ',');
  return llvm::all_of(parts, [&](llvm::StringRef node) { return llvm::is_contained(wholes, node); });
}

/// The last call of the program that belongs to the fused call number `index`, whose first is `first`. Scheduling may
/// have cut a kernel into several; its pieces follow each other and name nodes of the whole.
static size_t lastPiece(llvm::ArrayRef<KernelCall> program, size_t first, llvm::ArrayRef<nn::CallOp> fused,
                        size_t index) {
  nn::CallOp whole = fused[index];
  if (program[first].kernel == whole.getCallee())
    return first;
  std::string nodes = sourceNodes(whole.getLoc());
  llvm::StringRef next = index + 1 < fused.size() ? nn::CallOp(fused[index + 1]).getCallee() : llvm::StringRef();
  size_t last = first;
  while (last + 1 < program.size() && program[last + 1].kernel != next && within(program[last + 1].nodes, nodes))
    ++last;
  return last;
}

/// Compares the results of call `number`, which has just run, with the equations' results of `op`.
static llvm::Error judgeCall(Walker &walker, size_t number, mlir::Operation *op, llvm::ArrayRef<const Tensor *> right,
                             const Tolerance &tolerance, std::vector<Judgement> &judgements) {
  for (auto [i, reference] : llvm::enumerate(right)) {
    if (reference->element() == ElementType::Invalid)
      continue; // nobody reads it
    auto type = llvm::cast<mlir::RankedTensorType>(op->getResult(i).getType());
    ElementType element = nn::toEquation(type).element;
    auto bytes = byteSize(element, type.getShape());
    if (!bytes)
      return bytes.takeError();
    auto got = Tensor::view(element, type.getShape(), {walker.result(number, i, op->getNumResults()), size_t(*bytes)});
    if (!got)
      return got.takeError();
    Judgement judgement{sourceNodes(op->getLoc()), element, compare(*got, *reference), false};
    judgement.good = tolerance.accepts(judgement.distance, element);
    judgements.push_back(std::move(judgement));
  }
  return llvm::Error::success();
}

std::vector<Judgement> kumiko::judgeCalls(mlir::ModuleOp fused, const CompiledModel &compiled,
                                          llvm::ArrayRef<Tensor> inputs, const Tolerance &tolerance,
                                          Precision precision, ProblemList &problems) {
  if (!compiled.program.isStatic()) {
    problems.add(Code::UnsupportedForm, "the model has symbolic dimensions, which are not judged op by op yet")
        .helped("give them numbers with --dim NAME=N");
    return {};
  }
  auto jit = Jit::create(compiled.program, compiled.kernels, compiled.target);
  if (!jit) {
    takeProblems(jit.takeError(), problems);
    return {};
  }
  Walker walker(*(*jit)->artefact(), inputs, compiled.program.outputs);
  auto main = fused.lookupSymbol<mlir::func::FuncOp>("main");
  auto calls = llvm::to_vector(main.getOps<nn::CallOp>());
  std::vector<Judgement> judgements;
  size_t index = 0, number = 0;
  GraphOptions options;
  options.precision = precision;
  options.afterOp = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *>,
                        llvm::ArrayRef<const Tensor *> results) -> llvm::Error {
    bool done = !judgements.empty() && !judgements.back().good;
    if (done || !llvm::isa<nn::CallOp>(op))
      return llvm::Error::success();
    if (number >= compiled.program.calls.size())
      return defectError("the compiled program has fewer calls than the fused one");
    size_t last = lastPiece(compiled.program.calls, number, calls, index++);
    for (; number <= last; ++number)
      if (int code = walker.run(number))
        return emitError(Code::OperandValue, "a kernel answers with code " + llvm::Twine(code),
                         "the data of an input may be outside what an operator allows");
    return judgeCall(walker, last, op, results, tolerance, judgements);
  };
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  auto results = evaluateGraph(main, arguments, options);
  if (!results)
    takeProblems(results.takeError(), problems);
  return judgements;
}
