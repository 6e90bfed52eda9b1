//===- Equations.h - from an op of the graph to its equation ---------------===//
//
//   for (Operation &op : block)
//     if (isa<nn::EquationInterface>(op)) {
//       llvm::Expected<eq::Instance> instance = nn::instantiate(&op);
//       ...
//     }
//
// Operands are counted in *slots*: one per operand of the definition, null where an optional one is absent, and a
// variadic operand's values one after the other. eq::Tensor::number of an operand is its slot.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Equation/Instantiate.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace kumiko::nn {

/// The definition of a built-in op, by its name with or without "nn."; null for any other op. All texts are read once,
/// on first use; safe from several threads.
const eq::OpDef *lookupEquation(llvm::StringRef opName);

/// The definition of an op with this name and these attributes: a built-in one, or that of nn.custom, whose attribute
/// `nn.definition` is its text. Null when there is none or the text is not one op. A text is read once.
const eq::OpDef *lookupEquation(llvm::StringRef opName, llvm::ArrayRef<mlir::NamedAttribute> attributes);
const eq::OpDef *definitionOf(mlir::Operation *op);

/// The attribute of nn.custom that holds the text of its op.
inline constexpr llvm::StringLiteral definitionName = "nn.definition";

/// All built-in definitions, in the order of the files.
llvm::ArrayRef<eq::OpDef> allEquations();

/// The op's statements on the types it has. With `onlyUsedResults`, statements that only serve results without uses are
/// left out. Fails when the op has no equation, an extent is not known, or the equation does not fit its types.
llvm::Expected<eq::Instance> instantiate(mlir::Operation *op, bool onlyUsedResults = false);

/// The op's operands by slot.
llvm::SmallVector<mlir::Value, 4> operandSlots(mlir::Operation *op);

/// The types of the results of `opName` (without "nn.") applied to these, without making an op. One operand per slot; a
/// null type is an absent optional operand. Checks as much as `instantiate`.
llvm::Expected<llvm::SmallVector<mlir::Type, 2>> inferTypes(mlir::MLIRContext *context, const eq::OpDef &op,
                                                            llvm::ArrayRef<mlir::Type> operands,
                                                            llvm::ArrayRef<mlir::NamedAttribute> attributes);

} // namespace kumiko::nn
