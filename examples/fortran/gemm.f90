! A product of matrices, as Fortran programs have it: arrays are column-major, and arguments do not overlap.
subroutine gemm(n, m, p, c, a, b)
  integer, intent(in) :: n, m, p
  real(8), intent(inout) :: c(n, m)
  real(8), intent(in) :: a(n, p), b(p, m)
  integer :: i, j, k
  do j = 1, m
    do k = 1, p
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
