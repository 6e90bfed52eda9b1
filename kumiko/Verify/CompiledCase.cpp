#include "kumiko/Verify/CompiledCase.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Verify/GuardedRun.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

using namespace kumiko;

/// Functions of compiled code are a few units off the evaluator's.
static constexpr double unitsOfCode = 4;

std::optional<RoundingJudge::Answer> kumiko::judgeCompiled(const TestCase &test, mlir::ModuleOp program,
                                                           CompileOptions options, ProblemList &problems) {
  std::string text;
  llvm::raw_string_ostream out(text);
  program.print(out, mlir::OpPrintingFlags().enableDebugInfo());
  auto session = std::make_unique<Session>(/*jobs=*/1);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&session->context()));
  if (!module) {
    problems.add(Code::Internal, "the module does not read back from its text");
    return std::nullopt;
  }
  options.name = "test_case";
  options.jobs = 1;
  auto compiled = compileModule(std::move(session), std::move(module), options, problems);
  // A write outside of a buffer would otherwise be found by whoever comes next.
  auto results = compiled ? runGuarded(*compiled, test.inputs, GuardSide::After, problems) : std::nullopt;
  if (!results)
    return std::nullopt;
  RoundingJudge judge(test.module.get().lookupSymbol<mlir::func::FuncOp>("main"), test.inputs, unitsOfCode);
  auto answer = judge.judge(*results);
  if (answer)
    return *answer;
  takeProblems(answer.takeError(), problems);
  return std::nullopt;
}
