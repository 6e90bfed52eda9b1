#include "ApiTest.h"
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

namespace fs = std::filesystem;

class Artefact : public Api {
protected:
  int check() {
    int status = k->model_from_artefact(&artefact, nullptr, &model);
    EXPECT_EQ(model == nullptr, status != KUMIKO_OK);
    return status;
  }
  std::string why() { return k->last_error(nullptr); }
  /// A copy of the artefact's calls that a test may spoil.
  kumiko_call &call(int number) {
    calls.assign(fake_artefact()->calls, fake_artefact()->calls + 4);
    artefact.calls = calls.data();
    return calls[number];
  }
  std::vector<kumiko_call> calls;
};

TEST_F(Artefact, OtherVersion) {
  artefact.version = 1;
  EXPECT_EQ(check(), KUMIKO_E_VERSION);
  EXPECT_EQ(why(), "the artefact has version 1, this runtime reads version 3; compile the model again");
}

TEST_F(Artefact, TooShort) {
  artefact.struct_bytes = 16;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
}

TEST_F(Artefact, BufferOutsideTheArena) {
  kumiko_buffer buffers[] = {{KUMIKO_SPACE_ARENA, 0, int64_t(artefact.arena_bytes) + 1, nullptr, 0},
                             {KUMIKO_SPACE_OUTPUT, 1, 0, nullptr, 0}};
  call(3).buffers = buffers;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  EXPECT_EQ(why(), "k_sum refers to byte 4225 of 4224");
  buffers[0] = {KUMIKO_SPACE_WEIGHTS, 0, 257, nullptr, 0};
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  buffers[0] = {KUMIKO_SPACE_INPUT, 2, 0, nullptr, 0};
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  EXPECT_EQ(why(), "k_sum refers to input or output 2 of 2");
  buffers[0] = {9, 0, 0, nullptr, 0};
  EXPECT_EQ(check(), KUMIKO_E_VERSION);
}

TEST_F(Artefact, CallsThatCannotRun) {
  call(0).chunks = -1;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  call(0).chunks = int64_t(1) << 40;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  call(0).kernel = nullptr;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  call(1).scratch_bytes = 1 << 20;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  call(0);
  EXPECT_EQ(check(), KUMIKO_OK);
}

TEST_F(Artefact, ShapesThatCannotBe) {
  const int64_t huge[] = {INT64_MAX, 0, INT64_MAX}, open[] = {4, -1};
  kumiko_value values[] = {{"x", KUMIKO_F32, 3, huge}, artefact.inputs[1]};
  artefact.inputs = values;
  EXPECT_EQ(check(), KUMIKO_E_OVERFLOW);
  values[0] = {"x", KUMIKO_F32, 2, open};
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
  values[0] = {"x", 77, 2, fake_artefact()->inputs[0].shape};
  EXPECT_EQ(check(), KUMIKO_E_VERSION);
  values[0] = {"x", KUMIKO_F32, 33, huge};
  EXPECT_EQ(check(), KUMIKO_E_UNSUPPORTED);
  artefact = *fake_artefact();
  artefact.symbol_count = 1;
  EXPECT_EQ(check(), KUMIKO_E_ARTEFACT);
}

TEST_F(Artefact, ArenaThatNobodyHas) {
  artefact.arena_bytes = uint64_t(1) << 60;
  ASSERT_EQ(check(), KUMIKO_OK);
  EXPECT_EQ(k->context_create(model, nullptr, &context), KUMIKO_E_MEMORY);
  EXPECT_EQ(why(), "no memory for a context of fake: arena 1152921504606846976 bytes, scratch 512 bytes per thread");
  k->model_release(model);
  model = nullptr;
  artefact.arena_bytes = UINT64_MAX - 5;
  ASSERT_EQ(check(), KUMIKO_OK);
  EXPECT_EQ(k->context_create(model, nullptr, &context), KUMIKO_E_MEMORY);
}

TEST_F(Artefact, OptionsAreChecked) {
  ASSERT_EQ(check(), KUMIKO_OK);
  kumiko_options options = {};
  EXPECT_EQ(k->context_create(model, &options, &context), KUMIKO_E_ARGUMENT);
  options = {sizeof options, 5000, nullptr, nullptr};
  EXPECT_EQ(k->context_create(model, &options, &context), KUMIKO_E_ARGUMENT);
  EXPECT_EQ(why(), "5000 threads were asked for; at most 1024 can be used");
  EXPECT_EQ(k->context_create(nullptr, nullptr, &context), KUMIKO_E_ARGUMENT);
}

