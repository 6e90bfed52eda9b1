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
#endif
