//===- TypicalSize.h - a number to decide by -------------------------------===//
#pragma once
#include "kumiko/Equation/Extent.h"

namespace kumiko {

/// A size to decide by: the number itself, or what an expression gives for the sizes that symbols mostly have.
int64_t typicalSize(const eq::Extent &extent);

} // namespace kumiko
