//===- GraphMaker.h - a graph that grows op by op, and its values with it ----===//
//
// Every op is evaluated as soon as it is made: one that fails on its data, or whose floats are not finite, is taken
// back. So a finished graph is valid on its inputs whatever was tried on the way.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Evaluate/SharedTensor.h"
#include "kumiko/Verify/TestCase.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/Graphs/Values.h"

namespace kumiko::graphs {

using Shape = llvm::ArrayRef<int64_t>;

class GraphMaker {
public:
  /// With `wild`, data and results need not be finite.
  GraphMaker(mlir::MLIRContext &context, Random &random, bool wild);

  Random &random;
  mlir::OpBuilder builder;

  /// An argument of @main, or with `constant` a constant, of this tensor.
  mlir::Value given(Tensor tensor, bool constant);
  /// One of both, at random.
  mlir::Value fresh(ElementType element, Shape shape, Flavour flavour = Flavour::Plain, int64_t limit = 1);
  mlir::Value splat(ElementType element, Shape shape, double value);

  /// The op, or null when it does not fit its operands or data.
  mlir::Operation *makeOp(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// Its first result. Null operands give null, so that calls can be nested.
  mlir::Value make(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value reshape(mlir::Value x, Shape shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value cast(mlir::Value x, ElementType to);
  mlir::Value reduce(mlir::Value x, llvm::StringRef kind, llvm::ArrayRef<int64_t> axes);
  /// `count` elements of one dimension.
  mlir::Value slice(mlir::Value x, unsigned axis, int64_t start, int64_t step, int64_t count);
  /// Evaluates an op that somebody else has made at the end of the graph; false when it was taken back.
  bool admit(mlir::Operation *op);

  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) { return builder.getNamedAttr(name, value); }
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute numbers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute real(llvm::StringRef name, double value);
  mlir::NamedAttribute type(llvm::StringRef name, ElementType value);
  mlir::NamedAttribute word(llvm::StringRef name, llvm::StringRef value);

  const Tensor &tensorOf(mlir::Value value) const { return values.find(value)->second.tensor; }
  /// The context's, so that it stays while values come.
  Shape shapeOf(mlir::Value value) const { return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape(); }
  ElementType elementOf(mlir::Value value) const { return tensorOf(value).element(); }
  /// A value of the graph, late ones more often; made when there is none that `fits`.
  mlir::Value any(llvm::function_ref<bool(mlir::Value)> fits);
  /// A value of exactly this type: one that is there, one made to fit, or a fresh one.
  mlir::Value use(ElementType element, Shape shape, Flavour flavour = Flavour::Plain, int64_t limit = 1);

  size_t size() const { return pool.size(); }
  bool isWild() const { return wild; }
  mlir::Location nextLoc();
  /// Chooses the results and hands over what was made.
  TestCase finish();

private:
  mlir::Value adapt(mlir::Value x, ElementType element, Shape shape);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  llvm::DenseMap<mlir::Value, SharedTensor> values;
  std::vector<mlir::Value> pool;
  std::vector<SharedTensor> arguments;
  unsigned made = 0;
  bool wild;
};

/// One step: the pattern has made something, or did not fit.
using Step = bool (*)(GraphMaker &maker);
/// What the optimiser looks for, and what is nearly that.
llvm::ArrayRef<Step> plainPatterns();
llvm::ArrayRef<Step> networkPatterns();
/// Ops that sort or factorise.
llvm::ArrayRef<Step> irregularPatterns();
/// An op of the library on types and attributes that follow from its sample.
bool addSampledOp(GraphMaker &maker);

/// Graph `number` of the sequence that `seed` begins. Every eighth is wild.
TestCase makeGraph(mlir::MLIRContext &context, uint64_t seed, uint64_t number);
bool isWild(uint64_t number);

} // namespace kumiko::graphs
