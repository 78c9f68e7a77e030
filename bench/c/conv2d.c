// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *image = in[0], *filter = in[1];
  float *O = out[0];
#pragma omp parallel for
  for (int64_t p = 0; p < P; ++p)
    for (int64_t q = 0; q < Q; ++q) {
      float sum = 0;
      for (int64_t r = 0; r < R; ++r)
        for (int64_t s = 0; s < S; ++s)
          sum += image[(p + r) * (Q + S - 1) + q + s] * filter[r * S + s];
      O[p * Q + q] = sum;
    }
}
