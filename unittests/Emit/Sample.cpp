#include "Sample.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <cmath>

using namespace kumiko;

// Row `chunk`: buffers are x, scale, product.
static const char *const multiply = R"(
llvm.func @k_multiply(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %eight = llvm.mlir.constant(8 : i64) : i64
  %at = llvm.mul %chunk, %eight : i64
  %px = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %b1 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %ps = llvm.load %b1 : !llvm.ptr -> !llvm.ptr
  %b2 = llvm.getelementptr %buffers[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %pp = llvm.load %b2 : !llvm.ptr -> !llvm.ptr
  %xa = llvm.getelementptr %px[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %xa {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %s = llvm.load %ps {alignment = 64 : i64} : !llvm.ptr -> vector<8xf32>
  %p = llvm.fmul %x, %s : vector<8xf32>
  %pa = llvm.getelementptr %pp[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %p, %pa {alignment = 32 : i64} : vector<8xf32>, !llvm.ptr
  llvm.return %zero : i32
})";

// Row `chunk`: buffers are x, product, shift, y. Each exponential goes through scratch.
static const char *const expShift = R"(
llvm.func @expf(f32) -> f32
llvm.func @k_exp_shift(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(14 : i32) : i32
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %first = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %at = llvm.mul %chunk, %eight : i64
  %px = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %b1 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %pp = llvm.load %b1 : !llvm.ptr -> !llvm.ptr
  %b2 = llvm.getelementptr %buffers[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %ps = llvm.load %b2 : !llvm.ptr -> !llvm.ptr
  %b3 = llvm.getelementptr %buffers[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %py = llvm.load %b3 : !llvm.ptr -> !llvm.ptr
  %xa = llvm.getelementptr %px[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %xa : !llvm.ptr -> f32
  %negative = llvm.fcmp "olt" %x, %none : f32
  llvm.cond_br %negative, ^refuse, ^loop(%first : i64)
^refuse:
  llvm.return %bad : i32
^loop(%i: i64):
  %j = llvm.add %at, %i : i64
  %pa = llvm.getelementptr %pp[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %p = llvm.load %pa : !llvm.ptr -> f32
  %e = llvm.call @expf(%p) : (f32) -> f32
  %sa = llvm.getelementptr %scratch[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store volatile %e, %sa : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %eight : i64
  llvm.cond_br %more, ^loop(%next : i64), ^sum
^sum:
  %exps = llvm.load %scratch {alignment = 64 : i64} : !llvm.ptr -> vector<8xf32>
  %shift = llvm.load %ps {alignment = 64 : i64} : !llvm.ptr -> vector<8xf32>
  %y = llvm.fadd %exps, %shift : vector<8xf32>
  %ya = llvm.getelementptr %py[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %y, %ya {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  llvm.return %zero : i32
})";

static float scaleOf(unsigned column) { return 0.125f * float(column); }
static float shiftOf(unsigned column) { return 10.0f + float(column); }

float Sample::expected(float x, unsigned column) { return std::exp(x * scaleOf(column)) + shiftOf(column); }

static WeightSegment segment(uint64_t offset, float (*valueOf)(unsigned)) {
  WeightSegment segment;
  segment.offset = offset;
  segment.owned.resize(8 * sizeof(float));
  for (unsigned i = 0; i < 8; ++i)
    reinterpret_cast<float *>(segment.owned.data())[i] = valueOf(i);
  return segment;
}

static Program sampleProgram() {
  Program program;
  program.name = "sample";
  program.inputs = {{"x", ElementType::F32, {2, 8}}};
  program.outputs = {{"y:0", ElementType::F32, {2, 8}}};
  // The gap between the segments and the tail are part of the weights, as zeros.
  program.weights.push_back(segment(0, scaleOf));
  program.weights.push_back(segment(64, shiftOf));
  program.weightsBytes = 128;
  program.arenaBytes = 64 + 64;
  program.scratchBytes = 32;
  program.provenance = "sample by hand, flags none";
  ProgramCall first{"k_multiply", {{Space::Input, 0, 0}, {Space::Weights, 0, 0}, {Space::Arena, 0, 64}}, 2, 0, "mul"};
  ProgramCall second{"k_exp_shift",
                     {{Space::Input, 0, 0}, {Space::Arena, 0, 64}, {Space::Weights, 0, 64}, {Space::Output, 0, 0}},
                     2,
                     32,
                     "exp, add"};
  program.calls = {first, second};
  return program;
}

Sample::Sample() : program(sampleProgram()), target(llvm::cantFail(targetNamed("host"))) {
  mlir::DialectRegistry registry;
  registerTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  auto one = mlir::parseSourceString<mlir::ModuleOp>(multiply, &context);
  auto two = mlir::parseSourceString<mlir::ModuleOp>(expShift, &context);
  for (mlir::ModuleOp kernel : {*one, *two})
    kernels.push_back(llvm::cantFail(compileKernel(kernel, target)));
}
