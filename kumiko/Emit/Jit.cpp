#include "kumiko/Emit/Jit.h"
#include "kumiko/Codegen/Common/TargetMachine.h"
#include "kumiko/Emit/EmbeddedArchives.h"
#include "kumiko/Emit/Table.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

using namespace kumiko;
namespace orc = llvm::orc;

Jit::Jit() = default;
Jit::~Jit() = default;

static llvm::Expected<std::unique_ptr<orc::LLJIT>> createJit(const Target &target) {
  // Code generators are made known on the way. Where every kernel was found on disk, nobody has needed one before.
  if (auto known = createTargetMachine(target); !known)
    return known.takeError();
  orc::JITTargetMachineBuilder machine(target.triple);
  machine.setCPU(target.cpu);
  machine.setRelocationModel(llvm::Reloc::PIC_);
  // No platform: our objects have no initialisers, thread-locals or unwind tables to look after.
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(machine))
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

static llvm::Error addObject(orc::LLJIT &jit, llvm::ArrayRef<char> bytes, llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(bytes.data(), bytes.size()), name);
  return jit.addObjectFile(std::move(buffer));
}

/// Functions of runtime/ops that kernels call come from the archives, as in an artefact on disk.
static llvm::Error addRoutines(orc::LLJIT &jit, const Target &target) {
  for (const EmbeddedArchive &archive : embeddedArchives(target)) {
    auto bytes = llvm::MemoryBuffer::getMemBuffer(archive.bytes, archive.name, /*RequiresNullTerminator=*/false);
    auto members = orc::StaticLibraryDefinitionGenerator::Create(jit.getObjLinkingLayer(), std::move(bytes));
    if (!members)
      return members.takeError();
    jit.getMainJITDylib().addGenerator(std::move(*members));
  }
  return llvm::Error::success();
}

/// Adds the objects of an artefact: kernels, table, and the weights as an address.
static llvm::Error addArtefact(orc::LLJIT &jit, const Program &program, llvm::ArrayRef<Object> kernels,
                               const Target &target, const WeightImage &weights) {
  if (llvm::Error error = addRoutines(jit, target))
    return error;
  for (const Object &kernel : kernels)
    if (llvm::Error error = addObject(jit, kernel.bytes, kernel.name))
      return error;
  llvm::LLVMContext context;
  TableOptions options;
  options.exportTable = true;
  auto bytes = assemble(*buildTable(context, program, options), target);
  if (!bytes)
    return bytes.takeError();
  if (llvm::Error error = addObject(jit, *bytes, "table"))
    return error;
  if (!program.weightsBytes)
    return llvm::Error::success();
  auto name = jit.mangleAndIntern(weightsSymbol(program));
  auto address = orc::ExecutorAddr::fromPtr(weights.data());
  return jit.getMainJITDylib().define(orc::absoluteSymbols({{name, {address, llvm::JITSymbolFlags::Exported}}}));
}

llvm::Expected<std::unique_ptr<Jit>> Jit::create(const Program &program, llvm::ArrayRef<Object> kernels,
                                                 const Target &target) {
  auto result = std::unique_ptr<Jit>(new Jit());
  auto weights = WeightImage::create(program);
  if (!weights)
    return weights.takeError();
  result->weights = std::move(*weights);
  auto jit = createJit(target);
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  if (llvm::Error error = addArtefact(*result->jit, program, kernels, target, result->weights))
    return error;
  // Else details would be lines on the terminal.
  std::string details;
  orc::ExecutionSession &session = result->jit->getExecutionSession();
  session.setErrorReporter([&](llvm::Error error) { details += "; " + toString(std::move(error)); });
  auto table = result->jit->lookup("kumiko_artefact_table");
  session.setErrorReporter(llvm::consumeError);
  if (!table)
    return defectError("the compiled model cannot be loaded: " + toString(table.takeError()) + details);
  result->head = table->toPtr<const kumiko_artefact *()>()();
  return result;
}
