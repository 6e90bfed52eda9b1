#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Emit/Jit.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Target/Host.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace kumiko;

bool kumiko::isSharedLibrary(llvm::StringRef path) {
  llvm::file_magic magic;
  return !llvm::identify_magic(path, magic) && magic == llvm::file_magic::elf_shared_object;
}

/// To load a library is to run its constructors, so a stranger's is not loaded only to find out that it is none of
/// ours.
static bool exportsArtefact(llvm::StringRef path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->getBinary());
  return elf && llvm::any_of(elf->getDynamicSymbolIterators(), [](llvm::object::ELFSymbolRef symbol) {
           auto name = symbol.getName();
           if (name)
             return *name == KUMIKO_ARTEFACT_SYMBOL;
           llvm::consumeError(name.takeError());
           return false;
         });
}

bool kumiko::expectRunsHere(const CompileOptions &options, ProblemList &problems) {
  auto target = targetNamed(options.target);
  if (!target)
    takeProblems(target.takeError(), problems);
  else if (Decision runs = runsHere(*target); !runs)
    problems.add(Code::BadOption, "this machine cannot run code for " + options.target + ": " + runs.why())
        .helped("leave out --target");
  return !problems.hasErrors();
}

Executable::Executable() : api(kumiko_get_api(KUMIKO_API_VERSION)) {}

Executable::~Executable() {
  api->context_destroy(context);
  if (model)
    api->model_release(model);
}

/// Whose fault a status is. What a kernel finds in its data breaks the specification of the input.
static Code codeOf(int status) {
  switch (status) {
  case KUMIKO_E_FILE:
    return Code::CannotOpen;
  case KUMIKO_E_VERSION:
  case KUMIKO_E_UNSUPPORTED:
    return Code::UnsupportedForm;
  case KUMIKO_E_ARTEFACT:
    return Code::Malformed;
  case KUMIKO_E_NAME:
  case KUMIKO_E_TYPE:
  case KUMIKO_E_SHAPE:
  case KUMIKO_E_INDEX:
  case KUMIKO_E_VALUE:
    return Code::OperandValue;
  case KUMIKO_E_MEMORY:
  case KUMIKO_E_OVERFLOW:
    return Code::TooLarge;
  default:
    return Code::Internal;
  }
}

static llvm::StringRef helpFor(int status) {
  switch (status) {
  case KUMIKO_E_FILE:
    return "a shared library needs its weights file beside it when it was compiled with --weights=file";
  case KUMIKO_E_VERSION:
  case KUMIKO_E_ARTEFACT:
    return "compile the model again with this version of kumiko";
  case KUMIKO_E_INDEX:
  case KUMIKO_E_VALUE:
    return "the data of an input is outside what the operator allows";
  case KUMIKO_E_MEMORY:
    return "the model needs more memory than there is";
  default:
    return "kumiko inspect shows the inputs and outputs";
  }
}

bool Executable::check(int status, llvm::StringRef doing, const kumiko_context *context, ProblemList &problems) const {
  if (status == KUMIKO_OK)
    return true;
  llvm::StringRef said = api->last_error(context);
  Place place;
  place.file = file;
  problems.add(codeOf(status), doing + ": " + (said.empty() ? api->status_text(status) : said))
      .at(std::move(place))
      .helped(helpFor(status));
  return false;
}

/// What the artefact writes for an extent.
static Extent extentOf(const char *text) {
  llvm::Expected<Extent> extent = parseExtent(text);
  if (extent)
    return *extent;
  llvm::consumeError(extent.takeError());
  return Extent::symbol(text); // of another version
}

static std::vector<ProgramValue> valuesOf(const kumiko_api *api, const kumiko_model *model, const kumiko_value *values,
                                          uint64_t count) {
  std::vector<ProgramValue> result;
  for (const kumiko_value &value : llvm::ArrayRef(values, count)) {
    ProgramValue &added = result.emplace_back(ProgramValue{value.name, ElementType(value.element_type), {}});
    llvm::SmallVector<Extent, 6> extents;
    for (int64_t extent : llvm::ArrayRef(value.shape, value.rank)) {
      added.shape.push_back(std::max<int64_t>(extent, -1));
      const char *text = api->dimension_text(model, extent);
      extents.push_back(text ? extentOf(text) : Extent(extent));
    }
    if (!added.isStatic())
      added.extents = std::move(extents);
  }
  return result;
}

bool Executable::adopt(kumiko_model *loaded, ProblemList &problems) {
  model = loaded;
  modelInfo.struct_bytes = sizeof(modelInfo);
  if (!check(api->model_info(model, &modelInfo), "cannot read the model's description", problems))
    return false;
  inputValues = valuesOf(api, model, modelInfo.inputs, modelInfo.input_count);
  outputValues = valuesOf(api, model, modelInfo.outputs, modelInfo.output_count);
  return true;
}

