//===- Machine.h - the machine as analytical models see it -----------------===//
#pragma once
#include <cstdint>

namespace kumiko {

struct Machine {
  int64_t lanes = 8;      ///< f32 per vector register
  int64_t registers = 16; ///< vector registers
  int64_t l1 = 32 << 10, l2 = 512 << 10;
  /// One instruction adds four products of bytes, one with a sign and one without, to each lane (vpdpbusd).
  bool byteDot = false;
  /// Stores leave for the first cache one after the other, so that each line which is not there yet holds up all that
  /// follow: such lines are worth asking for.
  bool storesInOrder = false;
  /// Fused multiply-add.
  bool fma = true;
  /// Elementary functions are vector code of our own, not calls of the C library.
  bool vectorFunctions = true;
};

/// Operations on single elements that are worth handing to another core: some 20 microseconds.
constexpr int64_t scalarOpsPerChunk = 100'000;

} // namespace kumiko
