//===- ScalarLoops.h - an equation as the plainest C -----------------------===//
//
// What somebody would write by hand without thinking about the machine: one loop nest per statement, buffers between
// them, one element at a time. Made from the instance alone, so it shares nothing with Lower and Codegen, and compiled
// by the C compiler with both vectorisers off.
//
// Example: reduce on f32[8192,2048], kind=+, axes=[1]
//
//   for (int64_t l0 = 0; l0 < 8192; ++l0) {
//     float a0 = 0;
//     for (int64_t l1 = 0; l1 < 2048; ++l1)
//       a0 = a0 + t0[l0 * 2048 + l1];
//     t1[l0] = a0;
//   }
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "llvm/Support/Error.h"

namespace kumiko::bench {

/// Where the reduced loops stand. Inside, the sum of a point is a local variable; outside, sums grow in memory, which
/// is faster where the reduced axis is not the innermost.
enum class Reduced : uint8_t { Inside, Outside };

/// `void run(void **tensors)`: one pointer per tensor of the instance, temporaries too. An error for what plain C has
/// no word for (8-bit floats, symbols).
llvm::Expected<std::string> scalarLoops(const eq::Instance &instance, Reduced order);

} // namespace kumiko::bench
