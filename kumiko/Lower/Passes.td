//===- Passes.td - passes of the Lower stage -------------------------------===//
#ifndef KUMIKO_LOWER_PASSES_TD
#define KUMIKO_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def NnToLinalgPass : Pass<"nn-to-linalg", "::mlir::ModuleOp"> {
  let summary = "statements of equations become linalg on tensors";
  let description = [{
    Class: rounding (sums of f32 are kept in f32 from term to term); exact with `exact`, which sums in f64 in the order
    of the text and marks every generic `exact`: schedules and templates then keep that order, and no product and sum
    become one rounding. Without it the order of the text holds until a schedule changes it.

    Every op with an equation, in kernels and in functions, becomes at most one `linalg.generic` per statement; views
    and constants beside them become `tensor` and `arith` ops. A function that only calls kernels keeps its `nn.call`,
    `nn.constant`, `nn.reshape` and `nn.bitcast`.
    ```mlir
    %y = nn.relu %x : tensor<4xf32>
    // becomes
    %0 = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
           ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.constant 0.0 : f32
      %m = arith.maximumf %in, %c : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    ```
    With `tables`, what a kernel's op computes from attributes and extents alone, and reads beside its operands, is
    computed here where it is small, by the evaluator, as constants of a network are: a number in the body where all elements are equal, else a further argument of the kernel, whose value
    (`nn.values`) the kernel is told where it has few.

    Before: shapes are static. After: no op with an equation is left; integer types are signless everywhere in the
    module, functions and calls included. What cannot be compiled yet is an error that names the op and the reason.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
  let options = [Option<"exact", "exact", "bool", "false", "compute bit for bit what the evaluator computes">,
                 Option<"tables", "tables", "bool", "true", "compute small tables of attributes when compiling">];
}

def FormRoutinesPass : Pass<"form-routines", "::mlir::ModuleOp"> {
  let summary = "irregular ops become calls of functions of runtime/ops";
  let description = [{
    Class: exact. One op may take several calls, each a kernel of its own: what data decide the size of is written after a
    call that has found the size. So does `nn.symbol`, which finds nothing else.
    ```mlir
    nn.kernel @k(%x: tensor<9xf32>) -> tensor<1x?xi64, #nn.extents<1, "n">> {
      %i = nn.nonzero %x {symbols = ["n"]} : (tensor<9xf32>) -> tensor<1x?xi64, #nn.extents<1, "n">>
      nn.yield %i : tensor<1x?xi64, #nn.extents<1, "n">>
    }
    // becomes kernels with "nonzero_count", "total" (which finds n) and "nonzero"
    ```
    Before: kernels are formed, and integers have their signs, which the functions are told. After: no irregular op and no
    `nn.symbol` is left.
  }];
}

def RefuseUncompiledPass : Pass<"refuse-uncompiled", "::mlir::ModuleOp"> {
  let summary = "fails when a function holds an op that has no way to code";
  let description = [{
    Stands before kernels are formed, when Optimize has computed what can be computed: all refusals of a model come at
    once, each at its op, with the reason that the lowering would give. Changes nothing. See Refusal.h.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // KUMIKO_LOWER_PASSES_TD
