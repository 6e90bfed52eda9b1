#include "unittests/Pipeline/Check.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/Convert.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace kumiko;

void kumiko::check(const std::string &text, std::vector<Tensor> inputs, double tolerance) {
  SCOPED_TRACE(text);
  auto session = std::make_unique<Session>(1);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &session->context());
  ASSERT_TRUE(bool(module));
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  auto right = evaluateGraph(module->lookupSymbol<mlir::func::FuncOp>("main"), arguments);
  ASSERT_TRUE(bool(right)) << toString(right.takeError());
  ProblemList problems;
  CompileOptions options;
  options.name = "routine";
  options.jobs = 1;
  auto compiled = compileModule(std::move(session), std::move(module), options, problems);
  ASSERT_TRUE(compiled) << problems.all().front().what;
  auto executable = Executable::fromCompiled(*compiled, problems);
  ASSERT_TRUE(executable) << problems.all().front().what;
  for (unsigned threads : {1, 2}) {
    ASSERT_TRUE(executable->prepare(inputs, threads, problems)) << problems.all().front().what;
    ASSERT_TRUE(executable->run(problems)) << problems.all().front().what;
    for (auto [got, wanted] : llvm::zip_equal(executable->results(), *right)) {
      ASSERT_EQ(got.shape(), wanted.shape());
      if (tolerance == 0) {
        EXPECT_EQ(got.bytes(), wanted.bytes());
        continue;
      }
      for (int64_t i = 0; i < got.count(); ++i)
        EXPECT_NEAR(valueAt(got, i), valueAt(wanted, i), tolerance) << i;
    }
  }
}
