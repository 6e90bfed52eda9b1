//===- Target.h - the machine that code is made for, as data ----------------===//
//
// A row of Rows.txt with what was adjusted. Every number that a model of cost or a schedule may read is in here, and
// what `spelled` says is all that differs from the row: the same spelling is the same target, on whatever machine it is
// read.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <optional>
#include <string>
#include <vector>

namespace kumiko {

enum class Fact : uint8_t {
#define KUMIKO_FACT(identifier, name, features, meaning) identifier,
#include "kumiko/Target/Facts.def"
};

/// Integer products that are added up in one instruction.
enum class DotForm : uint8_t {
#define KUMIKO_DOT(identifier, name, features, meaning) identifier,
#include "kumiko/Target/Facts.def"
};

/// Some of the values of an enumeration.
template <typename Value> class SetOf {
public:
  bool has(Value value) const { return bits >> unsigned(value) & 1; }
  void set(Value value, bool there = true) {
    bits = (bits & ~(1u << unsigned(value))) | unsigned(there) << unsigned(value);
  }

private:
  uint32_t bits = 0;
};

/// Operations on single elements that are worth handing to another core: some 20 microseconds.
constexpr int64_t scalarOpsPerChunk = 100'000;

/// A cache between the registers and main memory.
struct CacheLevel {
  int64_t bytes = 0, line = 64, ways = 0;
  /// Cores that share it; 0: all of them.
  int64_t cores = 1;
  /// What a model lets a working set take of it, where measuring said so; 0: `bytes`.
  int64_t budget = 0;
};

/// How much of a C library there is: all of it, `memcpy` and its like, nothing.
enum class CLibrary : uint8_t { Full, String, None };

/// What a GPU has beside it.
struct GpuPart {
  int64_t processors = 0, sharedBytes = 0, registers = 0, l2 = 0;
};

struct Target {
  /// Of the row.
  std::string name;
  /// The row and what was adjusted: `znver5,-sha`.
  std::string spelled;
  llvm::Triple triple;
  std::string cpu, abi;
  /// What differs from the CPU's features, as LLVM takes it: `+avx2,-fma`.
  std::string features;
  unsigned pointerBits = 0, indexBits = 0;
  /// The width that kernels are written for. A wider machine keeps its extra registers but does not widen vectors.
  unsigned vectorBits = 0;
  /// Scalar floats lie in registers of their own, or in those of vectors: then there are as many.
  unsigned vectorRegisters = 0, floatRegisters = 0, generalRegisters = 0;
  SetOf<Fact> facts;
  SetOf<DotForm> dots;
  /// From the first one on; none where memory is flat.
  llvm::SmallVector<CacheLevel, 3> caches;
  unsigned alignment = 0;
  CLibrary library = CLibrary::Full;
  bool threads = true;
  /// Kinds of files that artefacts can be: `.o`, `.so`.
  std::vector<std::string> files;
  std::optional<GpuPart> gpu;

  bool has(Fact fact) const { return facts.has(fact); }
  bool has(DotForm form) const { return dots.has(form); }
  /// f32 in a vector register; 1 without vectors.
  int64_t lanes() const { return std::max(1u, vectorBits / 32); }
  /// Bytes that a model lets a working set take of the cache of this level, from 1 on; the last one stands for those
  /// behind it. Without caches everything is near.
  int64_t budget(unsigned level) const;
  /// One word for provenance, with all that differs from the row: `x86_64/znver3`.
  std::string describe() const;
};

/// What a module has that does not say; kumiko-opt's.
constexpr llvm::StringLiteral defaultTarget = "x86-64-v3";

/// A row, then what to adjust: `x86-64-v3,+avxvnni,-fma,l3=64M`. Features of LLVM's and facts are added and taken away;
/// `cpu` and the sizes of caches are set.
llvm::Expected<Target> rowNamed(llvm::StringRef spelled);

/// The same; `host` is the row of this machine, with what differs.
llvm::Expected<Target> targetNamed(llvm::StringRef spelled);

/// The names of all rows.
std::vector<llvm::StringRef> targetNames();

/// For people: every row, and what can be adjusted.
void printTargets(llvm::raw_ostream &os);

} // namespace kumiko
