//===- CompiledCase.h - a module of nn ops compiled and run -------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Support/Problem.h"
#include "kumiko/Verify/Stability.h"
#include "kumiko/Verify/TestCase.h"

namespace kumiko {

/// Compiles `program` in a context of its own, runs it on one thread and judges its results by those of the case, whose
/// module it is or the same with symbols in place of sizes. The target of `options` must run here. Problems are added
/// when it cannot be compiled or run; they do not mean that the results are wrong.
std::optional<RoundingJudge::Answer> judgeCompiled(const TestCase &test, mlir::ModuleOp program, CompileOptions options,
                                                   ProblemList &problems);

} // namespace kumiko
