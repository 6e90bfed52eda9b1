//===- Build.h - make an op from names and values --------------------------===//
#pragma once
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kumiko::nn {

/// Makes the op `name` ("conv", without "nn."). One operand per slot, null for an absent optional one, trailing ones
/// may be left out; attributes with a default may be left out. Result types are inferred. On failure nothing is built,
/// no diagnostic is emitted and `why` says the reason in one line, for the caller to put into its own message.
mlir::FailureOr<mlir::Operation *> buildEquationOp(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                                                   llvm::ArrayRef<mlir::Value> operands,
                                                   llvm::ArrayRef<mlir::NamedAttribute> attributes, std::string &why);

/// The same for an op of Irregular.td. Every attribute must be given; an operand is never absent.
mlir::FailureOr<mlir::Operation *> buildIrregularOp(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                                                    llvm::ArrayRef<mlir::Value> operands,
                                                    llvm::ArrayRef<mlir::NamedAttribute> attributes, std::string &why);

} // namespace kumiko::nn
