#include "kumiko/Pipeline/Doctor.h"
#include "kumiko/Emit/Table.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Target/Host.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <thread>
extern "C" {
#include "runtime/src/cpus.h"
}

using namespace llvm;
using namespace kumiko;

/// The first line of a small file; empty when there is none.
static std::string lineOf(const Twine &path) {
  // Files of the kernel say that they are empty; a stream reads them all the same.
  auto file = MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().split('\n').first.trim().str() : "";
}

/// "L1 data 32K, L2 1024K, L3 36608K", of the first CPU.
static std::string caches() {
  std::vector<std::string> found;
  for (unsigned index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::string level = lineOf(folder + "level"), type = lineOf(folder + "type"), size = lineOf(folder + "size");
    if (!level.empty() && type != "Instruction")
      found.push_back("L" + level + (type == "Data" ? " data " : " ") + size);
  }
  return found.empty() ? "unknown" : join(found, ", ");
}

/// Vector extensions that change what kernels look like or how fast they are.
static std::string extensions(const StringMap<bool> &features) {
  std::vector<std::string> found;
  for (StringRef name : {"sse4.2", "avx2", "fma", "f16c", "avxvnni", "avx512f", "avx512vnni", "avx512bf16", "amx-tile",
                         "neon", "dotprod", "i8mm", "sve"})
    if (features.lookup(name))
      found.push_back(name.str());
  return found.empty() ? "none that kernels use" : join(found, " ");
}

static std::string memory() {
  std::string total = lineOf("/proc/meminfo"), limit = lineOf("/sys/fs/cgroup/memory.max");
  std::string text = StringRef(total).split(':').second.trim().str();
  if (!limit.empty() && limit != "max")
    text += ", limited to " + limit + " bytes by the cgroup";
  return text.empty() ? "unknown" : text;
}

/// relu(x * w) of a 2x2 matrix and a constant one, compiled and run; empty when all is well.
static std::string selfTest() {
  auto session = std::make_unique<Session>(/*jobs=*/1);
  mlir::MLIRContext *context = &session->context();
  mlir::OpBuilder builder(context);
  auto loc = builder.getUnknownLoc();
  auto type = mlir::RankedTensorType::get({2, 2}, builder.getF32Type());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType(type, type));
  mlir::Block *block = main.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  auto weights = mlir::DenseElementsAttr::get(type, ArrayRef<float>{1, -1, 2, -2});
  mlir::Value w = nn::ConstantOp::create(builder, loc, type, weights);
  std::string why;
  auto product = nn::buildEquationOp(builder, loc, "matmul", {block->getArgument(0), w}, {}, why);
  auto relu =
      mlir::failed(product) ? product : nn::buildEquationOp(builder, loc, "relu", {(*product)->getResult(0)}, {}, why);
  if (mlir::failed(relu))
    return why;
  mlir::func::ReturnOp::create(builder, loc, (*relu)->getResults());

  ProblemList problems;
  CompileOptions options;
  options.name = "self_test";
  options.jobs = 1;
  auto compiled = compileModule(std::move(session), std::move(module), options, problems);
  auto executable = compiled ? Executable::fromCompiled(*compiled, problems) : nullptr;
  const float numbers[] = {1, 2, 3, 4}, expected[] = {5, 0, 11, 0};
  std::vector<Tensor> inputs;
  inputs.push_back(
      cantFail(Tensor::view(ElementType::F32, {2, 2}, {reinterpret_cast<const uint8_t *>(numbers), sizeof(numbers)})));
  if (!executable || !executable->prepare(inputs, /*threads=*/0, problems) || !executable->run(problems))
    return problems.all().empty() ? "it does not run" : problems.all().front().what;
  bool right = std::memcmp(executable->results()[0].data(), expected, sizeof(expected)) == 0;
  return right ? "" : "the numbers are wrong";
}

void Diagnosis::printJson(raw_ostream &os) const {
  json::Object object;
  for (const auto &[name, text] : facts)
    object[name] = text;
  os << json::Value(std::move(object)) << "\n";
}

Diagnosis kumiko::diagnose(ProblemList &problems) {
  HostFacts host = hostFacts();
  auto target = targetNamed("host");
  std::string made = target ? target->describe() : toString(target.takeError());
  uint32_t quota = kumiko_cgroup_cpus("");
  Diagnosis diagnosis;
  diagnosis.failure = selfTest();
  diagnosis.facts = {
      {"version", (producer() + ", LLVM " LLVM_VERSION_STRING).str()},
      {"cpu", host.cpu},
      {"extensions", extensions(host.features)},
      {"code is made for", made},
      {"caches", caches()},
      {"memory", memory()},
      {"cpus of the machine", std::to_string(std::thread::hardware_concurrency())},
      {"cgroup's cpu quota", quota == UINT32_MAX ? "none" : std::to_string(quota)},
      {"threads of a run", std::to_string(kumiko_available_threads())},
      {"self-test", diagnosis.failure.empty() ? "compiled, loaded and ran: ok" : diagnosis.failure},
  };
  if (!diagnosis.failure.empty())
    problems.add(Code::Internal, "the self-test failed: " + diagnosis.failure)
        .helped("memory that may be executed is needed; if that is allowed here, please report this");
  return diagnosis;
}
