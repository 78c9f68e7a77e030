// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *A = in[0], *B = in[1];
  float *C = out[0], sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int64_t k = 0; k < K; ++k)
    sum += A[k] * B[k];
  *C = sum;
}
