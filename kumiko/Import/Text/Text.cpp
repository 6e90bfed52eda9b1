#include "kumiko/Import/Text/Text.h"
#include "kumiko/Import/Text/Reader.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

/// The first word that is no comment, or the name.
static bool recognise(StringRef bytes, StringRef path) {
  StringRef rest = bytes.ltrim();
  while (rest.consume_front("#"))
    rest = rest.drop_until([](char c) { return c == '\n'; }).ltrim();
  auto begins = [&](StringRef word) { return rest.consume_front(word) && !rest.empty() && isSpace(rest.front()); };
  return path.ends_with_insensitive(".kmk") || begins("model") || begins("op") || begins("weights");
}

static ImportedModule import(std::shared_ptr<ModelFile> file, MLIRContext &context, const ImportOptions &options,
                             ProblemList &problems, ModelSummary &summary) {
  Reader reader(std::move(file), context, options, problems);
  OwningOpRef<ModuleOp> module = reader.run();
  if (problems.hasErrors() || !module)
    return failure();
  reader.summarize(*module, summary);
  return std::move(module);
}

static bool summarize(ModelFile &file, ProblemList &problems, ModelSummary &summary) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ImportOptions options;
  options.symbols = true;
  // The caller's file outlives this call.
  return succeeded(import(std::shared_ptr<ModelFile>(&file, [](ModelFile *) {}), context, options, problems, summary));
}

static InterpretedModel interpret(std::shared_ptr<ModelFile> file, MLIRContext &context, const StringMap<Datum> &inputs,
                                  const InterpretOptions &how, ProblemList &problems) {
  ImportOptions options;
  options.symbols = true;
  options.tensorLimit = how.limits.tensorBytes;
  std::vector<NamedDatum> outputs = Reader(std::move(file), context, options, problems).interpret(how, inputs);
  if (problems.hasErrors())
    return std::nullopt;
  return outputs;
}

const FrontEnd &frontEnd() {
  static constexpr FrontEnd entry{"text", "text (.kmk)", recognise, summarize, import, interpret};
  return entry;
}

} // namespace kumiko::text
