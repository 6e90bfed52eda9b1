#include "kumiko/Verify/Verify.h"
#include "kumiko/Evaluate/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace kumiko;

double Tolerance::shareOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 1e-12;
  case ElementType::F32:
    return 1e-5;
  case ElementType::F16:
    return 1e-2;
  case ElementType::BF16:
    return 5e-2;
  default:
    return isFloat(type) ? 0.25 : 0;
  }
}

bool Tolerance::accepts(const Distance &distance, ElementType type) const {
  return ulp ? distance.ulp <= *ulp : distance.relativeToLargest <= shareOf(type);
}

std::vector<Tensor> kumiko::evaluateModule(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, Precision precision,
                                           ProblemList &problems) {
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  GraphOptions options;
  options.precision = precision;
  auto results = evaluateGraph(module.lookupSymbol<mlir::func::FuncOp>("main"), arguments, options);
  if (!results) {
    problems.add(Code::OperandValue, "the reference evaluator: " + toString(results.takeError()))
        .helped("the data of an input may be outside what an operator allows");
    return {};
  }
  return {std::make_move_iterator(results->begin()), std::make_move_iterator(results->end())};
}

std::vector<Judgement> kumiko::judge(llvm::ArrayRef<ProgramValue> values, llvm::ArrayRef<Tensor> got,
                                     llvm::ArrayRef<Tensor> reference, const Tolerance &tolerance) {
  std::vector<Judgement> result;
  for (auto [value, mine, right] : llvm::zip_equal(values, got, reference)) {
    Judgement judgement{value.name, value.type, compare(mine, right), false};
    judgement.good = tolerance.accepts(judgement.distance, value.type);
    result.push_back(std::move(judgement));
  }
  return result;
}
