// vector-math-exhaustive [STEP [NAME ...]]: every STEP-th of all 2^32 arguments of each function of one argument (1:
// all of them, some minutes each), 2^30 / STEP pairs of arguments of each function of two, and 2^28 / STEP arguments of
// each function of f64. A NAME may have a type, `exp:f64`. One line per function; the exit code is 1 when a limit is
// passed.
#include "unittests/VectorMath/Arguments64.h"
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
static Worst<float> walk(const Judged<float> &function, const CompiledMath &compiled, uint64_t first, uint64_t last,
                         uint64_t step) {
  constexpr unsigned block = CompiledMath::count;
  std::vector<float> a(block), y(block);
  Worst<float> worst;
  for (uint64_t at = first; at < last; at += step * block) {
    for (unsigned i = 0; i < block; ++i)
      a[i] = std::bit_cast<float>(uint32_t(at + i * step));
    compiled(a.data(), a.data(), y.data());
    judge<float>(function, a.data(), a.data(), y.data(), block, worst);
  }
  return worst;
}

/// A float of these bits; a `near` one has a magnitude between 2^-16 and 2^16, where functions are used.
static float floatOf(uint32_t bits, bool near) {
  if (near)
    bits = (bits & 0x807fffff) | (127 - 16 + (bits >> 23 & 0xff) % 32) << 23;
  return std::bit_cast<float>(bits);
}

/// Pairs number [first, last): every second one near 1.
static Worst<float> samplePairs(const Judged<float> &function, const CompiledMath &compiled, uint64_t first,
                                uint64_t last) {
  constexpr unsigned block = CompiledMath::count;
  std::vector<float> a(block), b(block), y(block);
  Worst<float> worst;
  for (uint64_t at = first; at < last; at += block) {
    for (unsigned i = 0; i < block; ++i) {
      uint64_t bits = scramble(at + i);
      a[i] = floatOf(uint32_t(bits), i % 2 == 1);
      b[i] = floatOf(uint32_t(bits >> 32), i % 2 == 1);
    }
    compiled(a.data(), b.data(), y.data());
    judge<float>(function, a.data(), b.data(), y.data(), block, worst);
  }
  return worst;
}

/// Arguments number [first, last) of the sequence of doubles.
static Worst<double> sample(const Judged<double> &function, const CompiledMath &compiled, uint64_t first,
                            uint64_t last) {
  constexpr unsigned block = CompiledMath::count;
  std::vector<double> corners = corners64(), a(block), b(block), y(block);
  Worst<double> worst;
  for (uint64_t at = first; at < last; at += block) {
    for (unsigned i = 0; i < block; ++i) {
      a[i] = argument64(2 * (at + i / 4 * 4) + i % 4, corners);
      b[i] = argument64(2 * (at + i / 4 * 4) + 4 + i % 4, corners);
    }
    compiled(a.data(), b.data(), y.data());
    judge<double>(function, a.data(), b.data(), y.data(), block, worst);
  }
  return worst;
}

/// The worst of [0, all), shared among threads.
template <typename Real, typename Part> static Worst<Real> worstOf(uint64_t all, Part part) {
  unsigned parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst<Real>> worst(parts);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < parts; ++number)
    threads.emplace_back([&, number] { worst[number] = part(all / parts * number, all / parts * (number + 1)); });
  for (std::thread &thread : threads)
    thread.join();
  return *std::max_element(worst.begin(), worst.end(), [](auto &x, auto &y) { return x.ulp < y.ulp; });
}

static Worst<float> walkAll(const Judged<float> &function, const CompiledMath &compiled, uint64_t step) {
  uint64_t all = function.unary ? uint64_t(1) << 32 : (uint64_t(1) << 30) / step;
  return worstOf<float>(all, [&](uint64_t first, uint64_t last) {
    return function.unary ? walk(function, compiled, first, last, step) : samplePairs(function, compiled, first, last);
  });
}

static Worst<double> walkAll(const Judged<double> &function, const CompiledMath &compiled, uint64_t step) {
  return worstOf<double>((uint64_t(1) << 28) / step,
                         [&](uint64_t first, uint64_t last) { return sample(function, compiled, first, last); });
}

/// Whether all functions of this type keep their limits.
template <typename Real>
static bool check(llvm::ArrayRef<std::string> names, uint64_t step, const LoopShape &shape, llvm::StringRef type) {
  bool kept = true;
  for (const Judged<Real> &function : judgedFunctions<Real>()) {
    if (!names.empty() && !llvm::is_contained(names, function.name) &&
        !llvm::is_contained(names, (function.name + (":" + type)).str()))
      continue;
    auto compiled = CompiledMath::create(function.name, shape);
    if (!compiled) {
      llvm::errs() << llvm::toString(compiled.takeError()) << "\n";
      return false;
    }
    Worst<Real> worst = walkAll(function, *compiled, step);
    kept &= worst.ulp <= function.ulpLimit;
    llvm::outs() << llvm::formatv("{0} {1,-8} limit {2}: {3}\n", type, function.name, function.ulpLimit,
                                  worst.describe());
    llvm::outs().flush();
  }
  return kept;
}

int main(int count, char **arguments) {
  uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  std::vector<std::string> names(arguments + std::min(count, 2), arguments + count);
  if (step == 0)
    return 1;
  bool single = check<float>(names, step, {}, "f32");
  return check<double>(names, step, {"vector<8xf64>", 8}, "f64") && single ? 0 : 1;
}
