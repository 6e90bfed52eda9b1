//===- Known.h - small tensors whose elements are expressions --------------===//
//
// Shapes are computed by the same ops as data: a Reshape's target may be Concat(Gather(Shape(x), 0), [-1]). Here an
// instance is run on elements that are expressions over symbols, so that whatever an equation says about numbers holds
// for shapes too, and no op needs code of its own. An element that is not known stays so, and spoils only what
// depends on it.
//
// Floats are fractions. Exporters go through them (Cast to float, Mul by 0.5, Floor, Cast back); that is followed where
// f32 is exact for dimensions below 65536: factors of at most 8 bits over a power of two.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

/// numerator / denominator; the denominator is positive, and 1 for integers and truth values.
struct Known {
  Extent numerator;
  int64_t denominator = 1;
};

/// Row-major; nothing where an element is not known.
using KnownElements = llvm::SmallVector<std::optional<Known>, 4>;

/// Larger tensors are no shapes.
constexpr int64_t largestKnown = 256;

/// A number as a fraction; nothing when it has none, or one that f32 arithmetic does not keep exact.
std::optional<Known> knownReal(double value);

/// The elements of the results (by number; absent ones empty) for those of the operands (by number). Nothing when a
/// tensor is too large or not static, or a statement writes where only values tell.
std::optional<llvm::SmallVector<KnownElements, 2>> evaluateKnown(const Instance &instance,
                                                                 llvm::ArrayRef<const KnownElements *> operands);

} // namespace kumiko::eq
