#include "kumiko/Emit/Artefact.h"
#include "Sample.h"
#include "kumiko/Support/EmitError.h"
#include "runtime/include/kumiko/kumiko.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstdlib>
#include <sys/resource.h>

using namespace kumiko;
namespace fs = llvm::sys::fs;

namespace {
/// A folder for one test.
class ArtefactTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("kumiko-emit", folder)); }
  void TearDown() override {
    fs::setPermissions(folder, fs::all_all);
    fs::remove_directories(folder);
  }

  std::string in(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  }
  ArtefactOptions options(llvm::StringRef name) {
    ArtefactOptions options;
    options.output = in(name);
    return options;
  }
  std::string contents(llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getFile(in(name));
    return buffer ? (*buffer)->getBuffer().str() : "(no file)";
  }
  unsigned entries() {
    std::error_code code;
    unsigned count = 0;
    for (fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
      ++count;
    return count;
  }
  /// Compiles main.c of the folder with `rest` and runs it; its exit code.
  int compileAndRun(llvm::StringRef program, llvm::StringRef rest) {
    std::string text = "#include <stdio.h>\n#include \"sample.h\"\n" + program.str();
    std::error_code code;
    llvm::raw_fd_ostream(in("main.c"), code) << text;
    std::string command = "cd " + in("") + " && " KUMIKO_C_COMPILER " -Wall -Wextra -Werror -pedantic main.c " +
                          rest.str() + " -lm -o main && ./main";
    int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  llvm::SmallString<128> folder;
  Sample sample;
};

const char *const runProgram = R"(
static _Alignas(64) unsigned char arena[SAMPLE_ARENA_BYTES + 64];
int main(void) {
  const int shape[SAMPLE_X_RANK] = SAMPLE_X_SHAPE;
  float x[SAMPLE_X_ELEMENTS], y[SAMPLE_Y_0_ELEMENTS];
  if (shape[0] != 2 || shape[1] != 8) return 10;
  for (int i = 0; i < 16; ++i) x[i] = 0.25f * i;
  if (sample_run(x, y, arena + 1) != 1) return 11;
  if (sample_run(x, y, arena)) return 12;
  if (y[0] != 11.0f || y[8] != 11.0f) return 13;
  if (y[9] < 12.3247f || y[9] > 12.3249f) return 14; /* exp(2.25 / 8) + 11 */
  x[0] = -1;
  return sample_run(x, y, arena) == 14 && sample_artefact() ? 0 : 15;
})";
} // namespace

TEST_F(ArtefactTest, ObjectFileNeedsOnlyTheCLibrary) {
  ASSERT_FALSE(errorToBool(writeObjectFile(sample.program, sample.kernels, sample.target, options("sample.o"))));
  EXPECT_EQ(entries(), 2u) << "sample.o and sample.h";
  EXPECT_EQ(compileAndRun(runProgram, "sample.o"), 0);
}

TEST_F(ArtefactTest, TwoModelsWithTheSameKernelsLinkTogether) {
  ASSERT_FALSE(errorToBool(writeObjectFile(sample.program, sample.kernels, sample.target, options("sample.o"))));
  sample.program.name = "other";
  ASSERT_FALSE(errorToBool(writeObjectFile(sample.program, sample.kernels, sample.target, options("other.o"))));
  EXPECT_EQ(compileAndRun("#include \"other.h\"\n"
                          "int main(void) { return sample_artefact() == other_artefact(); }\n",
                          "sample.o other.o"),
            0);
}

TEST_F(ArtefactTest, WeightsBesideAnObjectAreAParameter) {
  ArtefactOptions beside = options("sample.o");
  beside.weights = WeightsPlace::File;
  ASSERT_FALSE(errorToBool(writeObjectFile(sample.program, sample.kernels, sample.target, beside)));
  EXPECT_EQ(contents("sample.weights").size(), 128u);
  EXPECT_EQ(compileAndRun(R"(
static _Alignas(64) unsigned char arena[SAMPLE_ARENA_BYTES], weights[SAMPLE_WEIGHTS_BYTES];
int main(void) {
  float x[16] = {0}, y[16];
  FILE *file = fopen(SAMPLE_WEIGHTS_FILE, "rb");
  if (!file || fread(weights, 1, sizeof(weights), file) != sizeof(weights)) return 10;
  fclose(file);
  return sample_run(x, y, weights, arena) || y[3] != 14.0f;
})",
                          "sample.o"),
            0);
}

static void expectRuns(const std::string &library) {
  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_model *model = nullptr;
  ASSERT_EQ(api->model_load(library.c_str(), &model), 0) << api->last_error(nullptr);
  kumiko_context *context = nullptr;
  ASSERT_EQ(api->context_create(model, nullptr, &context), 0);
  float x[16], y[16];
  for (unsigned i = 0; i < 16; ++i)
    x[i] = 0.25f * float(i);
  const int64_t shape[2] = {2, 8};
  kumiko_tensor input = {x, KUMIKO_F32, 2, shape, nullptr}, output = {y, KUMIKO_F32, 2, shape, nullptr};
  ASSERT_EQ(api->bind_input(context, "x", &input), 0);
  ASSERT_EQ(api->bind_output(context, "y:0", &output), 0);
  ASSERT_EQ(api->run(context), 0) << api->last_error(context);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_FLOAT_EQ(y[i], Sample::expected(x[i], i % 8)) << i;
  api->context_destroy(context);
  api->model_release(model);
}

