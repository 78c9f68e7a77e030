// RUN: mdh-opt %s --verify-diagnostics | FileCheck %s
// RUN: mdh-opt %s --verify-diagnostics --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Systems without roles get those that they meant.

// CHECK: mdh.lowlevel.system @host memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes]
// GENERIC: core_roles = [#mdh.core_role<threads>, #mdh.core_role<lanes>]
// GENERIC-SAME: memory_roles = [#mdh.memory_role<global>, #mdh.memory_role<cache>, #mdh.memory_role<registers>]
// expected-warning @below {{the layers of @host have no roles: they are memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes]}}
mdh.lowlevel.system @host memory [MM, L1, REG] cores [COR, SIMD]

// CHECK: mdh.lowlevel.system @device memory [A: global, B: shared, RM: registers] cores [D: blocks, E: warps, F: threads] combine [A, B, B]
// expected-warning @below {{the layers of @device have no roles}}
mdh.lowlevel.system @device memory [A, B, RM] cores [D, E, F] combine [A, B, B]

// CHECK: mdh.lowlevel.system @multi_gpu memory [HM: node, DM: global, SM: shared, RM: registers] cores [GPU: devices, SMX: blocks, CC: threads]
// expected-warning @below {{the layers of @multi_gpu have no roles}}
mdh.lowlevel.system @multi_gpu memory [HM, DM, SM, RM] cores [GPU, SMX, CC]

// CHECK: mdh.lowlevel.system @all memory [A: node, B: global, C: shared, D: cache, E: registers]
// CHECK-SAME: cores [F: ranks, G: devices, H: blocks, I: warps, J: threads, K: lanes, L: matrix]
mdh.lowlevel.system @all memory [A: node, B: global, C: shared, D: cache, E: registers]
    cores [F: ranks, G: devices, H: blocks, I: warps, J: threads, K: lanes, L: matrix]
