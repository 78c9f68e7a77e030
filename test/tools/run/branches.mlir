// Vectorized branches: divergent, uniform, nested, and with operations that trap.
// RUN: bash -c 'for name in differs inside traps tuples; do mdh run %s --function $name --strict --check; done' 2>&1 | FileCheck %s
// RUN: bash -c 'for c in 0 1; do mdh run %s --function same --input $c --strict --check; done' 2>&1 | FileCheck %s --check-prefix=SAME
// CHECK-COUNT-4: agrees with the reference evaluator: maximum absolute error 0e0
// CHECK-NOT: error:
// SAME-COUNT-2: agrees with the reference evaluator: maximum absolute error 0e0

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i)>

func.func private @collatz(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %bit = arith.andi %x, %one : i32
  %is = arith.cmpi eq, %bit, %zero : i32
  %y = scf.if %is -> i32 {
    %half = arith.shrsi %x, %one : i32
    scf.yield %half : i32
  } else {
    %t = arith.muli %x, %three : i32
    %next = arith.addi %t, %one : i32
    scf.yield %next : i32
  }
  return %y : i32
}

func.func @differs() -> tensor<10007xi32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<10007>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i32
    %a = func.call @collatz(%x) : (i32) -> i32
    %b = func.call @collatz(%a) : (i32) -> i32
    mdh.hom.yield %b : i32
  } : !mdh.mda<10007> -> !mdh.mda<10007, i32>
  %y = mdh.view.out_view %r[#i] : !mdh.mda<10007, i32> -> tensor<10007xi32>
  return %y : tensor<10007xi32>
}

func.func @inside() -> tensor<1003xf32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<1003>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %c5 = arith.constant 5 : i32
    %x = arith.index_cast %i : index to i32
    %f = arith.sitofp %x : i32 to f32
    %small = arith.cmpi slt, %x, %c5 : i32
    %p, %q = scf.if %small -> (f32, i32) {
      %is = arith.cmpi eq, %x, %c5 : i32
      %s = scf.if %is -> f32 {
        scf.yield %f : f32
      } else {
        %j = mdh.hom.index 0 : index
        %d = arith.index_cast %j : index to i32
        %e = arith.uitofp %d : i32 to f32
        %n = arith.negf %e : f32
        scf.yield %n : f32
      }
      scf.yield %s, %c5 : f32, i32
    } else {
      %root = math.sqrt %f : f32
      scf.yield %root, %x : f32, i32
    }
    %w = arith.sitofp %q : i32 to f32
    %z = arith.addf %p, %w : f32
    mdh.hom.yield %z : f32
  } : !mdh.mda<1003> -> !mdh.mda<1003, f32>
  %y = mdh.view.out_view %r[#i] : !mdh.mda<1003, f32> -> tensor<1003xf32>
  return %y : tensor<1003xf32>
}

// The first element would divide by zero.
func.func @traps() -> tensor<1003xi32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<1003>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i32
    %zero = arith.constant 0 : i32
    %hundred = arith.constant 100000 : i32
    %is = arith.cmpi ne, %x, %zero : i32
    %p = scf.if %is -> i32 {
      %q = arith.divsi %hundred, %x : i32
      scf.yield %q : i32
    } else {
      scf.yield %zero : i32
    }
    mdh.hom.yield %p : i32
  } : !mdh.mda<1003> -> !mdh.mda<1003, i32>
  %y = mdh.view.out_view %r[#i] : !mdh.mda<1003, i32> -> tensor<1003xi32>
  return %y : tensor<1003xi32>
}

func.func @same(%c: i1) -> tensor<1003xi32> {
  %in = mdh.view.inp_view : () -> !mdh.mda<1003>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
    %i = mdh.hom.index 0 : index
    %x = arith.index_cast %i : index to i32
    %one = arith.constant 1 : i32
    %hundred = arith.constant 100000 : i32
    %p, %q = scf.if %c -> (i32, i32) {
      %next = arith.addi %x, %one : i32
      %d = arith.divsi %hundred, %next : i32
      scf.yield %d, %one : i32, i32
    } else {
      scf.yield %x, %hundred : i32, i32
    }
    %s = arith.addi %p, %q : i32
    mdh.hom.yield %s : i32
  } : !mdh.mda<1003> -> !mdh.mda<1003, i32>
  %y = mdh.view.out_view %r[#i] : !mdh.mda<1003, i32> -> tensor<1003xi32>
  return %y : tensor<1003xi32>
}

// The largest value and the least index that attains it.
mdh.hom.operator @best commutative (%a: i32, %i: i32, %b: i32, %j: i32) -> (i32, i32) {
  %larger = arith.cmpi sgt, %a, %b : i32
  %v, %k = scf.if %larger -> (i32, i32) {
    scf.yield %a, %i : i32, i32
  } else {
    %equal = arith.cmpi eq, %a, %b : i32
    %least = scf.if %equal -> i32 {
      %m = arith.minsi %i, %j : i32
      scf.yield %m : i32
    } else {
      scf.yield %j : i32
    }
    scf.yield %b, %least : i32, i32
  }
  mdh.hom.yield %v, %k : i32, i32
}

func.func @tuples() -> (tensor<37xi32>, tensor<37xi32>) {
  %in = mdh.view.inp_view : () -> !mdh.mda<37x77>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<@best>] {
    %i = mdh.hom.index 0 : index
    %j = mdh.hom.index 1 : index
    %c31 = arith.constant 31 : index
    %c17 = arith.constant 17 : index
    %s = arith.muli %j, %c31 : index
    %t = arith.addi %s, %i : index
    %u = arith.remui %t, %c17 : index
    %v = arith.index_cast %u : index to i32
    %k = arith.index_cast %j : index to i32
    mdh.hom.yield %v, %k : i32, i32
  } : !mdh.mda<37x77> -> !mdh.mda<37x1, i32, i32>
  %y, %z = mdh.view.out_view %r[#ij], [#ij] : !mdh.mda<37x1, i32, i32> -> tensor<37xi32>, tensor<37xi32>
  return %y, %z : tensor<37xi32>, tensor<37xi32>
}
