#include "kumiko/Verify/GuardedRun.h"
#include "kumiko/Emit/EmitError.h"
#include "kumiko/Emit/Jit.h"
#include "kumiko/Verify/ProgramWalk.h"
#include "runtime/include/kumiko/kumiko.h"
#include "llvm/Support/MathExtras.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace kumiko;

namespace {
/// Memory between two inaccessible pages.
class GuardedBuffer {
public:
  GuardedBuffer(uint64_t bytes, GuardSide side) : page(sysconf(_SC_PAGESIZE)), inner(llvm::alignTo(bytes, page)) {
    void *raw = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
      return;
    start = static_cast<char *>(raw);
    if (inner && mprotect(start + page, inner, PROT_READ | PROT_WRITE) != 0)
      return;
    place = start + page + (side == GuardSide::After ? inner - bytes : 0);
    // Neither zero nor a small number in any type.
    std::memset(start + page, 0xc5, inner);
  }
  GuardedBuffer(GuardedBuffer &&other)
      : page(other.page), inner(other.inner), start(std::exchange(other.start, nullptr)), place(other.place) {}
  ~GuardedBuffer() {
    if (start)
      munmap(start, inner + 2 * page);
  }

  /// Null without memory.
  char *data() const { return place; }
  void forbidWrites() { mprotect(start + page, inner, PROT_READ); }

private:
  uint64_t page, inner;
  char *start = nullptr, *place = nullptr;
};

/// Holds what lies between calls, in ordinary memory.
class GuardedRun {
public:
  GuardedRun(const CompiledModel &compiled, const kumiko_artefact &artefact, llvm::ArrayRef<Tensor> inputs,
             GuardSide side)
      : program(compiled.program), artefact(artefact), inputs(inputs), side(side), walk(program.calls),
        arena(program.arenaBytes) {}

  llvm::Error run() {
    for (const ProgramValue &output : program.outputs) {
      auto zeros = Tensor::zeros(output.type, output.shape);
      if (!zeros)
        return zeros.takeError();
      results.push_back(std::move(*zeros));
    }
    llvm::Error failure = llvm::Error::success();
    auto kernel = [&](size_t number) {
      failure = runCall(number);
      return !failure;
    };
    walk.run(0, program.calls.size(), kernel, [&](const BufferRef &buffer) { return address(buffer); });
    return failure;
  }

  std::vector<Tensor> results;

private:
  char *address(const BufferRef &buffer) {
    switch (buffer.space) {
    case Space::Input:
      return reinterpret_cast<char *>(const_cast<uint8_t *>(inputs[buffer.number].data())) + walk.offsetOf(buffer);
    case Space::Output:
      return reinterpret_cast<char *>(results[buffer.number].mutableData()) + walk.offsetOf(buffer);
    case Space::Weights:
      return static_cast<char *>(const_cast<void *>(artefact.weights)) + walk.offsetOf(buffer);
    case Space::Arena:
      return arena.data() + walk.offsetOf(buffer);
    case Space::Planned:
      break; // of programs with symbols, which are not run here
    }
    llvm_unreachable("a space that artefact.h does not have");
  }

  llvm::Error runCall(size_t number) {
    const ProgramCall &call = program.calls[number];
    std::vector<GuardedBuffer> buffers;
    llvm::SmallVector<void *> pointers;
    auto noMemory = [] { return emitError(Code::TooLarge, "no memory for guarded buffers", "guard smaller models"); };
    for (const BufferRef &buffer : call.buffers) {
      GuardedBuffer &guarded = buffers.emplace_back(buffer.bytes, side);
      if (!guarded.data())
        return noMemory();
      bool result = buffers.size() > call.buffers.size() - call.results;
      if (!result && buffer.bytes)
        std::memcpy(guarded.data(), address(buffer), buffer.bytes);
      if (!result)
        guarded.forbidWrites();
      pointers.push_back(guarded.data());
    }
    for (int64_t chunk = 0; chunk < call.chunks.value(); ++chunk) {
      GuardedBuffer scratch(llvm::alignTo(call.scratchBytes.value(), 64), side);
      if (!scratch.data())
        return noMemory();
      if (int status = artefact.calls[number].kernel(pointers.data(), nullptr, chunk, scratch.data()))
        return emitError(Code::OperandValue,
                         kumiko_get_api(KUMIKO_API_VERSION)->status_text(status) + llvm::Twine(", in node ") +
                             call.nodes,
                         "the data of an input is outside what the operator allows");
    }
    for (auto [buffer, guarded] :
         llvm::drop_begin(llvm::zip_equal(call.buffers, buffers), call.buffers.size() - call.results))
      if (buffer.bytes)
        std::memcpy(address(buffer), guarded.data(), buffer.bytes);
    return llvm::Error::success();
  }

  const Program &program;
  const kumiko_artefact &artefact;
  llvm::ArrayRef<Tensor> inputs;
  GuardSide side;
  ProgramWalk walk;
  std::vector<char> arena;
};
} // namespace

std::optional<std::vector<Tensor>> kumiko::runGuarded(const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                                      GuardSide side, ProblemList &problems) {
  if (!compiled.program.isStatic()) {
    problems.add(Code::UnsupportedForm, "a program with symbolic sizes is not run between guard pages")
        .helped("give its dimensions numbers with --dim NAME=N");
    return std::nullopt;
  }
  auto jit = Jit::create(compiled.program, compiled.kernels, compiled.target);
  if (!jit) {
    takeProblems(jit.takeError(), problems);
    return std::nullopt;
  }
  GuardedRun guarded(compiled, *(*jit)->artefact(), inputs, side);
  if (llvm::Error error = guarded.run()) {
    takeProblems(std::move(error), problems);
    return std::nullopt;
  }
  return std::move(guarded.results);
}
