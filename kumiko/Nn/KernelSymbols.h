//===- KernelSymbols.h - kernels by what they do ---------------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/IRMapping.h"

namespace kumiko::nn {

constexpr llvm::StringLiteral variantOfAttrName = "nn.variant_of";
/// On an argument of a kernel: the elements that it has in every call.
constexpr llvm::StringLiteral valuesAttrName = "nn.values";

/// The kernels of a module. A kernel's symbol is `k_` and a hash of its body without locations, so equal kernels are
/// one, in this module and in any other.
class KernelSymbols {
public:
  explicit KernelSymbols(mlir::ModuleOp module) : symbols(module) {}

  /// The kernel that computes `results` from `inputs`. `fill` puts its ops at the builder's place: the mapping has the
  /// inputs when it is called, and the results when it returns. Where types have plain `?`, `extentsOf` says what is
  /// meant.
  KernelOp make(llvm::ArrayRef<mlir::Value> inputs, llvm::function_ref<bool(mlir::Value)> isConstant,
                llvm::ArrayRef<mlir::Value> results,
                llvm::function_ref<void(mlir::OpBuilder &, mlir::IRMapping &)> fill,
                llvm::function_ref<ExtentsAttr(mlir::Value)> extentsOf = nullptr);

  /// The same kernel with another value of an attribute. It says in `nn.variant_of` what it is a variant of.
  KernelOp variantOf(KernelOp kernel, llvm::StringRef attribute, mlir::Attribute value);

  KernelOp lookup(llvm::StringRef name) { return symbols.lookup<KernelOp>(name); }

  /// Nobody calls it any more.
  void erase(KernelOp kernel) { symbols.erase(kernel); }

private:
  /// Gives a new kernel its name, or erases it in favour of the equal one that is already there.
  KernelOp add(KernelOp kernel);

  mlir::SymbolTable symbols;
};

} // namespace kumiko::nn
