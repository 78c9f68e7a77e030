// Probabilistic record linkage: for every record of N, the best matching record of E, the weight of the match and its
// class (MDH, Figure 16: PRL). Records have an id and 14 attributes. The weight of a match is the sum over the attributes
// of log2(m / u) where they agree and log2((1 - m) / (1 - u)) otherwise; m and u are the probabilities that an attribute
// agrees in two records of one person and of two persons. Weights are rounded to 1/64, so that their sums are exact.
// Classes: 0 no link (weight below 15), 1 possible link, 2 link (from 45 on).
//
//   python3 examples/generate.py prl
//   mdh run examples/prl.mlir --function prl \
//       --input data/prl/N_id.npy \
//       --input data/prl/N.npy \
//       --input data/prl/E_id.npy \
//       --input data/prl/E.npy \
//       --output data/prl/M_a.npy --output data/prl/M_b.npy --output data/prl/M_w.npy --output data/prl/M_class.npy --check
//   mdh-opt --lower-mdh examples/prl.mlir

#N_id = affine_map<(i, j) -> (i)>
#N0 = affine_map<(i, j) -> (i, 0)>
#N1 = affine_map<(i, j) -> (i, 1)>
#N2 = affine_map<(i, j) -> (i, 2)>
#N3 = affine_map<(i, j) -> (i, 3)>
#N4 = affine_map<(i, j) -> (i, 4)>
#N5 = affine_map<(i, j) -> (i, 5)>
#N6 = affine_map<(i, j) -> (i, 6)>
#N7 = affine_map<(i, j) -> (i, 7)>
#N8 = affine_map<(i, j) -> (i, 8)>
#N9 = affine_map<(i, j) -> (i, 9)>
#N10 = affine_map<(i, j) -> (i, 10)>
#N11 = affine_map<(i, j) -> (i, 11)>
#N12 = affine_map<(i, j) -> (i, 12)>
#N13 = affine_map<(i, j) -> (i, 13)>
#E_id = affine_map<(i, j) -> (j)>
#E0 = affine_map<(i, j) -> (j, 0)>
#E1 = affine_map<(i, j) -> (j, 1)>
#E2 = affine_map<(i, j) -> (j, 2)>
#E3 = affine_map<(i, j) -> (j, 3)>
#E4 = affine_map<(i, j) -> (j, 4)>
#E5 = affine_map<(i, j) -> (j, 5)>
#E6 = affine_map<(i, j) -> (j, 6)>
#E7 = affine_map<(i, j) -> (j, 7)>
#E8 = affine_map<(i, j) -> (j, 8)>
#E9 = affine_map<(i, j) -> (j, 9)>
#E10 = affine_map<(i, j) -> (j, 10)>
#E11 = affine_map<(i, j) -> (j, 11)>
#E12 = affine_map<(i, j) -> (j, 12)>
#E13 = affine_map<(i, j) -> (j, 13)>
#out = affine_map<(i, j) -> (i)>

