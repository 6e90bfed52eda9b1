//===- ProgressLine.h - one line that says what is going on -----------------===//
#pragma once
#include "kumiko/Support/Watch.h"

namespace kumiko {

/// A watch that rewrites one line on standard error in place and wipes it at the end. Silent off a terminal and for the
/// first second.
Watch watchOnTerminal();

} // namespace kumiko
