//===- Kernels.h - the loops over lanes ----------------------------------------===//
//
// A register holds one value per lane, as one of three carriers: float, double, or int64 (all integers and b1, sign- or
// zero-extended; u64 as its bits). The functions here pick the loop for an operation once, when a statement is
// prepared. No loop may be called with a target that overlaps a source.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Evaluate/Evaluate.h"

namespace kumiko::eval {

enum class Carrier : uint8_t { F32, F64, I64 };

/// The carrier of values of a type: floats compute as f32 unless they are f64 or all floats are.
inline Carrier carrierOf(ElementType type, Precision precision) {
  if (!isFloat(type))
    return Carrier::I64;
  return precision == Precision::Double || type == ElementType::F64 ? Carrier::F64 : Carrier::F32;
}
/// The element type whose memory form is the carrier.
inline ElementType elementOf(Carrier carrier) {
  return carrier == Carrier::F32 ? ElementType::F32 : carrier == Carrier::F64 ? ElementType::F64 : ElementType::I64;
}
inline size_t sizeOf(Carrier carrier) { return carrier == Carrier::F32 ? 4 : 8; }

/// to[i] = f(a[i], b[i], c[i]); operands that the operation does not have are null.
using LaneKernel = void (*)(void *to, const void *a, const void *b, const void *c, int64_t lanes);

/// Functions whose result has the carrier of their operands. Null when there is none: isnan, comparisons, bits.
LaneKernel floatKernel(eq::Function function, Carrier carrier);
/// Also logic on b1. Results are not yet cut to the width of a type. Null for functions that integers compute as f64.
LaneKernel integerKernel(eq::Function function, bool unsigned64);
/// Comparisons, isnan, isinf: to int64.
LaneKernel predicateKernel(eq::Function function, Carrier carrier, bool unsigned64);
/// a != 0 ? b : c.
LaneKernel selectKernel(Carrier carrier);
/// From values of one type to another by the rules of Support/Convert.h; null when nothing is to be done.
LaneKernel castKernel(ElementType from, ElementType to, Precision precision);

/// Elements of memory in registers. `from` needs no alignment; strides and offsets count elements.
struct Loader {
  void (*strided)(void *to, const uint8_t *from, int64_t stride, int64_t lanes);
  void (*indexed)(void *to, const uint8_t *from, const int64_t *offsets, int64_t lanes);
};
/// `stored` as the carrier in which values of that class compute.
Loader loaderOf(ElementType stored, Carrier carrier);

/// Registers to memory; floats round, integers are cut. With `mask`, lanes where it is 0 are left out.
struct Storer {
  void (*strided)(uint8_t *to, int64_t stride, const void *from, int64_t lanes);
  void (*indexed)(uint8_t *to, const int64_t *offsets, const void *from, const int64_t *mask, int64_t lanes);
};
Storer storerOf(Carrier carrier, ElementType stored);

/// What a reduction does with a value and where it keeps the result so far.
struct Combiner {
  eq::Combine combine = eq::Combine::Set;
  Carrier value = Carrier::F64, accumulator = Carrier::F64;
  /// accumulator[i] takes value[i] where mask (if any) is not 0.
  void (*lanes)(void *accumulator, const void *value, const int64_t *mask, int64_t lanes) = nullptr;
  /// accumulator[0] takes value[0], value[1], ... in this order.
  void (*fold)(void *accumulator, const void *value, const int64_t *mask, int64_t lanes) = nullptr;
  /// to[offsets[i]] takes value[i]; both sides have the accumulator's carrier.
  void (*scatter)(void *to, const int64_t *offsets, const void *value, const int64_t *mask, int64_t lanes) = nullptr;
};
/// `type` is the type of the values. For Set, only the carriers are filled in.
Combiner combinerOf(eq::Combine combine, ElementType type, Precision precision);
/// The identity of a combination, `count` times, as the accumulator's carrier.
void fillIdentity(const Combiner &combiner, ElementType type, void *to, int64_t count);

/// Arg-max and arg-min. `started` says per lane whether a point was seen: the first one always wins.
struct ArgCombiner {
  void (*lanes)(void *best, void *payload, int64_t *started, const void *value, const void *other, const int64_t *mask,
                int64_t lanes);
  void (*fold)(void *best, void *payload, int64_t *started, const void *value, const void *other, const int64_t *mask,
               int64_t lanes);
};
/// `payload` is the carrier of what comes along.
ArgCombiner argCombinerOf(bool greatest, Carrier value, bool unsigned64, Carrier payload);

} // namespace kumiko::eval
