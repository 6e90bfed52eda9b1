//===- Copy.h - statements that compute nothing ----------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::optimize {

/// `expr` reads all of a tensor in its own order, and the statement writes all of a tensor in the same order: element
/// for element, the read is what stands at the place that is written.
bool isPlainRead(const eq::Instance &instance, const eq::Statement &statement, const eq::Expr &expr);

/// The operand that the instance's only result is a copy of, by operand number.
std::optional<unsigned> copiedOperand(const eq::Instance &instance);

/// The same computation, node by node, within one statement.
bool sameTree(const eq::Expr &a, const eq::Expr &b);

/// Elements are moved, repeated or replaced by a constant; none is computed.
bool onlyMoves(const eq::Instance &instance);

} // namespace kumiko::optimize
