//===- JudgeCalls.cpp - compiled code and equations side by side ------------===//
#include "kumiko/Emit/EmitError.h"
#include "kumiko/Emit/Jit.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Verify/ProgramWalk.h"
#include "kumiko/Verify/Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;

namespace {
/// Walks the program on this thread, one call at a time.
class Walker {
public:
  Walker(const kumiko_artefact &artefact, const Program &program, llvm::ArrayRef<Tensor> inputs)
      : artefact(artefact), inputs(inputs), calls(program.calls), walk(program.calls),
        arena(allocate(artefact.arena_bytes)), scratch(allocate(artefact.scratch_bytes)) {
    for (const ProgramValue &output : program.outputs)
      results.push_back(allocate(output.byteCount()));
  }

  /// The kernel's code, or all that a loop or choice holds.
  int run(size_t number) {
    int code = 0;
    auto kernel = [&](size_t each) { return (code = runKernel(each)) == 0; };
    auto address = [&](const BufferRef &buffer) { return at(buffer); };
    size_t end = number + 1 + calls[number].body + calls[number].otherwise;
    walk.run(number, end, kernel, address);
    return code;
  }

  char *at(const BufferRef &buffer) {
    auto from = [&](const void *base) { return static_cast<char *>(const_cast<void *>(base)) + walk.offsetOf(buffer); };
    switch (buffer.space) {
    case Space::Input:
      return from(inputs[buffer.number].data());
    case Space::Output:
      return from(results[buffer.number].get());
    case Space::Weights:
      return from(artefact.weights);
    case Space::Arena:
      return from(arena.get());
    case Space::Planned:
      break; // of programs with symbols, which are not judged call by call
    }
    llvm_unreachable("a space that artefact.h does not have");
  }

private:
  int runKernel(size_t number) {
    llvm::SmallVector<void *> buffers;
    for (const BufferRef &buffer : calls[number].buffers)
      buffers.push_back(at(buffer));
    const kumiko_call &call = artefact.calls[number];
    for (int64_t chunk = 0; chunk < call.chunks; ++chunk)
      if (int code = call.kernel(buffers.data(), nullptr, chunk, scratch.get()))
        return code;
    return 0;
  }

  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;
  static Memory allocate(uint64_t bytes) {
    return Memory(std::aligned_alloc(64, llvm::alignTo(std::max<uint64_t>(bytes, 1), 64)));
  }

  const kumiko_artefact &artefact;
  llvm::ArrayRef<Tensor> inputs;
  llvm::ArrayRef<ProgramCall> calls;
  ProgramWalk walk;
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

/// The kernel that `op` calls; empty when it holds a program of its own, as loops do.
static llvm::StringRef calleeOf(mlir::Operation *op) {
  auto call = llvm::dyn_cast<nn::CallOp>(op);
  return call ? call.getCallee() : llvm::StringRef();
}

/// The last call of the program that belongs to the fused call number `index`, whose first is `first`. Scheduling may
/// have cut a kernel into several; its pieces follow each other and name nodes of the whole.
static size_t lastPiece(llvm::ArrayRef<ProgramCall> program, size_t first, llvm::ArrayRef<mlir::Operation *> fused,
                        size_t index) {
  if (program[first].kernel == calleeOf(fused[index]))
    return first;
  std::string nodes = sourceNodes(fused[index]->getLoc());
  llvm::StringRef next = index + 1 < fused.size() ? calleeOf(fused[index + 1]) : llvm::StringRef();
  size_t last = first;
  while (last + 1 < program.size() && program[last + 1].isKernel() && program[last + 1].kernel != next &&
         within(program[last + 1].nodes, nodes))
    ++last;
  return last;
}

/// Compares the results of `call`, which has just run, with the equations' results of `op`.
static llvm::Error judgeCall(Walker &walker, const ProgramCall &call, mlir::Operation *op,
                             llvm::ArrayRef<const Tensor *> right, const Tolerance &tolerance,
                             std::vector<Judgement> &judgements) {
  // The last buffers of a kernel are its results.
  auto places = call.isKernel() ? llvm::ArrayRef(call.buffers).take_back(op->getNumResults()) : call.ends;
  for (auto [i, reference] : llvm::enumerate(right)) {
    if (reference->element() == ElementType::Invalid)
      continue; // nobody reads it
    auto type = llvm::cast<mlir::RankedTensorType>(op->getResult(i).getType());
    ElementType element = nn::toEquation(type).element;
    auto bytes = byteSize(element, type.getShape());
    if (!bytes)
      return bytes.takeError();
    auto got =
        Tensor::view(element, type.getShape(), {reinterpret_cast<uint8_t *>(walker.at(places[i])), size_t(*bytes)});
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
  Walker walker(*(*jit)->artefact(), compiled.program, inputs);
  auto main = fused.lookupSymbol<mlir::func::FuncOp>("main");
  llvm::SmallVector<mlir::Operation *> calls;
  for (mlir::Operation &op : main.getBody().front())
    if (llvm::isa<nn::CallOp>(op) || op.getNumRegions() != 0)
      calls.push_back(&op);
  std::vector<Judgement> judgements;
  size_t index = 0, number = 0;
  GraphOptions options;
  options.precision = precision;
  options.afterOp = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *>,
                        llvm::ArrayRef<const Tensor *> results) -> llvm::Error {
    bool done = !judgements.empty() && !judgements.back().good;
    // What is inside of a loop or a kernel is judged with it.
    if (done || index == calls.size() || op != calls[index])
      return llvm::Error::success();
    if (number >= compiled.program.calls.size())
      return defectError("the compiled program has fewer calls than the fused one");
    size_t last = lastPiece(compiled.program.calls, number, calls, index++);
    const ProgramCall &judged = compiled.program.calls[last];
    for (; number <= last; ++number)
      if (int code = walker.run(number))
        return emitError(Code::OperandValue, "a kernel answers with code " + llvm::Twine(code),
                         "the data of an input may be outside what an operator allows");
    number += judged.body + judged.otherwise;
    return judgeCall(walker, judged, op, results, tolerance, judgements);
  };
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  auto results = evaluateGraph(main, arguments, options);
  if (!results)
    takeProblems(results.takeError(), problems);
  return judgements;
}
