//===- Apply.h - ops applied to types that are written down ----------------===//
#pragma once
#include "kumiko/Equation/Instantiate.h"
#include "kumiko/Equation/Parser.h"
#include "kumiko/Equation/Printer.h"
#include <gtest/gtest.h>

namespace kumiko::eq::test {

/// `f32[2,N]`.
TensorType typeOf(llvm::StringRef text);

/// What stands between the parentheses of `conv(f32[1,3,8,8], f32[4,3,3,3], -; stride=[1,1], group=1)`: operand types,
/// `-` for an absent one, then attributes with values of the kinds that the op declares. Owns what Application points
/// to.
struct Given {
  Given(const OpDef &op, llvm::StringRef text);
  llvm::SmallVector<std::optional<TensorType>, 4> operands;
  Application application;
};

/// Parses an op that must be right.
OpDef op(llvm::StringRef text);

/// The instance; a test failure and an empty one when the op is refused.
Instance instance(const OpDef &op, llvm::StringRef given, llvm::ArrayRef<bool> wanted = {});
Instance instance(llvm::StringRef op, llvm::StringRef given, llvm::ArrayRef<bool> wanted = {});
/// The instance as text.
std::string shown(llvm::StringRef op, llvm::StringRef given, llvm::ArrayRef<bool> wanted = {});
/// Only its statements, one per line.
std::string statements(llvm::StringRef op, llvm::StringRef given, llvm::ArrayRef<bool> wanted = {});
/// The error of an op that must be refused.
std::string refusal(llvm::StringRef op, llvm::StringRef given);
/// The types of the results, joined with a space; or the error.
std::string results(const OpDef &op, llvm::StringRef given);

/// The ops of kumiko/Nn/*.eq.
llvm::ArrayRef<OpDef> builtinOps();
/// One of them; the test fails when there is none.
OpDef builtin(llvm::StringRef name);

} // namespace kumiko::eq::test
