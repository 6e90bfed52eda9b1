//===- Nn.td - the ops that an equation cannot say -------------------------===//
#ifndef KUMIKO_NN_TD
#define KUMIKO_NN_TD

include "kumiko/Nn/NnBase.td"
include "kumiko/Nn/Irregular.td"
include "kumiko/Nn/NnEquations.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

//===----------------------------------------------------------------------===//
// Ops of users
//===----------------------------------------------------------------------===//

def Nn_CustomOp : Nn_EquationOp<"custom"> {
  let summary = "an op whose equation came with the program";
  let description = [{
    `nn.definition` is the text of the op in the notation of equations; its attributes stand beside it. To every pass it
    is what a built-in op is.
    ```mlir
    %y = nn.custom %x {limit = 2.0, nn.definition = "op soft_clip(x: T; limit: float = 1.0) -> y: T { ... }"}
        : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$given);
  let results = (outs Variadic<AnyRankedTensor>:$made);
  // Made by name and attributes (Build.h), as importers make all ops.
  let skipDefaultBuilders = 0;
}

//===----------------------------------------------------------------------===//
// Constants and views
//===----------------------------------------------------------------------===//

def Nn_ConstantOp : Nn_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "y"]>]> {
  let summary = "a tensor that is known";
  let description = [{
    Weights are `dense_resource` and stay where the importer found them; small tensors may be `dense`.
    ```mlir
    %w = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$y);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Nn_ReshapeOp : Nn_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    A view: no element moves, no code is made.
    (C1) both sides have the same element type, (C2) and the same number of elements, as far as these are numbers; where
    products of expressions differ, a check of the program says that they are equal.
    ```mlir
    %y = nn.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_BitcastOp : Nn_Op<"bitcast", [Pure]> {
  let summary = "the same bits read as another element type";
  let description = [{
    A view: no element moves, no code is made.
    (C1) both sides have the same shape, (C2) and element types of the same width.
    ```mlir
    %y = nn.bitcast %x : tensor<2xf32> -> tensor<2xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

def Nn_ExtentOp : Nn_Op<"extent", [Pure, ConstantLike]> {
  let summary = "the value of an expression over symbols";
  let description = [{
    Lower uses it where linalg wants a size. A number is an `arith.constant`.
    ```mlir
    %n = nn.extent #nn.extent<"batch*seq">
    ```
  }];
  let arguments = (ins Nn_ExtentAttr:$value);
  let results = (outs Index:$y);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Nn_SymbolOp : Nn_Op<"symbol"> {
  let summary = "an element of an integer tensor becomes the value of a symbol";
  let description = [{
    Element `at`, counted in row-major order. A negative value has `wrap` added. Then it must lie between `lower` (0 where
    nothing is said) and `upper`, or is brought there with `clamp`; so a symbol is never negative. Where it is used the
    symbol is known: the op stands before everything whose type or attribute has its name.
    (C1) the name has neither quotes nor control characters, (C2) elements are integers, (C3) the element exists as far as
    the type tells.
    ```mlir
    nn.symbol "end" = %ends[1] {clamp, upper = #nn.extent<"seq">, wrap = #nn.extent<"seq">} : tensor<2xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, StrAttr:$symbol, Nn_IntAttr:$at, OptionalAttr<Nn_NumberAttr>:$wrap,
                       OptionalAttr<Nn_NumberAttr>:$lower, OptionalAttr<Nn_NumberAttr>:$upper, UnitAttr:$clamp);
  let assemblyFormat = "$symbol `=` $x `[` $at `]` attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Nn_CheckOp : Nn_Op<"check"> {
  let summary = "what must hold between two extents where the op stands";
  let description = [{
    Of a branch: it is looked at when the branch is taken, and ends the run with `message` where it does not hold. What
    always must hold is a check of the function (kumiko/Nn/Symbols.h).
    (C1) `row` has the form of the function's checks.
    ```mlir
    nn.check {row = {lhs = #nn.extent<"seq">, message = "node 3: seq must be 7", relation = "==", rhs = 7}}
    ```
  }];
  let arguments = (ins DictionaryAttr:$row);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Nn_KernelOp : Nn_Op<"kernel", [AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "what is compiled into one function and launched as a whole";
  let description = [{
    Like a function: isolated, its arguments are all it reads, `nn.yield` gives its results. Fuse makes kernels, Lower
    turns their bodies into linalg, Codegen into loops; a call never changes.
    (C1) a kernel has a body.
    ```mlir
    nn.kernel @k_1(%x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.add %x, %b : tensor<4xf32>
      %1 = nn.relu %0 : tensor<4xf32>
      nn.yield %1 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Nn_CallOp : Nn_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                               DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "launches a kernel";
  let description = [{
    (C1) the callee is an `nn.kernel`, (C2) with as many arguments and results as the call, (C3) of the same types.
    ```mlir
    %y = nn.call @k_1(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$callee `(` $args `)` attr-dict `:` functional-type($args, $values)";
}

def Nn_RoutineOp : Nn_Op<"routine"> {
  let summary = "a call of a function of runtime/ops, alone in a kernel";
  let description = [{
    What Lower makes of an irregular op. `parameters` is the function's struct as 8-byte words. The work falls into
    `items` that do not touch each other, some `work` scalar operations together; each chunk gets a range of them. A
    function that finds `symbols` in the data gets places for their values behind its results.
    ```mlir
    %v, %i = nn.routine "topk" (%x) {parameters = array<i64: 12, 4, 1, 2, 1>, items = 3, work = 60, scratch_bytes = 64}
        : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyRankedTensor>:$args, Nn_NumbersAttr:$parameters,
                       Nn_NumberAttr:$items, Nn_NumberAttr:$work, Nn_NumberAttr:$scratch_bytes,
                       OptionalAttr<StrArrayAttr>:$symbols);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$function `(` $args `)` attr-dict `:` functional-type($args, $values)";
}

//===----------------------------------------------------------------------===//
// Recurrences
//===----------------------------------------------------------------------===//

def Nn_ScanOp : Nn_Op<"scan", [Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock]> {
  let summary = "runs its body once per position of the sequences, and carries states from one run to the next";
  let description = [{
    The body gets the states, one slice of each sequence (its dimension 0 is taken apart) and the shared operands, the
    same in every step. It yields the next states and one slice of each stacked result. Results are the last states,
    which are the first ones when there are no steps, and the slices put together along a new dimension 0. With
    `reverse` the steps go from the last position to the first; slices are read and written at the step's position.
    (C1) at least one sequence; each has a dimension 0, and all of the same extent;
    (C2) the body's arguments have the types of states, slices of sequences and shared operands, in this order;
    (C3) a state keeps its type: in the body, in what is yielded and as a result;
    (C4) the other results are stacks of what is yielded after the states, as many as there are steps.
    ```mlir
    %last, %all = nn.scan states(%h) over(%x) shared(%w) reverse
        : (tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
    ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>, %a: tensor<2xf32>):
      %0 = nn.mul %s, %a : tensor<2xf32>
      %1 = nn.add %0, %i : tensor<2xf32>
      nn.yield %1, %1 : tensor<2xf32>, tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$states, Variadic<AnyRankedTensor>:$sequences,
                       Variadic<AnyRankedTensor>:$shared, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    // The body gets its block and no ops; results are those of `stacked` after the states.
    OpBuilder<(ins "::mlir::ValueRange":$states, "::mlir::ValueRange":$sequences, "::mlir::ValueRange":$shared,
                   "::mlir::TypeRange":$stacked, "bool":$reverse)>];
  let extraClassDeclaration = [{
    /// How many times the body runs; overflowed where types have lost their extents.
    ::kumiko::Extent getSteps();
    /// A sequence without its dimension 0.
    static ::mlir::RankedTensorType sliceOf(::mlir::Type sequence);
    /// The slices put together.
    static ::mlir::RankedTensorType stackOf(const ::kumiko::Extent &steps, ::mlir::Type slice);
  }];
  let assemblyFormat = [{
    `states` `(` $states `)` `over` `(` $sequences `)` (`shared` `(` $shared^ `)`)? (`reverse` $reverse^)?
    attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def Nn_IfOp : Nn_Op<"if", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "runs one of two bodies";
  let description = [{
    The condition is one truth value. Both bodies get the shared operands and yield the results.
    (C1) the condition has one element; (C2) the arguments of both bodies have the types of the shared operands;
    (C3) both yield values of the results' types.
    ```mlir
    %y = nn.if %c shared(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      %0 = nn.relu %a : tensor<2xf32>
      nn.yield %0 : tensor<2xf32>
    } else {
    ^bb0(%a: tensor<2xf32>):
      nn.yield %a : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins TensorOf<[I1]>:$condition, Variadic<AnyRankedTensor>:$shared);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let regions = (region SizedRegion<1>:$yes, SizedRegion<1>:$no);
  let assemblyFormat = [{
    $condition (`shared` `(` $shared^ `)`)? attr-dict `:` functional-type(operands, results) $yes `else` $no
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Nn_LoopOp : Nn_Op<"loop", [Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock]> {
  let summary = "runs its body as long as a condition holds, and carries states from one turn to the next";
  let description = [{
    The body gets the number of the turn, the states and the shared operands. It yields whether there is another turn,
    and the next states. There are at most `most` turns, and none when the first condition does not hold. Results are the
    last states.
    (C1) the condition has one element, and `most` is not negative;
    (C2) the body's arguments are an i64 scalar and values of the types of states and shared operands, in this order;
    (C3) it yields a condition of the first one's type and states of their types, and so are the results.
    ```mlir
    %last = nn.loop while(%c) most 8 states(%h) shared(%w)
        : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%turn: tensor<i64>, %s: tensor<2xf32>, %a: tensor<2xf32>):
      %0 = nn.mul %s, %a : tensor<2xf32>
      %1 = nn.constant dense<true> : tensor<i1>
      nn.yield %1, %0 : tensor<i1>, tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins TensorOf<[I1]>:$condition, Variadic<AnyRankedTensor>:$states,
                       Variadic<AnyRankedTensor>:$shared, Nn_NumberAttr:$most);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `while` `(` $condition `)` `most` $most `states` `(` $states `)` (`shared` `(` $shared^ `)`)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Nn_YieldOp : Nn_Op<"yield", [Pure, Terminator, ReturnLike,
                                 ParentOneOf<["KernelOp", "ScanOp", "IfOp", "LoopOp"]>]> {
  let summary = "the results of a kernel, of one turn of a loop, or of a branch";
  let description = [{
    (C1) as many values as the kernel has results, (C2) of the same types. What loops and branches yield is theirs to
    check.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif // KUMIKO_NN_TD
