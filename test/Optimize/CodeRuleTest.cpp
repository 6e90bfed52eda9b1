//===- CodeRuleTest.cpp - every rule in C++ against the evaluator ----------===//
//
// The functions of cases/*.txt are the tests of the rules that a pass applies. The name says which rule, and what must
// become of it:
//
//   @concat_twice.applies            the pass applies it
//   @concat_twice.stays              the pass does not
//   @concat_twice.boundary.applies   the same, with a tensor of rank 0, without elements, or one that is spread
//
// In all of them the evaluator must see no difference beyond the class of the rule, with NaN, -0.0 and the smallest
// integers among the values. A rule that lacks one of the three fails.
//
//===----------------------------------------------------------------------===//
#include "Judge.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Rules.h"
#include "kumiko/Support/Convert.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

/// Sets of arguments: plain ones, then some with special values.
constexpr unsigned draws = 4;

double plainValue(unsigned draw, int64_t place) { return double((place * 7 + draw * 3) % 13 - 6) / 4; }

/// Infinities are for exact rules: a sum in another order may have NaN where the first had none.
double specialFloat(unsigned draw, int64_t place, bool exact) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  if (draw == 0 || (place + draw) % 3 != 0)
    return plainValue(draw, place);
  double finite[] = {-0.0, 0.0, -0.0}, wild[] = {nan, -0.0, exact ? infinity : 0.0, exact ? -infinity : nan};
  return draw == 1 ? finite[place % 3] : wild[place % 4];
}

double specialInteger(ElementType element, unsigned draw, int64_t place) {
  double bits = bytesOf(element) * 8.0 - (isUnsigned(element) ? 0 : 1);
  double highest = std::min(std::exp2(bits) - 1, 9007199254740991.0);
  double special[] = {0, 1, highest, isUnsigned(element) ? 2 : -std::min(std::exp2(bits), 9007199254740992.0), 3};
  return element == ElementType::B1 ? double((place + draw) % 2) : special[(place + draw) % (draw ? 5 : 2)];
}

std::vector<Tensor> argumentsOf(func::FuncOp function, unsigned draw, bool exact) {
  std::vector<Tensor> tensors;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    ElementType element = nn::toEquation(tensor.getElementType());
    SmallVector<double> numbers;
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      numbers.push_back(isFloat(element) ? specialFloat(draw, i, exact) : specialInteger(element, draw, i));
    tensors.push_back(llvm::cantFail(tensorOfDoubles(element, tensor.getShape(), numbers)));
  }
  return tensors;
}

/// Whether some tensor has rank 0 or no elements, or is spread over a larger one.
bool isAtBoundary(func::FuncOp function) {
  auto isEdge = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getRank() == 0 || llvm::is_contained(tensor.getShape(), 0));
  };
  return function
      .walk([&](Operation *op) {
        bool edge = llvm::any_of(op->getOperandTypes(), isEdge) || llvm::any_of(op->getResultTypes(), isEdge);
        auto rank = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank(); };
        bool spread = op->getNumOperands() == 2 && op->getNumResults() == 1 && isa<nn::EquationInterface>(op) &&
                      rank(op->getOperand(0)) != rank(op->getOperand(1));
        return edge || spread ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class CodeRuleTest : public testing::TestWithParam<const Rule *> {
protected:
  CodeRuleTest() { context.loadDialect<nn::NnDialect, func::FuncDialect>(); }
  ~CodeRuleTest() override { writeRuleCounts(); }

  static void SetUpTestSuite() { registerKumikoOptimizePasses(); }

  /// The functions of all files, each in a module of its own, whose name begins with the rule's.
  std::vector<std::pair<std::string, OwningOpRef<ModuleOp>>> casesOf(StringRef rule) {
    std::vector<std::pair<std::string, OwningOpRef<ModuleOp>>> cases;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator file(KUMIKO_TEST_DIR "/Optimize/cases", error), end; file != end && !error;
         file.increment(error)) {
      if (llvm::sys::path::extension(file->path()) != ".txt")
        continue;
      OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file->path(), &context);
      if (!module) {
        ADD_FAILURE() << file->path() << " does not parse";
        continue;
      }
      for (auto function : llvm::to_vector(module->getOps<func::FuncOp>())) {
        if (function.getName().split('.').first != rule)
          continue;
        OwningOpRef<ModuleOp> own = ModuleOp::create(module->getLoc());
        own->push_back(function.clone());
        cases.emplace_back(function.getName().str(), std::move(own));
      }
    }
    EXPECT_FALSE(error) << error.message();
    return cases;
  }

  void run(const Rule &rule, ModuleOp module) {
    PassManager passes(&context);
    std::string pipeline = "func.func(" + rule.def.pass.str();
    if (rule.def.pass == "nn-simplify")
      pipeline += "{allow=approximate}";
    ASSERT_TRUE(succeeded(parsePassPipeline(pipeline + ")", passes)));
    ASSERT_TRUE(succeeded(passes.run(module)));
  }

  MLIRContext context;
};

func::FuncOp functionOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

TEST_P(CodeRuleTest, keepsValues) {
  const Rule &rule = *GetParam();
  bool exact = rule.def.kind == eq::RuleClass::Exact;
  std::set<std::string> kinds;
  for (auto &[name, module] : casesOf(rule.def.name)) {
    SCOPED_TRACE(name);
    StringRef kind = StringRef(name).split('.').second;
    bool boundary = kind.consume_front("boundary.");
    ASSERT_TRUE(kind.starts_with("applies") || kind.starts_with("stays"));
    ASSERT_TRUE(!boundary || isAtBoundary(functionOf(*module)));
    kinds.insert(boundary ? "boundary" : kind.starts_with("applies") ? "applies" : "stays");

    OwningOpRef<ModuleOp> rewritten = module->clone();
    uint64_t before = rule.count;
    run(rule, *rewritten);
    ASSERT_TRUE(succeeded(verify(*rewritten)));
    EXPECT_EQ(rule.count > before, kind.starts_with("applies")) << textOf(functionOf(*rewritten));
    for (unsigned draw = 0; draw < draws; ++draw) {
      std::vector<Tensor> arguments = argumentsOf(functionOf(*module), draw, exact);
      auto wanted = evaluated(functionOf(*module), arguments), found = evaluated(functionOf(*rewritten), arguments);
      ASSERT_TRUE(wanted && found) << textOf(functionOf(*rewritten));
      for (auto [x, y] : llvm::zip_equal(*wanted, *found)) {
        std::optional<int64_t> place = difference(rule.def.kind, arguments, x, y);
        EXPECT_FALSE(place.has_value()) << "draw " << draw << ", element " << *place << ": " << valueAt(x, *place)
                                        << " became " << valueAt(y, *place) << "\n"
                                        << textOf(functionOf(*rewritten));
      }
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"applies", "boundary", "stays"})) << "of test/Optimize/cases";
}

std::vector<const Rule *> codeRules() {
  std::vector<const Rule *> rules;
  for (const Rule &rule : allRules())
    if (rule.def.isCode())
      rules.push_back(&rule);
  return rules;
}

INSTANTIATE_TEST_SUITE_P(All, CodeRuleTest, testing::ValuesIn(codeRules()),
                         [](const auto &info) { return info.param->def.name.str(); });

} // namespace
