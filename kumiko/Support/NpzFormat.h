//===- NpzFormat.h - the constants of the zip format that reading and writing share --===//
#pragma once
#include <cstddef>
#include <cstdint>

namespace kumiko::zip {

inline constexpr uint32_t localMagic = 0x04034b50, entryMagic = 0x02014b50, endMagic = 0x06054b50;
inline constexpr uint32_t end64Magic = 0x06064b50, locatorMagic = 0x07064b50;
/// Lengths of the records without names and extensions.
inline constexpr size_t localSize = 30, entrySize = 46, endSize = 22, end64Size = 56, locatorSize = 20;
/// Packing methods.
inline constexpr uint16_t stored = 0, deflated = 8;
/// The extension with 64-bit sizes; a 32-bit field that says `full` stands there.
inline constexpr uint16_t zip64Field = 1;
inline constexpr uint32_t full = UINT32_MAX;
/// Bits of the general flags.
inline constexpr uint16_t encrypted = 1, utf8Names = 1 << 11;

} // namespace kumiko::zip
