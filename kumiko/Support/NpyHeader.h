//===- NpyHeader.h - the text at the start of an .npy file -------------------===//
#pragma once
#include "kumiko/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kumiko {

/// Where the elements start in an .npy file and what they are.
struct NpyHeader {
  ElementType element = ElementType::Invalid;
  bool raw = false;
  bool bigEndian = false;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t, 6> shape;
  size_t dataOffset = 0;
};

/// Reads magic, version and dictionary. Extents are non-negative; their product is not checked here.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::ArrayRef<uint8_t> file);

/// Everything before the elements, for a little-endian array in C order.
std::string makeNpyHeader(ElementType element, llvm::ArrayRef<int64_t> shape);

} // namespace kumiko
