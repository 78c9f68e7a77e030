// Results larger than the address space are an error, even if the product of their sizes wraps around in 64 bits.

// RUN: not mdh run %s --input 4294967296 --input 4294967296 2>&1 | FileCheck %s
// CHECK: error: an array of shape [4294967296, 4294967296] is larger than the address space
func.func @f(%n: index, %m: index) -> tensor<?x?xi64> {
  %in = mdh.view.inp_view extents(%n, %m) : () -> !mdh.mda<?x?>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<?x?> -> !mdh.mda<?x?, i64>
  %o = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x?, i64> -> tensor<?x?xi64>
  return %o : tensor<?x?xi64>
}
