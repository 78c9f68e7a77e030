// RUN: mdh-opt %s --lower-mdh="system=openmp stop-after=loops" | FileCheck %s

// Only small buffers are on the stack, by their size in bytes.
// CHECK-LABEL: func.func @small
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<64xf32>
func.func @small(%x: memref<64xf32>, %o: memref<64xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<64xf32>) -> !mdh.mda<64, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @artificial, parts = [[64], [1], [1]],
      decompose = {tags = [["HM,x"], ["COR,x"], ["L1,x"]], reads = [[["L1[1]"], ["L1[1]"], ["L1[1]"]]]},
      scalar = {reads = ["L1[1]"]}}} {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<64, f32> -> !mdh.mda<64, f32>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %o : !mdh.mda<64, f32>, memref<64xf32>
  return
}

// CHECK-LABEL: func.func @wide
// CHECK-NOT: memref.alloca
// CHECK: memref.alloc() {{.*}} : memref<32xi65536>
func.func @wide(%x: memref<32xi65536>, %o: memref<32xi65536>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<32xi65536>) -> !mdh.mda<32, i65536>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @artificial, parts = [[32], [1], [1]],
      decompose = {tags = [["HM,x"], ["COR,x"], ["L1,x"]], reads = [[["L1[1]"], ["L1[1]"], ["L1[1]"]]]},
      scalar = {reads = ["L1[1]"]}}} {
  ^bb0(%a: i65536):
    mdh.hom.yield %a : i65536
  } : !mdh.mda<32, i65536> -> !mdh.mda<32, i65536>
  mdh.view.out_view %r[affine_map<(i) -> (i)>] into %o : !mdh.mda<32, i65536>, memref<32xi65536>
  return
}
