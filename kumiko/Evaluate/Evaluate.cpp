//===- Evaluate.cpp - the statements of an instance in order ---------------------------------===//
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Evaluate/StatementRun.h"
#include "kumiko/Support/Convert.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cinttypes>

using namespace kumiko;
using namespace kumiko::eval;
using eq::Combine;
using eq::Expr;
using Role = eq::Tensor::Role;

template <typename... Args> static llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

ElementType kumiko::storedAs(ElementType type, Precision precision) {
  return precision == Precision::Double && isFloat(type) ? ElementType::F64 : type;
}

static llvm::Expected<llvm::SmallVector<int64_t, 6>> staticShape(const eq::Tensor &tensor) {
  llvm::SmallVector<int64_t, 6> shape;
  for (const Extent &extent : tensor.type.shape) {
    if (!extent.isStatic())
      return fail("the shape of '{0}' is not known: extent {1}; the evaluator needs static shapes", tensor.name,
                  extent.str());
    shape.push_back(extent.value());
  }
  return shape;
}

namespace {

class Evaluation {
public:
  Evaluation(const eq::Instance &instance, Precision precision, Limits limits)
      : instance(instance), precision(precision), limits(limits), bound(instance.tensors.size(), nullptr),
        owned(instance.tensors.size()), lastUse(instance.tensors.size(), 0) {}

  llvm::Error check();
  llvm::Error bindOperands(llvm::ArrayRef<const Tensor *> operands);
  llvm::Error run();
  llvm::Expected<llvm::SmallVector<Tensor, 2>> takeResults();

private:
  /// Statements [begin, end) write the same target one after the other.
  llvm::Error runGroup(unsigned begin, unsigned end);
  llvm::Expected<Tensor> allocate(ElementType type, llvm::ArrayRef<int64_t> shape);
  llvm::Expected<Tensor> initial(const eq::Statement &statement, unsigned tensor, ElementType type, bool combines);
  llvm::Error finish(unsigned tensor, Tensor buffer);
  uint64_t remaining() const { return limits.bytes - std::min(limits.bytes, used); }
  void noteUses();
  void release(unsigned tensor);

  const eq::Instance &instance;
  Precision precision;
  Limits limits;
  uint64_t used = 0;
  std::vector<const Tensor *> bound;
  std::vector<Tensor> owned;
  /// The last statement that reads the tensor; results are never released.
  std::vector<size_t> lastUse;
};

} // namespace

llvm::Error Evaluation::check() {
  for (auto &[left, right] : instance.checks)
    if (left.isStatic() && right.isStatic() && left != right)
      return fail("extents differ: {0} and {1}", left.str(), right.str());
  for (auto &[left, right] : instance.broadcastChecks)
    if (left.isStatic() && right.isStatic() && left != right && !left.is(1) && !right.is(1))
      return fail("extents do not broadcast: {0} and {1}", left.str(), right.str());
  for (auto &[lower, upper] : instance.boundChecks)
    if (lower.isStatic() && upper.isStatic() && lower.value() > upper.value())
      return fail("a read leaves its tensor: {0} is above {1}", lower.str(), upper.str());
  uint64_t points = 0;
  for (const eq::Statement &statement : instance.statements) {
    uint64_t product = 1;
    for (const eq::Loop &loop : statement.loops) {
      if (!loop.extent.isStatic())
        return fail("`{0}`: the range of '{1}' is not known: {2}; the evaluator needs static shapes", statement.text,
                    loop.name, loop.extent.str());
      if (loop.extent.value() < 0)
        return fail("`{0}`: the range of '{1}' is negative: {2}", statement.text, loop.name, loop.extent.value());
      product = llvm::SaturatingMultiply<uint64_t>(product, loop.extent.value());
    }
    points = llvm::SaturatingAdd(points, product);
  }
  uint64_t total = llvm::SaturatingAdd(points, limits.spent ? *limits.spent : 0);
  if (total > limits.points)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   limits.spent ? "the ops have %" PRIu64
                                                  " points together, above the limit of %" PRIu64
                                                : "the op has %" PRIu64 " points, above the limit of %" PRIu64,
                                   total, limits.points);
  if (limits.spent)
    *limits.spent = total;
  noteUses();
  return llvm::Error::success();
}

