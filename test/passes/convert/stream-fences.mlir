// RUN: mdh-opt %s --mdh-stream-fences | FileCheck %s
// RUN: mdh-opt %s --lower-mdh="machine=%root/examples/machines/avx512.json" | FileCheck %s --check-prefix=LOWERED

// A parallel region with non-temporal stores ends with a fence in each thread; a function with others has one before it returns.
// CHECK-LABEL: llvm.func @parallel
llvm.func @parallel(%p: !llvm.ptr, %x: vector<16xf32>) {
  // CHECK: omp.parallel
  omp.parallel {
    // CHECK: llvm.store
    llvm.store %x, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
    // CHECK-NEXT: llvm.fence seq_cst
    // CHECK-NEXT: omp.terminator
    omp.terminator
  }
  // CHECK-NOT: llvm.fence
  llvm.return
}

// CHECK-LABEL: llvm.func @sequential
llvm.func @sequential(%p: !llvm.ptr, %x: vector<16xf32>) {
  // CHECK: llvm.store
  llvm.store %x, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
  // CHECK-NEXT: llvm.fence seq_cst
  // CHECK-NEXT: llvm.return
  llvm.return
}

// CHECK-LABEL: llvm.func @cached
llvm.func @cached(%p: !llvm.ptr, %x: vector<16xf32>) {
  // CHECK-NOT: llvm.fence
  llvm.store %x, %p {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  llvm.return
}

// A result that is much larger than the caches, and whose cache lines are written once and completely.
// LOWERED-LABEL: llvm.func @large
// LOWERED: llvm.store {{.*}}alignment = 64{{.*}}nontemporal
// LOWERED: llvm.fence seq_cst
func.func @large(%x: tensor<1073741824xf32>) -> tensor<1073741824xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<1073741824xf32>) -> !mdh.mda<1073741824, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<1073741824, f32> -> !mdh.mda<1073741824, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<1073741824, f32> -> tensor<1073741824xf32>
  return %o : tensor<1073741824xf32>
}

// For a dynamic size, only the call knows whether it is large: both versions of the code exist.
// LOWERED-LABEL: llvm.func @dynamic
// LOWERED: llvm.icmp "sge"
// LOWERED: llvm.cond_br
// LOWERED: llvm.store {{.*}}alignment = 64{{.*}}nontemporal
// LOWERED: llvm.store {{.*}} : vector<16xf32>
func.func @dynamic(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<?x1024xf32>) -> !mdh.mda<?x1024, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32):
    %p = math.absf %a : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<?x1024, f32> -> !mdh.mda<?x1024, f32>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x1024, f32> -> tensor<?x1024xf32>
  return %o : tensor<?x1024xf32>
}
