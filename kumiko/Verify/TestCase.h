//===- TestCase.h - a network and inputs for it ------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace kumiko {

/// `@main` of the module takes the inputs, in order.
struct TestCase {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> inputs;

  /// All of it again.
  TestCase clone() const {
    TestCase copy;
    copy.module = module.get().clone();
    for (const Tensor &input : inputs)
      copy.inputs.push_back(llvm::cantFail(input.copy()));
    return copy;
  }
};

} // namespace kumiko