func.func private @weight(%n0: i32, %n1: i32, %n2: i32, %n3: i32, %n4: i32, %n5: i32, %n6: i32,
    %n7: i32, %n8: i32, %n9: i32, %n10: i32, %n11: i32, %n12: i32, %n13: i32,
    %e0: i32, %e1: i32, %e2: i32, %e3: i32, %e4: i32, %e5: i32, %e6: i32,
    %e7: i32, %e8: i32, %e9: i32, %e10: i32, %e11: i32, %e12: i32, %e13: i32) -> f32 {
  // last name: m = 0.975, u = 1/1024
  %agree0 = arith.constant 9.96875 : f32
  %differ0 = arith.constant -5.328125 : f32
  %same0 = arith.cmpi eq, %n0, %e0 : i32
  %weight0 = arith.select %same0, %agree0, %differ0 : f32
  // first name: m = 0.975, u = 1/512
  %agree1 = arith.constant 8.96875 : f32
  %differ1 = arith.constant -5.3125 : f32
  %same1 = arith.cmpi eq, %n1, %e1 : i32
  %weight1 = arith.select %same1, %agree1, %differ1 : f32
  %sum1 = arith.addf %weight0, %weight1 : f32
  // birth name: m = 0.975, u = 1/1024
  %agree2 = arith.constant 9.96875 : f32
  %differ2 = arith.constant -5.328125 : f32
  %same2 = arith.cmpi eq, %n2, %e2 : i32
  %weight2 = arith.select %same2, %agree2, %differ2 : f32
  %sum2 = arith.addf %sum1, %weight2 : f32
  // former last name: m = 0.975, u = 1/512
  %agree3 = arith.constant 8.96875 : f32
  %differ3 = arith.constant -5.3125 : f32
  %same3 = arith.cmpi eq, %n3, %e3 : i32
  %weight3 = arith.select %same3, %agree3, %differ3 : f32
  %sum3 = arith.addf %sum2, %weight3 : f32
  // former first name: m = 0.975, u = 1/256
  %agree4 = arith.constant 7.96875 : f32
  %differ4 = arith.constant -5.3125 : f32
  %same4 = arith.cmpi eq, %n4, %e4 : i32
  %weight4 = arith.select %same4, %agree4, %differ4 : f32
  %sum4 = arith.addf %sum3, %weight4 : f32
  // title: m = 0.95, u = 1/16
  %agree5 = arith.constant 3.921875 : f32
  %differ5 = arith.constant -4.234375 : f32
  %same5 = arith.cmpi eq, %n5, %e5 : i32
  %weight5 = arith.select %same5, %agree5, %differ5 : f32
  %sum5 = arith.addf %sum4, %weight5 : f32
  // sex: m = 0.99, u = 1/2
  %agree6 = arith.constant 0.984375 : f32
  %differ6 = arith.constant -5.640625 : f32
  %same6 = arith.cmpi eq, %n6, %e6 : i32
  %weight6 = arith.select %same6, %agree6, %differ6 : f32
  %sum6 = arith.addf %sum5, %weight6 : f32
  // birth day: m = 0.98, u = 1/32
  %agree7 = arith.constant 4.96875 : f32
  %differ7 = arith.constant -5.59375 : f32
  %same7 = arith.cmpi eq, %n7, %e7 : i32
  %weight7 = arith.select %same7, %agree7, %differ7 : f32
  %sum7 = arith.addf %sum6, %weight7 : f32
  // birth month: m = 0.98, u = 1/12
  %agree8 = arith.constant 3.5625 : f32
  %differ8 = arith.constant -5.515625 : f32
  %same8 = arith.cmpi eq, %n8, %e8 : i32
  %weight8 = arith.select %same8, %agree8, %differ8 : f32
  %sum8 = arith.addf %sum7, %weight8 : f32
  // birth year: m = 0.98, u = 1/64
  %agree9 = arith.constant 5.96875 : f32
  %differ9 = arith.constant -5.625 : f32
  %same9 = arith.cmpi eq, %n9, %e9 : i32
  %weight9 = arith.select %same9, %agree9, %differ9 : f32
  %sum9 = arith.addf %sum8, %weight9 : f32
  // birth place: m = 0.95, u = 1/128
  %agree10 = arith.constant 6.921875 : f32
  %differ10 = arith.constant -4.3125 : f32
  %same10 = arith.cmpi eq, %n10, %e10 : i32
  %weight10 = arith.select %same10, %agree10, %differ10 : f32
  %sum10 = arith.addf %sum9, %weight10 : f32
  // street: m = 0.9, u = 1/256
  %agree11 = arith.constant 7.84375 : f32
  %differ11 = arith.constant -3.3125 : f32
  %same11 = arith.cmpi eq, %n11, %e11 : i32
  %weight11 = arith.select %same11, %agree11, %differ11 : f32
  %sum11 = arith.addf %sum10, %weight11 : f32
  // postal code: m = 0.92, u = 1/128
  %agree12 = arith.constant 6.875 : f32
  %differ12 = arith.constant -3.625 : f32
  %same12 = arith.cmpi eq, %n12, %e12 : i32
  %weight12 = arith.select %same12, %agree12, %differ12 : f32
  %sum12 = arith.addf %sum11, %weight12 : f32
  // town: m = 0.93, u = 1/64
  %agree13 = arith.constant 5.890625 : f32
  %differ13 = arith.constant -3.8125 : f32
  %same13 = arith.cmpi eq, %n13, %e13 : i32
  %weight13 = arith.select %same13, %agree13, %differ13 : f32
  %sum13 = arith.addf %sum12, %weight13 : f32
  return %sum13 : f32
}

