#include "kumiko/Verify/GuardedRun.h"
#include "kumiko/Emit/Jit.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Verify/WatchedCalls.h"
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
  void allowWrites() { mprotect(start + page, inner, PROT_READ | PROT_WRITE); }

private:
  uint64_t page, inner;
  char *start = nullptr, *place = nullptr;
};

/// One call after the other, each between guards.
class GuardedCalls {
public:
  GuardedCalls(const Program &program, GuardSide side) : program(program), side(side) {}

  int watch(const WatchedCalls::Event &event) {
    if (!event.run) // what a loop leaves behind
      return KUMIKO_OK;
    if (event.chunk == 0 && !open(event))
      return KUMIKO_E_MEMORY;
    GuardedBuffer scratch(llvm::alignTo(numberOf(program, event.symbols, event.call.scratchBytes), 64), side);
    if (!scratch.data())
      return KUMIKO_E_MEMORY;
    int64_t chunks = numberOf(program, event.symbols, event.call.chunks);
    int status = event.run(pointers.data(), event.symbols, event.chunk, scratch.data());
    if (event.chunk + 1 == chunks)
      close(event);
    return status;
  }

private:
  static size_t operandsOf(const ProgramCall &call) { return call.buffers.size() - call.results; }

  bool open(const WatchedCalls::Event &event) {
    buffers.clear();
    pointers.clear();
    sizes.clear();
    for (auto [number, buffer] : llvm::enumerate(event.call.buffers)) {
      sizes.push_back(numberOf(program, event.symbols, buffer.bytes));
      if (std::optional<size_t> operand = overwritten(event, number)) {
        buffers[*operand].allowWrites();
        pointers.push_back(pointers[*operand]);
        buffers.emplace_back(0, side);
        continue;
      }
      GuardedBuffer &guarded = buffers.emplace_back(sizes.back(), side);
      if (!guarded.data())
        return false;
      if (number < operandsOf(event.call)) {
        if (sizes.back())
          std::memcpy(guarded.data(), event.buffers[number], sizes.back());
        guarded.forbidWrites();
      } else if (buffer.isPartial && sizes.back()) {
        std::memcpy(guarded.data(), event.buffers[number], sizes.back());
      }
      pointers.push_back(guarded.data());
    }
    return true;
  }

  void close(const WatchedCalls::Event &event) {
    std::vector<std::vector<char>> before(buffers.size());
    for (size_t number = operandsOf(event.call); number < buffers.size(); ++number)
      if (const char *old = static_cast<const char *>(event.buffers[number]); event.call.buffers[number].isPartial)
        before[number].assign(old, old + sizes[number]);
    for (size_t number = operandsOf(event.call); number < buffers.size(); ++number)
      if (before[number].empty() && sizes[number])
        std::memcpy(event.buffers[number], pointers[number], sizes[number]);
      else
        copyChanges(before[number], static_cast<const char *>(pointers[number]),
                    static_cast<char *>(event.buffers[number]));
  }

  /// What others have written in between stays, also where two results of a call lie in each other's gaps.
  static void copyChanges(llvm::ArrayRef<char> before, const char *after, char *target) {
    for (size_t byte = 0; byte < before.size(); ++byte)
      if (after[byte] != before[byte])
        target[byte] = after[byte];
  }

  /// The operand whose place a result takes.
  std::optional<size_t> overwritten(const WatchedCalls::Event &event, size_t number) const {
    for (size_t operand = 0; number >= operandsOf(event.call) && operand < operandsOf(event.call); ++operand)
      if (sizes[number] && sizes[operand] == sizes[number] && event.buffers[operand] == event.buffers[number])
        return operand;
    return std::nullopt;
  }

  const Program &program;
  GuardSide side;
  std::vector<GuardedBuffer> buffers;
  std::vector<void *> pointers;
  std::vector<uint64_t> sizes;
};
} // namespace

std::optional<std::vector<Tensor>> kumiko::runGuarded(const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                                      GuardSide side, ProblemList &problems) {
  auto jit = Jit::create(compiled.program, compiled.kernels, compiled.target);
  if (!jit) {
    takeProblems(jit.takeError(), problems);
    return std::nullopt;
  }
  GuardedCalls guarded(compiled.program, side);
  auto watch = [&](const WatchedCalls::Event &event) { return guarded.watch(event); };
  WatchedCalls watched(compiled.program, *(*jit)->artefact(), watch);
  auto executable = Executable::fromArtefact(watched.artefact(), problems);
  if (!executable || !executable->prepare(inputs, /*threads=*/1, problems) || !executable->run(problems))
    return std::nullopt;
  return executable->takeResults();
}
