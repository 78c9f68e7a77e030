// Calls compiled functions, which read 64 elements, on an input with a given number of elements.
#include "sanitize.h"

#include <stdio.h>

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 0;
  float *v = malloc(count * sizeof(float)), w[64];
  for (int i = 0; i < count; ++i)
    v[i] = (float)i;

  int64_t size = 64;
  mdh_array arguments[] = {mdh_f32(v, 1, &size, NULL), mdh_f32(w, 1, &size, NULL)};
  twice(arguments, NULL, NULL);
  printf("doubled: %g\n", count < 64 ? 126 : w[63]);
  fflush(stdout);
  if (argc > 2)
    race(arguments, NULL, NULL);
  free(v);
  return 0;
}