func.func private @class(%weight: f32) -> i32 {
  %possible_link_from = arith.constant 15.0 : f32
  %link_from = arith.constant 45.0 : f32
  %possible = arith.cmpf oge, %weight, %possible_link_from : f32
  %certain = arith.cmpf oge, %weight, %link_from : f32
  %possible_count = arith.extui %possible : i1 to i32
  %certain_count = arith.extui %certain : i1 to i32
  %class = arith.addi %possible_count, %certain_count : i32
  return %class : i32
}

// Returns the match (a, b, w, class) with the larger weight. Of two equal weights, the paper keeps the left one, which in the order of j has
// the smaller id b. This makes the operator commutative.
mdh.hom.operator @max_prl commutative (%a: i64, %b: i64, %w: f32, %class: i32, %a2: i64, %b2: i64, %w2: f32, %class2: i32)
    -> (i64, i64, f32, i32) {
  %larger = arith.cmpf ogt, %w, %w2 : f32
  %equal = arith.cmpf oeq, %w, %w2 : f32
  %earlier = arith.cmpi sle, %b, %b2 : i64
  %equal_and_earlier = arith.andi %equal, %earlier : i1
  %left = arith.ori %larger, %equal_and_earlier : i1
  %r0 = arith.select %left, %a, %a2 : i64
  %r1 = arith.select %left, %b, %b2 : i64
  %r2 = arith.select %left, %w, %w2 : f32
  %r3 = arith.select %left, %class, %class2 : i32
  mdh.hom.yield %r0, %r1, %r2, %r3 : i64, i64, f32, i32
}

