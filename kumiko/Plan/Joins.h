//===- Joins.h - parts that are written where the joined tensor has them ----===//
//
// A kernel that ends in a concatenation copies those of its parts that other kernels have made. Where nothing speaks
// against it, a part lies in the joined tensor from the beginning:
//
//   %a = call @f        %a: in %c, from its first element on
//   %b = call @g        %b: in %c, 64 elements behind, rows as far apart as those of %c
//   %c = call @concat(%a, %b)    nothing left to do
//
// Whoever makes or reads such a part goes by strides of its own (`apart` of its layouts), which makes it a kernel of
// its own; a part that is one stretch of the joined tensor needs none. A joined tensor may be a part of another one: a
// chain of concatenations, each of the last one and something new, shares one buffer.
//
// A part has one place, so nothing else may have a say in it: it is no input, constant or result of the network or of a
// loop, and no part of two tensors. What the concatenation's kernel computes itself is still written by it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Kernel/Pieces.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "kumiko/Schedule/Schedule.h"
#include "kumiko/Support/Decision.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko {

/// Where a value lies in a joined tensor, in elements.
struct JoinedPart {
  mlir::Value whole; ///< the outermost one, which is part of none
  Extent offset;
  Extents strides; ///< empty where it is one stretch
};

class Joins {
public:
  using ExtentsOf = llvm::function_ref<llvm::SmallVector<Extent, 4>(mlir::Value)>;

  explicit Joins(mlir::ModuleOp module) : symbols(module), module(module) {}

  /// Decides for `block` and the blocks within. Sizes in `late` become known while the program runs.
  void find(mlir::Block &block, const llvm::StringSet<> &late, ExtentsOf extentsOf);
  /// Gives the calls that have parts kernels of their own.
  void apply();

  /// Null for what is no part.
  const JoinedPart *partOf(mlir::Value value) const;
  /// The parts of a joined tensor, those of its parts included.
  llvm::ArrayRef<mlir::Value> partsOf(mlir::Value whole) const;

private:
  /// What is known of a kernel.
  struct Known {
    nn::KernelOp op;
    Schedule schedule;
    llvm::SmallVector<int64_t> mayOverwrite;
    KernelExtents extents;
    bool goesByStrides = false; ///< its template finds everything by strides
  };
  /// What becomes of a call's kernel.
  struct Change {
    Layouts layouts;     ///< `apart` and `placed`
    bool isDone = false; ///< nothing is left to be written
  };

  Known &known(nn::CallOp call);
  void findIn(nn::CallOp call);
  Decision canPlace(mlir::Value value, nn::CallOp join, const JoinedPart &part);
  Decision isFree(mlir::Value value, mlir::Block *block, bool views) const;
  Decision canWriteApart(mlir::OpResult value);
  Decision canReadApart(mlir::OpOperand &use);
  bool isKnownInTime(const JoinedPart &part) const;
  void place(mlir::OpResult value, JoinedPart part);

  nn::KernelSymbols symbols;
  mlir::ModuleOp module;
  const llvm::StringSet<> *late = nullptr;
  ExtentsOf extentsOf = nullptr;
  llvm::DenseMap<mlir::Value, JoinedPart> parts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> members;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<Known>> kernels;
  llvm::MapVector<mlir::Operation *, Change> changes;
};

/// Whether the call is part of the program: one whose parts all lie in its result is not.
bool isRun(nn::CallOp call);

} // namespace kumiko
