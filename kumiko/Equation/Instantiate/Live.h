//===- Live.h - which tensors of an op somebody needs ----------------------===//
#pragma once
#include "kumiko/Equation/Instantiate/OpContext.h"

namespace kumiko::eq {

/// `Shape`: only `dim(t, 0)` and the like ask for it.
enum class Need : uint8_t { No, Shape, Value };

/// By OpDef::tensors. Choices on attributes are taken first, so what stands in a branch not taken needs nothing.
llvm::SmallVector<Need, 8> findNeeds(OpContext &context);

} // namespace kumiko::eq
