//===- Applied.h - instances of ops that do not exist yet ------------------===//
#pragma once
#include "kumiko/Equation/Instantiate.h"
#include "mlir/IR/Operation.h"

namespace kumiko::optimize {

/// The attributes that the op's equation knows, defaults filled in, and its text where the op brings that along.
mlir::NamedAttrList equationAttributes(mlir::Operation *op, const eq::OpDef &def);

/// The statements `def` would have on these types (null for an absent operand); results as in eq::Application.
llvm::Expected<eq::Instance> instantiateOn(const eq::OpDef &def, llvm::ArrayRef<mlir::RankedTensorType> slots,
                                           llvm::ArrayRef<mlir::NamedAttribute> attributes,
                                           llvm::ArrayRef<bool> wanted);

/// Types by slot, null for an absent operand.
llvm::SmallVector<mlir::RankedTensorType, 4> slotTypes(mlir::Operation *op);
llvm::SmallVector<bool, 2> usedResults(mlir::Operation *op);

} // namespace kumiko::optimize
