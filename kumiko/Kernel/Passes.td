//===- Passes.td - passes over the bodies of kernels ---------------------------===//
#ifndef KUMIKO_KERNEL_PASSES_TD
#define KUMIKO_KERNEL_PASSES_TD
include "mlir/Pass/PassBase.td"

def DropUnitsPass : Pass<"kumiko-drop-units", "::mlir::ModuleOp"> {
  let summary = "Write bodies without loops of one point";
  let description = [{
    ```
    y[b, s, u, k] = x[b, s, k] - reshape(m)[b, s, u]         ->      y[b, s, k] = x[b, s, k] - m[b, s]
    ```
    Whether an exporter kept a dimension that it had reduced makes no difference behind this pass: bodies read each
    other without the reshapes that add and drop dimensions of one element. Only kernels in which such dimensions stand
    between bodies are changed.

    Before: bodies are linalg on tensors. After: the same; arguments and results are as they were. Class: exact.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def SplitKernelsPass : Pass<"kumiko-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Cut kernels in which something would be computed again and again";
  let description = [{
    Inside a kernel nothing is stored, so a reduction that feeds another one, or that every point of a larger result
    needs, would run once for each reader. Row kernels (softmax, layer norm) know how to share; any other such kernel is
    cut behind the reduction: one kernel writes its result, the next one reads it. So is a large contraction whose
    result is not written point by point (a slice of it, say): it has a template only by itself. An operand of it that
    costs more than a read is written down in front of it: a softmax between two products is a row kernel. So is a table
    that each of many rows would compute anew, as the weights are that resize an image.

    Before: bodies are linalg on tensors. After: every kernel is a contraction, a row kernel, or points whose reductions
    are read once. Class: exact.
  }];
}
#endif