TEST_F(ArtefactTest, SharedLibraryRuns) {
  ASSERT_FALSE(errorToBool(writeSharedLibrary(sample.program, sample.kernels, sample.target, options("sample.so"))));
  EXPECT_EQ(entries(), 1u);
  expectRuns(in("sample.so"));
}

TEST_F(ArtefactTest, SharedLibraryFindsItsWeightsBeside) {
  ArtefactOptions beside = options("sample.so");
  beside.weights = WeightsPlace::File;
  ASSERT_FALSE(errorToBool(writeSharedLibrary(sample.program, sample.kernels, sample.target, beside)));
  EXPECT_EQ(entries(), 2u);
  expectRuns(in("sample.so"));
}

TEST_F(ArtefactTest, BytesDoNotDependOnTheFolder) {
  ASSERT_FALSE(fs::create_directory(in("a")));
  ASSERT_FALSE(fs::create_directory(in("another folder")));
  Sample again;
  for (const char *name : {"/sample.o", "/sample.so"}) {
    auto write = llvm::StringRef(name).ends_with(".o") ? writeObjectFile : writeSharedLibrary;
    ArtefactOptions one = options(std::string("a") + name), two = options(std::string("another folder") + name);
    ASSERT_FALSE(errorToBool(write(sample.program, sample.kernels, sample.target, one)));
    ASSERT_FALSE(errorToBool(write(again.program, again.kernels, again.target, two)));
    std::string bytes = contents(std::string("a") + name);
    EXPECT_TRUE(bytes == contents(std::string("another folder") + name)) << name;
    EXPECT_EQ(bytes.find(folder.c_str()), std::string::npos) << "a path of this machine in " << name;
    EXPECT_EQ(bytes.find("/home/"), std::string::npos);
    EXPECT_EQ(bytes.find("/tmp/"), std::string::npos);
  }
  EXPECT_EQ(contents("a/sample.h"), contents("another folder/sample.h"));
}

static Problem problemOf(llvm::Error error) {
  ProblemList problems;
  takeProblems(std::move(error), problems);
  return problems.all().empty() ? Problem(Code::Internal, "no error at all") : problems.all().front();
}

TEST_F(ArtefactTest, UnwritableOutputsAreTheEnvironmentsFault) {
  ASSERT_FALSE(fs::create_directory(in("folder.o")));
  for (const char *name : {"folder.o", "missing/sample.o"}) {
    Problem problem = problemOf(writeObjectFile(sample.program, sample.kernels, sample.target, options(name)));
    EXPECT_EQ(problem.code, Code::CannotWrite) << problem.what;
    EXPECT_FALSE(problem.help.empty());
  }
  EXPECT_EQ(entries(), 1u) << "nothing is left behind";
}

namespace {
/// No file may grow past `bytes`: what a full disk looks like from inside a process.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit limit = {bytes, old.rlim_max};
    handler = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
  }

private:
  rlimit old;
  void (*handler)(int);
};
} // namespace

TEST_F(ArtefactTest, FullDiskKeepsTheOldFile) {
  for (const char *name : {"sample.o", "sample.so"}) {
    auto write = llvm::StringRef(name).ends_with(".o") ? writeObjectFile : writeSharedLibrary;
    std::error_code code;
    llvm::raw_fd_ostream(in(name), code) << "old";
    // Enough for the first files on the way, for none of them, and for all but the linker's result.
    for (rlim_t bytes : {16, 1500, 3000}) {
      FileSizeLimit limit(bytes);
      Problem problem = problemOf(write(sample.program, sample.kernels, sample.target, options(name)));
      EXPECT_EQ(problem.code, Code::CannotWrite) << name << " " << bytes << ": " << problem.what;
      EXPECT_FALSE(problem.help.empty());
    }
    EXPECT_EQ(contents(name), "old");
  }
  EXPECT_EQ(entries(), 2u) << "nothing is left behind";
}

TEST(Header, NamesAreIdentifiers) {
  EXPECT_EQ(identifierFrom("resnet50-v1.7"), "resnet50_v1_7");
  EXPECT_EQ(identifierFrom("7net"), "m7net");
  EXPECT_EQ(identifierFrom(""), "m");
  EXPECT_EQ(identifierFrom("int"), "int_");
  EXPECT_EQ(identifierFrom("é"), "m__");
}

TEST(Header, HostileNamesStayInsideTheComment) {
  Program program;
  program.name = "m";
  program.inputs = {
      {"*/ #error \n", ElementType::F32, {1}}, {"a:0", ElementType::I64, {}}, {"A_0", ElementType::B1, {3}}};
  program.outputs = {{"arena", ElementType::BF16, {2, 0}}};
  std::string text = headerText(program, "");
  EXPECT_EQ(text.find("*/ #error"), std::string::npos);
  EXPECT_NE(text.find("int m_run(const float *m____error__, const int64_t *a_0, const uint8_t *A_0_2, "
                      "uint16_t *arena_, void *arena);"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("#define M_A_0_SHAPE {}"), std::string::npos);
}
