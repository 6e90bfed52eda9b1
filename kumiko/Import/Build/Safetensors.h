//===- Safetensors.h - tensors by name in a safetensors file ---------------------------===//
//
// 8 bytes with the length of a JSON header, the header, the raw data. The header gives each tensor a name, a type, a
// shape and a range of the data; together the ranges are the data, without gaps. Types that the format does not have
// are stored as U8, and the text says what they are.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Build/ModelFile.h"
#include "kumiko/Support/Tensor.h"
#include "llvm/Support/raw_ostream.h"

namespace kumiko {

using Weights = llvm::StringMap<Tensor>;

/// The tensors of a mapped file, as views. Nothing with a problem when it is no such file.
std::optional<Weights> readWeights(llvm::StringRef bytes, Report report);

struct StoredTensor {
  std::string name;
  Tensor tensor;
};
/// As a file, in the order given.
void writeWeights(llvm::ArrayRef<StoredTensor> tensors, llvm::raw_ostream &os);

/// Whether the format has a name for the type.
bool isStorable(ElementType type);

} // namespace kumiko
