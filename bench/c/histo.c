// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const int32_t *Elems = in[0], *Bins = in[1];
  int32_t *Out = out[0];
#pragma omp parallel for
  for (int64_t b = 0; b < B; ++b) {
    int32_t count = 0;
    for (int64_t e = 0; e < E; ++e)
      count += Elems[e] == Bins[b];
    Out[b] = count;
  }
}
