//===- ExplainKernels.cpp - what the kernels of a network do ---------------===//
#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Pipeline/Explain.h"
#include "kumiko/Schedule/ScheduleRules.h"

using namespace mlir;
using namespace kumiko;

static uint64_t storedBytes(Type type) {
  eq::TensorType tensor = nn::toEquation(cast<RankedTensorType>(type));
  Extent bytes = eq::bytesOf(tensor);
  return bytes.isStatic() ? bytes.value() : 0;
}

static Explanation::Kernel describeKernel(nn::KernelOp kernel) {
  Explanation::Kernel result;
  for (Type type : kernel.getArgumentTypes())
    result.bytes += storedBytes(type);
  for (Type type : kernel.getResultTypes())
    result.bytes += storedBytes(type);
  auto highest = eq::StatementClass::Injective;
  bool opaque = false;
  for (Operation &op : kernel.getBody().front()) {
    opaque |= isa<nn::IrregularInterface>(op);
    if (!isa<nn::EquationInterface>(op))
      continue;
    auto instance = nn::instantiate(&op, /*onlyUsedResults=*/true);
    if (!instance) {
      llvm::consumeError(instance.takeError());
      continue;
    }
    for (const eq::Statement &statement : instance->statements)
      highest = std::max(highest, eq::classify(statement));
    Extent flops = eq::costOf(*instance).flops;
    result.flops += flops.isStatic() ? flops.value() : 0;
  }
  result.kind = opaque ? "opaque" : eq::nameOf(highest).str();
  return result;
}

void Explanation::describeKernels(ModuleOp module) {
  for (auto kernel : module.getOps<nn::KernelOp>())
    kernels[kernel.getName().str()] = describeKernel(kernel);
}

/// The same of what is linalg by now.
static Explanation::Kernel describePart(nn::KernelOp kernel) {
  Explanation::Kernel result;
  Block &body = kernel.getBody().front();
  KernelExtents extents;
  for (ValueRange values : {ValueRange(body.getArguments()), ValueRange(body.getTerminator()->getOperands())})
    for (Value value : values) {
      unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
      Extent bytes = extents.elementsOf(value) * int64_t((bits + 7) / 8);
      result.bytes += bytes.isStatic() ? bytes.value() : 0;
    }
  auto highest = eq::StatementClass::Injective;
  for (auto generic : body.getOps<linalg::GenericOp>()) {
    Extent flops = flopsOf(generic, extents);
    result.flops += flops.isStatic() ? flops.value() : 0;
    if (isContractionAlone(generic, extents))
      highest = std::max(highest, eq::StatementClass::Contraction);
    else if (generic.getNumReductionLoops())
      highest = std::max(highest, eq::StatementClass::Reduction);
  }
  result.kind = eq::nameOf(highest).str();
  return result;
}

void Explanation::describeParts(ModuleOp module) {
  for (auto kernel : module.getOps<nn::KernelOp>()) {
    auto [entry, isNew] = kernels.try_emplace(kernel.getName().str());
    if (isNew)
      entry->second = describePart(kernel);
    if (auto schedule = kernel->getAttrOfType<DictionaryAttr>("schedule"))
      if (auto name = schedule.getAs<StringAttr>("template"))
        entry->second.templateName = name.str();
    entry->second.schedule = printSchedule(kernel);
  }
}
