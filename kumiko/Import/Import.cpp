#include "kumiko/Import/Import.h"
#include "kumiko/Import/Build/ModelFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using namespace kumiko;

// Each format's folder defines its own; kumiko/Import/CMakeLists.txt lists them.
#define FRONT_END(format)                                                                                              \
  namespace kumiko::format {                                                                                           \
  const FrontEnd &frontEnd();                                                                                          \
  }
#include "kumiko/Import/FrontEnds.inc"
#undef FRONT_END

ArrayRef<const FrontEnd *> kumiko::frontEnds() {
  static const FrontEnd *const all[] = {
#define FRONT_END(format) &format::frontEnd(),
#include "kumiko/Import/FrontEnds.inc"
#undef FRONT_END
  };
  return all;
}

bool kumiko::parseDim(StringRef text, ImportOptions &options, ProblemList &problems) {
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

const FrontEnd *kumiko::frontEndOf(ModelFile &file, ProblemList &problems) {
  Place place;
  place.file = file.path().str();
  if (file.bytes().empty()) {
    problems.add(Code::NotAModel, "the file is empty").at(place).helped("copy or export the model again");
    return nullptr;
  }
  // By content; the name only tells what a damaged file was meant to be.
  StringRef foreign = foreignFormat(file.bytes());
  for (StringRef path : {StringRef(), file.path()})
    for (const FrontEnd *frontEnd : frontEnds())
      if ((path.empty() || foreign.empty()) && frontEnd->recognise(file.bytes(), path))
        return frontEnd;
  auto what = map_range(frontEnds(), [](const FrontEnd *frontEnd) { return frontEnd->what.str(); });
  problems
      .add(Code::NotAModel,
           foreign.empty() ? "this is no model of a known format" : Twine("this is ") + foreign + ", no model")
      .at(place)
      .helped("the formats that were tried are " + join(what.begin(), what.end(), " and ") +
              "; export the model as one of them");
  return nullptr;
}

static std::shared_ptr<ModelFile> openFile(StringRef path, bool allowSymlinks, ProblemList &problems) {
  return ModelFile::open(path, allowSymlinks, [&](Code code, const Twine &what) -> Problem & {
    Place place;
    place.file = path.str();
    return problems.add(code, what).at(place);
  });
}

bool kumiko::summarizeModel(StringRef path, bool allowSymlinks, ProblemList &problems, ModelSummary &summary) {
  std::shared_ptr<ModelFile> file = openFile(path, allowSymlinks, problems);
  const FrontEnd *frontEnd = file ? frontEndOf(*file, problems) : nullptr;
  if (!frontEnd)
    return false;
  summary.format = frontEnd->name.str();
  return frontEnd->summarize(*file, problems, summary);
}

static ImportedModule importFile(std::shared_ptr<ModelFile> file, MLIRContext &context, const ImportOptions &options,
                                 ProblemList &problems, ModelSummary &summary) {
  const FrontEnd *frontEnd = file ? frontEndOf(*file, problems) : nullptr;
  if (!frontEnd)
    return failure();
  summary.format = frontEnd->name.str();
  return frontEnd->import(std::move(file), context, options, problems, summary);
}

ImportedModule kumiko::importModel(StringRef path, MLIRContext &context, const ImportOptions &options,
                                   ProblemList &problems, ModelSummary &summary) {
  return importFile(openFile(path, options.allowSymlinks, problems), context, options, problems, summary);
}

ImportedModule kumiko::importModel(std::unique_ptr<MemoryBuffer> bytes, MLIRContext &context,
                                   const ImportOptions &options, ProblemList &problems, ModelSummary &summary) {
  return importFile(ModelFile::of(std::move(bytes), options.allowSymlinks), context, options, problems, summary);
}

static InterpretedModel interpretFile(std::shared_ptr<ModelFile> file, MLIRContext &context,
                                      const StringMap<Datum> &inputs, const InterpretOptions &options,
                                      ProblemList &problems) {
  const FrontEnd *frontEnd = file ? frontEndOf(*file, problems) : nullptr;
  return frontEnd ? frontEnd->interpret(std::move(file), context, inputs, options, problems) : std::nullopt;
}

InterpretedModel kumiko::interpretModel(StringRef path, MLIRContext &context, const StringMap<Datum> &inputs,
                                        const InterpretOptions &options, ProblemList &problems) {
  return interpretFile(openFile(path, options.allowSymlinks, problems), context, inputs, options, problems);
}

InterpretedModel kumiko::interpretModel(std::unique_ptr<MemoryBuffer> bytes, MLIRContext &context,
                                        const StringMap<Datum> &inputs, const InterpretOptions &options,
                                        ProblemList &problems) {
  return interpretFile(ModelFile::of(std::move(bytes), options.allowSymlinks), context, inputs, options, problems);
}
