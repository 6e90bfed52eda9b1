#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Support/Convert.h"
#include "tools/kumiko-onnx-suite/DataSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::suite;

Verdict kumiko::suite::verdictOf(const ProblemList &problems) {
  const Problem &first = problems.all().front();
  bool refused = problems.exitCode() == int(Fault::Unsupported);
  std::string place = first.place.name.empty() ? "" : " (" + first.place.name + ")";
  return {refused ? Verdict::Kind::Refused : Verdict::Kind::Failed, numberOf(first.code) + " " + first.what + place};
}

static std::string tensorDifference(const Tensor &got, const Tensor &wanted) {
  if (got.element() != wanted.element() || got.shape() != wanted.shape())
    return describe(got.element(), got.shape()) + " instead of " + describe(wanted.element(), wanted.shape());
  double relative = wanted.element() == ElementType::BF16 ? 1.0 / 64 : 1e-3;
  for (int64_t i = 0; i < got.count(); ++i) {
    if (isInteger(wanted.element()) && integerAt(got, i) == integerAt(wanted, i))
      continue;
    double a = valueAt(got, i), b = valueAt(wanted, i);
    bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-7 + relative * std::abs(b);
    if (!same)
      return formatv("element {0} is {1}, expected {2}", i, a, b);
  }
  return "";
}

std::string kumiko::suite::differenceOf(const Datum &got, const Datum &wanted) {
  if (got.kind != wanted.kind || got.list().size() != wanted.list().size())
    return "a value of another kind or length";
  if (got.isTensor())
    return tensorDifference(got.tensor.tensor, wanted.tensor.tensor);
  for (auto [number, pair] : enumerate(zip_equal(got.list(), wanted.list())))
    if (std::string why = differenceOf(std::get<0>(pair), std::get<1>(pair)); !why.empty())
      return formatv("item {0}: {1}", number, why);
  return "";
}

/// The official runner feeds light models so.
static std::optional<Datum> ramp(StringRef type) {
  SmallVector<int64_t> shape;
  if (!type.consume_front("f32[") || !type.consume_back("]"))
    return std::nullopt;
  SmallVector<StringRef> parts;
  type.split(parts, ',');
  for (StringRef part : parts)
    if (part.getAsInteger(10, shape.emplace_back()))
      shape.back() = 1;
  Expected<Tensor> tensor = Tensor::zeros(ElementType::F32, shape);
  if (!tensor)
    return consumeError(tensor.takeError()), std::nullopt;
  for (int64_t i = 0; i < tensor->count(); ++i) {
    float value = double(i) / double(tensor->count());
    std::memcpy(tensor->mutableData() + i * sizeof(float), &value, sizeof(float));
  }
  return Datum::of(SharedTensor::own(std::move(*tensor)));
}

static std::optional<DataSet> load(const ModelSummary &model, const std::string &folder, ProblemList &problems) {
  DataSet set;
  auto read = [&](StringRef kind, size_t number, StringRef type) -> std::optional<Datum> {
    std::string path = formatv("{0}/{1}_{2}.pb", folder, kind, number);
    return sys::fs::exists(path) ? onnx::readDatumFile(path, type, problems) : std::nullopt;
  };
  // Data sets give overridable inputs, too, where the model lists its initializers as inputs.
  for (auto [number, input] : enumerate(model.inputs))
    if (std::optional<Datum> datum = read("input", number, input.type))
      set.inputs[input.name] = std::move(*datum);
  for (auto [number, output] : enumerate(model.outputs))
    if (std::optional<Datum> datum = read("output", number, output.type))
      set.outputs.push_back(std::move(*datum));
  if (problems.hasErrors())
    return std::nullopt;
  return set;
}

static std::optional<DataSet> loadLight(const ModelSummary &model, StringRef path, ProblemList &problems) {
  DataSet set;
  for (const ModelSummary::Value &input : model.inputs)
    if (std::optional<Datum> datum = ramp(input.type))
      set.inputs[input.name] = std::move(*datum);
  std::string output = (path.drop_back(StringRef(".onnx").size()) + "_output_0.pb").str();
  if (std::optional<Datum> datum = onnx::readDatumFile(output, "", problems))
    set.outputs.push_back(std::move(*datum));
  if (problems.hasErrors())
    return std::nullopt;
  return set;
}

static Verdict interpretSet(const Test &test, const DataSet &set) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ProblemList problems;
  auto outputs = onnx::interpretOnnx(test.model, context, set.inputs, {}, problems);
  if (!outputs)
    return verdictOf(problems);
  if (outputs->size() != set.outputs.size())
    return {Verdict::Kind::Failed, formatv("{0} outputs, {1} expected", outputs->size(), set.outputs.size())};
  for (auto [got, wanted] : zip_equal(*outputs, set.outputs))
    if (std::string why = differenceOf(got.datum, wanted); !why.empty())
      return {Verdict::Kind::Failed, got.name + ": " + why};
  return {Verdict::Kind::Passed, ""};
}

Verdict kumiko::suite::runTest(const Test &test, const Way &way) {
  ProblemList problems;
  ModelSummary model;
  if (!summarizeModel(test.model, /*allowSymlinks=*/false, problems, model))
    return verdictOf(problems);
  Verdict result{Verdict::Kind::Passed, ""};
  for (unsigned number = 0;; ++number) {
    std::string folder = formatv("{0}/test_data_set_{1}", test.data, number);
    bool light = test.data.empty();
    if (light ? number > 0 : !sys::fs::is_directory(folder))
      return number ? result : Verdict{Verdict::Kind::Failed, "there is no data"};
    auto set = light ? loadLight(model, test.model, problems) : load(model, folder, problems);
    if (!set)
      return verdictOf(problems);
    Verdict verdict = way.mode == Mode::Evaluator ? interpretSet(test, *set) : compileAndRun(test, model, *set, way);
    if (verdict.kind != Verdict::Kind::Passed)
      return verdict;
    if (!verdict.text.empty())
      result.text = verdict.text;
    if (verdict.ulp)
      result.ulp = std::max(result.ulp.value_or(0), *verdict.ulp);
  }
}
