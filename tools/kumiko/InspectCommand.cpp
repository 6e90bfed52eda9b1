#include "kumiko/Lower/Refusal.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Pipeline/MultiplyAdds.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/JSON.h"

using namespace kumiko;
using llvm::json::fixUTF8;

namespace {
/// What is known about a model file, and its arithmetic when it could be imported.
struct Inspection {
  onnx::ModelSummary summary;
  std::optional<uint64_t> multiplyAdds;
  /// Why it will not compile; empty when it will.
  const ProblemList &reasons;
  /// What is not known before the model runs: sizes of inputs, and what data decides.
  std::vector<std::string> symbols = {};
};
} // namespace

static void printValues(llvm::StringRef title, llvm::ArrayRef<onnx::ModelSummary::Value> values) {
  llvm::outs() << title << "\n";
  for (const auto &value : values)
    llvm::outs() << "  " << printable(value.name) << ": " << printable(value.type) << "\n";
}

static void printModel(const Inspection &inspection) {
  const onnx::ModelSummary &summary = inspection.summary;
  llvm::outs() << "graph " << printable(summary.graph) << ", by " << printable(summary.producer) << ", IR version "
               << summary.irVersion << "\nopsets";
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

static void writeValues(llvm::json::OStream &json, llvm::StringRef key,
                        llvm::ArrayRef<onnx::ModelSummary::Value> values) {
  json.attributeArray(key, [&] {
    for (const auto &value : values)
      json.object([&] {
        json.attribute("name", fixUTF8(value.name));
        json.attribute("type", fixUTF8(value.type));
      });
  });
}

static void printModelJson(const Inspection &inspection) {
  const onnx::ModelSummary &summary = inspection.summary;
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("graph", fixUTF8(summary.graph));
  json.attribute("producer", fixUTF8(summary.producer));
  json.attribute("ir_version", summary.irVersion);
  json.attributeObject("opsets", [&] {
    for (const auto &[domain, version] : summary.opsets)
      json.attribute(fixUTF8(domain), version);
  });
  writeValues(json, "inputs", summary.inputs);
  writeValues(json, "outputs", summary.outputs);
  json.attributeArray("symbols", [&] {
    for (const std::string &name : inspection.symbols)
      json.value(name);
  });
  json.attributeArray("overridable", [&] {
    for (const std::string &name : summary.overridable)
      json.value(fixUTF8(name));
  });
  json.attribute("nodes", int64_t(summary.nodes));
  json.attribute("parameters", int64_t(summary.parameters));
  json.attribute("parameter_bytes", int64_t(summary.parameterBytes));
  if (inspection.multiplyAdds)
    json.attribute("multiply_adds", int64_t(std::min<uint64_t>(*inspection.multiplyAdds, INT64_MAX)));
  else
    json.attribute("multiply_adds", nullptr);
  json.attributeArray("ops", [&] {
    for (const auto &[name, op] : summary.ops)
      json.object([&] {
        json.attribute("name", fixUTF8(name));
        json.attribute("count", int64_t(op.count));
        json.attribute("supported", op.supported);
      });
  });
  json.attributeArray("unsupported", [&] {
    for (const auto &node : summary.unsupported)
      json.object([&] {
        json.attribute("node", fixUTF8(node.node));
        json.attribute("reason", fixUTF8(node.reason));
      });
  });
  json.attribute("compiles", !inspection.reasons.hasErrors());
  json.attributeArray("reasons", [&] {
    for (const Problem &problem : inspection.reasons.all())
      if (!problem.warning)
        json.value(problem.json());
  });
  json.objectEnd();
  llvm::outs() << "\n";
}

/// Whether the file could be read at all: otherwise there is nothing to show.
static bool isReadable(const onnx::ModelSummary &summary) {
  return summary.nodes != 0 || !summary.inputs.empty() || !summary.outputs.empty() || !summary.opsets.empty();
}

/// What the symbols are, and the types of inputs and outputs with expressions over them.
static void describeSymbols(mlir::ModuleOp module, Inspection &inspection) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (const nn::Symbol &symbol : nn::symbolsOf(main))
    inspection.symbols.push_back(symbol.name + (symbol.isData ? ": from data" : ""));
  for (auto [input, type] : llvm::zip_equal(inspection.summary.inputs, main.getArgumentTypes()))
    input.type = onnx::describe(type);
  for (auto [output, type] : llvm::zip_equal(inspection.summary.outputs, main.getResultTypes()))
    output.type = onnx::describe(type);
}

/// Shows what can be read, of broken files too; the reasons that the model will not compile are errors all the same, so
/// the exit code says which kind.
static void inspectModel(const Invocation &invocation, ProblemList &problems) {
  CompileOptions options = compileOptionsOf(invocation, problems);
  if (problems.hasErrors())
    return;
  Session session(/*jobs=*/1);
  Inspection inspection{{}, {}, problems};
  {
    DiagnosticsToProblems diagnostics(session.context(), Stage::Import, invocation.model, problems);
    auto module = onnx::importOnnx(invocation.model, session.context(), options.import, problems, inspection.summary);
    if (mlir::succeeded(module)) {
      describeSymbols(**module, inspection);
      inspection.multiplyAdds = countMultiplyAdds(**module);
      lower::findRefusals(**module, /*foldable=*/true, [&](mlir::Operation *op, llvm::StringRef why) {
        std::string reason = ("'" + op->getName().getStringRef() + "' is not yet compiled: " + why).str();
        inspection.summary.unsupported.push_back({"node \"" + sourceNode(op->getLoc()) + "\"", reason});
        op->emitError() << reason;
      });
    }
  }
  if (isReadable(inspection.summary))
    invocation.has(OPT_json) ? printModelJson(inspection) : printModel(inspection);
}

static void inspectLibrary(const Invocation &invocation, ProblemList &problems) {
  auto executable = Executable::fromLibrary(invocation.model, problems);
  if (!executable)
    return;
  auto values = [](llvm::ArrayRef<ProgramValue> list) {
    std::vector<onnx::ModelSummary::Value> result;
    for (const ProgramValue &value : list)
      result.push_back({value.name, describe(value)});
    return result;
  };
  const kumiko_model_info &info = executable->info();
  if (!invocation.has(OPT_json)) {
    llvm::outs() << info.name << ", made by " << info.producer << "\n" << info.provenance << "\n";
    printValues("inputs", values(executable->inputs()));
    printValues("outputs", values(executable->outputs()));
    llvm::outs() << info.call_count << " kernel calls, arena " << info.arena_bytes << " bytes, scratch "
                 << info.scratch_bytes << " bytes per thread, weights " << info.weights_bytes << " bytes\n";
    return;
  }
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/1);
  json.object([&] {
    json.attribute("name", fixUTF8(info.name));
    json.attribute("producer", fixUTF8(info.producer));
    json.attribute("provenance", fixUTF8(info.provenance));
    writeValues(json, "inputs", values(executable->inputs()));
    writeValues(json, "outputs", values(executable->outputs()));
    json.attribute("calls", int64_t(info.call_count));
    json.attribute("arena_bytes", int64_t(info.arena_bytes));
    json.attribute("scratch_bytes", int64_t(info.scratch_bytes));
    json.attribute("weights_bytes", int64_t(info.weights_bytes));
  });
  llvm::outs() << "\n";
}

int kumiko::inspectCommand(const Invocation &invocation, ProblemList &problems) {
  isSharedLibrary(invocation.model) ? inspectLibrary(invocation, problems) : inspectModel(invocation, problems);
  return 0;
}
