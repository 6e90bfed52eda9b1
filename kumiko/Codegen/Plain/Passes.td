//===- Passes.td - passes of the back end `plain` ----------------------------===//
#ifndef KUMIKO_CODEGEN_PLAIN_PASSES_TD
#define KUMIKO_CODEGEN_PLAIN_PASSES_TD
include "mlir/Pass/PassBase.td"
def SchedulePlainPass : Pass<"kumiko-schedule-plain", "::mlir::ModuleOp"> {
  let summary = "Give every kernel the schedule of plain loops";
  let description = [{
    Every kernel runs in one chunk; what it keeps between its ops lies in scratch. Buffers are neither packed nor parts of
    others. Before: bodies are linalg on tensors. After: each kernel has a schedule. Class: exact.
  }];
}

def EmitPlainPass : Pass<"kumiko-emit-plain", "::mlir::ModuleOp"> {
  let summary = "Turn every kernel into a function of linalg ops on memory";
  let description = [{
    Each `nn.kernel` becomes a module of its own with one function of the kernel ABI. Each op of its body is one on memory:
    ```mlir
    %y = linalg.generic ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {...}
      ->  linalg.generic ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) {...}
    ```
    Before: kernels have schedules of --kumiko-schedule-plain. After: no nn or tensor op. Class: exact.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::linalg::LinalgDialect"];
}
#endif
