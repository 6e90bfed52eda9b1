#include "Probe.h"
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/Ulp.h"

using namespace kumiko;
using namespace kumiko::test;
using namespace kumiko::onnx::test;

static std::string nameOfInput(size_t number) { return std::string(1, char('a' + number)); }

static Message modelOf(const ProbeNode &probe) {
  GraphParts parts;
  std::vector<std::string> inputs, outputs;
  for (auto [number, input] : llvm::enumerate(probe.inputs)) {
    inputs.push_back(input.leftOut ? "" : nameOfInput(number));
    if (!input.known.empty())
      parts.initializers.push_back(integers(inputs.back(), input.known));
    if (!input.isGiven())
      continue;
    parts.inputs.push_back(
        valueInfo(inputs.back(), input.type, std::vector<Dim>(input.shape.begin(), input.shape.end())));
  }
  for (size_t number = 0; number < probe.outputs; ++number) {
    outputs.push_back(std::string(1, char('p' + number)));
    parts.outputs.push_back(Message().text(1, outputs.back()));
  }
  parts.nodes = {onnx::test::node(probe.op, inputs, outputs, "probed", probe.attributes, probe.domain)};
  return onnx::test::model(graph(parts), probe.opset);
}

static std::string firstOf(const ProblemList &problems) {
  if (problems.all().empty())
    return "";
  const Problem &problem = problems.all().front();
  return problem.what + (problem.place.name.empty() ? "" : " at " + problem.place.name);
}

Probe::Probe(const ProbeNode &node, llvm::StringRef target) : node(node) {
  path = folder.write("probe.onnx", modelOf(node).bytes);
  CompileOptions options;
  options.target = target.str();
  options.jobs = 1;
  options.import.symbols = true; // for results of a size that data decide
  ProblemList problems;
  model = compile(path, options, problems);
  why = firstOf(problems);
}

std::vector<Tensor> Probe::plainInputs() const {
  std::vector<Tensor> tensors;
  for (const ProbeInput &input : node.inputs) {
    tensors.push_back(llvm::cantFail(Tensor::zeros(*onnx::elementTypeOf(input.type), input.shape)));
    for (int64_t place = 0; isFloat(tensors.back().element()) && place < tensors.back().count(); ++place)
      putReal(tensors.back(), place, double(place % 97) / 8);
  }
  return tensors;
}

std::vector<Tensor> Probe::given(llvm::ArrayRef<Tensor> inputs) const {
  std::vector<Tensor> result;
  for (auto [input, tensor] : llvm::zip_equal(node.inputs, inputs))
    if (input.isGiven())
      result.push_back(tensor.alias());
  return result;
}

ProbeResult Probe::run(llvm::ArrayRef<Tensor> inputs) const {
  ProbeResult result;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::StringMap<Datum> named;
  for (auto [number, input] : llvm::enumerate(inputs))
    if (node.inputs[number].isGiven())
      named[nameOfInput(number)] = Datum::of(SharedTensor::borrow(input));
  ProblemList problems;
  auto right = onnx::interpretOnnx(path, context, named, {}, problems);
  result.evaluated = firstOf(problems);
  for (GuardSide side : {GuardSide::After, GuardSide::Before}) {
    ProblemList found;
    auto got = runGuarded(*model, given(inputs), side, found);
    result.compiled = firstOf(found);
    if (!got || !right)
      continue;
    for (auto [mine, theirs] : llvm::zip_equal(*got, *right))
      result.ulp = std::max(result.ulp, compare(mine, theirs.datum.tensor.tensor).ulp);
  }
  return result;
}

void kumiko::test::put(Tensor &tensor, int64_t place, int64_t value) {
  unsigned bytes = bytesOf(tensor.element());
  std::memcpy(tensor.mutableData() + place * bytes, &value, bytes);
}

void kumiko::test::putReal(Tensor &tensor, int64_t place, double value) {
  Tensor one = llvm::cantFail(Tensor::zeros(ElementType::F64, {1}));
  std::memcpy(one.mutableData(), &value, sizeof value);
  Tensor narrow = llvm::cantFail(convert(one, tensor.element()));
  std::memcpy(tensor.mutableData() + place * bytesOf(tensor.element()), narrow.data(), bytesOf(tensor.element()));
}
