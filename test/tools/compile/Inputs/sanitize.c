// Calls compiled functions on an input of so many elements, of which they read 64.
#include "sanitize.h"

#include <stdio.h>

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 0;
  float *v = malloc(count * sizeof(float)), w[64];
  for (int i = 0; i < count; ++i)
    v[i] = (float)i;

  twice_call(mdh_f32_1d(v, 64), mdh_f32_1d(w, 64));
  printf("doubled: %g\n", count < 64 ? 126 : w[63]);
  fflush(stdout);
  if (argc > 2)
    race_call(mdh_f32_1d(v, 64), mdh_f32_1d(w, 64));
  free(v);
  return 0;
}
