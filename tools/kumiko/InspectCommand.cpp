#include "kumiko/Pipeline/Inspect.h"
#include "tools/kumiko/Commands.h"

using namespace kumiko;

static void printValues(llvm::StringRef title, llvm::ArrayRef<ModelSummary::Value> values) {
  llvm::outs() << title << "\n";
  for (const auto &value : values)
    llvm::outs() << "  " << printable(value.name) << ": " << printable(value.type) << "\n";
}

static void printModel(const ModelInspection &inspection) {
  const ModelSummary &summary = inspection.summary;
  llvm::outs() << "graph " << printable(summary.graph) << ", by " << printable(summary.producer);
  if (!summary.opsets.empty())
    llvm::outs() << ", IR version " << summary.irVersion << "\nopsets";
  for (const auto &[domain, version] : summary.opsets)
    llvm::outs() << " " << printable(domain) << "-" << version;
  llvm::outs() << "\n";
  printValues("inputs", summary.inputs);
  printValues("outputs", summary.outputs);
  if (!inspection.symbols.empty())
    llvm::outs() << "symbols\n";
  for (const std::string &name : inspection.symbols)
    llvm::outs() << "  " << printable(name) << "\n";
  for (const std::string &name : summary.overridable)
    llvm::outs() << "  " << printable(name) << " is an input with a value of its own; compiled as a constant\n";
  llvm::outs() << summary.nodes << " nodes, " << summary.parameters << " parameters (" << summary.parameterBytes
               << " bytes)";
  if (inspection.multiplyAdds)
    llvm::outs() << ", " << *inspection.multiplyAdds << " multiply-adds";
  else if (!inspection.symbols.empty())
    llvm::outs() << ", multiply-adds depend on sizes (--dim)";
  llvm::outs() << "\nops\n";
  for (const auto &[name, op] : summary.ops)
    llvm::outs() << "  " << printable(name) << " " << op.count << (op.supported ? "" : "  not supported") << "\n";
  for (const auto &node : summary.unsupported)
    llvm::outs() << "not supported: " << printable(node.node) << ": " << printable(node.reason) << "\n";
  llvm::outs() << "compiles: " << (inspection.reasons.hasErrors() ? "no\n" : "yes\n");
}

static void printLibrary(const LibraryInspection &library) {
  llvm::outs() << library.name << ", made by " << library.producer << "\n" << library.provenance << "\n";
  printValues("inputs", library.inputs);
  printValues("outputs", library.outputs);
  llvm::outs() << library.calls << " kernel calls, arena " << library.arenaBytes << " bytes, scratch "
               << library.scratchBytes << " bytes per thread, weights " << library.weightsBytes << " bytes\n";
}

/// The reasons that a model will not compile are errors, so the exit code says which kind.
int kumiko::inspectCommand(const Invocation &invocation, ProblemList &problems) {
  if (invocation.has(OPT_as_text))
    return inspectAsText(invocation, problems), 0;
  bool asJson = invocation.has(OPT_json);
  if (isSharedLibrary(invocation.model)) {
    if (auto library = inspectLibrary(invocation.model, problems))
      asJson ? library->printJson(llvm::outs()) : printLibrary(*library);
    return 0;
  }
  CompileOptions options = compileOptionsOf(invocation, problems);
  if (problems.hasErrors())
    return 0;
  ModelInspection model = inspectModel(invocation.model, options, problems);
  if (model.isReadable())
    asJson ? model.printJson(llvm::outs()) : printModel(model);
  return 0;
}
