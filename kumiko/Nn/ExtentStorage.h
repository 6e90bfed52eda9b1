//===- ExtentStorage.h - how the context keeps extents (private to Nn) -----===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/AttributeSupport.h"

namespace kumiko::nn::detail {

struct ExtentsStorage : mlir::AttributeStorage {
  using KeyTy = llvm::ArrayRef<Extent>;
  explicit ExtentsStorage(KeyTy key) : extents(key) {}
  bool operator==(KeyTy key) const { return llvm::ArrayRef<Extent>(extents) == key; }
  static llvm::hash_code hashKey(KeyTy key) {
    llvm::hash_code hash = llvm::hash_value(key.size());
    for (const Extent &extent : key)
      hash = extent.isStatic() ? llvm::hash_combine(hash, extent.value()) : llvm::hash_combine(hash, extent.str());
    return hash;
  }
  static ExtentsStorage *construct(mlir::AttributeStorageAllocator &allocator, KeyTy key) {
    return new (allocator.allocate<ExtentsStorage>()) ExtentsStorage(key);
  }

  llvm::SmallVector<Extent, 4> extents;
};

struct ExtentStorage : mlir::AttributeStorage {
  using KeyTy = Extent;
  explicit ExtentStorage(const KeyTy &key) : extent(key) {}
  bool operator==(const KeyTy &key) const { return extent == key; }
  static llvm::hash_code hashKey(const KeyTy &key) { return llvm::hash_value(key.str()); }
  static ExtentStorage *construct(mlir::AttributeStorageAllocator &allocator, const KeyTy &key) {
    return new (allocator.allocate<ExtentStorage>()) ExtentStorage(key);
  }

  Extent extent;
};

} // namespace kumiko::nn::detail
