//===- NnBase.td - the dialect and the classes its ops are made from -------===//
#ifndef KUMIKO_NN_BASE_TD
#define KUMIKO_NN_BASE_TD

include "kumiko/Nn/NnInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::kumiko::nn";
  let summary = "a network as a graph of tensor equations";
  let description = [{
    Values are ranked tensors; ops have no effects. Nearly every op is one equation of `kumiko/Nn/*.eq`, from which its
    record is generated. Hand-written are constants, views and kernels: `kumiko/Nn/Nn.td`.
  }];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

class Nn_Op<string mnemonic, list<Trait> traits = []> : Op<Nn_Dialect, mnemonic, traits>;

// As I64Attr, but read back with its sign: an axis or a pad amount may be negative.
def Nn_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;
// An integer that may be an expression over symbols, #nn.extent<"seq - 1">, and a list with such integers. The typed
// accessors are for those that are numbers.
def Nn_NumberAttr : Attr<CPred<"::kumiko::nn::isNumber($_self)">, "64-bit signless integer attribute or #nn.extent"> {
  let storageType = "::mlir::Attribute";
  let returnType = "int64_t";
  let convertFromStorage = "::llvm::cast<::mlir::IntegerAttr>($_self).getInt()";
  let constBuilderCall = "$_builder.getI64IntegerAttr($0)";
}
def Nn_NumbersAttr : Attr<CPred<"::kumiko::nn::isNumbers($_self)">, "i64 dense array attribute or array with #nn.extent"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::llvm::ArrayRef<int64_t>";
  let convertFromStorage = "::llvm::cast<::mlir::DenseI64ArrayAttr>($_self).asArrayRef()";
}
def Nn_ExtentAttr : Attr<CPred<"::llvm::isa<::kumiko::nn::ExtentAttr>($_self)">, "expression over symbols"> {
  let storageType = "::kumiko::nn::ExtentAttr";
  let returnType = "::kumiko::Extent";
  let convertFromStorage = "$_self.getExtent()";
}

// As F64Attr, but read as a double.
def Nn_FloatAttr : FloatAttrBase<F64, "64-bit float attribute"> {
  let returnType = "double";
  let convertFromStorage = "$_self.getValueAsDouble()";
}

// The base of all generated records. Equal for all ops, so the bodies are calls into EquationOp.cpp.
class Nn_EquationOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat(traits, [Pure, Nn_EquationInterface])> {
  // The generated records bring two of their own.
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::kumiko::nn::detail::verifyEquationOp(*this); }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::kumiko::nn::detail::parseEquationOp(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { ::kumiko::nn::detail::printEquationOp(*this, printer); }
  }];
}

#endif // KUMIKO_NN_BASE_TD
