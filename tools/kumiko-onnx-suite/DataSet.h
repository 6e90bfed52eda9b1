//===- DataSet.h - one run of a test, by either way ---------------------------------===//
#pragma once
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Pipeline/Compile.h"
#include "tools/kumiko-onnx-suite/RunTest.h"

namespace kumiko::suite {

/// The inputs of one data set by name, and the outputs in order.
struct DataSet {
  llvm::StringMap<Datum> inputs;
  std::vector<Datum> outputs;
};

/// One line of the first problem.
Verdict verdictOf(const ProblemList &problems);
/// Empty when they agree within the official tolerance.
std::string differenceOf(const Datum &got, const Datum &wanted);

/// Compiles the model for the shapes of the data set, runs it on this thread, and compares the results with the suite's
/// and, for the distance in ulp, with the evaluator's in f64.
Verdict compileAndRun(const Test &test, const ModelSummary &model, const DataSet &set, const Way &way);

/// The results of a shared library that another machine runs: `runner LIBRARY 1 input NAME FILE ... output NAME FILE
/// ...` reads and writes bare elements (test/Models/run_object.c under an emulator).
llvm::Expected<std::vector<Tensor>> runElsewhere(const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                                 llvm::StringRef runner);

} // namespace kumiko::suite
