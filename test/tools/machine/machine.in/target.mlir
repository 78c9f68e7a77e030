module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 49152 : ui32, "L2_cache_size_in_bytes" = 2097152 : ui32,
      "L3_cache_size_in_bytes" = 0 : ui32, "mdh.L1_line" = 128, "mdh.L1_shared_by" = 2, "mdh.L1_bandwidth" = 32.0,
      "mdh.L2_line" = 128, "mdh.L2_shared_by" = 4, "mdh.L2_bandwidth" = 16.0, "mdh.cores" = 8, "mdh.vector_bits" = 128,
      "mdh.vector_registers" = 32, "mdh.fma_units" = 4, "mdh.has_fma" = true, "mdh.has_masks" = false, "mdh.reorder_buffer" = 128,
      "mdh.gigahertz" = 3.25, "mdh.memory_bandwidth" = 100.0, "mdh.prefetch_streams" = 8>,
    "GPU" = #dlti.target_device_spec<"max_vector_op_width" = 64 : ui32>>} {
  func.func @negate(%x: tensor<8xf32>) -> tensor<8xf32> {
    %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
    %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    ^bb0(%a: f32):
      %n = arith.negf %a : f32
      mdh.hom.yield %n : f32
    } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
    %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
