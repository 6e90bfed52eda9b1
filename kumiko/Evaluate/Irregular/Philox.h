//===- Philox.h - random bits as a function of a counter -------------------------===//
#pragma once
#include <array>
#include <cstdint>

namespace kumiko {

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): ten rounds of two 32-bit products.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

} // namespace kumiko
