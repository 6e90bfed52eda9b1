//===- SplitDefinition.h - an op of several statements as several ops ------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Nn/Nn.h"

namespace kumiko::optimize {

/// Replaces `op` by one op for its statements in front of number `statement` of the instance, one for that statement,
/// and one for those behind it, each with a text of its own made of the same lines. Values that pass from one to the
/// next are operands and results. Fails with the reason, and then changes nothing.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>> splitAround(nn::CustomOp op, const eq::Instance &instance,
                                                                  unsigned statement, std::string &why);

} // namespace kumiko::optimize
