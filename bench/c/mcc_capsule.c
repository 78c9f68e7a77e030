// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

#ifndef STRIDE
#define STRIDE 1
#endif

void run(void **in, void **out) {
  const float *image = in[0], *filter = in[1];
  float *O = out[0];
#pragma omp parallel for collapse(2)
  for (int64_t n = 0; n < N; ++n)
    for (int64_t p = 0; p < P; ++p)
      for (int64_t q = 0; q < Q; ++q)
        for (int64_t k = 0; k < K; ++k)
          for (int64_t mi = 0; mi < MI; ++mi)
            for (int64_t mj = 0; mj < MJ; ++mj) {
              float sum = 0;
              for (int64_t r = 0; r < R; ++r)
                for (int64_t s = 0; s < S; ++s)
                  for (int64_t c = 0; c < C; ++c)
                    for (int64_t mk = 0; mk < MK; ++mk)
                      sum += image[((((n * HEIGHT + STRIDE * p + r) * WIDTH + STRIDE * q + s) * C + c) * MI + mi) * MK + mk] *
                             filter[((((k * R + r) * S + s) * C + c) * MK + mk) * MJ + mj];
              O[((((n * P + p) * Q + q) * K + k) * MI + mi) * MJ + mj] = sum;
            }
}
