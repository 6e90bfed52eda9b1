//===- ProgramBuilder.cpp - instructions and registers --------------------------------===//
#include "kumiko/Evaluate/ProgramBuilder.h"
#include "llvm/ADT/DenseSet.h"

using namespace kumiko;
using namespace kumiko::eval;
using eq::Expr;
using Value = ProgramBuilder::Value;

static llvm::SmallVector<int64_t, 6> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 6> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

Address eval::addressOf(llvm::ArrayRef<const Expr *> indices, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> extents) {
  Address address;
  address.known.coefficients.assign(extents.size(), 0);
  llvm::SmallVector<int64_t, 6> strides = stridesOf(shape);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    std::optional<Linear> form = linearForm(*indices[dim], extents.size());
    std::optional<Range> range = form ? rangeOf(*form, extents) : std::nullopt;
    if (!range || !range->isWithin(shape[dim])) {
      address.unknown.push_back({indices[dim], shape[dim], strides[dim], dim});
      continue;
    }
    auto accumulate = [&](int64_t &to, int64_t from) {
      to = int64_t(uint64_t(to) + uint64_t(from) * uint64_t(strides[dim]));
    };
    accumulate(address.known.constant, form->constant);
    for (size_t loop = 0; loop < extents.size(); ++loop)
      accumulate(address.known.coefficients[loop], form->coefficients[loop]);
  }
  return address;
}

llvm::SmallVector<Linear, 4> eval::linearReads(const Setting &setting) {
  llvm::SmallVector<int64_t, 6> extents;
  for (const eq::Loop &loop : setting.statement.loops)
    extents.push_back(loop.extent.value());
  llvm::SmallVector<Linear, 4> reads;
  llvm::SmallVector<const Expr *, 16> open(setting.statement.values.begin(), setting.statement.values.end());
  llvm::DenseSet<const Expr *> seen;
  while (!open.empty()) {
    const Expr *expr = open.pop_back_val();
    if (!seen.insert(expr).second)
      continue;
    open.append(expr->operands.begin(), expr->operands.end());
    const Tensor *tensor = expr->kind == Expr::Kind::Read ? setting.bound[expr->tensor] : nullptr;
    if (tensor && tensor->rank() == expr->operands.size())
      reads.push_back(addressOf(expr->operands, tensor->shape(), extents).known);
  }
  return reads;
}

llvm::Error ProgramBuilder::fail(const llvm::Twine &what) const {
  return llvm::createStringError("`" + setting.statement.text + "`: " + what);
}

Value ProgramBuilder::add(Info info, Instruction instruction) {
  instruction.uniform = !info.varies;
  instruction.to = infos.size();
  infos.push_back(info);
  instructions.push_back(std::move(instruction));
  return infos.size() - 1;
}

unsigned ProgramBuilder::stream(Linear form) {
  streams.push_back(makeStream(std::move(form), nest));
  return streams.size() - 1;
}

/// A varying instruction needs all of its operands in every lane. Constants are everywhere from the start.
Value ProgramBuilder::spread(Value value) {
  if (value == none || infos[value].varies || infos[value].constant)
    return value;
  auto [entry, fresh] = known.try_emplace(Key{'s', value}, none);
  if (!fresh)
    return entry->second;
  Instruction step(Instruction::Kind::Splat);
  step.a = value;
  step.size = sizeOf(infos[value].carrier);
  return entry->second = add({infos[value].carrier, /*varies=*/true, /*constant=*/false}, step);
}

Value ProgramBuilder::emit(LaneKernel kernel, Carrier carrier, llvm::ArrayRef<Value> operands) {
  Key key{'k', int64_t(reinterpret_cast<intptr_t>(kernel))};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [entry, fresh] = known.try_emplace(std::move(key), none);
  if (!fresh)
    return entry->second;
  bool varies = llvm::any_of(operands, [&](Value operand) { return infos[operand].varies; });
  Value sources[3] = {none, none, none};
  for (size_t i = 0; i < operands.size(); ++i)
    sources[i] = varies ? spread(operands[i]) : operands[i];
  Instruction step(Instruction::Kind::Apply);
  step.kernel = kernel;
  step.a = sources[0];
  step.b = sources[1];
  step.c = sources[2];
  return entry->second = add({carrier, varies, /*constant=*/false}, step);
}