TEST_F(Artefact, InfoOfOlderAndNewerCallers) {
  ASSERT_EQ(check(), KUMIKO_OK);
  kumiko_model_info info = {};
  EXPECT_EQ(k->model_info(model, &info), KUMIKO_E_ARGUMENT);
  info.struct_bytes = offsetof(kumiko_model_info, input_count);
  ASSERT_EQ(k->model_info(model, &info), KUMIKO_OK);
  EXPECT_STREQ(info.name, "fake");
  EXPECT_EQ(info.input_count, 0u);
  info.struct_bytes = sizeof info;
  ASSERT_EQ(k->model_info(model, &info), KUMIKO_OK);
  EXPECT_STREQ(info.inputs[1].name, "pick");
  EXPECT_EQ(info.weights_bytes, 256u);
}

TEST(Table, Versions) {
  EXPECT_EQ(kumiko_get_api(0), nullptr);
  EXPECT_EQ(kumiko_get_api(2), nullptr);
  ASSERT_NE(kumiko_get_api(1), nullptr);
  EXPECT_EQ(kumiko_get_api(1)->struct_bytes, sizeof(kumiko_api));
  for (int status = -1; status < 30; ++status)
    EXPECT_NE(kumiko_get_api(1)->status_text(status), nullptr);
}

/// Libraries that the build has made; FAKE_LIBRARY and FAKE_LIBRARY_FILE come from CMake.
class Library : public Artefact {
protected:
  void SetUp() override {
    char name[] = "/tmp/kumiko-library-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override {
    Api::TearDown();
    fs::remove_all(folder);
  }
  void expectRuns() {
    ASSERT_EQ(k->context_create(model, nullptr, &context), KUMIKO_OK) << why();
    k->model_release(model); // the context keeps code and weights
    model = nullptr;
    fake_user_init(&user, 3);
    ASSERT_EQ(fake_user_bind(&user, k, context), KUMIKO_OK);
    ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
    EXPECT_TRUE(fake_user_right(&user));
  }
  fs::path folder;
};

TEST_F(Library, LoadsAndOutlivesItsModel) {
  ASSERT_EQ(k->model_load(FAKE_LIBRARY, &model), KUMIKO_OK) << why();
  expectRuns();
}

TEST_F(Library, FindsItsWeightsBesideIt) {
  fs::copy(FAKE_LIBRARY_FILE, folder / "m.so");
  std::string path = folder / "m.so";
  EXPECT_EQ(k->model_load(path.c_str(), &model), KUMIKO_E_FILE);
  EXPECT_EQ(why(), "cannot open the weights \"" + (folder / "fake.weights").string() + "\": No such file or directory");
  fs::create_directory(folder / "fake.weights");
  EXPECT_EQ(k->model_load(path.c_str(), &model), KUMIKO_E_FILE);
  EXPECT_NE(why().find("are not a regular file"), std::string::npos);
  fs::remove(folder / "fake.weights");
  std::ofstream(folder / "fake.weights", std::ios::binary).write(reinterpret_cast<const char *>(fake_weights), 255);
  EXPECT_EQ(k->model_load(path.c_str(), &model), KUMIKO_E_FILE);
  EXPECT_NE(why().find("have 255 bytes, the model expects 256"), std::string::npos);
  std::ofstream(folder / "fake.weights", std::ios::binary).write(reinterpret_cast<const char *>(fake_weights), 256);
  ASSERT_EQ(k->model_load(path.c_str(), &model), KUMIKO_OK) << why();
  expectRuns();
}

TEST_F(Library, RelativePathMeansTheFile) {
  fs::copy(FAKE_LIBRARY, folder / "local.so");
  fs::path before = fs::current_path();
  fs::current_path(folder);
  int status = k->model_load("local.so", &model);
  fs::current_path(before);
  EXPECT_EQ(status, KUMIKO_OK) << why();
}

TEST_F(Library, WeightsFolderIsNeeded) {
  artefact.weights = nullptr;
  artefact.weights_file = "fake.weights";
  EXPECT_EQ(check(), KUMIKO_E_ARGUMENT);
  artefact.weights_file = "../fake.weights";
  EXPECT_EQ(k->model_from_artefact(&artefact, folder.c_str(), &model), KUMIKO_E_ARTEFACT);
}

TEST_F(Library, ThingsThatAreNoModels) {
  EXPECT_EQ(k->model_load("/nowhere/at-all.so", &model), KUMIKO_E_FILE);
  EXPECT_NE(why().find("cannot load \"/nowhere/at-all.so\""), std::string::npos);
  EXPECT_EQ(k->model_load("/proc/self/cmdline", &model), KUMIKO_E_FILE);
  EXPECT_EQ(k->model_load("/lib/x86_64-linux-gnu/libm.so.6", &model), KUMIKO_E_FILE);
  EXPECT_EQ(k->model_load(nullptr, &model), KUMIKO_E_ARGUMENT);
}

} // namespace
