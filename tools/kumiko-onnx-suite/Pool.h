//===- Pool.h - work in processes of its own ------------------------------------------===//
#pragma once
#include "tools/kumiko-onnx-suite/RunTest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kumiko::suite {

/// The verdict of every test, in order: each runs in a process of its own, `jobs` at a time, with bounds on time and
/// memory.
std::vector<Verdict> runAll(llvm::ArrayRef<Test> tests, unsigned jobs, llvm::function_ref<Verdict(const Test &)> run);

} // namespace kumiko::suite
