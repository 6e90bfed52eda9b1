#include "kumiko/Verify/Stability.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/Ulp.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <random>

using namespace kumiko;

/// What a few gentle runs show, times this, is allowed: they do not find the worst combination of signs. Coarser runs
/// are there for results that jump, and count as they are.
static constexpr double margin = 32;

/// The last place of 1 in the coarsest float type that the op's attributes name: what it computes in.
static double coarsestPlace(mlir::Operation &op) {
  double place = 0;
  auto consider = [&](ElementType type) {
    if (isFloat(type))
      place = std::max(place, ulpOf(type, 1));
  };
  const eq::OpDef *definition = nn::definitionOf(&op);
  for (const eq::AttributeDef &attribute : definition ? definition->attributes : llvm::ArrayRef<eq::AttributeDef>())
    if (attribute.kind == eq::AttributeKind::Type) {
      if (auto given = op.getAttrOfType<mlir::TypeAttr>(attribute.name))
        consider(nn::toEquation(given.getValue()));
      else if (auto otherwise = nn::defaultOf(attribute))
        consider(std::get<ElementType>(*otherwise));
    }
  return place;
}

namespace {

/// The ops of a block, each result changed a little before anybody reads it.
class DisturbedRun {
public:
  DisturbedRun(double units, uint64_t seed) : units(units), words(seed) {}

  llvm::Expected<SharedTensors> run(mlir::Block &block, llvm::ArrayRef<Tensor> arguments) {
    for (auto [value, tensor] : llvm::zip_equal(block.getArguments(), arguments))
      if (llvm::Error error = define(value, SharedTensor::borrow(tensor)))
        return std::move(error);
    GraphOptions options;
    options.precision = Precision::Double;
    auto operandAt = [&](mlir::Value value) -> const SharedTensor & { return values.find(value)->second; };
    for (mlir::Operation &op : block.without_terminator()) {
      llvm::Expected<SharedTensors> results = evaluateOp(&op, operandAt, options);
      if (!results)
        return results.takeError();
      for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
        if (tensor.tensor.element() != ElementType::Invalid)
          if (llvm::Error error = define(value, std::move(tensor), coarsestPlace(op)))
            return std::move(error);
      for (mlir::Value operand : op.getOperands())
        if (auto left = remaining.find(operand); left != remaining.end() && --left->second == 0)
          values.erase(operand);
    }
    SharedTensors ends;
    for (mlir::Value end : block.getTerminator()->getOperands())
      ends.push_back(operandAt(end));
    return ends;
  }

private:
  llvm::Error define(mlir::Value value, SharedTensor shared, double least = 0) {
    if (value.use_empty())
      return llvm::Error::success();
    remaining[value] = std::distance(value.use_begin(), value.use_end());
    ElementType declared = nn::toEquation(mlir::getElementTypeOrSelf(value.getType()));
    if (!isFloat(declared) || units == 0) {
      values[value] = std::move(shared);
      return llvm::Error::success();
    }
    llvm::Expected<Tensor> changed = convert(shared.tensor, storedAs(declared, Precision::Double));
    if (!changed)
      return changed.takeError();
    if (changed->element() == ElementType::F64)
      change(*changed, std::max(least, ulpOf(declared, 1)));
    values[value] = SharedTensor::own(std::move(*changed));
    return llvm::Error::success();
  }

  void change(Tensor &tensor, double place) {
    double largest = 0;
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (double value = std::fabs(tensor.at<double>(i)); std::isfinite(value))
        largest = std::max(largest, value);
    for (int64_t i = 0; i < tensor.count(); ++i) {
      double value = tensor.at<double>(i), share = double(words() >> 11) * 0x1p-52 - 1;
      if (!std::isfinite(value))
        continue;
      // Mostly of its own size; sums also carry something of their neighbours'.
      value += share * units * place * (std::fabs(value) + largest * 0x1p-8);
      std::memcpy(tensor.mutableData() + i * sizeof value, &value, sizeof value);
    }
  }

  double units;
  std::mt19937_64 words;
  llvm::DenseMap<mlir::Value, SharedTensor> values;
  llvm::DenseMap<mlir::Value, unsigned> remaining; ///< reads to come
};

} // namespace

llvm::Expected<llvm::SmallVector<Tensor, 2>>
kumiko::evaluateDisturbed(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments, double units, uint64_t seed) {
  llvm::Expected<SharedTensors> ends = DisturbedRun(units, seed).run(function.getBody().front(), arguments);
  if (!ends)
    return ends.takeError();
  llvm::SmallVector<Tensor, 2> results;
  for (const SharedTensor &end : *ends) {
    llvm::Expected<Tensor> own = convert(end.tensor, storedAs(end.tensor.element(), Precision::Double));
    if (!own)
      return own.takeError();
    results.push_back(std::move(*own));
  }
  return results;
}

