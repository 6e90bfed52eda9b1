//===- Weights.h - the weights as memory, file and object -------------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "kumiko/Target/Target.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace kumiko {

/// The weights in one piece, 64-byte aligned. A program whose weights already are one such piece is not copied; its
/// bytes must then outlive the image.
class WeightImage {
public:
  static llvm::Expected<WeightImage> create(const Program &program);

  const void *data() const { return bytes; }

private:
  struct Free {
    void operator()(void *memory) const;
  };
  std::unique_ptr<void, Free> memory;
  const void *bytes = nullptr;
};

/// Writes the weights' bytes, gaps as zeros.
void writeWeights(const Program &program, llvm::raw_ostream &os);

/// Writes a relocatable ELF object that holds nothing but the weights, under weightsSymbol(program). Made by hand
/// because LLVM's own path would hold several copies of what may be gigabytes.
void writeWeightsObject(const Program &program, const Target &target, llvm::raw_ostream &os);

} // namespace kumiko