// The extents follow from the buffers.
func.func @prl(%N_id: tensor<?xi64>, %N: tensor<?x14xi32>, %E_id: tensor<?xi64>, %E: tensor<?x14xi32>)
    -> (tensor<?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi32>) {
  %in = mdh.view.inp_view %N_id[#N_id],
      %N[#N0, #N1, #N2, #N3, #N4, #N5, #N6, #N7, #N8, #N9, #N10, #N11, #N12, #N13],
      %E_id[#E_id],
      %E[#E0, #E1, #E2, #E3, #E4, #E5, #E6, #E7, #E8, #E9, #E10, #E11, #E12, #E13]
      : (tensor<?xi64>, tensor<?x14xi32>, tensor<?xi64>, tensor<?x14xi32>)
      -> !mdh.mda<?x?, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<@max_prl>] {
  ^bb0(%a: i64, %n0: i32, %n1: i32, %n2: i32, %n3: i32, %n4: i32, %n5: i32, %n6: i32,
    %n7: i32, %n8: i32, %n9: i32, %n10: i32, %n11: i32, %n12: i32, %n13: i32,
    %b: i64, %e0: i32, %e1: i32, %e2: i32, %e3: i32, %e4: i32, %e5: i32, %e6: i32,
    %e7: i32, %e8: i32, %e9: i32, %e10: i32, %e11: i32, %e12: i32, %e13: i32):
    %w = func.call @weight(%n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8, %n9, %n10, %n11, %n12, %n13,
        %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13)
        : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32,
        i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> f32
    %class = func.call @class(%w) : (f32) -> i32
    mdh.hom.yield %a, %b, %w, %class : i64, i64, f32, i32
  } : !mdh.mda<?x?, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
    -> !mdh.mda<?x1, i64, i64, f32, i32>
  %M_a, %M_b, %M_w, %M_class = mdh.view.out_view %res[#out], [#out], [#out], [#out]
      : !mdh.mda<?x1, i64, i64, f32, i32> -> tensor<?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi32>
  return %M_a, %M_b, %M_w, %M_class : tensor<?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xi32>
}

func.func @prl_small(%N_id: tensor<11xi64>, %N: tensor<11x14xi32>, %E_id: tensor<17xi64>, %E: tensor<17x14xi32>)
    -> (tensor<11xi64>, tensor<11xi64>, tensor<11xf32>, tensor<11xi32>) {
  %in = mdh.view.inp_view %N_id[#N_id],
      %N[#N0, #N1, #N2, #N3, #N4, #N5, #N6, #N7, #N8, #N9, #N10, #N11, #N12, #N13],
      %E_id[#E_id],
      %E[#E0, #E1, #E2, #E3, #E4, #E5, #E6, #E7, #E8, #E9, #E10, #E11, #E12, #E13]
      : (tensor<11xi64>, tensor<11x14xi32>, tensor<17xi64>, tensor<17x14xi32>)
      -> !mdh.mda<11x17, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<@max_prl>] {
  ^bb0(%a: i64, %n0: i32, %n1: i32, %n2: i32, %n3: i32, %n4: i32, %n5: i32, %n6: i32,
    %n7: i32, %n8: i32, %n9: i32, %n10: i32, %n11: i32, %n12: i32, %n13: i32,
    %b: i64, %e0: i32, %e1: i32, %e2: i32, %e3: i32, %e4: i32, %e5: i32, %e6: i32,
    %e7: i32, %e8: i32, %e9: i32, %e10: i32, %e11: i32, %e12: i32, %e13: i32):
    %w = func.call @weight(%n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8, %n9, %n10, %n11, %n12, %n13,
        %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13)
        : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32,
        i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> f32
    %class = func.call @class(%w) : (f32) -> i32
    mdh.hom.yield %a, %b, %w, %class : i64, i64, f32, i32
  } : !mdh.mda<11x17, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
    -> !mdh.mda<11x1, i64, i64, f32, i32>
  %M_a, %M_b, %M_w, %M_class = mdh.view.out_view %res[#out], [#out], [#out], [#out]
      : !mdh.mda<11x1, i64, i64, f32, i32> -> tensor<11xi64>, tensor<11xi64>, tensor<11xf32>, tensor<11xi32>
  return %M_a, %M_b, %M_w, %M_class : tensor<11xi64>, tensor<11xi64>, tensor<11xf32>, tensor<11xi32>
}

// The smallest size of the experiments; @prl takes the others, up to 2^20 records.
func.func @prl_32768(%N_id: tensor<32768xi64>, %N: tensor<32768x14xi32>, %E_id: tensor<32768xi64>, %E: tensor<32768x14xi32>)
    -> (tensor<32768xi64>, tensor<32768xi64>, tensor<32768xf32>, tensor<32768xi32>) {
  %in = mdh.view.inp_view %N_id[#N_id],
      %N[#N0, #N1, #N2, #N3, #N4, #N5, #N6, #N7, #N8, #N9, #N10, #N11, #N12, #N13],
      %E_id[#E_id],
      %E[#E0, #E1, #E2, #E3, #E4, #E5, #E6, #E7, #E8, #E9, #E10, #E11, #E12, #E13]
      : (tensor<32768xi64>, tensor<32768x14xi32>, tensor<32768xi64>, tensor<32768x14xi32>)
      -> !mdh.mda<32768x32768, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
  %res = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<@max_prl>] {
  ^bb0(%a: i64, %n0: i32, %n1: i32, %n2: i32, %n3: i32, %n4: i32, %n5: i32, %n6: i32,
    %n7: i32, %n8: i32, %n9: i32, %n10: i32, %n11: i32, %n12: i32, %n13: i32,
    %b: i64, %e0: i32, %e1: i32, %e2: i32, %e3: i32, %e4: i32, %e5: i32, %e6: i32,
    %e7: i32, %e8: i32, %e9: i32, %e10: i32, %e11: i32, %e12: i32, %e13: i32):
    %w = func.call @weight(%n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8, %n9, %n10, %n11, %n12, %n13,
        %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13)
        : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32,
        i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> f32
    %class = func.call @class(%w) : (f32) -> i32
    mdh.hom.yield %a, %b, %w, %class : i64, i64, f32, i32
  } : !mdh.mda<32768x32768, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
    -> !mdh.mda<32768x1, i64, i64, f32, i32>
  %M_a, %M_b, %M_w, %M_class = mdh.view.out_view %res[#out], [#out], [#out], [#out]
      : !mdh.mda<32768x1, i64, i64, f32, i32> -> tensor<32768xi64>, tensor<32768xi64>, tensor<32768xf32>, tensor<32768xi32>
  return %M_a, %M_b, %M_w, %M_class : tensor<32768xi64>, tensor<32768xi64>, tensor<32768xf32>, tensor<32768xi32>
}
