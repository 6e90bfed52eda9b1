//===- Checker.h - what can be said about an op without types or shapes ----===//
#pragma once
#include "kumiko/Equation/SourceFile.h"

namespace kumiko::eq {

/// Reports every mistake in an op whose grammar and names are right: signature (CheckSignature), statements
/// (CheckStatement), arguments of functions (CheckExpression).
void check(const OpDef &op, DiagnosticSink &sink);

/// Parts of it.
void checkSignature(const OpDef &op, DiagnosticSink &sink);
void checkStatement(const OpDef &op, const StatementDef &statement, DiagnosticSink &sink);
void checkExpression(const OpDef &op, const Node &node, DiagnosticSink &sink);

} // namespace kumiko::eq
