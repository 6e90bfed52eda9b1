//===- InstanceMaker.h - instances by hand, without text ----------------------===//
#pragma once
#include "kumiko/Evaluate/Evaluate.h"
#include <deque>
#include <gtest/gtest.h>

namespace kumiko::test {

using eq::Combine;
using eq::Expr;
using eq::Function;
using E = ElementType;
using Ex = const Expr *;
using Shape = llvm::ArrayRef<int64_t>;

/// Builds an instance piece by piece. Tensors are numbered in the order of their creation, operands and results each
/// from 0.
class InstanceMaker {
public:
  eq::Instance instance;

  unsigned operand(E type, Shape shape) { return tensor(type, shape, eq::Tensor::Role::Operand, operands++); }
  unsigned result(E type, Shape shape) { return tensor(type, shape, eq::Tensor::Role::Result, results++); }
  unsigned temporary(E type, Shape shape) { return tensor(type, shape, eq::Tensor::Role::Temporary, 0); }

  Ex loop(unsigned number);
  Ex integer(int64_t value, E type = E::Index);
  Ex real(double value, E type = E::F32);
  Ex read(unsigned tensor, llvm::ArrayRef<Ex> indices, Ex otherwise = nullptr);
  Ex cast(Ex value, E type);
  Ex select(Ex condition, Ex yes, Ex no);
  /// The type is that of the first operand, b1 for predicates.
  Ex apply(Function function, llvm::ArrayRef<Ex> operands);
  Ex add(Ex a, Ex b) { return apply(Function::Add, {a, b}); }
  Ex sub(Ex a, Ex b) { return apply(Function::Sub, {a, b}); }
  Ex mul(Ex a, Ex b) { return apply(Function::Mul, {a, b}); }

  /// Appends `target[indices] combine= value` over loops of these extents, the first `kept` of them on the left.
  eq::Statement &statement(Shape loops, unsigned kept, Combine combine, unsigned target, llvm::ArrayRef<Ex> indices,
                           Ex value);

private:
  unsigned tensor(E type, Shape shape, eq::Tensor::Role role, unsigned number);
  Expr &make(Expr::Kind kind, E type);
  llvm::ArrayRef<Ex> keep(llvm::ArrayRef<Ex> list);

  unsigned operands = 0, results = 0;
};

/// A tensor with these values, rounded to the type.
Tensor tensorOf(E type, Shape shape, llvm::ArrayRef<double> values);
/// 0, 1, 2, ... modulo `period`, shifted by `from`.
Tensor sequence(E type, Shape shape, double from = 0, int64_t period = 1 << 30);
std::vector<double> valuesOf(const Tensor &tensor);

/// The first result; fails the test when evaluation does.
Tensor run(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands,
           Precision precision = Precision::Declared);
/// The message of the error; empty when there is none.
std::string refusal(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands, Limits limits = {});

/// The same meaning, one point after the other by recursion over the trees: slow, simple, and shares no code with the
/// evaluator. Floats compute in double (Precision::Double). Result 0 as doubles; integers are exact up to 2^53.
std::vector<double> naive(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands);

} // namespace kumiko::test
