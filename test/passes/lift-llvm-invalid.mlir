// With required=true, a loop that cannot be lifted is an error.
// RUN: mdh-opt %s --mdh-lift-llvm=required=true --verify-diagnostics --split-input-file

llvm.func @puts(!llvm.ptr) -> i32
llvm.func @called(%n: i64, %A: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%zero : i64)
^header(%i: i64):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^body, ^after
^body:
  // expected-error @+1 {{cannot be lifted: requires no calls, but 'puts' is called}}
  %r = llvm.call @puts(%A) : (!llvm.ptr) -> i32
  %j = llvm.add %i, %one overflow<nsw> : i64
  llvm.br ^header(%j : i64)
^after:
  llvm.return
}

// -----

llvm.func @endless(%A: !llvm.ptr, %x: f64) {
  llvm.br ^header
^header:
  llvm.store %x, %A : f64, !llvm.ptr
  // expected-error @+1 {{cannot be lifted: requires a loop that ends}}
  llvm.br ^header
}
