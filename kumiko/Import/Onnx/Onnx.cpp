#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/Summary.h"
#include "kumiko/Import/Onnx/TensorData.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

bool parseDim(StringRef text, ImportOptions &options, ProblemList &problems) {
  auto [name, number] = text.rsplit('=');
  int64_t size = 0;
  if (name.empty() || number.getAsInteger(10, size) || size < 0) {
    problems.add(Code::BadOption, "--dim " + text + " cannot be understood")
        .helped("write --dim NAME=N, or --dim 'INPUT[AXIS]=N' for a dimension without a name");
    return false;
  }
  options.dims[name] = size;
  return true;
}

/// What files that are given by mistake look like.
static StringRef foreignFormat(StringRef bytes) {
  static constexpr std::pair<StringLiteral, StringLiteral> starts[] = {
      {"\x89PNG", "a PNG image"},
      {"PK\x03\x04", "a zip archive (PyTorch saves models so)"},
      {"\x89HDF", "an HDF5 file (Keras)"},
      {"GGUF", "a GGUF model"},
      {"\x1f\x8b", "a gzip file"},
      {"\x7f"
       "ELF",
       "a program or library"},
      {"ir_version:", "an ONNX model as text"}};
  for (auto [start, name] : starts)
    if (bytes.starts_with(start))
      return name;
  if (bytes.substr(4).starts_with("TFL3"))
    return "a TFLite model";
  return "";
}

/// Reads the messages, and says what the file is when they make no model.
static std::optional<Model> readFile(ModelFile &file, ProblemList &problems) {
  Place place;
  place.file = file.path().str();
  StringRef bytes = file.bytes();
  if (bytes.empty()) {
    problems.add(Code::NotAModel, "the file is empty").at(place).helped("copy or export the model again");
    return std::nullopt;
  }
  if (StringRef format = foreignFormat(bytes); !format.empty()) {
    problems.add(Code::NotAModel, "this is " + format + ", not an ONNX model")
        .at(place)
        .helped("export the model as .onnx in protobuf form");
    return std::nullopt;
  }
  ProblemList own;
  std::optional<Model> model = readModel(bytes, file.arena(), own);
  for (const Problem &problem : own.all()) {
    Problem &added = problems.add(problem).at(place);
    if (added.help.empty())
      added.helped(added.code == Code::Truncated ? "the file was cut off: copy or export it again"
                                                 : "the file is damaged or no ONNX model: export it again");
  }
  if (!model)
    return std::nullopt;
  if (!model->hasGraph) {
    bool plausible = model->irVersion > 0 || !model->opsets.empty();
    problems
        .add(plausible ? Code::NoGraph : Code::NotAModel,
             plausible ? "the model has no graph" : "this is not an ONNX model")
        .at(place)
        .helped("export the model again");
    return std::nullopt;
  }
  return model;
}

static auto reportAt(StringRef path, ProblemList &problems) {
  return [path, &problems](Code code, const Twine &what) -> Problem & {
    Place place;
    place.file = path.str();
    return problems.add(code, what).at(place);
  };
}

static std::shared_ptr<ModelFile> openFile(StringRef path, bool allowSymlinks, ProblemList &problems) {
  return ModelFile::open(path, allowSymlinks, reportAt(path, problems));
}

bool summarizeOnnx(StringRef path, bool allowSymlinks, ProblemList &problems, ModelSummary &summary) {
  std::shared_ptr<ModelFile> file = openFile(path, allowSymlinks, problems);
  std::optional<Model> model = file ? readFile(*file, problems) : std::nullopt;
  if (model)
    summarize(*model, {}, summary);
  return model.has_value();
}

static FailureOr<OwningOpRef<ModuleOp>> importFile(std::shared_ptr<ModelFile> file, MLIRContext &context,
                                                   const ImportOptions &options, ProblemList &problems,
                                                   ModelSummary &summary) {
  std::optional<Model> model = file ? readFile(*file, problems) : std::nullopt;
  if (!model)
    return failure();
  summarize(*model, options.userOps, summary);
  ProblemList before = problems;
  GraphImporter importer(file, *model, context, options, problems);
  OwningOpRef<ModuleOp> module = importer.run();
  if (module && importer.hasGuessedWrong()) {
    problems = std::move(before);
    GraphImporter other(file, *model, context, options, problems);
    other.takeOnes();
    module = other.run();
  }
  addUnsupported(problems, summary);
  if (problems.hasErrors() || !module)
    return failure();
  (*module)->setAttr("nn.source_nodes", Builder(&context).getI64IntegerAttr(summary.nodes));
  return std::move(module);
}

FailureOr<OwningOpRef<ModuleOp>> importOnnx(StringRef path, MLIRContext &context, const ImportOptions &options,
                                            ProblemList &problems, ModelSummary &summary) {
  return importFile(openFile(path, options.allowSymlinks, problems), context, options, problems, summary);
}

FailureOr<OwningOpRef<ModuleOp>> importOnnx(std::unique_ptr<MemoryBuffer> bytes, MLIRContext &context,
                                            const ImportOptions &options, ProblemList &problems,
                                            ModelSummary &summary) {
  return importFile(ModelFile::of(std::move(bytes), options.allowSymlinks), context, options, problems, summary);
}

static std::optional<std::vector<NamedDatum>> interpretFile(std::shared_ptr<ModelFile> file, MLIRContext &context,
                                                            const StringMap<Datum> &inputs,
                                                            const InterpretOptions &options, ProblemList &problems) {
  std::optional<Model> model = file ? readFile(*file, problems) : std::nullopt;
  if (!model)
    return std::nullopt;
  ImportOptions import;
  import.allowSymlinks = options.allowSymlinks;
  import.userOps = options.userOps;
  import.tensorLimit = options.limits.tensorBytes;
  std::vector<NamedDatum> outputs = GraphImporter(file, *model, context, import, problems).interpret(options, inputs);
  if (problems.hasErrors())
    return std::nullopt;
  return outputs;
}

std::optional<std::vector<NamedDatum>> interpretOnnx(StringRef path, MLIRContext &context,
                                                     const StringMap<Datum> &inputs, const InterpretOptions &options,
                                                     ProblemList &problems) {
  return interpretFile(openFile(path, options.allowSymlinks, problems), context, inputs, options, problems);
}

std::optional<std::vector<NamedDatum>> interpretOnnx(std::unique_ptr<MemoryBuffer> bytes, MLIRContext &context,
                                                     const StringMap<Datum> &inputs, const InterpretOptions &options,
                                                     ProblemList &problems) {
  return interpretFile(ModelFile::of(std::move(bytes), options.allowSymlinks), context, inputs, options, problems);
}

} // namespace kumiko::onnx
