//===- Constants.h - elements as attributes of the nn dialect -----------------------------===//
#pragma once
#include "kumiko/Support/ElementType.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <memory>

namespace kumiko {

/// Elements in the form of kumiko::Tensor, written out in the IR.
mlir::ElementsAttr denseElements(mlir::RankedTensorType type, ElementType element, llvm::StringRef bytes);

/// The same where they are few, so that people can read them; else a view of the bytes, which `owner` keeps alive.
/// `key` names the resource; equal keys are counted up.
mlir::ElementsAttr constantElements(mlir::MLIRContext *context, ElementType element, llvm::ArrayRef<int64_t> shape,
                                    llvm::StringRef bytes, llvm::StringRef key, std::shared_ptr<const void> owner);

} // namespace kumiko
