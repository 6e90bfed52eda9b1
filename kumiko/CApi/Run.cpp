#include "kumiko/CApi/Handles.h"

using namespace kumiko;

struct kumiko_result {
  /// Of the model, which the context keeps alive.
  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_context *context = nullptr;
  std::vector<std::string> names;
  /// Outputs of known sizes that the caller brought no memory for.
  std::vector<Tensor> own;
  std::vector<kumiko_tensor> outputs;

  ~kumiko_result() { api->context_destroy(context); }
};

/// Loads the program once.
static Executable *load(kumiko_program &program, ProblemList &problems) {
  std::lock_guard<std::mutex> lock(program.mutex);
  if (!program.executable && expectRunsHere(program.options, problems))
    program.executable = Executable::fromCompiled(*program.compiled, problems);
  return program.executable.get();
}

int kumiko_program_model(kumiko_program *program, kumiko_model **model, kumiko_problems *problems) {
  Said said(problems);
  if (!program || !model)
    return said.refuse("kumiko_program_model without a program or a place for the model");
  *model = nullptr;
  if (Executable *executable = load(*program, said.problems()))
    *model = executable->loaded();
  return said.answer();
}

namespace {
/// One run, step by step; each says whether to go on.
class Run {
public:
  Run(const Executable &executable, const kumiko_run &run, ProblemList &problems)
      : executable(executable), run(run), problems(problems), result(std::make_unique<kumiko_result>()) {}

  /// Null when problems were added.
  std::unique_ptr<kumiko_result> compute();

private:
  bool prepare();
  bool bindInputs();
  bool bindOutputs();
  bool collect();
  bool check(int status, const llvm::Twine &what) {
    return executable.check(status, what.str(), result->context, problems);
  }

  const Executable &executable;
  const kumiko_run &run;
  ProblemList &problems;
  std::unique_ptr<kumiko_result> result;
};
} // namespace

bool Run::prepare() {
  kumiko_options options = {};
  options.struct_bytes = sizeof(options);
  options.threads = run.threads;
  return check(result->api->context_create(executable.loaded(), &options, &result->context),
               "cannot prepare the model");
}

bool Run::bindInputs() {
  for (uint64_t i = 0; i < run.input_count; ++i) {
    const kumiko_tensor *tensor = &run.inputs[i];
    int status = run.input_names ? result->api->bind_input(result->context, run.input_names[i], tensor)
                                 : result->api->bind_input_number(result->context, i, tensor);
    if (!check(status, "input " + llvm::Twine(i)))
      return false;
  }
  return true;
}

bool Run::bindOutputs() {
  llvm::ArrayRef<ProgramValue> values = executable.outputs();
  std::vector<bool> bound(values.size());
  for (uint64_t i = 0; i < run.output_count; ++i) {
    const kumiko_tensor *tensor = &run.outputs[i];
    auto isMeant = [&](const ProgramValue &value) { return value.name == run.output_names[i]; };
    size_t number = run.output_names ? llvm::find_if(values, isMeant) - values.begin() : i;
    int status =
        number < values.size() ? result->api->bind_output_number(result->context, number, tensor) : int(KUMIKO_E_NAME);
    if (!check(status, "output " + llvm::Twine(i)))
      return false;
    bound[number] = true;
  }
  for (auto [number, value] : llvm::enumerate(values)) {
    if (bound[number] || !value.isStatic())
      continue;
    auto tensor = Tensor::zeros(value.type, value.shape);
    if (!tensor) {
      problems.add(Code::TooLarge, "output '" + value.name + "': " + toString(tensor.takeError()))
          .helped("the result does not fit memory");
      return false;
    }
    Tensor &own = result->own.emplace_back(std::move(*tensor));
    kumiko_tensor view = {own.mutableData(), uint32_t(own.element()), own.rank(), own.shape().data(), nullptr};
    if (!check(result->api->bind_output_number(result->context, number, &view), "output '" + value.name + "'"))
      return false;
  }
  return true;
}

bool Run::collect() {
  for (auto [number, value] : llvm::enumerate(executable.outputs())) {
    result->names.push_back(value.name);
    if (!check(result->api->output_tensor(result->context, number, &result->outputs.emplace_back()),
               "output '" + value.name + "'"))
      return false;
  }
  return true;
}

std::unique_ptr<kumiko_result> Run::compute() {
  if (prepare() && bindInputs() && bindOutputs() && check(result->api->run(result->context), "the run failed") &&
      collect())
    return std::move(result);
  return nullptr;
}

int kumiko_program_run(kumiko_program *program, const kumiko_run *run, kumiko_result **result,
                       kumiko_problems *problems) {
  Said said(problems);
  if (result)
    *result = nullptr;
  kumiko_run own = {};
  if (run)
    std::memcpy(&own, run, std::min<size_t>(run->struct_bytes, sizeof(own)));
  if (!program || !run || (own.input_count && !own.inputs) || (own.output_count && !own.outputs))
    return said.refuse("kumiko_program_run without a program, arguments, or arrays that its counts speak of");
  Executable *executable = load(*program, said.problems());
  if (!executable)
    return said.answer();
  if (!result && own.output_count < executable->outputs().size())
    return said.refuse("kumiko_program_run without a place for the result, and not all outputs have memory");
  auto computed = Run(*executable, own, said.problems()).compute();
  if (computed && result)
    *result = computed.release();
  return said.answer();
}

int kumiko_result_output(const kumiko_result *result, uint64_t number, const char **name, kumiko_tensor *tensor) {
  if (!result || !tensor || number >= result->outputs.size())
    return KUMIKO_BAD_CALL;
  *tensor = result->outputs[number];
  if (name)
    *name = result->names[number].c_str();
  return KUMIKO_YES;
}

uint64_t kumiko_result_count(const kumiko_result *result) { return result ? result->outputs.size() : 0; }

void kumiko_result_destroy(kumiko_result *result) { delete result; }
