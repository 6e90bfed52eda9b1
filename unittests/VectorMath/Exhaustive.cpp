// vector-math-exhaustive [STEP [NAME ...]]: every STEP-th of all 2^32 arguments of each function of one argument (1:
// all of them, some minutes each), and 2^30 / STEP pairs of arguments of each function of two. One line per function;
// the exit code is 1 when a limit is passed.
#include "unittests/VectorMath/Jit.h"
#include "unittests/VectorMath/Judge.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace kumiko;

/// The patterns [first, last), in blocks.
static Worst walk(const Judged &function, const CompiledMath &compiled, uint64_t first, uint64_t last, uint64_t step) {
  constexpr unsigned block = CompiledMath::count;
  std::vector<float> a(block), y(block);
  Worst worst;
  for (uint64_t at = first; at < last; at += step * block) {
    for (unsigned i = 0; i < block; ++i)
      a[i] = std::bit_cast<float>(uint32_t(at + i * step));
    compiled(a.data(), a.data(), y.data());
    judge(function, a.data(), a.data(), y.data(), block, worst);
  }
  return worst;
}

/// Bits that look random, as a function of a number (splitmix64).
static uint64_t scramble(uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

/// A float of these bits; a `near` one has a magnitude between 2^-16 and 2^16, where functions are used.
static float floatOf(uint32_t bits, bool near) {
  if (near)
    bits = (bits & 0x807fffff) | (127 - 16 + (bits >> 23 & 0xff) % 32) << 23;
  return std::bit_cast<float>(bits);
}

/// Pairs number [first, last): every second one near 1.
static Worst samplePairs(const Judged &function, const CompiledMath &compiled, uint64_t first, uint64_t last) {
  constexpr unsigned block = CompiledMath::count;
  std::vector<float> a(block), b(block), y(block);
  Worst worst;
  for (uint64_t at = first; at < last; at += block) {
    for (unsigned i = 0; i < block; ++i) {
      uint64_t bits = scramble(at + i);
      a[i] = floatOf(uint32_t(bits), i % 2 == 1);
      b[i] = floatOf(uint32_t(bits >> 32), i % 2 == 1);
    }
    compiled(a.data(), b.data(), y.data());
    judge(function, a.data(), b.data(), y.data(), block, worst);
  }
  return worst;
}

static Worst walkAll(const Judged &function, const CompiledMath &compiled, uint64_t step) {
  unsigned parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst> worst(parts);
  std::vector<std::thread> threads;
  for (unsigned part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      uint64_t all = function.unary ? uint64_t(1) << 32 : (uint64_t(1) << 30) / step;
      uint64_t first = all / parts * part, last = all / parts * (part + 1);
      worst[part] =
          function.unary ? walk(function, compiled, first, last, step) : samplePairs(function, compiled, first, last);
    });
  for (std::thread &thread : threads)
    thread.join();
  return *std::max_element(worst.begin(), worst.end(), [](auto &x, auto &y) { return x.ulp < y.ulp; });
}

int main(int count, char **arguments) {
  uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  std::vector<std::string> names(arguments + std::min(count, 2), arguments + count);
  bool failed = step == 0;
  for (const Judged &function : judgedFunctions()) {
    if (step == 0 || (!names.empty() && !llvm::is_contained(names, function.name)))
      continue;
    auto compiled = CompiledMath::create(function.name);
    if (!compiled) {
      llvm::errs() << llvm::toString(compiled.takeError()) << "\n";
      return 1;
    }
    Worst worst = walkAll(function, *compiled, step);
    failed |= worst.ulp > function.ulpLimit;
    llvm::outs() << llvm::formatv("{0,-8} limit {1}: {2}\n", function.name, function.ulpLimit, worst.describe());
    llvm::outs().flush();
  }
  return failed;
}
