//===- Arguments64.h - doubles to try functions on --------------------------===//
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace kumiko {

/// Bits that look random, as a function of a number (splitmix64).
inline uint64_t scramble(uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

/// A double of these bits; a `near` one has a magnitude between 2^-32 and 2^16, where functions are used.
inline double doubleOf(uint64_t bits, bool near) {
  if (near)
    bits = (bits & 0x800fffffffffffff) | (1023 - 32 + (bits >> 52 & 0x7ff) % 48) << 52;
  return std::bit_cast<double>(bits);
}

/// Values where formulas change or break, with their neighbours, of both signs; infinities and NaN.
std::vector<double> corners64();

/// Argument number `number` of an endless sequence: one in four of any bits, one between a corner and a little beyond,
/// the others near 1.
double argument64(uint64_t number, const std::vector<double> &corners);

} // namespace kumiko
