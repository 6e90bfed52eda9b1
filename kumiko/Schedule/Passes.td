//===- Passes.td - passes of the Schedule stage ----------------------------===//
#ifndef KUMIKO_SCHEDULE_PASSES_TD
#define KUMIKO_SCHEDULE_PASSES_TD
include "mlir/Pass/PassBase.td"

def ScheduleKernelsPass : Pass<"kumiko-schedule-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every kernel its schedule";
  let description = [{
    Attaches the attribute `schedule` to each `nn.kernel` that has none, from the analytical model of registers and
    caches. A schedule that is already there (from a user or a tuning record) stays.

    Before: bodies are linalg on tensors. After: every kernel has a schedule. Class: exact.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "8", "f32 in a vector register">,
                 Option<"registers", "registers", "int64_t", "16", "Vector registers of the machine">,
                 Option<"byteDot", "byte-dot", "bool", "false",
                        "The machine adds four products of bytes at once, exactly">,
                 Option<"storesInOrder", "stores-in-order", "bool", "false",
                        "Stores wait for each other where the first cache does not have their lines">,
                 Option<"vectorFunctions", "vector-functions", "bool", "true",
                        "Elementary functions are vector code, not calls of libm">,
                 Option<"fma", "fma", "bool", "true", "The machine has fused multiply-add">];
}

#endif
