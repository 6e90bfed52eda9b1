//===- EquationOp.h - what all generated ops share -------------------------===//
//
// The generated records are declarations only; parsing, printing, verifying and building are the same for all of them
// and read the op's definition.
//
//   %y = nn.relu %x : tensor<2x3xf32>                        one type when all types are equal
//   %y = nn.reduce %x {axes = array<i64: 1>, kind = "+"} : (tensor<2x3xf32>) -> tensor<2xf32>
//   %y = nn.deform_conv %x, %w, %o, _, %b {...} : ...        `_` is an optional operand that is absent; trailing ones
//   are
//                                                           left out, and so are attributes that have their default
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "mlir/IR/OpImplementation.h"

namespace kumiko::nn::detail {

llvm::LogicalResult verifyEquationOp(mlir::Operation *op);
mlir::ParseResult parseEquationOp(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printEquationOp(mlir::Operation *op, mlir::OpAsmPrinter &printer);

/// The body of the generated builders: one operand per slot (null for an absent optional), attributes by name. Result
/// types are inferred; a misfit is a mistake of the calling pass and ends the program with the reason.
void buildEquationOp(mlir::OpBuilder &builder, mlir::OperationState &state, llvm::ArrayRef<mlir::Value> operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes);

} // namespace kumiko::nn::detail
