#include "kumiko/Pipeline/Inspect.h"
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Lower/Refusal.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Pipeline/MultiplyAdds.h"
#include "llvm/Support/JSON.h"

using namespace kumiko;
using llvm::json::fixUTF8;

static void writeValues(llvm::json::OStream &json, llvm::StringRef key, llvm::ArrayRef<ModelSummary::Value> values) {
  json.attributeArray(key, [&] {
    for (const auto &value : values)
      json.object([&] {
        json.attribute("name", fixUTF8(value.name));
        json.attribute("type", fixUTF8(value.type));
      });
  });
}

static void writeOps(llvm::json::OStream &json, const ModelSummary &summary) {
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
}

void ModelInspection::printJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("format", summary.format);
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
    for (const std::string &name : symbols)
      json.value(name);
  });
  json.attributeArray("overridable", [&] {
    for (const std::string &name : summary.overridable)
      json.value(fixUTF8(name));
  });
  json.attribute("nodes", int64_t(summary.nodes));
  json.attribute("parameters", int64_t(summary.parameters));
  json.attribute("parameter_bytes", int64_t(summary.parameterBytes));
  if (multiplyAdds)
    json.attribute("multiply_adds", int64_t(std::min<uint64_t>(*multiplyAdds, INT64_MAX)));
  else
    json.attribute("multiply_adds", nullptr);
  writeOps(json, summary);
  json.attribute("compiles", !reasons.hasErrors());
  json.attributeArray("reasons", [&] {
    for (const Problem &problem : reasons.all())
      if (!problem.warning)
        json.value(problem.json());
  });
  json.objectEnd();
  os << "\n";
}

bool ModelInspection::isReadable() const {
  return summary.nodes != 0 || !summary.inputs.empty() || !summary.outputs.empty() || !summary.opsets.empty();
}

/// What the symbols are, and the types of inputs and outputs with expressions over them.
static void describeSymbols(mlir::ModuleOp module, ModelInspection &inspection) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (const nn::Symbol &symbol : nn::symbolsOf(main))
    inspection.symbols.push_back(symbol.name + (symbol.isData ? ": from data" : ""));
  for (auto [input, type] : llvm::zip_equal(inspection.summary.inputs, main.getArgumentTypes()))
    input.type = describe(type);
  for (auto [output, type] : llvm::zip_equal(inspection.summary.outputs, main.getResultTypes()))
    output.type = describe(type);
}

ModelInspection kumiko::inspectModel(const ModelSource &model, const CompileOptions &options, ProblemList &problems) {
  Session session(/*jobs=*/1);
  ModelInspection inspection;
  {
    DiagnosticsToProblems diagnostics(session.context(), Stage::Import, model.path, problems);
    auto module = model.import(session.context(), options.import, problems, inspection.summary);
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
  inspection.reasons = problems;
  return inspection;
}

void LibraryInspection::printJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("name", fixUTF8(name));
    json.attribute("producer", fixUTF8(producer));
    json.attribute("provenance", fixUTF8(provenance));
    writeValues(json, "inputs", inputs);
    writeValues(json, "outputs", outputs);
    json.attribute("calls", int64_t(calls));
    json.attribute("arena_bytes", int64_t(arenaBytes));
    json.attribute("scratch_bytes", int64_t(scratchBytes));
    json.attribute("weights_bytes", int64_t(weightsBytes));
  });
  os << "\n";
}

std::optional<LibraryInspection> kumiko::inspectLibrary(llvm::StringRef path, ProblemList &problems) {
  auto executable = Executable::fromLibrary(path, problems);
  if (!executable)
    return std::nullopt;
  auto values = [](llvm::ArrayRef<ProgramValue> list) {
    std::vector<ModelSummary::Value> result;
    for (const ProgramValue &value : list)
      result.push_back({value.name, describe(value)});
    return result;
  };
  const kumiko_model_info &info = executable->info();
  LibraryInspection inspection;
  inspection.name = info.name;
  inspection.producer = info.producer;
  inspection.provenance = info.provenance;
  inspection.inputs = values(executable->inputs());
  inspection.outputs = values(executable->outputs());
  inspection.calls = info.call_count;
  inspection.arenaBytes = info.arena_bytes;
  inspection.scratchBytes = info.scratch_bytes;
  inspection.weightsBytes = info.weights_bytes;
  return inspection;
}
