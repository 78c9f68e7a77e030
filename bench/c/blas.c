// Products by a BLAS, with the sizes as macros; ../peers/worker.py sets the routine. CASE selects the routine.
#include <stdint.h>

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

void *routine;
typedef float (*sdot)(int, const float *, int, const float *, int);
typedef void (*sgemv)(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*sgemm_batch_strided)(int, int, int, int, int, int, float, const float *, int, int, const float *, int, int, float, float *,
                                    int, int, int);

void run(void **in, void **out) {
  const float *A = in[0], *Bs = in[1];
  float *C = out[0];
#if CASE == 0 // DOT
  *C = ((sdot)routine)(K, A, 1, Bs, 1);
#elif CASE == 1 // MATVEC
  ((sgemv)routine)(ROW_MAJOR, PLAIN, I, K, 1, A, K, Bs, 1, 0, C, 1);
#elif CASE == 2 // MATMUL
  ((sgemm)routine)(ROW_MAJOR, PLAIN, PLAIN, I, J, K, 1, A, K, Bs, J, 0, C, J);
#elif CASE == 3 // MATMUL_TRANSPOSED: the transpose of the product is the product of the stored operands in reverse order
  ((sgemm)routine)(ROW_MAJOR, PLAIN, PLAIN, J, I, K, 1, Bs, K, A, I, 0, C, I);
#elif CASE == 4 // BMATMUL
  ((sgemm_batch_strided)routine)(ROW_MAJOR, PLAIN, PLAIN, I, J, K, 1, A, K, I * K, Bs, J, K * J, 0, C, J, I * J, B);
#elif CASE == 5 // BMATMUL_ONE_BY_ONE
  for (int64_t b = 0; b < B; ++b)
    ((sgemm)routine)(ROW_MAJOR, PLAIN, PLAIN, I, J, K, 1, A + b * I * K, K, Bs + b * K * J, J, 0, C + b * I * J, J);
#elif CASE == 6 // VECMAT: a one-row matrix times a matrix
  ((sgemv)routine)(ROW_MAJOR, TRANSPOSED, K, J, 1, Bs, J, A, 1, 0, C, 1);
#endif
}
