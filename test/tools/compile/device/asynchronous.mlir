// Copies to one of two buffer slots are asynchronous if the architecture supports it, otherwise loads and stores.
// RUN: mdh compile %s --target cuda --arch sm_80 --emit ptx | FileCheck %s
// RUN: mdh compile %s --target cuda --arch sm_90 --emit ptx | FileCheck %s
// RUN: mdh compile %s --target cuda --arch sm_70 --emit ptx | FileCheck %s --check-prefix=OLD
// RUN: mdh compile %s --target cuda --arch sm_75 --emit ptx | FileCheck %s --check-prefix=OLD
// RUN: mdh compile %s --target cuda --arch sm_80 --emit manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: mdh explain %s | FileCheck %s --check-prefix=EXPLAIN
// RUN: mdh explain %s --why | FileCheck %s --check-prefix=WHY

// CHECK: .shared .align 16 .b8 {{.*}}[144];
// CHECK: bar.sync
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8;
// CHECK: cp.async.commit_group;
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8;
// CHECK: cp.async.commit_group;
// CHECK-NEXT: cp.async.wait_group 1;
// CHECK-NEXT: bar.sync
// CHECK: ld.shared
// OLD-NOT: cp.async
// OLD: bar.sync
// OLD: ld.global.nc.b64
// OLD: st.shared.b64
// OLD: bar.sync
// OLD-NOT: cp.async
// MANIFEST: "shared_bytes": 144,
// EXPLAIN: part of input 1 D (2, 1) SM[1] pad 1 buffers 2 144
// EXPLAIN: a block has 8 threads and 144 bytes in SM
// WHY: 144 B of shared memory a block
func.func @copy(%x: memref<61xf64>, %y: memref<61xf64>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<61xf64>) -> !mdh.mda<61, f64>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda,
      parts = [["?"], [8], [1], [1], [1]],
      decompose = {tags = [["DM,x"], ["CC,x"], ["RM,x"], ["SMX,x"], ["SM,x"]],
                   reads = [[["DM[1]"], ["SM[1] pad 1 buffers 2"], ["SM[1] pad 1 buffers 2"], ["SM[1] pad 1 buffers 2"], ["SM[1] pad 1 buffers 2"]]]},
      scalar = {reads = ["SM[1] pad 1 buffers 2"]}}} {
  ^bb0(%a: f64):
    %s = arith.addf %a, %a : f64
    mdh.hom.yield %s : f64
  } : !mdh.mda<61, f64> -> !mdh.mda<61, f64>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<61, f64>, memref<61xf64>
  return
}
