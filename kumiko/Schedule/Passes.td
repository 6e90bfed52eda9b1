//===- Passes.td - passes of the Schedule stage ----------------------------===//
#ifndef KUMIKO_SCHEDULE_PASSES_TD
#define KUMIKO_SCHEDULE_PASSES_TD
include "mlir/Pass/PassBase.td"

def ScheduleKernelsPass : Pass<"kumiko-schedule-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every kernel its schedule";
  let description = [{
    Attaches the attribute `schedule` to each `nn.kernel` that has none, from the analytical model of the registers
    and caches of the module's target. A schedule that is already there (from a user or a tuning record) stays. Where
    the text of `schedules` has a rule for a kernel (ScheduleFile.h), its numbers take the place of the model's.

    Which operands a result may be written over is proposed in `layouts`, which Plan decides about.

    Before: bodies are linalg on tensors. After: every kernel has a schedule. Class: exact.
  }];
  let options = [Option<"vectorFunctions", "vector-functions", "bool", "true",
                        "Elementary functions are vector code, not calls of libm">,
                 Option<"schedules", "schedules", "std::string", "", "Text of written schedules">,
                 Option<"schedulesName", "schedules-name", "std::string", "\"schedules\"", "The file it is from">];
}

#endif
