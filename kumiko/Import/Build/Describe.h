//===- Describe.h - types as messages say them ---------------------------------===//
#pragma once
#include "mlir/IR/Types.h"
#include <string>

namespace kumiko {

/// A tensor type of the module: `f32[1,3]`, `f32[batch,seq + 1]`; `?` for what is not known.
std::string describe(mlir::Type type);

} // namespace kumiko
