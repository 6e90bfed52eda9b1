//===- NnInterfaces.td - what passes may ask an op of the graph ------------===//
//
// In a file of its own, because mlir-tblgen emits only the interfaces that are defined in the file it is given.
//
//===----------------------------------------------------------------------===//
#ifndef KUMIKO_NN_INTERFACES_TD
#define KUMIKO_NN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Nn_EquationInterface : OpInterface<"EquationInterface"> {
  let cppNamespace = "::kumiko::nn";
  let description = [{
    An op whose whole meaning is an equation. Shape, evaluation, lowering, fusion class and cost are derived from it: a
    pass asks `nn::instantiate` (kumiko/Nn/Equations.h) and never for the op's name.
  }];
  let methods = [StaticInterfaceMethod<
      "The op's meaning, over its argument and result names.",
      "::llvm::StringRef", "getEquation">];
}

#endif // KUMIKO_NN_INTERFACES_TD
