//===- ProgramValues.cpp - one kind of expression after the other -----------------------===//
#include "kumiko/Evaluate/ProgramBuilder.h"
#include "kumiko/Support/Convert.h"
#include <bit>

using namespace kumiko;
using namespace kumiko::eval;
using eq::Expr;
using eq::Function;
using Value = ProgramBuilder::Value;

/// Deeper expressions do not come from people.
static constexpr unsigned deepest = 2000;

llvm::Expected<Value> ProgramBuilder::value(const Expr &expr) {
  if (depth >= deepest)
    return fail("the expression is nested too deeply");
  if (auto found = seen.find({&expr, active}); found != seen.end())
    return found->second;
  ++depth;
  llvm::Expected<Value> result = compute(expr);
  --depth;
  if (result)
    seen[{&expr, active}] = *result;
  return result;
}

llvm::Expected<Value> ProgramBuilder::compute(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Integer:
  case Expr::Kind::Real:
    return constantOf(expr);
  case Expr::Kind::Read:
    return read(expr);
  case Expr::Kind::Loop:
  case Expr::Kind::Apply:
    if (std::optional<Linear> form = linearForm(expr, setting.statement.loops.size()))
      return linear(*form);
    return apply(expr);
  case Expr::Kind::Select: {
    llvm::SmallVector<Value, 3> operands;
    for (const Expr *operand : expr.operands) {
      llvm::Expected<Value> result = value(*operand);
      if (!result)
        return result.takeError();
      operands.push_back(operands.empty() ? *result : cast(*result, operand->type, expr.type));
    }
    Carrier carrier = carrierOf(expr.type, setting.precision);
    return emit(selectKernel(carrier), carrier, operands);
  }
  case Expr::Kind::Cast: {
    llvm::Expected<Value> operand = value(*expr.operands[0]);
    if (!operand)
      return operand.takeError();
    return cast(*operand, expr.operands[0]->type, expr.type);
  }
  }
  llvm_unreachable("unknown kind of expression");
}

llvm::Expected<Value> ProgramBuilder::constantOf(const Expr &expr) {
  if (expr.symbolic)
    return fail("an extent is not known; the evaluator needs static shapes");
  bool isReal = expr.kind == Expr::Kind::Real;
  Program::Constant constant{};
  constant.carrier = carrierOf(expr.type, setting.precision);
  if (constant.carrier == Carrier::I64)
    constant.integer = isReal ? floatToInteger(expr.type, expr.real) : wrapInteger(expr.type, expr.integer);
  else
    constant.real = isReal ? expr.real : double(expr.integer);
  Key key{'c', int64_t(constant.carrier), constant.integer, std::bit_cast<int64_t>(constant.real)};
  auto [entry, fresh] = known.try_emplace(std::move(key), none);
  if (!fresh)
    return entry->second;
  infos.push_back({constant.carrier, /*varies=*/false, /*constant=*/true});
  constant.to = infos.size() - 1;
  constants.push_back(constant);
  return entry->second = constant.to;
}

Value ProgramBuilder::cast(Value value, ElementType from, ElementType to) {
  LaneKernel kernel = castKernel(from, to, setting.precision);
  return kernel ? emit(kernel, carrierOf(to, setting.precision), {value}) : value;
}

llvm::Expected<Value> ProgramBuilder::read(const Expr &expr) {
  const Tensor *tensor = setting.bound[expr.tensor];
  if (!tensor) {
    if (expr.otherwise)
      return value(*expr.otherwise);
    return fail("'" + setting.instance.tensors[expr.tensor].name + "' is read but absent or not yet computed");
  }
  if (tensor->rank() != expr.operands.size())
    return fail("'" + setting.instance.tensors[expr.tensor].name + "' is read with a wrong number of indices");
  Address address = addressOf(expr.operands, tensor->shape(), nest.extents);
  Carrier carrier = carrierOf(expr.type, setting.precision);
  Instruction load(Instruction::Kind::Load);
  load.memory = tensor->data();
  load.size = bytesOf(tensor->element());
  load.loader = loaderOf(tensor->element(), carrier);
  load.tensor = expr.tensor;
  if (address.unknown.empty()) {
    Key key{'r', int64_t(expr.tensor), int64_t(expr.type), address.known.constant};
    key.insert(key.end(), address.known.coefficients.begin(), address.known.coefficients.end());
    auto [entry, fresh] = known.try_emplace(std::move(key), none);
    if (!fresh)
      return entry->second;
    load.stream = stream(address.known);
    return entry->second = add({carrier, streams.back().varies(), /*constant=*/false}, load);
  }
  llvm::Expected<Place> place = locate(address, expr.tensor, /*required=*/!expr.otherwise);
  if (!place)
    return place.takeError();
  load.kind = Instruction::Kind::LoadAt;
  load.a = place->offsets;
  Value inside = add({carrier, infos[place->offsets].varies, /*constant=*/false}, load);
  if (!expr.otherwise)
    return inside;
  // `else` is asked only where the element does not exist.
  Value before = active;
  Value missing = emit(integerKernel(Function::Not, false), Carrier::I64, {place->valid});
  active = active == none ? missing : emit(integerKernel(Function::And, false), Carrier::I64, {active, missing});
  llvm::Expected<Value> other = value(*expr.otherwise);
  active = before;
  if (!other)
    return other.takeError();
  return emit(selectKernel(carrier), carrier, {place->valid, inside, cast(*other, expr.otherwise->type, expr.type)});
}

