//===- RuleSamples.h - functions that the left side of a rule makes --------===//
//
// Random operands, constants and attributes at boundary shapes, put together as the left side says. Most draws do not
// fit (types, ranks, attributes out of range); the builder refuses those, and the next is drawn.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Optimize/Rules.h"
#include "kumiko/Support/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <random>

namespace kumiko::optimize {

class RuleSampler {
public:
  RuleSampler(mlir::MLIRContext &context, const eq::RuleDef &rule, uint64_t seed)
      : context(context), builder(&context), rule(rule), random(seed) {}

  /// The left side as a function that returns it; null when the draw did not fit.
  mlir::OwningOpRef<mlir::func::FuncOp> draw();
  /// What the function computes with: special values among small ones.
  std::vector<Tensor> arguments(mlir::func::FuncOp function);

private:
  using Shape = llvm::SmallVector<int64_t, 4>;
  int64_t below(int64_t n) { return int64_t(random() % uint64_t(n)); }
  bool chance(int percent) { return below(100) < percent; }
  Shape broadcastable();
  double specialValue(ElementType element, bool wild);
  bool isAskedFor(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> conditions) const;

  mlir::Value term(const eq::RuleTerm &term);
  mlir::Value variable(llvm::StringRef name);
  mlir::Value constant(ElementType element, llvm::ArrayRef<int64_t> shape, std::optional<double> value,
                       bool wild = false);
  mlir::Value apply(const eq::RuleTerm &term);
  mlir::Attribute attribute(const eq::OpDef &op, const eq::AttributeDef &attribute, const eq::RuleTerm &term,
                            mlir::Value first);
  mlir::Attribute drawn(llvm::StringRef op, const eq::AttributeDef &attribute, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<int64_t, 4> list(llvm::StringRef op, llvm::StringRef name, llvm::ArrayRef<int64_t> shape);

  mlir::MLIRContext &context;
  mlir::OpBuilder builder;
  const eq::RuleDef &rule;
  std::mt19937_64 random;

  // Of one draw.
  mlir::func::FuncOp function;
  ElementType element = ElementType::F32;
  Shape base;
  bool large = false;
  Shape sliceStart, sliceStep, sliceOut;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<mlir::Attribute> attributes;
};

} // namespace kumiko::optimize
