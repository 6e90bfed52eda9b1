//===- SharedTensor.h - a tensor whose bytes several values look at ------------===//
#pragma once
#include "kumiko/Support/Tensor.h"

namespace kumiko {

/// A tensor and what keeps its bytes alive: a view of a value costs nothing, and the bytes go with the last one that
/// looks at them. Without an owner they are the caller's or an attribute's, which outlives the evaluation.
struct SharedTensor {
  std::shared_ptr<const Tensor> owner;
  Tensor tensor;

  SharedTensor() = default;
  SharedTensor(std::shared_ptr<const Tensor> owner, Tensor tensor)
      : owner(std::move(owner)), tensor(std::move(tensor)) {}
  SharedTensor(SharedTensor &&) = default;
  SharedTensor &operator=(SharedTensor &&) = default;
  /// A copy looks at the same bytes.
  SharedTensor(const SharedTensor &other) : owner(other.owner), tensor(other.tensor.alias()) {}
  SharedTensor &operator=(const SharedTensor &other) { return *this = SharedTensor(other); }

  static SharedTensor own(Tensor tensor) {
    auto owner = std::make_shared<const Tensor>(std::move(tensor));
    return {owner, owner->alias()};
  }
  static SharedTensor borrow(const Tensor &tensor) { return {nullptr, tensor.alias()}; }
  SharedTensor share() const { return *this; }
};

} // namespace kumiko
