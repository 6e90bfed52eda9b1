//===- Class.h - what kind of statement: the unit of fusion ----------------===//
//
//   injective    `=`, affine reads
//   gather       `=`, a tensor inside an index
//   reduction    any combination over loops that are not on the left
//   contraction  a sum of products of two reads that share a reduced loop and differ in a kept one: data is reused
//   scan         a reduction with a condition
//   scatter      computed left side, or `into`
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

enum class StatementClass : uint8_t { Injective, Gather, Reduction, Contraction, Scan, Scatter };
llvm::StringRef nameOf(StatementClass kind);

StatementClass classify(const Statement &statement);

} // namespace kumiko::eq
