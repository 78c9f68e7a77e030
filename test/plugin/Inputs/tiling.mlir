// Transformations of the tests of tiling, which find operations by their attributes.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @loops(%module: !transform.any_op {transform.readonly}) {
    %rows = transform.structured.match ops{["mdh.view.out_view"]} attributes{rows} in %module : (!transform.any_op) -> !transform.any_op
    %0, %1 = transform.structured.tile_using_for %rows tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %blocks = transform.structured.match ops{["mdh.view.out_view"]} attributes{blocks} in %module : (!transform.any_op) -> !transform.any_op
    %2, %3:2 = transform.structured.tile_using_for %blocks tile_sizes [8, 5] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  transform.named_sequence @forall(%module: !transform.any_op {transform.readonly}) {
    %rows = transform.structured.match ops{["mdh.view.out_view"]} attributes{rows} in %module : (!transform.any_op) -> !transform.any_op
    %0, %1 = transform.structured.tile_using_forall %rows num_threads [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %blocks = transform.structured.match ops{["mdh.view.out_view"]} attributes{blocks} in %module : (!transform.any_op) -> !transform.any_op
    %2, %3 = transform.structured.tile_using_forall %blocks tile_sizes [8, 5] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  transform.named_sequence @fuse(%module: !transform.any_op {transform.readonly}) {
    %last = transform.structured.match attributes{last} in %module : (!transform.any_op) -> !transform.any_op
    %0, %1 = transform.structured.fuse %last tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  transform.named_sequence @fuse_into_forall(%module: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %functions : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      %last = transform.structured.match attributes{last} in %function : (!transform.any_op) -> !transform.any_op
      %0, %loop = transform.structured.tile_using_forall %last tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %first = transform.structured.match attributes{first} in %function : (!transform.any_op) -> !transform.any_op
      %1, %2 = transform.structured.fuse_into_containing_op %first into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }

  transform.named_sequence @every(%module: !transform.any_op {transform.readonly}) {
    %views = transform.structured.match ops{["mdh.view.out_view"]} in %module : (!transform.any_op) -> !transform.any_op
    %0, %1 = transform.structured.tile_using_forall %views tile_sizes [8, 5] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