std::unique_ptr<Executable> Executable::fromArtefact(const kumiko_artefact &artefact, ProblemList &problems) {
  auto result = std::unique_ptr<Executable>(new Executable());
  result->file = artefact.name;
  kumiko_model *model = nullptr;
  int status = result->api->model_from_artefact(&artefact, nullptr, &model);
  if (!result->check(status, "cannot load the compiled model", problems) || !result->adopt(model, problems))
    return nullptr;
  return result;
}

std::unique_ptr<Executable> Executable::fromCompiled(const CompiledModel &compiled, ProblemList &problems) {
  auto jit = Jit::create(compiled.program, compiled.kernels, compiled.target);
  if (!jit) {
    takeProblems(jit.takeError(), problems);
    return nullptr;
  }
  auto result = fromArtefact(*(*jit)->artefact(), problems);
  if (result)
    result->jit = std::move(*jit);
  return result;
}

std::unique_ptr<Executable> Executable::fromLibrary(llvm::StringRef path, ProblemList &problems) {
  if (!exportsArtefact(path)) {
    problems.add(Code::NotAModel, printable(path) + " is a shared library, but not one made by kumiko compile")
        .helped("give a model or what kumiko compile MODEL -o OUT.so wrote");
    return nullptr;
  }
  // The loader would say that there is no such file.
  if (std::string machine = architectureOf(path); machine != hostArchitecture()) {
    problems.add(Code::UnsupportedForm, printable(path) + " is made for " + machine + ", which this machine is not")
        .helped("run it there, or compile the model with --target=host");
    return nullptr;
  }
  auto result = std::unique_ptr<Executable>(new Executable());
  result->file = path.str();
  kumiko_model *model = nullptr;
  int status = result->api->model_load(result->file.c_str(), &model);
  if (!result->check(status, "cannot load the library", problems) || !result->adopt(model, problems))
    return nullptr;
  return result;
}

static kumiko_tensor view(const Tensor &tensor) {
  return {const_cast<uint8_t *>(tensor.data()), uint32_t(tensor.element()), tensor.rank(), tensor.shape().data(),
          nullptr};
}

bool Executable::prepare(llvm::ArrayRef<Tensor> inputs, unsigned threads, ProblemList &problems) {
  assert(inputs.size() == inputValues.size() && "one tensor for each input");
  api->context_destroy(std::exchange(context, nullptr));
  kumiko_options options = {};
  options.struct_bytes = sizeof(options);
  options.threads = threads;
  if (!check(api->context_create(model, &options, &context), "cannot prepare the model", problems))
    return false;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    kumiko_tensor tensor = view(input);
    if (!check(api->bind_input_number(context, i, &tensor), "input '" + inputValues[i].name + "'", problems))
      return false;
  }
  resultTensors.clear();
  resultTensors.resize(outputValues.size());
  return llvm::all_of(llvm::seq(outputValues.size()),
                      [&](size_t number) { return !outputValues[number].isStatic() || bindOutput(number, problems); });
}

static Tensor zeros(const ProgramValue &output, llvm::ArrayRef<int64_t> shape, ProblemList &problems) {
  auto tensor = Tensor::zeros(output.type, shape);
  if (tensor)
    return std::move(*tensor);
  problems.add(Code::TooLarge, "output '" + output.name + "': " + toString(tensor.takeError()))
      .helped("the result does not fit memory");
  return Tensor();
}

bool Executable::bindOutput(size_t number, ProblemList &problems) {
  const ProgramValue &output = outputValues[number];
  resultTensors[number] = zeros(output, output.shape, problems);
  if (problems.hasErrors())
    return false;
  kumiko_tensor tensor = view(resultTensors[number]);
  return check(api->bind_output_number(context, number, &tensor), "output '" + output.name + "'", problems);
}

bool Executable::collect(ProblemList &problems) {
  for (auto [number, output] : llvm::enumerate(outputValues)) {
    if (output.isStatic())
      continue;
    kumiko_tensor found;
    if (!check(api->output_tensor(context, number, &found), "output '" + output.name + "'", problems))
      return false;
    llvm::ArrayRef<int64_t> shape(found.shape, found.rank);
    Tensor &result = resultTensors[number];
    if (result.element() != output.type || result.shape() != shape)
      result = zeros(output, shape, problems);
    if (problems.hasErrors())
      return false;
    if (result.count() != 0)
      std::memcpy(result.mutableData(), found.data, result.bytes().size());
  }
  return true;
}

unsigned Executable::threads() const {
  kumiko_context_info info = {};
  info.struct_bytes = sizeof(info);
  return api->context_info(context, &info) ? 0 : info.threads;
}

bool Executable::run(ProblemList &problems) {
  return check(api->run(context), "the run failed", problems) && collect(problems);
}
