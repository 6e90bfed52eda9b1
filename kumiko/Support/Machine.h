//===- Machine.h - the machine as analytical models see it -----------------===//
#pragma once
#include <cstdint>

namespace kumiko {

struct Machine {
  int64_t lanes = 8;      ///< f32 per vector register
  int64_t registers = 16; ///< vector registers
  int64_t l1 = 32 << 10, l2 = 512 << 10;
  /// The cache that all cores share.
  int64_t l3 = 32 << 20;
  /// One instruction adds four products of bytes, one with a sign and one without, to each lane (vpdpbusd).
  bool byteDot = false;
  /// Lanes that each have a place of their own are read faster by one instruction than one by one.
  bool gathers = false;
  /// Stores leave for the first cache one after the other, so that each line which is not there yet holds up all that
  /// follow: such lines are worth asking for, stores better go from one line to the next than back and forth, and one
  /// short row after the other is no slower than several side by side.
  bool storesInOrder = false;
  /// Some five hundred operations are under way at a time. What lies apart in short pieces is sooner moved by these,
  /// and put in order by shuffles, than element by element; several rows of memory come as soon as one.
  bool wideCore = false;
  /// Of rows that share a set of the first cache so many are on the way at a time that they drive each other out before
  /// all of them is read: some instructions that do nothing between two of them are worth their time.
  bool crowdsSets = false;
  /// Fused multiply-add.
  bool fma = true;
  /// Elementary functions are vector code of our own, not calls of the C library.
  bool vectorFunctions = true;
};

/// Operations on single elements that are worth handing to another core: some 20 microseconds.
constexpr int64_t scalarOpsPerChunk = 100'000;

} // namespace kumiko