Value ProgramBuilder::linear(const Linear &form) {
  Key key{'l', form.constant};
  key.insert(key.end(), form.coefficients.begin(), form.coefficients.end());
  auto [entry, fresh] = known.try_emplace(std::move(key), none);
  if (!fresh)
    return entry->second;
  Instruction step(Instruction::Kind::Linear);
  step.stream = stream(form);
  return entry->second = add({Carrier::I64, streams.back().varies(), /*constant=*/false}, step);
}

llvm::Expected<ProgramBuilder::Place> ProgramBuilder::locate(const Address &address, unsigned tensor, bool required) {
  Instruction step(Instruction::Kind::Locate);
  step.stream = stream(address.known);
  step.tensor = tensor;
  step.required = required;
  bool varies = streams[step.stream].varies();
  for (const Address::Unknown &unknown : address.unknown) {
    llvm::Expected<Value> index = value(*unknown.index);
    if (!index)
      return index.takeError();
    varies |= infos[*index].varies;
    step.dimensions.push_back({*index, unknown.extent, unknown.stride, unknown.number});
  }
  varies |= required && active != none && infos[active].varies;
  if (varies)
    for (Instruction::Dimension &dimension : step.dimensions)
      dimension.index = spread(dimension.index);
  step.active = required ? (varies ? spread(active) : active) : none;
  Info info{Carrier::I64, varies, /*constant=*/false};
  infos.push_back(info); // the second result
  step.valid = infos.size() - 1;
  Value offsets = add(info, step);
  return Place{offsets, instructions.back().valid};
}

llvm::Error ProgramBuilder::require(const Expr &condition) {
  llvm::Expected<Value> holds = value(condition);
  if (!holds)
    return holds.takeError();
  if (condition.type != ElementType::B1)
    return fail("a condition is not of type b1");
  active = active == none ? *holds : emit(integerKernel(eq::Function::And, false), Carrier::I64, {active, *holds});
  return llvm::Error::success();
}

static void forEachRegister(Instruction &step, llvm::function_ref<void(unsigned &)> visit) {
  for (unsigned *source : {&step.a, &step.b, &step.c, &step.active})
    if (*source != noRegister)
      visit(*source);
  for (Instruction::Dimension &dimension : step.dimensions)
    visit(dimension.index);
}

/// Values become registers; a register is free again after the last use of its value. Constants and outputs keep
/// theirs.
void ProgramBuilder::assignRegisters(llvm::ArrayRef<Value> outputs, Program &program,
                                     llvm::MutableArrayRef<unsigned> registers) {
  std::vector<size_t> lastUse(infos.size(), 0);
  for (size_t i = 0; i < instructions.size(); ++i)
    forEachRegister(instructions[i], [&](unsigned &value) { lastUse[value] = i; });
  for (Value output : outputs)
    if (output != none)
      lastUse[output] = SIZE_MAX;
  std::vector<unsigned> free;
  for (Program::Constant &constant : constants) {
    lastUse[constant.to] = SIZE_MAX;
    constant.to = registers[constant.to] = program.registers++;
  }
  auto assign = [&](Value value) {
    if (free.empty())
      free.push_back(program.registers++);
    registers[value] = free.back();
    free.pop_back();
    return registers[value];
  };
  for (size_t i = 0; i < instructions.size(); ++i) {
    Instruction &step = instructions[i];
    // The targets first: they must not be the register of a source that dies here.
    Value to = step.to, valid = step.valid;
    step.to = assign(to);
    if (valid != none)
      step.valid = assign(valid);
    llvm::SmallVector<unsigned, 4> dying;
    forEachRegister(step, [&](unsigned &value) {
      if (lastUse[value] == i)
        dying.push_back(registers[value]);
      value = registers[value];
    });
    llvm::sort(dying);
    free.insert(free.end(), dying.begin(), llvm::unique(dying));
    for (Value result : {to, valid}) // a result that nobody uses
      if (result != none && lastUse[result] <= i)
        free.push_back(registers[result]);
  }
}

llvm::SmallVector<unsigned, 4> ProgramBuilder::finish(llvm::ArrayRef<Value> outputs, Program &program) {
  llvm::SmallVector<Value, 4> ends;
  for (Value output : outputs)
    ends.push_back(spread(output));
  std::vector<unsigned> registers(infos.size(), noRegister);
  assignRegisters(ends, program, registers);
  program.instructions = std::move(instructions);
  program.streams = std::move(streams);
  program.constants = std::move(constants);
  program.instance = &setting.instance;
  program.statement = &setting.statement;
  llvm::SmallVector<unsigned, 4> result;
  for (Value end : ends)
    result.push_back(end == none ? noRegister : registers[end]);
  return result;
}
