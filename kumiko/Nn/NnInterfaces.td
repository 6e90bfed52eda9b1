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
}

def Nn_IrregularInterface : OpInterface<"IrregularInterface"> {
  let cppNamespace = "::kumiko::nn";
  let description = [{
    An op that no equation says: it sorts, counts or draws, or the size of its result depends on values. Its meaning is a
    function in kumiko/Evaluate/Irregular.
  }];
  let methods = [
    StaticInterfaceMethod<"Why it has no equation, as the rest of a sentence: \"it sorts\".",
                          "::llvm::StringRef", "whyIrregular">,
    StaticInterfaceMethod<[{
        The result types for operands of these types, with `?` where values decide the extent. Fails with a reason when
        operands or attributes do not fit. The attributes are those of the record, all present and of their kind.
      }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Type, 4>>", "inferTypes",
      (ins "::llvm::ArrayRef<::mlir::RankedTensorType>":$operands, "::mlir::DictionaryAttr":$attributes,
           "::std::string &":$why)>];
}

#endif // KUMIKO_NN_INTERFACES_TD
