//===- Passes.td - a pass for tests: what code is made for --------------------===//
#ifndef KUMIKO_TARGET_PASSES_TD
#define KUMIKO_TARGET_PASSES_TD
include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"kumiko-set-target", "::mlir::ModuleOp"> {
  let summary = "Say what the module is made for";
  let description = [{
    Sets `kumiko.target`, for tests that look at one file with several machines:
    `--kumiko-set-target=target=x86-64-v4,+inOrderStores`. Class: exact.
  }];
  let options = [Option<"target", "target", "std::string", "", "As for --target">];
  let dependentDialects = ["::kumiko::KumikoDialect"];
}
#endif
