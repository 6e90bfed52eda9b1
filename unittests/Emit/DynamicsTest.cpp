//===- DynamicsTest.cpp - a program with symbols, from Program to a run -----------===//
#include "Sample.h"
#include "kumiko/Emit/Artefact.h"
#include "kumiko/Emit/Jit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "runtime/include/kumiko/kumiko.h"
#include "gtest/gtest.h"

using namespace kumiko;

// Element `chunk` of the first buffer into the second.
static const char *const copy = R"(
llvm.func @k_copy(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %from = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %b1 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %to = llvm.load %b1 : !llvm.ptr -> !llvm.ptr
  %a = llvm.getelementptr %from[%chunk] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %a : !llvm.ptr -> f32
  %b = llvm.getelementptr %to[%chunk] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %x, %b : f32, !llvm.ptr
  llvm.return %zero : i32
})";

// The first element, as a number, is the symbol that the data hold: number 0 of the table.
static const char *const find = R"(
llvm.func @k_find(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %from = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %from : !llvm.ptr -> f32
  %n = llvm.fptosi %x : f32 to i64
  llvm.store %n, %symbols : i64, !llvm.ptr
  llvm.return %zero : i32
})";

/// x: f32[a,b] goes to t and from there, its first `first` elements, to y: f32[first].
static Program dynamicProgram() {
  Extent a = Extent::symbol("a"), b = Extent::symbol("b"), first = Extent::symbol("first");
  Program program;
  program.name = "dynamic";
  program.symbols = {{"first", 1}, {"a", 0}, {"b", 0}};
  program.levels = {{2, 5}};
  program.inputs = {{"x", ElementType::F32, {-1, -1}, {a, b}}};
  program.outputs = {{"y", ElementType::F32, {-1}, {first}}, {"z", ElementType::F32, {-1}, {a * b}}};
  program.planned = {{4 * a * b, 0, 4}, {4 * first, 2, 3, 1}};
  program.demands = {{ProgramDemand::Kind::AtMost, first, a * b, "too few elements"},
                     {ProgramDemand::Kind::AtMost, -1, a - b, "x is too wide"}};
  program.provenance = "dynamic by hand, flags none";
  program.calls = {{"k_copy", {{Space::Input, 0, 0}, {Space::Planned, 0, 0}}, a * b, 0, "in"},
                   {"k_find", {{Space::Planned, 0, 0}}, 1, 0, "find"},
                   {"k_copy", {{Space::Planned, 0, 0}, {Space::Planned, 1, 0}}, first, 4 * b, "first"},
                   {"k_copy", {{Space::Planned, 1, 0}, {Space::Output, 0, 0}}, first, 0, "out"},
                   {"k_copy", {{Space::Planned, 0, 0}, {Space::Output, 1, 0}}, a * b, 0, "out"}};
  program.calls[1].level = 1;
  return program;
}

static std::vector<Object> compile(const Target &target) {
  mlir::DialectRegistry registry;
  registerTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  auto one = mlir::parseSourceString<mlir::ModuleOp>(copy, &context);
  auto two = mlir::parseSourceString<mlir::ModuleOp>(find, &context);
  std::vector<Object> objects;
  for (mlir::ModuleOp kernel : {*one, *two})
    objects.push_back(llvm::cantFail(compileKernel(kernel, target)));
  return objects;
}

TEST(Dynamics, RunsEveryShape) {
  Program program = dynamicProgram();
  Target target = llvm::cantFail(targetNamed("host"));
  auto jit = Jit::create(program, compile(target), target);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_model *model = nullptr;
  kumiko_context *context = nullptr;
  ASSERT_EQ(api->model_from_artefact((*jit)->artefact(), nullptr, &model), KUMIKO_OK) << api->last_error(nullptr);
  ASSERT_EQ(api->context_create(model, nullptr, &context), KUMIKO_OK);
  auto run = [&](int64_t a, int64_t b, float first) {
    std::vector<float> x(a * b, 0.5f);
    if (!x.empty())
      x[0] = first;
    int64_t shape[] = {a, b};
    kumiko_tensor tensor = {x.data(), KUMIKO_F32, 2, shape, nullptr}, y, z;
    EXPECT_EQ(api->bind_input(context, "x", &tensor), KUMIKO_OK) << api->last_error(context);
    if (int status = api->run(context))
      return status;
    EXPECT_EQ(api->output_tensor(context, 0, &y), KUMIKO_OK);
    EXPECT_EQ(api->output_tensor(context, 1, &z), KUMIKO_OK);
    EXPECT_EQ(y.shape[0], int64_t(first));
    EXPECT_EQ(z.shape[0], a * b);
    for (int64_t i = 0; i < y.shape[0]; ++i)
      EXPECT_EQ(static_cast<float *>(y.data)[i], x[i]);
    for (int64_t i = 0; i < a * b; ++i)
      EXPECT_EQ(static_cast<float *>(z.data)[i], x[i]);
    return 0;
  };
  EXPECT_EQ(run(3, 4, 2), KUMIKO_OK) << api->last_error(context);
  EXPECT_EQ(run(30, 4, 100), KUMIKO_OK) << api->last_error(context);
  EXPECT_EQ(run(2, 2, 0), KUMIKO_OK) << api->last_error(context);
  EXPECT_EQ(run(2, 2, 5), KUMIKO_E_SHAPE);
  EXPECT_STREQ(api->last_error(context),
               "too few elements: first is 5, must be at most a*b, which is 4, with first = 5, "
               "a = 2, b = 2");
  EXPECT_EQ(run(2, 4, 1), KUMIKO_E_SHAPE);
  EXPECT_EQ(run(3, 4, -2), KUMIKO_E_VALUE);
  EXPECT_STREQ(api->last_error(context), "first is below 0 with first = -2, a = 3, b = 4");
  EXPECT_EQ(run(3, 4, 2), KUMIKO_OK) << api->last_error(context);
  api->context_destroy(context);
  api->model_release(model);
}

// Sizes are the runtime's to find, so there is no function that runs without it.
TEST(Dynamics, HeaderTakesShapes) {
  std::string header = headerText(dynamicProgram(), "");
  EXPECT_NE(header.find("#define DYNAMIC_X_SHAPE {-1, -1} /* a, b */\n"), std::string::npos) << header;
  EXPECT_NE(header.find("dynamic_artefact(void)"), std::string::npos);
  EXPECT_NE(header.find("int dynamic_run(dynamic_state *state"), std::string::npos);
  EXPECT_NE(header.find("const int64_t *x_shape"), std::string::npos);
  EXPECT_EQ(header.find("ARENA_BYTES"), std::string::npos);
}
