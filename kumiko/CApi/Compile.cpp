#include "kumiko/CApi/Handles.h"
#include "kumiko/Emit/Artefact.h"
#include "kumiko/Options/ReadOptions.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kumiko;
namespace path = llvm::sys::path;

kumiko_settings *kumiko_settings_create(void) { return new kumiko_settings(); }

void kumiko_settings_destroy(kumiko_settings *settings) { delete settings; }

int kumiko_settings_set(kumiko_settings *settings, const char *name, const char *value, kumiko_problems *problems) {
  Said said(problems);
  if (!settings || !name)
    return said.refuse("kumiko_settings_set without settings or a name");
  std::optional<llvm::StringRef> text;
  if (value)
    text = value;
  settings->settings.set(name, text, said.problems());
  return said.answer();
}

int kumiko_settings_watch(kumiko_settings *settings, const kumiko_watch *watch, kumiko_problems *problems) {
  Said said(problems);
  if (!settings)
    return said.refuse("kumiko_settings_watch without settings");
  kumiko_watch own = {};
  if (watch)
    std::memcpy(&own, watch, std::min<size_t>(watch->struct_bytes, sizeof(own)));
  settings->watch = {};
  if (own.progress)
    settings->watch.progress = [own](llvm::StringRef task, uint64_t done, uint64_t total) {
      own.progress(own.user, task.str().c_str(), done, total);
    };
  if (own.cancelled)
    settings->watch.cancelled = [own] { return own.cancelled(own.user) != 0; };
  return said.answer();
}

CompileOptions kumiko::readSettings(const kumiko_settings *settings, ProblemList &problems) {
  static const kumiko_settings none;
  const kumiko_settings &from = settings ? *settings : none;
  CompileOptions options = readCompileOptions(from.settings.arguments(), problems);
  options.watch = from.watch;
  return options;
}

int kumiko_source_open(const char *path, kumiko_source **source, kumiko_problems *problems) {
  Said said(problems);
  if (!path || !source)
    return said.refuse("kumiko_source_open without a path or a place for the source");
  *source = nullptr;
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status)) {
    Place place;
    place.file = path;
    said.problems()
        .add(Code::CannotOpen, "cannot open the model: " + code.message())
        .at(std::move(place))
        .helped("check the path and its permissions");
    return said.answer();
  }
  *source = new kumiko_source{ModelSource(path)};
  return said.answer();
}

int kumiko_source_from_memory(const void *bytes, uint64_t size, const char *name, const char *data_folder,
                              kumiko_source **source, kumiko_problems *problems) {
  Said said(problems);
  if ((!bytes && size) || !name || !source)
    return said.refuse("kumiko_source_from_memory without bytes, a name or a place for the source");
  llvm::StringRef content(static_cast<const char *>(bytes), size);
  *source = new kumiko_source{ModelSource::fromMemory(content, name, data_folder ? data_folder : "")};
  return said.answer();
}

void kumiko_source_destroy(kumiko_source *source) { delete source; }

int kumiko_compile(const kumiko_source *source, const kumiko_settings *settings, kumiko_program **program,
                   kumiko_problems *problems) {
  Said said(problems);
  if (!source || !program)
    return said.refuse("kumiko_compile without a source or a place for the program");
  *program = nullptr;
  auto made = std::make_unique<kumiko_program>();
  made->options = readSettings(settings, said.problems());
  if (said.problems().hasErrors())
    return said.answer();
  made->compiled = compile(source->model, made->options, said.problems());
  // Whoever watches need not live as long as the program.
  made->options.watch = {};
  if (made->compiled)
    *program = made.release();
  return said.answer();
}

void kumiko_program_destroy(kumiko_program *program) { delete program; }

