// Calls a function whose name is none of C.
#include "names.h"

#include <stdio.h>

int main(void) {
  printf("%d\n", (int)a_b_2_call(21));
  return 0;
}
