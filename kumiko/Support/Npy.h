//===- Npy.h - arrays in .npy and .npz files --------------------------------===//
//
// Reads format versions 1, 2, 3, both byte orders, C and Fortran order; b1, f2 f4 f8, i and u of 1 to 8 bytes, and raw
// bytes (`|V1`, `<V2`), which is how NumPy stores bf16 and the 8-bit floats. An .npz is a zip archive of .npy files:
// stored or deflated, zip64 too. Files are hostile: every length is checked against the file before it is used, and
// nothing is allocated beyond the limit.
//
// Written are version 1 (2 when the header is long), little endian, C order; archives uncompressed, entries in the
// order given, without times, so that equal tensors give equal files. bf16 and small floats are written as raw bytes,
// 4- and 2-bit integers as i1 and u1. A file appears under its name only when it is complete.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include <vector>

namespace kumiko {

struct NpyArray {
  Tensor tensor;
  /// The file has a raw type: the tensor is u8, u16, u32 or u64 by width and may be meant as another type.
  bool raw = false;
};

/// One array of an archive. Names may hold any characters, `/` and `:` included; `.npy` is not part of the name.
struct NpzArray {
  std::string name;
  NpyArray array;
};

llvm::Expected<NpyArray> readNpy(llvm::ArrayRef<uint8_t> file, uint64_t limit = defaultTensorLimit);
llvm::Expected<NpyArray> readNpyFile(llvm::StringRef path, uint64_t limit = defaultTensorLimit);
llvm::Error writeNpyFile(llvm::StringRef path, const Tensor &tensor);

/// All arrays in the order of the archive. `limit` holds for all of them together.
llvm::Expected<std::vector<NpzArray>> readNpz(llvm::ArrayRef<uint8_t> file, uint64_t limit = defaultTensorLimit);
llvm::Expected<std::vector<NpzArray>> readNpzFile(llvm::StringRef path, uint64_t limit = defaultTensorLimit);
llvm::Error writeNpzFile(llvm::StringRef path, llvm::ArrayRef<std::pair<llvm::StringRef, const Tensor *>> arrays);

/// The array as a tensor of `type`: raw arrays are reinterpreted, integers stored wider than 4- and 2-bit types are
/// checked to fit, equal types pass; anything else is an error, values are never converted silently.
llvm::Expected<Tensor> asElementType(NpyArray array, ElementType type);

} // namespace kumiko
