//===- ReferenceRun.cpp - `kumiko run --reference` -------------------------------===//
#include "kumiko/Import/Import.h"
#include "kumiko/Support/Npy.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/kumiko/Commands.h"

using namespace kumiko;

namespace {
/// Arrays by name, each of the element type that the model declares; shapes are the evaluator's business.
class Arrays {
public:
  Arrays(const ModelSummary &model, ProblemList &problems) : model(model), problems(problems) {}

  void readArchive(llvm::StringRef path) {
    auto arrays = readNpzFile(path);
    if (!arrays)
      return refuse(path, arrays.takeError());
    for (NpzArray &array : *arrays)
      take(array.name, std::move(array.array));
  }

  void readSingle(llvm::StringRef text) {
    auto [name, path] = text.rsplit('=');
    if (path.empty() || path == "random") {
      problems.add(Code::BadOption, "--input wants NAME=FILE.npy with --reference, not '" + printable(text) + "'")
          .helped("the model's own shapes may be open: give a file");
      return;
    }
    auto array = readNpyFile(path);
    if (!array)
      return refuse(path, array.takeError());
    take(name, std::move(*array));
  }

  llvm::StringMap<Datum> inputs;

private:
  const ModelSummary &model;
  ProblemList &problems;

  void refuse(llvm::StringRef path, llvm::Error error) {
    problems.add(Code::Malformed, path + ": " + toString(std::move(error)))
        .helped("give files as numpy.savez and numpy.save write them");
  }
  void take(llvm::StringRef name, NpyArray array) {
    std::optional<ElementType> type;
    for (const ModelSummary::Value &input : model.inputs)
      if (input.name == name)
        type = elementTypeNamed(llvm::StringRef(input.type).take_until([](char c) { return c == '['; }));
    ElementType wanted = type.value_or(array.tensor.element());
    auto tensor = asElementType(std::move(array), wanted);
    if (tensor)
      inputs[name] = Datum::of(SharedTensor::own(std::move(*tensor)));
    else
      problems.add(Code::OperandType, "input '" + printable(name) + "': " + toString(tensor.takeError()))
          .helped("give an array of the model's type");
  }
};
} // namespace

std::optional<std::vector<NamedTensor>> kumiko::runReference(const Invocation &invocation, ProblemList &problems) {
  InterpretOptions options;
  options.allowSymlinks = invocation.has(OPT_allow_symlinks);
  options.userOps = compileOptionsOf(invocation, problems).import.userOps;
  ModelSummary model;
  if (!summarizeModel(invocation.model, options.allowSymlinks, problems, model))
    return std::nullopt;
  if (invocation.has(OPT_dim))
    problems.add(Code::BadOption, "--dim says nothing to --reference").helped("the inputs give the sizes");
  Arrays arrays(model, problems);
  if (invocation.has(OPT_inputs))
    arrays.readArchive(invocation.value(OPT_inputs));
  for (const std::string &text : invocation.arguments.getAllArgValues(OPT_input))
    arrays.readSingle(text);
  if (problems.hasErrors())
    return std::nullopt;
  // Outputs may look at weights, which live in the context.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto outputs = interpretModel(invocation.model, context, arrays.inputs, options, problems);
  std::vector<NamedTensor> results;
  for (NamedDatum &output : outputs.value_or(std::vector<NamedDatum>())) {
    if (!output.datum.isTensor()) {
      problems.add(Code::UnsupportedType, "output '" + printable(output.name) + "' is a sequence or an optional")
          .helped("only arrays can be shown and written");
      continue;
    }
    auto copy = output.datum.tensor.tensor.copy();
    if (copy)
      results.push_back({output.name, std::move(*copy)});
    else
      problems.add(Code::TooLarge, "output '" + printable(output.name) + "': " + toString(copy.takeError()));
  }
  if (problems.hasErrors())
    return std::nullopt;
  return results;
}
