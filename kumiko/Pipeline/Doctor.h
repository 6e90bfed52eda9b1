//===- Doctor.h - what Kumiko finds on this machine -------------------------===//
//
// For people whose results are slow or missing: which CPU code is made for, how many threads a run gets and why, and
// whether a small network compiles, loads and gives the right numbers here.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Problem.h"
#include <utility>

namespace kumiko {

struct Diagnosis {
  /// Names and what was found, in the order to read them.
  std::vector<std::pair<std::string, std::string>> facts;
  /// Why the small network did not give the right numbers; empty when it did.
  std::string failure;

  void printJson(llvm::raw_ostream &os) const;
};

/// A failure is a problem, too.
Diagnosis diagnose(ProblemList &problems);

} // namespace kumiko
