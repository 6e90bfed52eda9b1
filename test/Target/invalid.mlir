// RUN: kumiko-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown target 'znver55'; did you mean 'znver5'?}}
module attributes {kumiko.target = #kumiko.target<"znver55">} {
}

// -----

// Which machine that is depends on where it is read.
// expected-error@+1 {{unknown target 'host'}}
module attributes {kumiko.target = #kumiko.target<"host">} {
}

// -----

// expected-error@+1 {{x86_64 has no feature 'neon'}}
module attributes {kumiko.target = #kumiko.target<"x86-64-v3,+neon">} {
}
