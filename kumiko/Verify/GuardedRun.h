//===- GuardedRun.h - compiled code between guard pages ---------------------===//
//
// Each call of the program gets copies of its buffers, every one between two pages that nobody may touch: a read or
// write outside a buffer ends the process with SIGSEGV, wherever it lands in real life. Operands are read-only, scratch
// is new for each chunk, and what a kernel must write starts as garbage, unless the plan has put it where an operand
// lies.
//
//   After    |guard| ......... buffer|guard|     finds what runs past the end
//   Before   |guard|buffer ......... |guard|     finds what begins too early
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Support/Tensor.h"

namespace kumiko {

/// Which guard page touches the buffer.
enum class GuardSide : uint8_t { After, Before };

/// Runs the program on this thread. `inputs` are in the program's order. Empty when a problem was added: no memory, or
/// a kernel that refuses its data.
std::optional<std::vector<Tensor>> runGuarded(const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                              GuardSide side, ProblemList &problems);

} // namespace kumiko
