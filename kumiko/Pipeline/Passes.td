//===- Passes.td - passes of the pipeline itself ----------------------------===//
#ifndef KUMIKO_PIPELINE_PASSES_TD
#define KUMIKO_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckFormPass : Pass<"check-form", "::mlir::ModuleOp"> {
  let summary = "fails when the module is not in the legal form of a stage";
  let description = [{
    Every stage ends with it, so that a wrong form fails where it was made and not three stages later. Each stage lists
    which dialects and ops may remain in functions and which in kernels (CheckForm.cpp); anything else is a defect of
    the compiler and is named. Changes nothing.
  }];
  let options = [Option<"stage", "stage", "std::string", "", "the stage whose form is checked">];
}

#endif // KUMIKO_PIPELINE_PASSES_TD
