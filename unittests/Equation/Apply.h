//===- Apply.h - ops applied to types that are written down ----------------===//
#pragma once
#include "kumiko/Equation/Given.h"
#include "kumiko/Equation/Parser.h"
#include "kumiko/Equation/Printer.h"
#include <gtest/gtest.h>

namespace kumiko::eq::test {

/// `f32[2,N]`.
TensorType typeOf(llvm::StringRef text);

/// What the op is applied to, which must be right.
Given given(const OpDef &op, llvm::StringRef text);

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