std::string Outlier::text() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "result " << result << ", element " << element << ": " << llvm::format("%.17g", got) << " instead of "
      << llvm::format("%.17g", reference) << ", which is " << llvm::format("%.3g", std::fabs(got - reference))
      << " off where " << llvm::format("%.3g", allowed) << " is allowed";
  return text;
}

std::optional<Outlier> kumiko::firstDifference(llvm::ArrayRef<Tensor> got, llvm::ArrayRef<Tensor> wanted) {
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(got, wanted))) {
    auto &[mine, right] = pair;
    if (mine.element() != right.element() || mine.shape() != right.shape())
      return Outlier{unsigned(number), 0, double(mine.count()), double(right.count()), 0};
    unsigned width = bytesOf(mine.element());
    for (int64_t i = 0; i < mine.count(); ++i) {
      double a = valueAt(mine, i), b = valueAt(right, i);
      if (std::memcmp(mine.data() + i * width, right.data() + i * width, width) != 0 &&
          !(std::isnan(a) && std::isnan(b)))
        return Outlier{unsigned(number), i, a, b, 0};
    }
  }
  return std::nullopt;
}

RoundingJudge::RoundingJudge(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments, double units, double share)
    : function(function), arguments(arguments), units(units), share(share) {
  for (mlir::Type type : this->function.getResultTypes())
    declared.push_back(nn::toEquation(mlir::getElementTypeOrSelf(type)));
}

llvm::Expected<llvm::ArrayRef<Tensor>> RoundingJudge::reference() {
  if (right.empty()) {
    auto results = evaluateDisturbed(function, arguments, 0, 0);
    if (!results)
      return results.takeError();
    right = std::move(*results);
  }
  return llvm::ArrayRef<Tensor>(right);
}

llvm::Error RoundingJudge::disturb(double coarse, unsigned count) {
  if (runs.empty()) {
    // Constants that were folded have been computed in the declared types.
    auto pointers = llvm::map_to_vector(arguments, [](const Tensor &tensor) { return &tensor; });
    auto results = evaluateGraph(function, pointers);
    if (!results)
      return results.takeError();
    runs.push_back({std::move(*results), margin});
  }
  for (unsigned i = 0; i < count; ++i) {
    auto results = evaluateDisturbed(function, arguments, coarse, runs.size() + 1);
    // What the disturbance makes impossible (an index that leaves its tensor) shows nothing.
    if (results)
      runs.push_back({std::move(*results), std::max(1.0, margin * units / coarse)});
    else
      llvm::consumeError(results.takeError());
  }
  return llvm::Error::success();
}

/// The distance of two values; infinite where one is not a number and the other is.
static double apart(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double distance = std::fabs(a - b);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

double RoundingJudge::allowedAt(unsigned result, int64_t element, double largest) const {
  double value = valueAt(right[result], element), moved = 0;
  for (const Run &run : runs)
    moved = std::max(moved, run.margin * apart(valueAt(run.results[result], element), value));
  double own = isFloat(declared[result]) && std::isfinite(value)
                   ? units * ulpOf(declared[result], std::max(std::fabs(value), largest * 0x1p-10))
                   : 0;
  return moved + margin * own;
}

std::optional<Outlier> RoundingJudge::firstOutlier(llvm::ArrayRef<Tensor> got) const {
  for (auto [number, tensor] : llvm::enumerate(got)) {
    const Tensor &wanted = right[number];
    if (tensor.shape() != wanted.shape())
      return Outlier{unsigned(number), 0, double(tensor.count()), double(wanted.count()), 0};
    double largest = 0;
    for (int64_t i = 0; i < wanted.count(); ++i)
      if (double value = std::fabs(valueAt(wanted, i)); std::isfinite(value))
        largest = std::max(largest, value);
    for (int64_t i = 0; i < wanted.count(); ++i) {
      double mine = valueAt(tensor, i), right = valueAt(wanted, i), distance = apart(mine, right);
      if (distance == 0)
        continue;
      if (double allowed = allowedAt(number, i, largest); !(distance <= allowed))
        return Outlier{unsigned(number), i, mine, right, allowed};
    }
  }
  return std::nullopt;
}

llvm::Expected<RoundingJudge::Answer> RoundingJudge::judge(llvm::ArrayRef<Tensor> got) {
  if (auto known = reference(); !known)
    return known.takeError();
  // Most networks need no second look. The others are disturbed, gently first.
  struct Effort {
    double coarse;
    unsigned count;
  };
  constexpr Effort efforts[] = {{1, 4}, {4, 12}, {16, 24}, {64, 48}};
  std::optional<Outlier> outlier = firstOutlier(got);
  bool unstable = false;
  while (outlier && effortsDone < std::size(efforts)) {
    auto [coarse, count] = efforts[effortsDone++];
    unstable = coarse > 4;
    if (llvm::Error error = disturb(coarse * units, std::max(1u, unsigned(count * share))))
      return std::move(error);
    outlier = firstOutlier(got);
  }
  return Answer{outlier, unstable && !outlier};
}
