// B = transposed A, as a program in C has it.
func.func @transpose(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %A[%i * symbol(%m) + %j] : memref<?xf64>
      affine.store %x, %B[%j * symbol(%n) + %i] : memref<?xf64>
    }
  }
  return
}
