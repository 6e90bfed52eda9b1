//===- ProductBuilder.h - a sum of products in its normal form -------------===//
#pragma once
#include "kumiko/Optimize/ProductPlan.h"
#include "mlir/IR/Builders.h"

namespace kumiko::optimize {

/// The value of `op`, whose only statement the form is; null with the reason.
mlir::Value buildProduct(mlir::OpBuilder &builder, mlir::Operation *op, const eq::Instance &instance,
                         const ProductForm &form, const ProductPlan &plan, std::string &why);

} // namespace kumiko::optimize
