//===- Passes.td - the pass that replaces math ops -------------------------===//
#ifndef KUMIKO_CODEGEN_COMMON_MATH_PASSES_TD
#define KUMIKO_CODEGEN_COMMON_MATH_PASSES_TD
include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"kumiko-expand-math"> {
  let summary = "Replace math ops by the expansions of VectorMath.h";
  let description = [{
    Elementary functions of the math dialect on f64, f32, f16 and bf16, scalar or vector, become arithmetic:

    ```mlir
    %y = math.exp %x : vector<8xf32>   ->   math.fma, arith.select, arith.bitcast, ...
    ```

    f16 and bf16 are computed in f32 and rounded once more. Left alone: integers, tensors, ops that are one or two
    instructions already (math.absf, math.copysign, math.sqrt, math.rsqrt, math.fma, rounding), and of f64 the
    remainder and pow where there is no fused multiply-add. math.sin, math.cos and math.tan of f64 stay in a branch for
    arguments beyond 2^20, and arith.remf for quotients from 2^51 on.

    Afterwards no math op on f32 needs a call of libm, except math.cbrt, math.erfc, math.fpowi and math.sincos, which
    nothing emits. Class: approximate (2 ULP).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
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

    f16 and bf16 are computed in f32 and rounded once more. This is what builds without approximations use, and what
    --kumiko-expand-math leaves.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandHalfPass : Pass<"kumiko-expand-half"> {
  let summary = "Compute bf16, and f16 where the target cannot convert it, in f32 with conversions of our own";
  let description = [{
    Arithmetic on bf16 is done in f32, and the conversions between the two are integer code:

    ```mlir
    %z = arith.addf %x, %y : bf16   ->   %a = x << 16, %b = y << 16, %c = arith.addf %a, %b : f32, %z = round(%c)
    ```

    LLVM would call functions of its own runtime library for the rounding, which artefacts do not have, or take an
    AVX-512 instruction that makes zeros of subnormal numbers. The same is done to f16 for targets without conversions.
    What is one of its operands, such as a maximum, is not rounded. Of f16 scalars it is found in f32 on any machine, or
    chosen as an integer where there are no conversions.

    Constants, selects, loads, stores and moves, which are all that is left, carry them as `i16`. Class: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandDivisionPass : Pass<"kumiko-expand-division"> {
  let summary = "Divide vectors of integers as floats";
  let description = [{
    Machines divide integers one by one, so LLVM takes such vectors apart:

    ```mlir
    %z = arith.divsi %x, %y : vector<16xi32>   ->   arith.sitofp to f64, arith.divf, arith.fptosi
    ```

    8 and 16 bits go by f32, 32 bits by f64, and so do 64 bits where all lanes are small enough; a branch sees to that.
    The remainder of an i64 by a positive constant that is moved up where it is below 0 comes from a quotient rounded down.
    Left alone: other scalars, and divisions by constants that become multiplications. Class: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandFmaPass : Pass<"kumiko-expand-fma"> {
  let summary = "Replace math.fma for machines that have none";
  let description = [{
    On f32 the product and the sum are computed in f64, where the product is exact; on f64 they are rounded one by one,
    which our expansions bear. LLVM would call libm for each element. vector.fma stays: it says that fusing is allowed. Nothing changes where the target
    has one.
    Class: approximate (the last bit of a sum that f64 rounds to a tie).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}
#endif
