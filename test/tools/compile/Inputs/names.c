// Calls a function whose name is not a C identifier.
#include "names.h"

#include <stdio.h>

int main(void) {
  int64_t x = 21, y;
  mdh_array argument = mdh_i64(&x, 0, NULL, NULL), result = mdh_i64(&y, 0, NULL, NULL);
  a_b_2(&argument, &result, NULL);
  printf("%d\n", (int)y);
  return 0;
}
