// What a module is made for: a row and what was adjusted, and nothing else.
// RUN: kumiko-opt %s | FileCheck %s
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v4,+inOrderStores | FileCheck %s --check-prefix=SET
// RUN: kumiko-opt %s --kumiko-set-target=target=host | FileCheck %s --check-prefix=HOST
// RUN: not kumiko-opt %s --kumiko-set-target=target=z80 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: module attributes {kumiko.target = #kumiko.target<"znver5,-avx512vnni">}
// SET: module attributes {kumiko.target = #kumiko.target<"x86-64-v4,+inOrderStores">}
// HOST-NOT: "host
// HOST: #kumiko.target<"{{[a-z0-9]}}
// UNKNOWN: unknown target 'z80'
module attributes {kumiko.target = #kumiko.target<"znver5,-avx512vnni">} {
}
