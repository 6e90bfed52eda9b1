#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/GuardedRun.h"
#include "kumiko/Verify/Ulp.h"
#include "tools/kumiko-onnx-suite/DataSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::suite;

/// What the compiler is told about the inputs beyond what the file says.
enum class Help : uint8_t {
  None,
  Lengths, ///< how many numbers are in short lists
  Values,  ///< the numbers
};

/// What the data set says about the model's symbols and, where that is the help, about the numbers in its inputs.
static ImportOptions importOptionsFor(const ModelSummary &model, const DataSet &set, Help help) {
  ImportOptions options;
  options.symbols = true;
  for (const ModelSummary::Value &input : model.inputs) {
    auto datum = set.inputs.find(input.name);
    if (datum == set.inputs.end() || !datum->second.isTensor())
      continue;
    const Tensor &tensor = datum->second.tensor.tensor;
    if (help == Help::Values)
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
  InterpretOptions options;
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

/// The inputs in the order in which the program takes them.
static std::optional<std::vector<Tensor>> orderedInputs(ArrayRef<ProgramValue> values, const DataSet &set,
                                                        std::string &missing) {
  std::vector<Tensor> inputs;
  for (const ProgramValue &value : values) {
    auto datum = set.inputs.find(value.name);
    if (datum == set.inputs.end()) {
      missing = value.name;
      return std::nullopt;
    }
    inputs.push_back(datum->second.tensor.tensor.alias());
  }
  return inputs;
}

static Verdict judgeResults(const Test &test, const DataSet &set, ArrayRef<ProgramValue> values,
                            ArrayRef<Tensor> results) {
  if (results.size() != set.outputs.size())
    return {Verdict::Kind::Failed, formatv("{0} outputs, {1} expected", results.size(), set.outputs.size())};
  for (auto [value, got, wanted] : zip_equal(values, results, set.outputs))
    if (std::string why = differenceOf(Datum::of(SharedTensor::borrow(got)), wanted); !why.empty())
      return {Verdict::Kind::Failed, value.name + ": " + why};
  return {Verdict::Kind::Passed, "", distanceOf(test, set, results)};
}

static Verdict runBetweenGuards(const Test &test, const CompiledModel &compiled, const DataSet &set,
                                ArrayRef<Tensor> inputs) {
  Verdict verdict;
  for (GuardSide side : {GuardSide::After, GuardSide::Before}) {
    ProblemList problems;
    auto results = runGuarded(compiled, inputs, side, problems);
    if (!results)
      return verdictOf(problems);
    verdict = judgeResults(test, set, compiled.program.outputs, *results);
    if (verdict.kind != Verdict::Kind::Passed)
      return verdict;
  }
  return verdict;
}

/// With every size of an input a symbol and the declared shapes of outputs forgotten.
static void forgetSizes(ImportOptions &options, const ModelSummary &model, const DataSet &set, Help help) {
  options.dims.clear();
  options.forgetSizes = true;
  // Numbers that exporters write as constants are short lists; whatever else is an input stays without a size.
  for (auto [number, input] : enumerate(model.inputs)) {
    auto datum = set.inputs.find(input.name);
    if (datum == set.inputs.end() || !datum->second.isTensor())
      continue;
    const Tensor &tensor = datum->second.tensor.tensor;
    bool isList = tensor.shape().size() <= 1 && tensor.count() <= 16;
    if (!isList || (number == 0 && !isInteger(tensor.element())))
      options.known.erase(input.name);
    else if (help == Help::Lengths && !tensor.shape().empty())
      options.dims[input.name + "[0]"] = tensor.count();
  }
}

static Verdict compileAndRun(const Test &test, const ModelSummary &model, const DataSet &set, const Way &way,
                             Help help) {
  ProblemList problems;
  CompileOptions options;
  options.import = importOptionsFor(model, set, help);
  if (way.mode == Mode::Symbolic)
    forgetSizes(options.import, model, set, help);
  options.target = way.target;
  options.backend = way.backend;
  options.jobs = 1;
  auto compiled = compile(test.model, options, problems);
  if (!compiled)
    return verdictOf(problems);
  std::string missing;
  auto inputs = orderedInputs(compiled->program.inputs, set, missing);
  if (!inputs)
    return {Verdict::Kind::Failed, "there is no data for input " + missing};
  if (!way.runner.empty()) {
    auto results = runElsewhere(*compiled, *inputs, way.runner);
    if (!results)
      return {Verdict::Kind::Failed, toString(results.takeError())};
    return judgeResults(test, set, compiled->program.outputs, *results);
  }
  if (way.guarded)
    return runBetweenGuards(test, *compiled, set, *inputs);
  auto executable = Executable::fromCompiled(*compiled, problems);
  if (!executable || !executable->prepare(*inputs, /*threads=*/1, problems) || !executable->run(problems))
    return verdictOf(problems);
  return judgeResults(test, set, executable->outputs(), executable->results());
}

Verdict kumiko::suite::compileAndRun(const Test &test, const ModelSummary &model, const DataSet &set, const Way &way) {
  for (const auto &input : set.inputs)
    if (!input.second.isTensor())
      return {Verdict::Kind::Refused, "sequences and optionals are not compiled"};
  // Reshape and the like take as inputs what a compiler must know; exporters write constants there, the suite does not.
  Verdict verdict;
  for (Help help : {Help::None, Help::Lengths, Help::Values}) {
    if (help == Help::Lengths && way.mode != Mode::Symbolic)
      continue;
    verdict = ::compileAndRun(test, model, set, way, help);
    if (verdict.kind == Verdict::Kind::Passed && help != Help::None)
      verdict.text = help == Help::Values ? "the values of inputs were given" : "the lengths of lists were given";
    if (verdict.kind != Verdict::Kind::Refused)
      return verdict;
  }
  return verdict;
}