void Evaluation::noteUses() {
  for (auto [number, statement] : llvm::enumerate(instance.statements)) {
    eq::eachExpr(statement, [&, number = number](const Expr &expr) {
      if (expr.kind == Expr::Kind::Read)
        lastUse[expr.tensor] = number;
    });
    if (statement.into)
      lastUse[*statement.into] = number;
  }
}

llvm::Error Evaluation::bindOperands(llvm::ArrayRef<const Tensor *> operands) {
  for (auto [number, tensor] : llvm::enumerate(instance.tensors)) {
    if (tensor.role != Role::Operand || !tensor.present)
      continue;
    const Tensor *operand = tensor.number < operands.size() ? operands[tensor.number] : nullptr;
    if (!operand)
      return fail("operand {0} '{1}' is not given", tensor.number, tensor.name);
    llvm::Expected<llvm::SmallVector<int64_t, 6>> shape = staticShape(tensor);
    if (!shape)
      return shape.takeError();
    bool typeFits =
        operand->element() == tensor.type.element || operand->element() == storedAs(tensor.type.element, precision);
    if (!typeFits || operand->shape() != llvm::ArrayRef(*shape))
      return fail("operand {0} '{1}' is {2}, expected {3}", tensor.number, tensor.name,
                  describe(operand->element(), operand->shape()), describe(tensor.type.element, *shape));
    bound[number] = operand;
  }
  return llvm::Error::success();
}

llvm::Expected<Tensor> Evaluation::allocate(ElementType type, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<Tensor> tensor = Tensor::zeros(type, shape, remaining());
  if (tensor)
    used += tensor->bytes().size();
  return tensor;
}

/// What the points of a target are before its first statement: zero, an identity, or the tensor of `into`.
llvm::Expected<Tensor> Evaluation::initial(const eq::Statement &statement, unsigned number, ElementType type,
                                           bool combines) {
  const eq::Tensor &target = instance.tensors[number];
  llvm::Expected<llvm::SmallVector<int64_t, 6>> shape = staticShape(target);
  if (!shape)
    return shape.takeError();
  llvm::Expected<Tensor> buffer = allocate(type, *shape);
  if (!buffer)
    return buffer.takeError();
  if (statement.into) {
    const Tensor *base = bound[*statement.into];
    if (!base || base->shape() != llvm::ArrayRef(*shape))
      return fail("`{0}`: the tensor after `into` is absent or has another shape than the target", statement.text);
    convertElements(base->data(), base->element(), buffer->mutableData(), type, base->count());
  } else if (combines) {
    Combiner combiner = combinerOf(statement.combine, target.type.element, precision);
    fillIdentity(combiner, target.type.element, buffer->mutableData(), buffer->count());
  }
  return buffer;
}

void Evaluation::release(unsigned number) {
  used -= owned[number].bytes().size();
  owned[number] = Tensor();
}

/// Brings the written memory to the form in which the tensor is held, and makes it the tensor.
llvm::Error Evaluation::finish(unsigned number, Tensor buffer) {
  ElementType declared = instance.tensors[number].type.element, stored = storedAs(declared, precision);
  auto become = [&](ElementType type) -> llvm::Error {
    if (buffer.element() == type)
      return llvm::Error::success();
    llvm::Expected<Tensor> next = allocate(type, buffer.shape());
    if (!next)
      return next.takeError();
    convertElements(buffer.data(), buffer.element(), next->mutableData(), type, buffer.count());
    used -= buffer.bytes().size();
    buffer = std::move(*next);
    return llvm::Error::success();
  };
  // Small floats round even where they are held as f64.
  if (isSmallFloat(declared))
    if (llvm::Error error = become(declared))
      return error;
  if (llvm::Error error = become(stored))
    return error;
  release(number);
  owned[number] = std::move(buffer);
  bound[number] = &owned[number];
  return llvm::Error::success();
}

