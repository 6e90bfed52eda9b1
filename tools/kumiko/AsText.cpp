//===- AsText.cpp - `kumiko inspect MODEL --as-text` ----------------------------------===//
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Import/Text/Text.h"
#include "kumiko/Support/EmitError.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kumiko;
namespace path = llvm::sys::path;

/// Where the text goes; empty: to the screen. A folder gets a file with the model's name.
static llvm::SmallString<128> outputOf(const Invocation &invocation) {
  llvm::SmallString<128> output = invocation.value(OPT_output);
  if (!output.empty() && llvm::sys::fs::is_directory(output))
    path::append(output, path::stem(invocation.model) + ".kmk");
  return output;
}

void kumiko::inspectAsText(const Invocation &invocation, ProblemList &problems) {
  CompileOptions options = compileOptionsOf(invocation, problems);
  if (problems.hasErrors())
    return;
  llvm::SmallString<128> output = outputOf(invocation);
  llvm::SmallString<128> beside = output.empty() ? llvm::StringRef(path::filename(invocation.model)) : output.str();
  path::replace_extension(beside, ".safetensors");
  if (!output.empty() && llvm::sys::fs::equivalent(output, invocation.model)) {
    problems.add(Code::BadOption, "the text would replace the model itself").helped("give another file with -o");
    return;
  }
  Session session(/*jobs=*/1);
  DiagnosticsToProblems diagnostics(session.context(), Stage::Import, invocation.model, problems);
  ModelSummary summary;
  auto module = importModel(invocation.model, session.context(), options.import, problems, summary);
  if (mlir::failed(module))
    return;
  llvm::SmallVector<StoredTensor> weights;
  auto written = text::writeText(**module, path::filename(beside), weights);
  if (!written) {
    problems.add(Code::UnsupportedForm, "the model has no form as text: " + toString(written.takeError()))
        .helped("docs/text-models.md says what the text can hold");
    return;
  }
  if (output.empty()) {
    llvm::outs() << *written;
    return;
  }
  auto write = [&](llvm::StringRef file, llvm::function_ref<void(llvm::raw_ostream &)> content) {
    if (llvm::Error error = writeFileWhole(file, content))
      takeProblems(std::move(error), problems);
  };
  if (!weights.empty())
    write(beside, [&](llvm::raw_ostream &os) { writeWeights(weights, os); });
  write(output, [&](llvm::raw_ostream &os) { os << *written; });
}
