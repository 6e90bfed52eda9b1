//===- Passes.td - passes of the Codegen stage for CPUs --------------------===//
#ifndef KUMIKO_CODEGEN_CPU_PASSES_TD
#define KUMIKO_CODEGEN_CPU_PASSES_TD
include "mlir/Pass/PassBase.td"

def EmitKernelsPass : Pass<"kumiko-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn every scheduled kernel into a function of loops and vectors";
  let description = [{
    Each `nn.kernel` becomes a module of its own with one function of the kernel ABI,
    `i32 k(ptr buffers, ptr symbols, i64 chunk, ptr scratch)`, in scf, vector and memref. The functions of the network
    itself are dropped: the program was taken from them after Plan.

    Before: kernels have schedules, bodies are linalg on tensors. After: no nn, linalg or tensor op. Class: rounding
    (order of sums, fused multiply-add).
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def SkipSidesPass : Pass<"kumiko-skip-sides"> {
  let summary = "Branch around functions that no lane needs";
  let description = [{
    Both sides of a choice are computed and one is taken by lane. Where a side has a function that takes long, and nothing
    else needs it, it is computed only if some lane takes it:

    ```mlir
    %e = math.exp %x : vector<8xf64>                   ->      %any = vector.reduction <or>, %m
    %y = arith.select %m, %e, %x : vector<8xf64>               %e = scf.if %any { math.exp %x } else { 0 }
                                                               %y = arith.select %m, %e, %x : vector<8xf64>
    ```

    Such are functions of f64, those of f32 that are computed in f64 and, with `calls`, all of them: then they are calls of
    libm. A shorter one costs hardly more than the branch. Before: functions are ops of the math dialect. Class: exact.
  }];
  let options = [Option<"calls", "calls", "bool", "false", "Functions will be calls of libm">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SplitAccessesPass : Pass<"kumiko-split-accesses"> {
  let summary = "Masked loads and stores of no more than a register";
  let description = [{
    A masked load of two registers is two of one each, and so is a store:

    ```mlir
    vector.maskedload %x[%i], %m, %o : vector<8xf64>   ->   two of vector<4xf64>, at %i and %i + 4
    ```

    LLVM 22 would split them, too. But where a half of the mask is known to be off, as beside a border, it loads that half
    without a mask on machines with AVX2 and without AVX-512; and it stores the upper half first. Stores that go down by
    pairs, across borders of cache lines, take half as long again on some machines (Sapphire Rapids).

    Where the first lanes alone are known to be on, the vector is no wider than these need, and has no mask where it is
    full: under a mask, too, what reaches into another cache line takes twice as long. Class: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def LowerExtremaPass : Pass<"kumiko-lower-extrema"> {
  let summary = "The larger and the smaller of two floats as LLVM has them";
  let description = [{
    ```mlir
    %z = arith.maximumf %x, %y : f32     ->      %z = llvm.intr.maximum(%x, %y) {fastmathFlags = #llvm.fastmath<nsz>}
    ```

    On x86 that is one instruction for numbers and two that let a NaN of the first one through. Where %x is loaded from
    the buffer that %z is stored to, %y is the first one: to leave what is there LLVM would store under a mask, and the
    next load from there waits until that is in the cache. MLIR's own expansion, two choices by
    two comparisons, LLVM turns into one choice by either, for which AVX-512 has to combine masks: of single floats at
    half the speed. Which of two zeros is taken is left open, as it was. Left alone: small floats. Class: exact.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def KeepRowsPass : Pass<"kumiko-keep-rows"> {
  let summary = "Elements that data choose, relative to the address of their row";
  let description = [{
    ```mlir
    %i = llvm.add %row, %place : i64             %r = llvm.getelementptr %x[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %p = llvm.getelementptr %x[%i]       ->      %k = llvm.intr.launder.invariant.group %r : !llvm.ptr
                                                 %p = llvm.getelementptr %k[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    ```

    Where elements of the same row follow, x86 has an address of row and place. LLVM's strength reduction would count the
    bytes of %row instead, and add three numbers for each element. Before: the LLVM dialect. Class: exact.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
#endif
