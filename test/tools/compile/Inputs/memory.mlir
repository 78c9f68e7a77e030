// Kernels whose blocks share more than 48 KiB or a size that depends on extents, and whose threads have more than 32 KiB or a size that
// depends on extents. Each sums v[k] * (i + 1) over k.

// The vector in shared memory, and the values that threads exchange.
func.func @shared(%rows: index) -> tensor<?xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<8191>
  %made = mdh.hom.md_hom %none combine [#mdh.cc] {
    %k = mdh.hom.index 0 : index
    %x = arith.index_cast %k : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<8191> -> !mdh.mda<8191, i64>
  %v = mdh.view.out_view %made[affine_map<(k) -> (k)>] : !mdh.mda<8191, i64> -> tensor<8191xi64>
  %in = mdh.view.inp_view %v[affine_map<(i, k) -> (k)>] extents(%rows) : (tensor<8191xi64>) -> !mdh.mda<?x8191, i64>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [["?", 1], [1, 1], [1, 1], [1, 256], [8, 32]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["DM,x", "DM,y"], ["RM,x", "RM,y"], ["SM,x", "SM,y"], ["CC,y", "CC,x"]],
                   reads = [[["DM[1]", "DM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]},
      scalar = {reads = ["SM[1]"], writes = ["DM[1]"]}}} {
  ^bb0(%x: i64):
    %i = mdh.hom.index 0 : index
    %row = arith.index_cast %i : index to i64
    %one = arith.constant 1 : i64
    %factor = arith.addi %row, %one : i64
    %p = arith.muli %x, %factor : i64
    mdh.hom.yield %p : i64
  } : !mdh.mda<?x8191, i64> -> !mdh.mda<?x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, i64> -> tensor<?xi64>
  return %w : tensor<?xi64>
}

// The same for a vector of dynamic size.
func.func @shared_dynamic(%rows: index, %columns: index) -> tensor<?xi64> {
  %none = mdh.view.inp_view extents(%columns) : () -> !mdh.mda<?>
  %made = mdh.hom.md_hom %none combine [#mdh.cc] {
    %k = mdh.hom.index 0 : index
    %x = arith.index_cast %k : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<?> -> !mdh.mda<?, i64>
  %v = mdh.view.out_view %made[affine_map<(k) -> (k)>] : !mdh.mda<?, i64> -> tensor<?xi64>
  %in = mdh.view.inp_view %v[affine_map<(i, k) -> (k)>] extents(%rows) : (tensor<?xi64>) -> !mdh.mda<?x?, i64>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [["?", 1], [1, 1], [1, 1], [1, "?"], [8, 32]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["DM,x", "DM,y"], ["RM,x", "RM,y"], ["SM,x", "SM,y"], ["CC,y", "CC,x"]],
                   reads = [[["DM[1]", "DM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"], ["SM[1]", "SM[1]"]]]},
      scalar = {reads = ["SM[1]"], writes = ["DM[1]"]}}} {
  ^bb0(%x: i64):
    %i = mdh.hom.index 0 : index
    %row = arith.index_cast %i : index to i64
    %one = arith.constant 1 : i64
    %factor = arith.addi %row, %one : i64
    %p = arith.muli %x, %factor : i64
    mdh.hom.yield %p : i64
  } : !mdh.mda<?x?, i64> -> !mdh.mda<?x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, i64> -> tensor<?xi64>
  return %w : tensor<?xi64>
}

// The vector in private memory of each thread.
func.func @own(%rows: index) -> tensor<?xi64> {
  %none = mdh.view.inp_view : () -> !mdh.mda<8191>
  %made = mdh.hom.md_hom %none combine [#mdh.cc] {
    %k = mdh.hom.index 0 : index
    %x = arith.index_cast %k : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<8191> -> !mdh.mda<8191, i64>
  %v = mdh.view.out_view %made[affine_map<(k) -> (k)>] : !mdh.mda<8191, i64> -> tensor<8191xi64>
  %in = mdh.view.inp_view %v[affine_map<(i, k) -> (k)>] extents(%rows) : (tensor<8191xi64>) -> !mdh.mda<?x8191, i64>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [["?", 1], [8, 1], [1, 8191], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]],
                   reads = [[["DM[1]", "DM[1]"], ["DM[1]", "DM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"]]]},
      scalar = {reads = ["RM[1]"], writes = ["DM[1]"]}}} {
  ^bb0(%x: i64):
    %i = mdh.hom.index 0 : index
    %row = arith.index_cast %i : index to i64
    %one = arith.constant 1 : i64
    %factor = arith.addi %row, %one : i64
    %p = arith.muli %x, %factor : i64
    mdh.hom.yield %p : i64
  } : !mdh.mda<?x8191, i64> -> !mdh.mda<?x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, i64> -> tensor<?xi64>
  return %w : tensor<?xi64>
}

// The same for a vector of dynamic size.
func.func @own_dynamic(%rows: index, %columns: index) -> tensor<?xi64> {
  %none = mdh.view.inp_view extents(%columns) : () -> !mdh.mda<?>
  %made = mdh.hom.md_hom %none combine [#mdh.cc] {
    %k = mdh.hom.index 0 : index
    %x = arith.index_cast %k : index to i64
    mdh.hom.yield %x : i64
  } : !mdh.mda<?> -> !mdh.mda<?, i64>
  %v = mdh.view.out_view %made[affine_map<(k) -> (k)>] : !mdh.mda<?, i64> -> tensor<?xi64>
  %in = mdh.view.inp_view %v[affine_map<(i, k) -> (k)>] extents(%rows) : (tensor<?xi64>) -> !mdh.mda<?x?, i64>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda,
      parts = [["?", 1], [8, 1], [1, "?"], [1, 1], [1, 1]],
      decompose = {tags = [["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]],
                   reads = [[["DM[1]", "DM[1]"], ["DM[1]", "DM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"], ["RM[1]", "RM[1]"]]]},
      scalar = {reads = ["RM[1]"], writes = ["DM[1]"]}}} {
  ^bb0(%x: i64):
    %i = mdh.hom.index 0 : index
    %row = arith.index_cast %i : index to i64
    %one = arith.constant 1 : i64
    %factor = arith.addi %row, %one : i64
    %p = arith.muli %x, %factor : i64
    mdh.hom.yield %p : i64
  } : !mdh.mda<?x?, i64> -> !mdh.mda<?x1, i64>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<?x1, i64> -> tensor<?xi64>
  return %w : tensor<?xi64>
}
