//===- CombineKernels.cpp - how the values of a reduction come together --------------------===//
#include "kumiko/Evaluate/LaneLoops.h"
#include "kumiko/Support/Convert.h"
#include <limits>

using namespace kumiko;
using namespace kumiko::eval;
using eq::Combine;

/// result so far, next value -> result so far. Integers wrap and are cut to width when stored.
template <Combine combine, typename A> static A step(A so, A value) {
  constexpr bool floats = std::is_floating_point_v<A>;
  if constexpr (combine == Combine::Sum) {
    if constexpr (floats)
      return so + value;
    else
      return A(uint64_t(so) + uint64_t(value));
  } else if constexpr (combine == Combine::Product) {
    if constexpr (floats)
      return so * value;
    else
      return A(uint64_t(so) * uint64_t(value));
  } else if constexpr (combine == Combine::Max) {
    if constexpr (floats)
      return floatMax(so, value);
    else
      return so > value ? so : value;
  } else if constexpr (combine == Combine::Min) {
    if constexpr (floats)
      return floatMin(so, value);
    else
      return so < value ? so : value;
  } else if constexpr (combine == Combine::And) {
    return A(uint64_t(so) & uint64_t(value));
  } else {
    return A(uint64_t(so) | uint64_t(value));
  }
}

template <Combine combine, typename A, typename V>
static void combineLanes(void *__restrict accumulator, const void *__restrict value, const int64_t *__restrict mask,
                         int64_t lanes) {
  auto *to = static_cast<A *>(accumulator);
  auto *from = static_cast<const V *>(value);
  if (!mask) {
    for (int64_t i = 0; i < lanes; ++i)
      to[i] = step<combine, A>(to[i], A(from[i]));
    return;
  }
  for (int64_t i = 0; i < lanes; ++i)
    to[i] = mask[i] ? step<combine, A>(to[i], A(from[i])) : to[i];
}

template <Combine combine, typename A, typename V>
static void foldLanes(void *__restrict accumulator, const void *__restrict value, const int64_t *__restrict mask,
                      int64_t lanes) {
  A so = *static_cast<A *>(accumulator);
  auto *from = static_cast<const V *>(value);
  for (int64_t i = 0; i < lanes; ++i)
    if (!mask || mask[i])
      so = step<combine, A>(so, A(from[i]));
  *static_cast<A *>(accumulator) = so;
}

template <Combine combine, typename A>
static void scatterLanes(void *to, const int64_t *offsets, const void *value, const int64_t *mask, int64_t lanes) {
  auto *target = static_cast<A *>(to);
  auto *from = static_cast<const A *>(value);
  for (int64_t i = 0; i < lanes; ++i)
    if (!mask || mask[i])
      target[offsets[i]] = step<combine, A>(target[offsets[i]], from[i]);
}

template <Combine combine, typename A, typename V> static void fill(Combiner &combiner) {
  combiner.lanes = combineLanes<combine, A, V>;
  combiner.fold = foldLanes<combine, A, V>;
  combiner.scatter = scatterLanes<combine, A>;
}

template <typename A, typename V> static void fillArithmetic(Combiner &combiner) {
  switch (combiner.combine) {
  case Combine::Sum:
    return fill<Combine::Sum, A, V>(combiner);
  case Combine::Product:
    return fill<Combine::Product, A, V>(combiner);
  case Combine::Max:
    return fill<Combine::Max, A, V>(combiner);
  case Combine::Min:
    return fill<Combine::Min, A, V>(combiner);
  case Combine::And:
    if constexpr (!std::is_floating_point_v<A>)
      return fill<Combine::And, A, V>(combiner);
    return;
  case Combine::Or:
    if constexpr (!std::is_floating_point_v<A>)
      return fill<Combine::Or, A, V>(combiner);
    return;
  case Combine::Set:
    return;
  }
}

/// On b1 a sum is "or" and a product "and".
static Combine combineOn(Combine combine, ElementType type) {
  if (type != ElementType::B1)
    return combine;
  if (combine == Combine::Sum || combine == Combine::Max)
    return Combine::Or;
  return combine == Combine::Product || combine == Combine::Min ? Combine::And : combine;
}

