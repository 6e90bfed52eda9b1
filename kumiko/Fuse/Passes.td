//===- Passes.td - passes of the Fuse stage --------------------------------===//
#ifndef KUMIKO_FUSE_PASSES_TD
#define KUMIKO_FUSE_PASSES_TD
include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"kumiko-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Group the ops of the network into kernels";
  let description = [{
    ```mlir
    %0 = nn.conv %x, %w {...}          nn.kernel @k_5f..(%a, %b) { conv, relu }
    %1 = nn.relu %0            ->      %1 = nn.call @k_5f..(%x, %w)
    ```
    Equal kernels become one: the symbol is a hash of the body. Arguments that are constants are marked
    `nn.constant`; constants of one element move into the kernel. Every result of the network is written by a kernel.

    Before: nn ops only. After: functions hold `nn.call`, `nn.constant` and views; nn ops with equations stand in
    kernels. Class: exact.
  }];
  let options = [Option<"fuse", "fuse", "bool", "true", "false: every op is a kernel of its own">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}
#endif
