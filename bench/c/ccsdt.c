// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

// LEFT and RIGHT are the positions of the operand elements at a point of the iteration space.
void run(void **in, void **out) {
  const float *left = in[0], *right = in[1];
  float *result = out[0];
#pragma omp parallel for collapse(2)
  for (int64_t a = 0; a < A; ++a)
    for (int64_t b = 0; b < B; ++b)
      for (int64_t c = 0; c < C; ++c)
        for (int64_t d = 0; d < D; ++d)
          for (int64_t e = 0; e < E; ++e)
            for (int64_t f = 0; f < F; ++f) {
              float sum = 0;
              for (int64_t g = 0; g < G; ++g)
                sum += left[LEFT] * right[RIGHT];
              result[((((a * B + b) * C + c) * D + d) * E + e) * F + f] = sum;
            }
}
