//===- Sizes.h - sizes at which code for vectors and tiles changes ----------===//
#pragma once
#include <cstdint>
#include <vector>

namespace kumiko {

inline constexpr int64_t boundarySizes[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33};

/// Small numbers that differ from their neighbours.
inline std::vector<float> someFloats(int64_t count, uint32_t seed = 1) {
  std::vector<float> floats(count);
  for (float &value : floats) {
    seed = seed * 1664525u + 1013904223u;
    value = float(int32_t(seed >> 8) - (1 << 23)) / float(1 << 23);
  }
  return floats;
}

} // namespace kumiko
