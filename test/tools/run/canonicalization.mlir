// Canonicalizations of MLIR that change results are not used, in functions, in regions and in computations: that of index
// casts through another type, and that of a loop whose condition forwards the result of a branch twice.
// RUN: bash -c 'for options in "" "--raise false" "--engine reference"; do mdh run %s --function casts --input 300 $options; mdh run %s --function loop --input -3 $options; done' 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: bash -c 'for name in of_elements of_points loop_of_elements; do for raise in true false; do mdh run %s --function $name --raise $raise --check; done; done' 2>&1 | FileCheck %s
// CHECK-COUNT-6: agrees with the reference evaluator: maximum absolute error 0e0
// CHECK-NOT: error:

// 300 modulo 256, and the largest i64 in 32 bits; -3, -1 and 1 take the branch, and 1 does not go on.
// SCALARS-COUNT-3: {{^}}44{{$}}
// SCALARS: {{^}}300{{$}}
// SCALARS: result 1: index
// SCALARS-NEXT: {{^}}20{{$}}
// SCALARS-NEXT: result 2: index
// SCALARS-NEXT: {{^}}20{{$}}
// SCALARS-NEXT: result 3: index
// SCALARS-NEXT: {{^}}1{{$}}
// SCALARS-COUNT-3: {{^}}44{{$}}
// SCALARS: {{^}}20{{$}}
// SCALARS: {{^}}20{{$}}
// SCALARS: {{^}}1{{$}}
// SCALARS-COUNT-3: {{^}}44{{$}}
// SCALARS: {{^}}20{{$}}
// SCALARS: {{^}}20{{$}}
// SCALARS: {{^}}1{{$}}
// SCALARS-NOT: error:

#id = affine_map<(i) -> (i)>

func.func @casts(%n: index) -> (index, index, index, index) {
  %a = arith.index_cast %n : index to i8
  %b = arith.index_cast %a : i8 to index
  %c = arith.index_castui %n : index to i8
  %d = arith.index_castui %c : i8 to index
  %e = arith.index_castui %n : index to i8
  %f = arith.index_cast %e : i8 to index
  %g = arith.index_cast %n : index to i16
  %h = arith.index_cast %g : i16 to index
  return %b, %d, %f, %h : index, index, index, index
}

func.func @loop(%start: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %r:3 = scf.while (%state = %start) : (index) -> (index, index, index) {
    %go = arith.cmpi slt, %state, %c1 : index
    %value = scf.if %go -> index {
      %next = arith.addi %state, %c2 : index
      scf.yield %next : index
    } else {
      scf.yield %c20 : index
    }
    scf.condition(%go) %value, %value, %state : index, index, index
  } do {
  ^bb0(%first: index, %second: index, %old: index):
    scf.yield %second : index
  }
  return %r#0, %r#1, %r#2 : index, index, index
}

func.func @of_elements() -> tensor<300xindex> {
  %e = tensor.empty() : tensor<300xindex>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<300xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %a = arith.index_cast %i : index to i8
    %b = arith.index_cast %a : i8 to index
    linalg.yield %b : index
  } -> tensor<300xindex>
  return %r : tensor<300xindex>
}

func.func @of_points() -> tensor<300xindex> {
  %in = mdh.view.inp_view : () -> !mdh.mda<300>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %a = arith.index_castui %i : index to i8
    %b = arith.index_castui %a : i8 to index
    mdh.hom.yield %b : index
  } : !mdh.mda<300> -> !mdh.mda<300, index>
  %z = mdh.view.out_view %h[#id] : !mdh.mda<300, index> -> tensor<300xindex>
  return %z : tensor<300xindex>
}

func.func @loop_of_elements() -> tensor<9xi64> {
  %e = tensor.empty() : tensor<9xi64>
  %out = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<9xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %start = arith.index_cast %i : index to i64
    %c5 = arith.constant 5 : i64
    %c2 = arith.constant 2 : i64
    %c20 = arith.constant 20 : i64
    %r:3 = scf.while (%state = %start) : (i64) -> (i64, i64, i64) {
      %go = arith.cmpi slt, %state, %c5 : i64
      %value = scf.if %go -> i64 {
        %next = arith.addi %state, %c2 : i64
        scf.yield %next : i64
      } else {
        scf.yield %c20 : i64
      }
      scf.condition(%go) %value, %value, %state : i64, i64, i64
    } do {
    ^bb0(%first: i64, %second: i64, %old: i64):
      scf.yield %second : i64
    }
    linalg.yield %r#2 : i64
  } -> tensor<9xi64>
  return %out : tensor<9xi64>
}
