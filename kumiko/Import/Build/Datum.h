//===- Datum.h - what a name of a graph stands for, as numbers --------------------===//
#pragma once
#include "kumiko/Evaluate/SharedTensor.h"
#include <vector>

namespace kumiko {

/// A tensor, or a sequence or an optional of such. Copies of a datum share what they hold.
struct Datum {
  enum class Kind : uint8_t { Tensor, Sequence, Optional };
  Kind kind = Kind::Tensor;
  SharedTensor tensor;
  /// The tensor's type in the graph; where all floats are computed in f64 it may be held wider.
  ElementType declared = ElementType::Invalid;
  /// Of a sequence; of an optional none or one.
  std::shared_ptr<const std::vector<Datum>> items;

  static Datum of(SharedTensor tensor) {
    ElementType element = tensor.tensor.element();
    return of(std::move(tensor), element);
  }
  static Datum of(SharedTensor tensor, ElementType declared) {
    return {Kind::Tensor, std::move(tensor), declared, nullptr};
  }
  static Datum of(Kind kind, std::vector<Datum> items) {
    return {kind, {}, ElementType::Invalid, std::make_shared<const std::vector<Datum>>(std::move(items))};
  }
  bool isTensor() const { return kind == Kind::Tensor; }
  llvm::ArrayRef<Datum> list() const { return items ? llvm::ArrayRef<Datum>(*items) : llvm::ArrayRef<Datum>(); }
  Datum share() const { return *this; }
};

} // namespace kumiko
