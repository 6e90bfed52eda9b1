//===- SuiteRunner.cpp - imports models, and evaluates them on test data ------===//
//
//   onnx-import MODEL...           imports each; prints the module, or the problems
//   onnx-import --suite FOLDER...  for folders of the ONNX backend tests: imports, evaluates on every data set and
//                                  compares; prints one line per test that fails, and the counts
//
// A tool for developers of the importer.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Support/Convert.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace mlir;
using namespace kumiko;

namespace {

/// The official comparison; empty when equal enough.
std::string compare(const Tensor &got, const Tensor &wanted) {
  if (got.element() != wanted.element() || got.shape() != wanted.shape())
    return describe(got.element(), got.shape()) + " instead of " + describe(wanted.element(), wanted.shape());
  double relative = wanted.element() == ElementType::BF16 ? 1.0 / 64 : 1e-3;
  for (int64_t i = 0; i < got.count(); ++i) {
    double a = valueAt(got, i), b = valueAt(wanted, i);
    bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-7 + relative * std::abs(b);
    if (!same)
      return formatv("element {0} is {1}, expected {2}", i, a, b);
  }
  return "";
}

std::vector<Tensor> load(StringRef folder, StringRef kind) {
  ProblemList problems;
  std::vector<Tensor> list;
  for (unsigned i = 0; sys::fs::exists(formatv("{0}/{1}_{2}.pb", folder, kind, i).str()); ++i)
    if (auto tensor = onnx::readTensorFile(formatv("{0}/{1}_{2}.pb", folder, kind, i).str(), problems))
      list.push_back(std::move(*tensor));
  return list;
}

/// Why the test fails on one set of data; empty when it passes. `imported` tells whether it got past the importer.
std::string runSet(StringRef model, StringRef data, bool &imported) {
  std::vector<Tensor> inputs = load(data, "input"), outputs = load(data, "output");
  SmallVector<const Tensor *> arguments;
  for (const Tensor &input : inputs)
    arguments.push_back(&input);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  // Many tests give axes and shapes as inputs: their values are known here.
  onnx::ImportOptions options;
  ProblemList ignored;
  onnx::ModelSummary names;
  (void)onnx::importOnnx(model, context, {}, ignored, names);
  if (names.inputs.size() == inputs.size())
    for (auto [value, tensor] : zip_equal(names.inputs, arguments))
      options.known[value.name] = tensor;
  ProblemList problems;
  onnx::ModelSummary summary;
  auto module = onnx::importOnnx(model, context, options, problems, summary);
  if (failed(module))
    return numberOf(problems.all().front().code) + " " + problems.all().front().what;
  if (failed(verify(**module)))
    return "the module does not verify";
  imported = true;
  auto got = evaluateGraph((*module)->lookupSymbol<func::FuncOp>("main"), arguments);
  if (!got)
    return toString(got.takeError());
  if (got->size() != outputs.size())
    return formatv("{0} results, {1} expected", got->size(), outputs.size());
  for (auto [result, wanted] : zip_equal(*got, outputs))
    if (std::string why = compare(result, wanted); !why.empty())
      return why;
  return "";
}

std::string runTest(StringRef folder, bool &imported) {
  for (unsigned set = 0;; ++set) {
    std::string data = formatv("{0}/test_data_set_{1}", folder, set);
    if (!sys::fs::is_directory(data))
      return set ? "" : "no data";
    if (std::string why = runSet((folder + "/model.onnx").str(), data, imported); !why.empty())
      return why;
  }
}

int runSuite(ArrayRef<char *> folders) {
  unsigned imported = 0, passed = 0;
  for (StringRef folder : folders) {
    bool got = false;
    outs() << sys::path::filename(folder) << " ";
    std::string why = runTest(folder, got);
    imported += got;
    passed += why.empty();
    outs() << (why.empty() ? "ok" : got ? "FAIL " + why : "refused " + why) << "\n";
    outs().flush();
  }
  outs() << imported << " imported, " << passed << " passed of " << folders.size() << "\n";
  return passed == folders.size() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  ArrayRef<char *> arguments(argv + 1, argc - 1);
  if (!arguments.empty() && StringRef(arguments[0]) == "--suite")
    return runSuite(arguments.drop_front());
  int code = 0;
  for (StringRef path : arguments) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    ProblemList problems;
    onnx::ModelSummary summary;
    auto module = onnx::importOnnx(path, context, {}, problems, summary);
    problems.print(errs());
    code = std::max(code, problems.exitCode());
    if (failed(module))
      continue;
    if (failed(verify(**module)))
      code = 70;
    OpPrintingFlags flags;
    flags.elideLargeResourceString(0).elideLargeElementsAttrs(32);
    (*module)->print(outs(), flags);
    outs() << "\n";
  }
  return code;
}
