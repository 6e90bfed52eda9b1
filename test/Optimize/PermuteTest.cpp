//===- PermuteTest.cpp - moved transposes against the evaluator ------------===//
//
// For every op of the equation tests, a random operand is seen through a random transpose, and the op is moved to the
// other side of it (kumiko/Optimize/Permute.h) where its equation allows that. The evaluator must not see a difference.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Support/Convert.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

class PermuteTest : public testing::Test {
protected:
  PermuteTest() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }

  /// The function's only op with an equation; null when there are several.
  static Operation *onlyOp(func::FuncOp function) {
    Operation *found = nullptr;
    for (Operation &op : function.front()) {
      if (!isa<nn::EquationInterface>(op))
        continue;
      if (found)
        return nullptr;
      found = &op;
    }
    return found;
  }

  std::vector<Tensor> randomArguments(func::FuncOp function) {
    std::uniform_real_distribution<double> between(0.05, 0.95);
    std::vector<Tensor> arguments;
    for (Type type : function.getArgumentTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      ElementType element = nn::toEquation(tensor.getElementType());
      Tensor values = llvm::cantFail(Tensor::zeros(ElementType::F64, tensor.getShape()));
      for (int64_t i = 0; i < values.count(); ++i) {
        double value = isFloat(element) ? between(random) : double(random() % 2);
        std::memcpy(values.mutableData() + i * sizeof(double), &value, sizeof(double));
      }
      arguments.push_back(llvm::cantFail(convert(values, element)));
    }
    return arguments;
  }

  std::optional<SmallVector<Tensor, 2>> evaluate(func::FuncOp function, ArrayRef<Tensor> arguments) {
    auto pointers = llvm::map_to_vector(arguments, [](const Tensor &tensor) { return &tensor; });
    llvm::Expected<SmallVector<Tensor, 2>> results = evaluateGraph(function, pointers);
    if (results)
      return std::move(*results);
    return llvm::consumeError(results.takeError()), std::nullopt;
  }

  static void expectEqual(func::FuncOp function, const Tensor &before, const Tensor &after) {
    ASSERT_EQ(before.shape(), after.shape());
    double largest = 1e-3;
    for (int64_t i = 0; i < before.count(); ++i)
      if (std::isfinite(valueAt(before, i)))
        largest = std::max(largest, std::abs(valueAt(before, i)));
    for (int64_t i = 0; i < before.count(); ++i) {
      double x = valueAt(before, i), y = valueAt(after, i);
      if (std::isnan(x) && std::isnan(y))
        continue;
      ASSERT_NEAR(x, y, 1e-5 * largest) << function.getSymName().str() << " element " << i;
    }
  }

  /// Moves the op of the function below a random transpose of one operand; whether it could be moved.
  bool move(func::FuncOp function) {
    Operation *op = onlyOp(function);
    if (!op || isa<nn::TransposeOp>(op))
      return false;
    if (nn::operandSlots(op).empty())
      return false;
    unsigned slot = random() % nn::operandSlots(op).size();
    Value operand = nn::operandSlots(op)[slot];
    auto type = operand ? cast<RankedTensorType>(operand.getType()) : RankedTensorType();
    if (!type || type.getRank() < 2)
      return false;
    std::vector<Tensor> arguments = randomArguments(function);
    std::optional<SmallVector<Tensor, 2>> before = evaluate(function, arguments);
    if (!before) // an index out of range, by chance
      return false;

    Permutation permutation = llvm::to_vector<6>(llvm::seq<int64_t>(0, type.getRank()));
    std::shuffle(permutation.begin(), permutation.end(), random);
    OpBuilder builder(op);
    Value there = nn::TransposeOp::create(builder, op->getLoc(), operand, inverse(permutation));
    Value back = nn::TransposeOp::create(builder, op->getLoc(), there, permutation);
    llvm::find_if(op->getOpOperands(), [&](OpOperand &each) { return each.get() == operand; })->set(back);
    std::optional<PermutedOp> found = permuted(op, slot, permutation);
    if (!found)
      return false;
    SmallVector<Value, 2> results = createPermuted(builder, op, *found);
    for (auto [old, value] : llvm::zip_equal(op->getResults(), results))
      if (value)
        old.replaceAllUsesWith(value);
    eraseDead(op);
    EXPECT_TRUE(succeeded(verify(function)));
    std::optional<SmallVector<Tensor, 2>> after = evaluate(function, arguments);
    EXPECT_TRUE(after.has_value()) << function.getSymName().str();
    if (after)
      for (auto [x, y] : llvm::zip_equal(*before, *after))
        expectEqual(function, x, y);
    return true;
  }

  MLIRContext context;
  std::mt19937 random{1};
};

TEST_F(PermuteTest, MovedOpsComputeTheSame) {
  unsigned moved = 0;
  for (unsigned round = 0; round < 20; ++round)
    for (StringRef family :
         {"contraction", "elementwise", "movement", "normalize", "quantize", "reduction", "signal", "window"}) {
      std::string path = (KUMIKO_TEST_DIR "/Nn/every-op-" + family + ".mlir").str();
      OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
      ASSERT_TRUE(module);
      for (func::FuncOp function : module->getOps<func::FuncOp>())
        moved += move(function);
    }
  // A rule that refuses everything would pass the comparison.
  EXPECT_GT(moved, 200u);
}

} // namespace
