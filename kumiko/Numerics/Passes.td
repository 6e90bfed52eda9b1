//===- Passes.td - passes of the Numerics stage --------------------------------===//
#ifndef KUMIKO_NUMERICS_PASSES_TD
#define KUMIKO_NUMERICS_PASSES_TD
include "mlir/Pass/PassBase.td"

def WidenKernelsPass : Pass<"kumiko-widen-kernels", "::mlir::ModuleOp"> {
  let summary = "Compute in f64 what would lose digits in f32, where that costs nothing";
  let description = [{
    Sums, and sums of what has been rounded before, are computed in f64 together with the arithmetic that leads to them,
    and rounded when they are stored. Elementary functions stay in f32, and so do large contractions and windows of
    products, which are bound by arithmetic.

    Before: bodies are linalg on tensors. After: the same, with tensors of f64 between bodies; arguments and results are
    as they were. Class: rounding.
  }];
}

def PartReductionsPass : Pass<"kumiko-part-reductions", "::mlir::ModuleOp"> {
  let summary = "Make parts of long reductions to few elements, for threads to share";
  let description = [{
    ```
    s = sum over r of x[r]      ->      t[p] = sum over q of x[p * n + q],  s = sum over p of t[p]
    ```
    An element of a result belongs to one chunk, so that a long sum to a few elements would run on one thread. Here its
    parts become elements; the next pass but one cuts the kernel behind them. What is left over, where a length has no
    divisor of that size, goes on from the sum of the parts. So are a few long rows parted that are read again for a
    result as long, and those that are searched for their largest element and its number.

    Before: bodies are linalg on tensors. After: the same. Class: rounding (sums of floats have another order).
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}
#endif