/// Writes `output` as the command line does, whose name is that of the program's symbols.
static bool write(const kumiko_program &program, const Watch &watch, WeightsPlace weights, llvm::StringRef output,
                  ProblemList &problems) {
  llvm::StringRef extension = path::extension(output);
  if (extension != ".o" && extension != ".so") {
    problems.add(Code::BadOption, "'" + printable(output) + "' is neither .o nor .so")
        .helped("an object file ends in .o, a shared library in .so");
    return false;
  }
  Steps steps(watch);
  steps.begin("writing");
  ArtefactOptions options;
  options.output = output.str();
  options.weights = weights;
  if (steps.canStop())
    options.stopped = [&] { return steps.stopped(); };
  Program named = program.compiled->program;
  named.name = identifierFrom(path::stem(output));
  auto writer = extension == ".o" ? writeObjectFile : writeSharedLibrary;
  llvm::Error error = writer(named, program.compiled->kernels, program.compiled->target, options);
  if (!error)
    return true;
  takeProblems(std::move(error), problems);
  return false;
}

/// Automatic where nobody asks for a place.
static WeightsPlace weightsOf(const kumiko_settings *settings) {
  if (!settings)
    return WeightsPlace::Automatic;
  llvm::opt::InputArgList arguments = settings->settings.arguments();
  if (!arguments.hasArg(OPT_weights))
    return WeightsPlace::Automatic;
  return arguments.getLastArgValue(OPT_weights) == "file" ? WeightsPlace::File : WeightsPlace::Embed;
}

static Watch watchOf(const kumiko_settings *settings) { return settings ? settings->watch : Watch(); }

int kumiko_program_write(const kumiko_program *program, const kumiko_settings *settings, const char *path,
                         kumiko_problems *problems) {
  Said said(problems);
  if (!program || !path)
    return said.refuse("kumiko_program_write without a program or a path");
  write(*program, watchOf(settings), weightsOf(settings), path, said.problems());
  return said.answer();
}

/// A folder of the system's for temporary files, which goes with everything in it.
namespace {
class TemporaryFolder {
public:
  bool create(ProblemList &problems) {
    std::error_code code = llvm::sys::fs::createUniqueDirectory("kumiko", folder);
    if (code)
      problems.add(Code::CannotWrite, "cannot create a temporary folder: " + code.message())
          .helped("TMPDIR says where such folders are made");
    return !code;
  }
  ~TemporaryFolder() {
    if (!folder.empty())
      (void)llvm::sys::fs::remove_directories(folder);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> result = folder;
    path::append(result, name);
    return result.str().str();
  }

private:
  llvm::SmallString<128> folder;
};
} // namespace

int kumiko_program_bytes(const kumiko_program *program, const kumiko_settings *settings, const char *file,
                         kumiko_bytes **bytes, kumiko_problems *problems) {
  Said said(problems);
  if (!program || !file || !bytes)
    return said.refuse("kumiko_program_bytes without a program, a name or a place for the bytes");
  *bytes = nullptr;
  if (path::filename(file) != file)
    return said.refuse("'" + printable(file) + "' names a folder, too");
  if (path::extension(file) == ".h") {
    Program named = program->compiled->program;
    named.name = identifierFrom(path::stem(file));
    give(bytes, headerText(named, /*weightsFile=*/""));
    return said.answer();
  }
  TemporaryFolder folder;
  if (!folder.create(said.problems()))
    return said.answer();
  std::string output = folder.file(file);
  if (!write(*program, watchOf(settings), WeightsPlace::Embed, output, said.problems()))
    return said.answer();
  auto content = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (content)
    give(bytes, (*content)->getBuffer().str());
  else
    said.problems()
        .add(Code::CannotOpen, "cannot read " + printable(output) + ": " + content.getError().message())
        .helped("it was written a moment ago; do not touch temporary files");
  return said.answer();
}

int kumiko_program_explain(const kumiko_program *program, kumiko_bytes **json, kumiko_problems *problems) {
  Said said(problems);
  if (!program || !json)
    return said.refuse("kumiko_program_explain without a program or a place for the text");
  const CompiledModel &model = *program->compiled;
  give(json, textOf([&](llvm::raw_ostream &os) { model.explanation.printJson(model.program, os); }));
  return said.answer();
}
