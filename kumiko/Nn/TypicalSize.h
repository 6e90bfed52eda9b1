//===- TypicalSize.h - a number to decide by -------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"

namespace kumiko {

/// A size to decide by: the number itself, or what an expression gives for the sizes that symbols mostly have.
int64_t typicalSize(const Extent &extent);

/// The same for inputs that are large: what pays for typical sizes and for these pays for most.
int64_t largeSize(const Extent &extent);

} // namespace kumiko
