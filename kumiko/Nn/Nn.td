//===- Nn.td - the ops that an equation cannot say -------------------------===//
#ifndef KUMIKO_NN_TD
#define KUMIKO_NN_TD

include "kumiko/Nn/NnBase.td"
include "kumiko/Nn/NnEquations.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

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
    (C1) both sides have the same element type, (C2) and the same number of elements.
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

def Nn_YieldOp : Nn_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let description = [{
    (C1) as many values as the kernel has results, (C2) of the same types.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif // KUMIKO_NN_TD
