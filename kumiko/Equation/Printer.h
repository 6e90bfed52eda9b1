//===- Printer.h - equations and instances as text -------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Equation/Instance.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace kumiko::eq {

/// The notation again, in one normal spelling; reading it back gives an equal tree.
void print(llvm::raw_ostream &os, const OpDef &op);
void print(llvm::raw_ostream &os, const StatementDef &statement);
void print(llvm::raw_ostream &os, const Node &node);

/// `f32[2,3]`.
void print(llvm::raw_ostream &os, const TensorType &type);
/// One statement per line, for people and tests:
///   y[m, n] += (a[m, k] * b[k, n])  m:8 n:16 | k:4
void print(llvm::raw_ostream &os, const Instance &instance);
void print(llvm::raw_ostream &os, const Instance &instance, const Statement &statement);
void print(llvm::raw_ostream &os, const Instance &instance, const Statement &statement, const Expr &expr);

/// The shortest spelling that reads back as the same number, with a mark that it is a fraction: `0.5`, `1.0`, `-inf`.
void printReal(llvm::raw_ostream &os, double value);

std::string str(const TensorType &type);
std::string str(const Instance &instance);
std::string str(const Node &node);

} // namespace kumiko::eq
