// Calls a function of a library that mdh_add_library has compiled.
#include "matvec.h"
#include "scale.h"

#include <stdio.h>

int main(void) {
  static float M[512 * 4096], v[4096], w[512];
  for (int i = 0; i < 512 * 4096; ++i)
    M[i] = 1;
  for (int i = 0; i < 4096; ++i)
    v[i] = 1;
  char message[MDH_MESSAGE];
  if (mdh_call_matvec(M, 4096, v, w, message) != MDH_OK || mdh_call_my_scale(w, 511, message) != MDH_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  printf("%g %g\n", w[0], w[511]);
  return 0;
}
