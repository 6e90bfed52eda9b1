//===- Remark.h - what an optimisation did, or why not ---------------------===//
#pragma once
#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace kumiko::optimize {

/// Reports of this stage are in this category; `kumiko compile --explain` is built from them.
inline constexpr llvm::StringLiteral remarkCategory = "optimize";

/// `rule` is the name of the pass or of its part, `kind` the class of the change: exact, rounding, ...
inline void applied(mlir::Operation *op, llvm::StringRef rule, llvm::StringRef kind) {
  mlir::remark::passed(op->getLoc(), mlir::remark::RemarkOpts::name(rule).category(remarkCategory))
      << mlir::remark::metric("class", kind) << mlir::remark::metric("op", op->getName().getStringRef());
}
inline void declined(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &why) {
  mlir::remark::missed(op->getLoc(), mlir::remark::RemarkOpts::name(rule).category(remarkCategory))
      << mlir::remark::reason("{0}", why.str()) << mlir::remark::metric("op", op->getName().getStringRef());
}

} // namespace kumiko::optimize
