//===- Jit.h - kernels and tables loaded into this process ------------------===//
#pragma once
#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Emit/Weights.h"
#include "kumiko/Plan/Program.h"
#include "runtime/include/kumiko/artefact.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace kumiko {

/// A program in memory, from the same objects that an artefact on disk is made of. The weights are not copied when they
/// are in one piece; `program` must then outlive the JIT.
class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>> create(const Program &program, llvm::ArrayRef<Object> kernels,
                                                     const Target &target);
  ~Jit();

  /// Valid as long as this object.
  const kumiko_artefact *artefact() const { return head; }

private:
  Jit();
  WeightImage weights;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const kumiko_artefact *head = nullptr;
};

} // namespace kumiko
