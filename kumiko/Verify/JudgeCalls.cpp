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
    }
    llvm_unreachable("a space that artefact.h does not have");
  }

  const kumiko_artefact &artefact;
  llvm::ArrayRef<Tensor> inputs;
  Memory arena, scratch;
  std::vector<Memory> results;
};
} // namespace

/// Compares the results of one call.
static llvm::Error judgeCall(Walker &walker, size_t number, mlir::Operation *op, llvm::ArrayRef<const Tensor *> right,
                             const Tolerance &tolerance, std::vector<Judgement> &judgements) {
  if (int code = walker.run(number))
    return emitError(Code::OperandValue, "a kernel answers with code " + llvm::Twine(code),
                     "the data of an input may be outside what an operator allows");
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
                                          ProblemList &problems) {
  auto jit = Jit::create(compiled.program, compiled.kernels, compiled.target);
  if (!jit) {
    takeProblems(jit.takeError(), problems);
    return {};
  }
  Walker walker(*(*jit)->artefact(), inputs, compiled.program.outputs);
  std::vector<Judgement> judgements;
  size_t number = 0;
  bool done = false;
  GraphOptions options;
  options.precision = Precision::Double;
  options.afterOp = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *>, llvm::ArrayRef<const Tensor *> results) -> llvm::Error {
    if (done || !llvm::isa<nn::CallOp>(op))
      return llvm::Error::success();
    llvm::Error error = judgeCall(walker, number++, op, results, tolerance, judgements);
    done = !judgements.empty() && !judgements.back().good;
    return error;
  };
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  auto results = evaluateGraph(fused.lookupSymbol<mlir::func::FuncOp>("main"), arguments, options);
  if (!results)
    takeProblems(results.takeError(), problems);
  return judgements;
}