/// The exponent may have another type than the base, whose type the result has.
llvm::Expected<Value> ProgramBuilder::applyPower(const Expr &expr) {
  ElementType base = expr.operands[0]->type, exponent = expr.operands[1]->type;
  ElementType type = !isFloat(base) && isFloat(exponent) ? ElementType::F64 : base;
  llvm::Expected<Value> a = value(*expr.operands[0]);
  if (!a)
    return a.takeError();
  llvm::Expected<Value> b = value(*expr.operands[1]);
  if (!b)
    return b.takeError();
  // Casting an integer exponent to a narrower base type would cut it.
  Value power = isFloat(type) ? cast(*b, exponent, type) : *b;
  llvm::Expected<Value> result = applyAs(Function::Pow, type, {cast(*a, base, type), power});
  if (!result)
    return result.takeError();
  return cast(*result, type, expr.type);
}

static bool isPredicate(Function function) {
  return function == Function::IsNan || function == Function::IsInf ||
         (function >= Function::Eq && function <= Function::Ge);
}

/// May leave the range of a narrow integer type.
static bool canOverflow(Function function) {
  switch (function) {
  case Function::Not:
  case Function::Sign:
  case Function::Max:
  case Function::Min:
  case Function::And:
  case Function::Or:
  case Function::Xor:
  case Function::Mod:
  case Function::Rem:
  case Function::Shr:
    return false;
  default:
    return true;
  }
}

/// `operands` have type `type`.
llvm::Expected<Value> ProgramBuilder::applyAs(Function function, ElementType type, llvm::ArrayRef<Value> operands) {
  Carrier carrier = carrierOf(type, setting.precision);
  bool unsigned64 = type == ElementType::U64;
  if (isPredicate(function))
    return emit(predicateKernel(function, carrier, unsigned64), Carrier::I64, operands);
  if (carrier != Carrier::I64) {
    if (LaneKernel kernel = floatKernel(function, carrier))
      return emit(kernel, carrier, operands);
    return fail(llvm::Twine("'") + eq::nameOf(function) + "' is not defined on " + nameOf(type));
  }
  if (type == ElementType::B1 && function == Function::BitNot)
    function = Function::Not;
  if (LaneKernel kernel = integerKernel(function, unsigned64)) {
    Value result = emit(kernel, carrier, operands);
    LaneKernel cut = canOverflow(function) ? castKernel(ElementType::I64, type, setting.precision) : nullptr;
    return cut ? emit(cut, carrier, {result}) : result;
  }
  // exp and the like of integers: as f64, and back.
  llvm::SmallVector<Value, 2> floats;
  for (Value operand : operands)
    floats.push_back(cast(operand, type, ElementType::F64));
  LaneKernel kernel = floatKernel(function, Carrier::F64);
  assert(kernel && "a function of neither integers nor floats");
  return cast(emit(kernel, Carrier::F64, floats), ElementType::F64, type);
}

llvm::Expected<Value> ProgramBuilder::apply(const Expr &expr) {
  if (expr.function == Function::Pow)
    return applyPower(expr);
  ElementType type = expr.operands[0]->type;
  llvm::SmallVector<Value, 2> operands;
  for (const Expr *operand : expr.operands) {
    // Integers that have met no type yet agree with any integer.
    bool agrees = operand->type == type || (!isFloat(operand->type) && !isFloat(type));
    if (!agrees)
      return fail(llvm::Twine("'") + eq::nameOf(expr.function) + "' is applied to " + nameOf(type) + " and " +
                  nameOf(operand->type));
    llvm::Expected<Value> result = value(*operand);
    if (!result)
      return result.takeError();
    operands.push_back(*result);
  }
  llvm::Expected<Value> result = applyAs(expr.function, type, operands);
  if (!result || isPredicate(expr.function))
    return result;
  return cast(*result, type, expr.type);
}