llvm::Error Evaluation::runGroup(unsigned begin, unsigned end) {
  const eq::Statement &first = instance.statements[begin];
  bool partial = end - begin > 1 || first.computedLeft || first.into;
  bool combines = partial && first.combine != Combine::Set;
  if (first.targets.size() > 1 && partial)
    return fail("`{0}`: several targets with a computed left side or several parts are not supported", first.text);
  llvm::SmallVector<Tensor, 2> buffers;
  llvm::SmallVector<Destination, 2> destinations;
  for (const eq::Target &target : first.targets) {
    ElementType declared = instance.tensors[target.tensor].type.element;
    ElementType type = storedAs(declared, precision);
    if (combines)
      type = elementOf(combinerOf(first.combine, declared, precision).accumulator);
    llvm::Expected<Tensor> buffer = initial(first, target.tensor, type, combines);
    if (!buffer)
      return buffer.takeError();
    if (target.indices.size() != buffer->rank())
      return fail("`{0}`: the target has rank {1} and {2} indices", first.text, buffer->rank(), target.indices.size());
    destinations.push_back(
        {buffer->mutableData(), llvm::SmallVector<int64_t, 6>(buffer->shape()), type, declared, combines});
    buffers.push_back(std::move(*buffer));
  }
  for (unsigned number = begin; number < end; ++number) {
    const eq::Statement &statement = instance.statements[number];
    if (statement.combine != first.combine || statement.targets.size() != first.targets.size() ||
        statement.values.size() != statement.targets.size())
      return fail("`{0}`: its parts do not belong together", statement.text);
    if (llvm::Error error = runStatement({instance, statement, bound, precision}, destinations, remaining()))
      return error;
  }
  for (auto [target, buffer] : llvm::zip(first.targets, buffers))
    if (llvm::Error error = finish(target.tensor, std::move(buffer)))
      return error;
  return llvm::Error::success();
}

llvm::Error Evaluation::run() {
  for (unsigned begin = 0, count = instance.statements.size(); begin < count;) {
    unsigned end = begin + 1;
    while (end < count && instance.statements[end].continues)
      ++end;
    if (llvm::Error error = runGroup(begin, end))
      return error;
    for (auto [number, tensor] : llvm::enumerate(instance.tensors))
      if (tensor.role == Role::Temporary && bound[number] && lastUse[number] < end) {
        release(number);
        bound[number] = nullptr;
      }
    begin = end;
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::SmallVector<Tensor, 2>> Evaluation::takeResults() {
  llvm::SmallVector<Tensor, 2> results;
  for (auto [number, tensor] : llvm::enumerate(instance.tensors)) {
    if (tensor.role != Role::Result)
      continue;
    if (results.size() <= tensor.number)
      results.resize(tensor.number + 1);
    if (!tensor.present)
      continue;
    if (!bound[number])
      return fail("no statement computes result '{0}'", tensor.name);
    results[tensor.number] = std::move(owned[number]);
  }
  return results;
}

llvm::Expected<llvm::SmallVector<Tensor, 2>> kumiko::evaluate(const eq::Instance &instance,
                                                              llvm::ArrayRef<const Tensor *> operands,
                                                              Precision precision, Limits limits) {
  Evaluation evaluation(instance, precision, limits);
  if (llvm::Error error = evaluation.check())
    return std::move(error);
  if (llvm::Error error = evaluation.bindOperands(operands))
    return std::move(error);
  if (llvm::Error error = evaluation.run())
    return std::move(error);
  return evaluation.takeResults();
}
