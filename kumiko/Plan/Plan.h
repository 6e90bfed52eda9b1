//===- Plan.h - from calls on tensors to a program over one arena ----------===//
//
// Every tensor between two kernels gets a place: results of the network lie in the caller's memory, constants in the
// weights (packed as the kernel that reads them wants), everything else in one arena whose slots are reused as soon as
// the last reader is done, or by it, where it reads an element before it writes there. Views take no place of their
// own.
//
// A loop works where things are: a slice of a sequence is read, and one of a stacked result written, at an address that
// moves with the turns, and a state has two places that change roles from turn to turn, so that nothing is copied.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace kumiko {

/// Plans `@main` of `module`, whose kernels have schedules. The weights' views point into the module's constants, so
/// the module (and the file mapped below it) outlives the program. Fails with a diagnostic.
mlir::FailureOr<Program> planProgram(mlir::ModuleOp module, llvm::StringRef name);

/// The source nodes that a location names, comma separated.
std::string sourceNodes(mlir::Location location);

/// Writes the plan onto the calls, for people: `buffers = ["input0", "weights+1024", "arena+0"]`; inside of loops
/// also `+64*turn0`, and `+64*odd0` or `+64*even0` for what alternates.
void annotate(mlir::ModuleOp module, const Program &program);

} // namespace kumiko
