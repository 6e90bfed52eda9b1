//===- TargetAttr.h - a module's target ---------------------------------------===//
#pragma once
#include "kumiko/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

#include "kumiko/Target/TargetDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "kumiko/Target/TargetAttr.h.inc"

namespace kumiko {

/// What the module around `op`, or one around that, is made for; `defaultTarget` where none says. Lives as long as the
/// program.
const Target &targetOf(mlir::Operation *op);

/// Says it, as `kumiko.target`.
void setTarget(mlir::ModuleOp module, const Target &target);

} // namespace kumiko
