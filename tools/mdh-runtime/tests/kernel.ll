; Kernels with the features of generated ones: global and local memory, a barrier, and scalar arguments of each width.
@tile = internal addrspace(3) global [64 x float] poison, align 4

declare spir_func i64 @_Z12get_group_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)
declare spir_func void @_Z7barrierj(i32)

; out[offset + i] = factor * in[i'] + add, where i' is i with the positions within its block reversed.
define spir_kernel void @reverse(ptr addrspace(1) %in, ptr addrspace(1) %out, float %factor, i64 %offset, i16 %add) {
  %block = call spir_func i64 @_Z12get_group_idj(i32 0)
  %thread = call spir_func i64 @_Z12get_local_idj(i32 0)
  %threads = call spir_func i64 @_Z14get_local_sizej(i32 0)
  %start = mul i64 %block, %threads
  %place = add i64 %start, %thread
  %source = getelementptr float, ptr addrspace(1) %in, i64 %place
  %value = load float, ptr addrspace(1) %source
  %own = getelementptr [64 x float], ptr addrspace(3) @tile, i64 0, i64 %thread
  store float %value, ptr addrspace(3) %own
  call spir_func void @_Z7barrierj(i32 1)
  %last = sub i64 %threads, 1
  %mirrored = sub i64 %last, %thread
  %other = getelementptr [64 x float], ptr addrspace(3) @tile, i64 0, i64 %mirrored
  %read = load float, ptr addrspace(3) %other
  %product = fmul float %read, %factor
  %number = sitofp i16 %add to float
  %sum = fadd float %product, %number
  %result = add i64 %place, %offset
  %destination = getelementptr float, ptr addrspace(1) %out, i64 %result
  store float %sum, ptr addrspace(1) %destination
  ret void
}

; Reverses a block in place, in dynamic local memory.
define spir_kernel void @mirror(ptr addrspace(1) %data, ptr addrspace(3) %shared) {
  %thread = call spir_func i64 @_Z12get_local_idj(i32 0)
  %threads = call spir_func i64 @_Z14get_local_sizej(i32 0)
  %place = getelementptr float, ptr addrspace(1) %data, i64 %thread
  %value = load float, ptr addrspace(1) %place
  %own = getelementptr float, ptr addrspace(3) %shared, i64 %thread
  store float %value, ptr addrspace(3) %own
  call spir_func void @_Z7barrierj(i32 1)
  %last = sub i64 %threads, 1
  %mirrored = sub i64 %last, %thread
  %other = getelementptr float, ptr addrspace(3) %shared, i64 %mirrored
  %read = load float, ptr addrspace(3) %other
  store float %read, ptr addrspace(1) %place
  ret void
}
