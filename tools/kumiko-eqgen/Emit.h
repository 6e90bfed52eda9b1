//===- Emit.h - what the generator writes ----------------------------------===//
#pragma once
#include "kumiko/Equation/Rule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace kumiko::eqgen {

/// A file as it was read.
struct Source {
  llvm::StringRef name; ///< without its folder
  llvm::StringRef text;
};

/// One ODS record per op, over the classes of kumiko/Nn/NnBase.td.
void emitOds(llvm::raw_ostream &os, llvm::ArrayRef<eq::OpDef> ops);
/// Initialisers {name, text} of all files, for kumiko/Nn/Equations.cpp and kumiko/Optimize/Rules.cpp.
void emitTexts(llvm::raw_ostream &os, llvm::ArrayRef<Source> sources);

/// One application of each op, by name, from the lines of a file like kumiko/Nn/samples.txt.
llvm::StringMap<llvm::StringRef> readSamples(llvm::StringRef text);
/// A reference page. False when an op has no sample or does not take it; each is printed.
bool emitManual(llvm::raw_ostream &os, llvm::raw_ostream &errors, llvm::StringRef title, llvm::ArrayRef<eq::OpDef> ops,
                const llvm::StringMap<llvm::StringRef> &samples);
/// The table of ONNX ops, from lines `op, versions, types, evaluated, compiled, reason` with tabs between.
void emitOnnxTable(llvm::raw_ostream &os, llvm::ArrayRef<eq::OpDef> ops, llvm::StringRef facts);

/// The table of optimisations: every rule with its class, its equation and its test.
void emitRuleTable(llvm::raw_ostream &os, llvm::ArrayRef<eq::RuleFile> files);

/// What built-in ops must keep to beyond the notation, because C++ classes are made of them: names, defaults,
/// documentation, import clauses that exclude each other. Prints each mistake; true when there is none.
bool checkBuiltins(llvm::raw_ostream &errors, llvm::ArrayRef<eq::OpDef> ops);

} // namespace kumiko::eqgen
