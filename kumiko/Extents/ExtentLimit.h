//===- ExtentLimit.h - sizes that are cut off ------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"

namespace kumiko {

/// Whether `extent` is min(whole, limit) with a limit that is never below `least`: a table's part for a sequence, as
/// far as the table reaches. Where such a part meets the whole in an elementwise op, nothing was cut off.
bool isLimited(const Extent &extent, const Extent &whole, int64_t least);

} // namespace kumiko
