#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/Summary.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// A model's messages begin with the tag of one of their fields: a number and how it is encoded.
static bool recognise(StringRef bytes, StringRef path) {
  enum : uint8_t { Varint = 0, Bytes = 2 };
  static constexpr std::pair<uint8_t, uint8_t> fields[] = {{1, Varint}, {2, Bytes}, {3, Bytes}, {4, Bytes}, {5, Varint},
                                                           {6, Bytes},  {7, Bytes}, {8, Bytes}, {14, Bytes}};
  uint8_t tag = bytes.front();
  return path.ends_with_insensitive(".onnx") || is_contained(fields, std::pair<uint8_t, uint8_t>(tag >> 3, tag & 7));
}

/// Reads the messages, and says what the file is when they make no model.
static std::optional<Model> readFile(ModelFile &file, ProblemList &problems) {
  Place place;
  place.file = file.path().str();
  ProblemList own;
  std::optional<Model> model = readModel(file.bytes(), file.arena(), own);
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

static bool summarizeFile(ModelFile &file, ProblemList &problems, ModelSummary &summary) {
  std::optional<Model> model = readFile(file, problems);
  if (model)
    summarize(*model, {}, summary);
  return model.has_value();
}

/// Whether two dimensions of inputs that want a symbol have one name.
static bool sharesNames(const Model &model, const ImportOptions &options) {
  llvm::StringSet<> names;
  for (const ValueInfo &input : model.graph.inputs)
    for (const Dimension &dim : input.type.shape)
      if (isNamed(dim) && !options.dims.contains(dim.param) && !names.insert(dim.param).second)
        return true;
  return false;
}

/// Finds out which dimensions of one name the graph needs to be equal, with imports that nobody sees.
static void settleNames(const std::shared_ptr<ModelFile> &file, const Model &model, const ImportOptions &options,
                        DimensionNames &names) {
  constexpr unsigned mostRounds = 3;
  for (unsigned round = 0; round < mostRounds; ++round) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    ProblemList quiet;
    GraphImporter importer(file, model, context, options, quiet);
    importer.useNames(names);
    OwningOpRef<ModuleOp> module = importer.run();
    // What cannot be imported so may be with fewer symbols; otherwise that is what people are to be told about.
    if (!module || quiet.hasErrors())
      return names.joinAll();
    if (!names.takeChanged())
      return;
  }
  names.joinAll();
}

static void warnOfNames(const DimensionNames &names, StringRef path, ProblemList &problems) {
  std::vector<std::string> lists = names.separate();
  if (lists.empty())
    return;
  Problem problem(Code::SharedDimension,
                  "inputs share names of dimensions that nothing in the graph needs to be equal: " + join(lists, "; "));
  problem.at({path.str(), {}, {}, {}, {}, {}})
      .helped("each is taken from its own input; --dim NAME=N sets all of one name");
  problem.warning = true;
  problems.add(std::move(problem));
}

static ImportedModule importFile(std::shared_ptr<ModelFile> file, MLIRContext &context, const ImportOptions &options,
                                 ProblemList &problems, ModelSummary &summary) {
  std::optional<Model> model = file ? readFile(*file, problems) : std::nullopt;
  if (!model)
    return failure();
  summarize(*model, options.userOps, summary);
  DimensionNames names;
  if (options.symbols && sharesNames(*model, options))
    settleNames(file, *model, options, names);
  ProblemList before = problems;
  GraphImporter importer(file, *model, context, options, problems);
  importer.useNames(names);
  OwningOpRef<ModuleOp> module = importer.run();
  if (module && importer.hasGuessedWrong()) {
    problems = std::move(before);
    GraphImporter other(file, *model, context, options, problems);
    other.useNames(names);
    other.takeOnes();
    module = other.run();
  }
  warnOfNames(names, file->path(), problems);
  addUnsupported(problems, summary);
  if (problems.hasErrors() || !module)
    return failure();
  (*module)->setAttr("nn.source_nodes", Builder(&context).getI64IntegerAttr(summary.nodes));
  return std::move(module);
}

ImportedModule importOnnx(StringRef path, MLIRContext &context, const ImportOptions &options, ProblemList &problems,
                          ModelSummary &summary) {
  return importFile(openFile(path, options.allowSymlinks, problems), context, options, problems, summary);
}

ImportedModule importOnnx(std::unique_ptr<MemoryBuffer> bytes, MLIRContext &context, const ImportOptions &options,
                          ProblemList &problems, ModelSummary &summary) {
  return importFile(ModelFile::of(std::move(bytes), options.allowSymlinks), context, options, problems, summary);
}

static InterpretedModel interpretFile(std::shared_ptr<ModelFile> file, MLIRContext &context,
                                      const StringMap<Datum> &inputs, const InterpretOptions &options,
                                      ProblemList &problems) {
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

const FrontEnd &frontEnd() {
  static constexpr FrontEnd entry{"onnx", "ONNX (protobuf)", recognise, summarizeFile, importFile, interpretFile};
  return entry;
}

} // namespace kumiko::onnx
