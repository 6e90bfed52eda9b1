#include "kumiko/Emit/Expressions.h"
#include "kumiko/Equation/ExtentCode.h"
#include "runtime/include/kumiko/artefact.h"

using namespace kumiko;

using Kind = eq::ExtentStep::Kind;
static_assert(uint32_t(Kind::Constant) == KUMIKO_EXTENT_CONSTANT && uint32_t(Kind::Symbol) == KUMIKO_EXTENT_SYMBOL &&
              uint32_t(Kind::Add) == KUMIKO_EXTENT_ADD && uint32_t(Kind::Multiply) == KUMIKO_EXTENT_MULTIPLY &&
              uint32_t(Kind::FloorDiv) == KUMIKO_EXTENT_FLOORDIV && uint32_t(Kind::Max) == KUMIKO_EXTENT_MAX &&
              uint32_t(Kind::Min) == KUMIKO_EXTENT_MIN && uint32_t(Kind::Broadcast) == KUMIKO_EXTENT_BROADCAST);
static_assert(uint32_t(ProgramDemand::Kind::Equal) == KUMIKO_DEMAND_EQUAL &&
              uint32_t(ProgramDemand::Kind::Broadcast) == KUMIKO_DEMAND_BROADCAST &&
              uint32_t(ProgramDemand::Kind::AtMost) == KUMIKO_DEMAND_AT_MOST);

uint32_t kumiko::levelOf(const Program &program, const ProgramDemand &demand) {
  return std::max(program.levelOf(demand.left), program.levelOf(demand.right));
}

/// A negative number would be taken for an expression, so it is one.
static bool isPlain(const eq::Extent &extent) { return extent.isStatic() && extent.value() >= 0; }

void Expressions::add(const eq::Extent &extent) {
  if (!isPlain(extent) && numbers.insert({extent.str(), 0}).second)
    extents.push_back(extent);
}

Expressions::Expressions(const Program &program) : program(program) {
  for (const auto *values : {&program.inputs, &program.outputs})
    for (const ProgramValue &value : *values)
      llvm::for_each(value.extents, [&](const eq::Extent &extent) { add(extent); });
  for (const ProgramCall &call : program.calls) {
    add(call.chunks);
    add(call.scratchBytes);
  }
  for (const PlannedBuffer &buffer : program.planned)
    add(buffer.bytes);
  for (const ProgramDemand &demand : program.demands) {
    add(demand.left);
    add(demand.right);
  }
  std::vector<eq::Extent> found = std::move(extents);
  extents.clear();
  for (uint32_t level = 0; level <= program.levelCalls.size(); ++level)
    llvm::copy_if(found, std::back_inserter(extents),
                  [&](const eq::Extent &extent) { return program.levelOf(extent) == level; });
  for (auto [number, extent] : llvm::enumerate(extents))
    numbers[extent.str()] = int64_t(number);
}

int64_t Expressions::sizeOf(const eq::Extent &extent) const {
  return isPlain(extent) ? extent.value() : ~numbers.lookup(extent.str());
}

int64_t Expressions::numberOf(llvm::StringRef symbol) const {
  for (auto [number, known] : llvm::enumerate(program.symbols))
    if (known.name == symbol)
      return int64_t(number);
  llvm_unreachable("an expression over a symbol that the program does not have");
}

size_t Expressions::countUpTo(uint32_t level) const {
  return llvm::count_if(extents, [&](const eq::Extent &extent) { return program.levelOf(extent) <= level; });
}