Combiner eval::combinerOf(Combine combine, ElementType type, Precision precision) {
  Combiner combiner;
  combiner.combine = combineOn(combine, type);
  combiner.value = combiner.accumulator = carrierOf(type, precision);
  bool sums = combine == Combine::Sum || combine == Combine::Product;
  if (combiner.value == Carrier::I64) {
    type == ElementType::U64 ? fillArithmetic<uint64_t, uint64_t>(combiner)
                             : fillArithmetic<int64_t, int64_t>(combiner);
  } else if (combiner.value == Carrier::F64) {
    fillArithmetic<double, double>(combiner);
  } else if (sums) {
    combiner.accumulator = Carrier::F64;
    fillArithmetic<double, float>(combiner);
  } else {
    fillArithmetic<float, float>(combiner);
  }
  return combiner;
}

static double floatIdentity(Combine combine) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return combine == Combine::Product ? 1 : combine == Combine::Max ? -infinity : combine == Combine::Min ? infinity : 0;
}

static int64_t integerIdentity(Combine combine, ElementType type) {
  switch (combine) {
  case Combine::Product:
    return 1;
  case Combine::Max:
    return lowestInteger(type);
  case Combine::Min:
    return highestInteger(type);
  case Combine::And:
    return type == ElementType::B1 ? 1 : -1;
  default:
    return 0;
  }
}

void eval::fillIdentity(const Combiner &combiner, ElementType type, void *to, int64_t count) {
  if (combiner.accumulator == Carrier::F32)
    std::fill_n(static_cast<float *>(to), count, float(floatIdentity(combiner.combine)));
  else if (combiner.accumulator == Carrier::F64)
    std::fill_n(static_cast<double *>(to), count, floatIdentity(combiner.combine));
  else
    std::fill_n(static_cast<int64_t *>(to), count, integerIdentity(combiner.combine, type));
}

/// A NaN wins over a number and stays; otherwise only a strictly better value replaces the one before.
template <bool greatest, typename V> static bool wins(V value, V best) {
  if (best != best)
    return false;
  return (greatest ? value > best : value < best) || value != value;
}

template <bool greatest, bool folds, typename V, typename P>
static void argLanes(void *best, void *payload, int64_t *started, const void *value, const void *other,
                     const int64_t *mask, int64_t lanes) {
  for (int64_t i = 0; i < lanes; ++i) {
    if (mask && !mask[i])
      continue;
    int64_t to = folds ? 0 : i;
    V candidate = static_cast<const V *>(value)[i];
    V &leader = static_cast<V *>(best)[to];
    if (started[to] && !wins<greatest>(candidate, leader)) {
      // Whether the position is wanted does not change the value: of two zeros it is the one that max or min gives.
      if constexpr (std::is_floating_point_v<V>)
        leader = candidate == leader ? greatest ? floatMax(leader, candidate) : floatMin(leader, candidate) : leader;
      continue;
    }
    leader = candidate;
    static_cast<P *>(payload)[to] = static_cast<const P *>(other)[i];
    started[to] = 1;
  }
}

template <bool greatest, typename V> static ArgCombiner pickPayload(Carrier payload) {
  if (sizeOf(payload) == 4)
    return {argLanes<greatest, false, V, uint32_t>, argLanes<greatest, true, V, uint32_t>};
  return {argLanes<greatest, false, V, uint64_t>, argLanes<greatest, true, V, uint64_t>};
}

template <typename V> static ArgCombiner pickArg(bool greatest, Carrier payload) {
  return greatest ? pickPayload<true, V>(payload) : pickPayload<false, V>(payload);
}

ArgCombiner eval::argCombinerOf(bool greatest, Carrier value, bool unsigned64, Carrier payload) {
  if (value == Carrier::F32)
    return pickArg<float>(greatest, payload);
  if (value == Carrier::F64)
    return pickArg<double>(greatest, payload);
  return unsigned64 ? pickArg<uint64_t>(greatest, payload) : pickArg<int64_t>(greatest, payload);
}
