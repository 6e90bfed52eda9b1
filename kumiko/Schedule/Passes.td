//===- Passes.td - passes of the Schedule stage ----------------------------===//
#ifndef KUMIKO_SCHEDULE_PASSES_TD
#define KUMIKO_SCHEDULE_PASSES_TD
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
                 Option<"gathers", "gathers", "bool", "false", "Gathers take less time than a load for each lane">,
                 Option<"storesInOrder", "stores-in-order", "bool", "false",
                        "Stores wait for each other where the first cache does not have their lines">,
                 Option<"wideCore", "wide-core", "bool", "false",
                        "So many operations are under way at a time that short pieces are best moved as vectors">,
                 Option<"crowdsSets", "crowds-sets", "bool", "false",
                        "Rows that share a set of the first cache drive each other out before they are read">,
                 Option<"sharedCache", "shared-cache", "int64_t", "33554432", "Bytes of the cache that all cores share">,
                 Option<"vectorFunctions", "vector-functions", "bool", "true",
                        "Elementary functions are vector code, not calls of libm">,
                 Option<"fma", "fma", "bool", "true", "The machine has fused multiply-add">];
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
#endif
