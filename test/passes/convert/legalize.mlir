// RUN: mdh-opt %s --mdh-legalize | FileCheck %s
// RUN: mdh-opt %s --lower-mdh | FileCheck %s --check-prefix=LLVM --implicit-check-not=unrealized

// CHECK-LABEL: func.func @classes
// CHECK-NOT: math.is
// LLVM-LABEL: llvm.func @classes
func.func @classes(%x: f32, %v: vector<4xf64>) -> (i1, vector<4xi1>) {
  %infinite = math.isinf %x : f32
  %normal = math.isnormal %v : vector<4xf64>
  return %infinite, %normal : i1, vector<4xi1>
}

// CHECK-LABEL: func.func @bf16
// CHECK: math.fma {{.*}} : f32
// CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// LLVM-LABEL: llvm.func @bf16
func.func @bf16(%x: bf16, %y: f64) -> (bf16, bf16) {
  %fma = math.fma %x, %x, %x : bf16
  %small = arith.truncf %y : f64 to bf16
  return %fma, %small : bf16, bf16
}

// An integer that f32 cannot represent is rounded to odd, to a multiple of 2^8, 2^10, 2^25 or 2^40, if it is large enough.
// CHECK-LABEL: func.func @integers
// CHECK: %[[MAGNITUDE:.*]] = math.absi %arg0 : i32
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 131072 : i32
// CHECK-DAG: %[[MASK:.*]] = arith.constant 255 : i32
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %[[MAGNITUDE]], %[[LEAST]] : i32
// CHECK: %[[BELOW:.*]] = arith.select %[[LARGE]], %[[MASK]], %{{.*}} : i32
// CHECK: %[[REST:.*]] = arith.andi %arg0, %[[BELOW]] : i32
// CHECK: %[[CARRY:.*]] = arith.addi %[[REST]], %[[BELOW]] : i32
// CHECK: %[[OR:.*]] = arith.ori %[[CARRY]], %arg0 : i32
// CHECK: %[[ABOVE:.*]] = arith.xori %[[BELOW]], %{{.*}} : i32
// CHECK: %[[ODD:.*]] = arith.andi %[[OR]], %[[ABOVE]] : i32
// CHECK: %[[SINGLE:.*]] = arith.sitofp %[[ODD]] : i32 to f32
// CHECK: arith.truncf %[[SINGLE]] : f32 to bf16
// CHECK-NOT: math.absi
// CHECK: arith.constant dense<524288> : vector<4xi64>
// CHECK: arith.constant dense<1023> : vector<4xi64>
// CHECK: arith.constant dense<17179869184> : vector<4xi64>
// CHECK: arith.constant dense<33554431> : vector<4xi64>
// CHECK: arith.constant dense<562949953421312> : vector<4xi64>
// CHECK: arith.constant dense<1099511627775> : vector<4xi64>
// CHECK: arith.uitofp %{{.*}} : vector<4xi64> to vector<4xf32>
// CHECK: arith.sitofp %{{.*}} : i16 to bf16
// CHECK: arith.sitofp %{{.*}} : i64 to f16
// LLVM-LABEL: llvm.func @integers
func.func @integers(%x: i32, %v: vector<4xi64>, %small: i16, %y: i64) -> (bf16, vector<4xbf16>, bf16, f16) {
  %0 = arith.sitofp %x : i32 to bf16
  %1 = arith.uitofp %v : vector<4xi64> to vector<4xbf16>
  %2 = arith.sitofp %small : i16 to bf16
  %3 = arith.sitofp %y : i64 to f16
  return %0, %1, %2, %3 : bf16, vector<4xbf16>, bf16, f16
}

// CHECK-LABEL: func.func @power
// CHECK: math.ipowi {{.*}} : i64
// LLVM-LABEL: llvm.func @power
func.func @power(%x: index, %y: index) -> index {
  %z = math.ipowi %x, %y : index
  return %z : index
}

// alloca scopes that upstream leaves around parallel loops: a call may allocate, so a scope around one is kept.
// CHECK-LABEL: func.func @scopes
// CHECK-NOT: memref.alloca_scope
// CHECK: llvm.intr.stacksave
// CHECK: memref.alloca()
// CHECK: scf.if
// CHECK: llvm.intr.stackrestore
// CHECK: scf.if
// LLVM-LABEL: llvm.func @scopes
func.func private @one() -> f32
func.func @scopes(%to: memref<f32>, %c: i1) {
  memref.alloca_scope {
    %temporary = memref.alloca() : memref<f32>
    scf.if %c {
      %x = func.call @one() : () -> f32
      memref.store %x, %temporary[] : memref<f32>
    }
    memref.copy %temporary, %to : memref<f32> to memref<f32>
  }
  %y = memref.alloca_scope -> (f32) {
    %x = scf.if %c -> f32 {
      %x = func.call @one() : () -> f32
      scf.yield %x : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    memref.alloca_scope.return %x : f32
  }
  memref.store %y, %to[] : memref<f32>
  return
}

// A float becomes the nearest integer of the type, and a NaN 0; what is known to be in range is converted as it is.
// CHECK-LABEL: func.func @to_integers
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: vector<4xf16>
// LLVM-LABEL: llvm.func @to_integers
func.func @to_integers(%x: f32, %y: vector<4xf16>, %n: i16) -> (i8, i64, vector<4xi16>, i1, i32) {
  // CHECK: %[[IS:.*]] = arith.cmpf ord, %[[X]], %[[X]] : f32
  // CHECK: %[[NUMBER:.*]] = arith.select %[[IS]], %[[X]], %{{.*}} : f32
  // CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[NUMBER]], %{{.*}} : f32
  // CHECK: %[[RAISED:.*]] = arith.select %[[MORE]], %[[NUMBER]], %{{.*}} : f32
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[RAISED]], %{{.*}} : f32
  // CHECK: %[[CLAMPED:.*]] = arith.select %[[LESS]], %[[RAISED]], %{{.*}} : f32
  // CHECK: arith.fptosi %[[CLAMPED]] : f32 to i8
  %0 = arith.fptosi %x : f32 to i8
  // No f32 is the largest i64.
  // CHECK: arith.fptosi %{{.*}} : f32 to i64
  // CHECK: arith.cmpf oge, %[[X]], %{{.*}} : f32
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
  %1 = arith.fptosi %x : f32 to i64
  // CHECK: arith.extf %[[Y]] : vector<4xf16> to vector<4xf32>
  // CHECK: arith.fptoui %{{.*}} : vector<4xf32> to vector<4xi16>
  %2 = arith.fptoui %y : vector<4xf16> to vector<4xi16>
  // CHECK: arith.cmpf ole, %[[X]], %{{.*}} : f32
  %3 = arith.fptosi %x : f32 to i1
  // CHECK: %[[F:.*]] = arith.sitofp
  // CHECK: arith.fptosi %[[F]] : f32 to i32
  %f = arith.sitofp %n : i16 to f32
  %4 = arith.fptosi %f : f32 to i32
  return %0, %1, %2, %3, %4 : i8, i64, vector<4xi16>, i1, i32
}

// CHECK-LABEL: func.func @of_booleans
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf64>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f16
// LLVM-LABEL: llvm.func @of_booleans
func.func @of_booleans(%x: vector<4xi1>, %y: i1) -> (vector<4xf64>, f16) {
  %0 = arith.sitofp %x : vector<4xi1> to vector<4xf64>
  %1 = arith.uitofp %y : i1 to f16
  return %0, %1 : vector<4xf64>, f16
}
