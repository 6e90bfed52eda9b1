//===- Passes.td - the pass that replaces math ops -------------------------===//
#ifndef KUMIKO_CODEGEN_CPU_MATH_PASSES_TD
#define KUMIKO_CODEGEN_CPU_MATH_PASSES_TD
include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"kumiko-expand-math"> {
  let summary = "Replace math ops on f32 by the expansions of VectorMath.h";
  let description = [{
    Elementary functions of the math dialect on f32, f16 and bf16, scalar or vector, become arithmetic:

    ```mlir
    %y = math.exp %x : vector<8xf32>   ->   vector.fma, arith.select, arith.bitcast, ...
    ```

    f16 and bf16 are computed in f32 and rounded once more. Left alone: f64, integers, tensors, and ops that are one or
    two instructions already (math.absf, math.copysign, math.sqrt, math.rsqrt, math.fma, rounding).

    Afterwards no math op on f32 needs a call of libm, except math.cbrt, math.erfc, math.fpowi and math.sincos, which
    nothing emits. Class: approximate (2 ULP).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CallMathPass : Pass<"kumiko-call-math", "::mlir::ModuleOp"> {
  let summary = "Replace elementary functions by calls of libm";
  let description = [{
    Class: exact. Every elementary function of the math dialect that is left, scalar or vector, becomes a call for each
    element:

    ```mlir
    %y = math.exp %x : f64   ->   %y = func.call @exp(%x) : (f64) -> f64
    ```

    f16 and bf16 are computed in f32 and rounded once more. This is what f64 and builds without approximations use.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}
#endif
