// A kernel with shared memory, private memory, a barrier, a shuffle, and a buffer of dynamic size.
func.func @scale(%x: memref<1024xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %blocks = arith.constant 8 : index
  %threads = arith.constant 128 : index
  %n = memref.dim %y, %zero : memref<?xf32>
  %a = gpu.alloc () {mdh.buffer = "input 1"} : memref<1024xf32>
  %b = gpu.alloc (%n) {mdh.buffer = "output 1"} : memref<?xf32>
  gpu.memcpy %a, %x : memref<1024xf32>, memref<1024xf32>
  scf.for %i = %zero to %n step %blocks {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one)
               workgroup(%shared : memref<128xf32, #gpu.address_space<workgroup>>) {
      %private = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
      %start = arith.muli %bx, %threads : index
      %position = arith.addi %start, %tx : index
      %value = memref.load %a[%position] : memref<1024xf32>
      memref.store %value, %shared[%tx] : memref<128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %three = arith.constant 3 : index
      %part = arith.remui %position, %three : index
      memref.store %value, %private[%part] : memref<4xf32, #gpu.address_space<private>>
      %old = memref.load %private[%i] : memref<4xf32, #gpu.address_space<private>>
      %first = memref.load %shared[%zero] : memref<128xf32, #gpu.address_space<workgroup>>
      %offset = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %other, %valid = gpu.shuffle xor %first, %offset, %width : f32
      %product = arith.mulf %old, %other fastmath<contract> : f32
      %sum = arith.addf %product, %value fastmath<contract> : f32
      %root = math.sqrt %sum : f32
      memref.store %root, %b[%position] : memref<?xf32>
      gpu.terminator
    }
  }
  gpu.memcpy %y, %b : memref<?xf32>, memref<?xf32>
  gpu.dealloc %a : memref<1024xf32>
  gpu.dealloc %b : memref<?xf32>
  return
}
