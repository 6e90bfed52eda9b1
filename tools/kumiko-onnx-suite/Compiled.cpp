#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/Ulp.h"
#include "tools/kumiko-onnx-suite/DataSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::suite;
using onnx::Datum;

/// What the data set says about the model's symbols and, with `values`, about the numbers in its inputs.
static onnx::ImportOptions importOptionsFor(const onnx::ModelSummary &model, const DataSet &set, bool values) {
  onnx::ImportOptions options;
  for (const onnx::ModelSummary::Value &input : model.inputs) {
    auto datum = set.inputs.find(input.name);
    if (datum == set.inputs.end() || !datum->second.isTensor())
      continue;
    const Tensor &tensor = datum->second.tensor.tensor;
    if (values)
      options.known[input.name] = &tensor;
    StringRef list = StringRef(input.type).split('[').second.split(']').first;
    SmallVector<StringRef> declared;
    list.split(declared, ',');
    for (auto [axis, extent] : enumerate(tensor.shape())) {
      int64_t number;
      if (axis < declared.size() && declared[axis].getAsInteger(10, number))
        options.dims[formatv("{0}[{1}]", input.name, axis).str()] = extent;
    }
  }
  return options;
}

/// The largest distance of a float result from the evaluator in f64; empty when there is no such result.
static std::optional<double> distanceOf(const Test &test, const DataSet &set, ArrayRef<Tensor> results) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ProblemList problems;
  onnx::InterpretOptions options;
  options.precision = Precision::Double;
  auto reference = onnx::interpretOnnx(test.model, context, set.inputs, options, problems);
  std::optional<double> largest;
  if (!reference || reference->size() != results.size())
    return largest;
  for (auto [got, right] : zip_equal(results, *reference))
    if (right.datum.isTensor() && isFloat(got.element()))
      largest = std::max(largest.value_or(0), compare(got, right.datum.tensor.tensor).ulp);
  return largest;
}

static Verdict compileAndRun(const Test &test, const onnx::ModelSummary &model, const DataSet &set, bool values) {
  ProblemList problems;
  CompileOptions options;
  options.import = importOptionsFor(model, set, values);
  options.jobs = 1;
  auto compiled = compile(test.model, options, problems);
  auto executable = compiled ? Executable::fromCompiled(*compiled, problems) : nullptr;
  if (!executable)
    return verdictOf(problems);
  std::vector<Tensor> inputs;
  for (const ProgramValue &value : executable->inputs()) {
    auto datum = set.inputs.find(value.name);
    if (datum == set.inputs.end())
      return {Verdict::Kind::Failed, "there is no data for input " + value.name};
    inputs.push_back(datum->second.tensor.tensor.alias());
  }
  if (!executable->prepare(inputs, /*threads=*/1, problems) || !executable->run(problems))
    return verdictOf(problems);
  if (executable->results().size() != set.outputs.size())
    return {Verdict::Kind::Failed,
            formatv("{0} outputs, {1} expected", executable->results().size(), set.outputs.size())};
  for (auto [value, got, wanted] : zip_equal(executable->outputs(), executable->results(), set.outputs))
    if (std::string why = differenceOf(Datum::of(SharedTensor::borrow(got)), wanted); !why.empty())
      return {Verdict::Kind::Failed, value.name + ": " + why};
  return {Verdict::Kind::Passed, values ? "the values of inputs were given" : "",
          distanceOf(test, set, executable->results())};
}

Verdict kumiko::suite::compileAndRun(const Test &test, const onnx::ModelSummary &model, const DataSet &set) {
  for (const auto &input : set.inputs)
    if (!input.second.isTensor())
      return {Verdict::Kind::Refused, "sequences and optionals are not compiled"};
  Verdict verdict = ::compileAndRun(test, model, set, /*values=*/false);
  // Reshape and the like take as inputs what a compiler must know; exporters write constants there, the suite does not.
  return verdict.kind == Verdict::Kind::Refused ? ::compileAndRun(test, model, set, /*values=*/true) : verdict;
}
