// Calls compiled functions, and counts the buffers that they do not free.
#include "deallocations.h"

#include <stdio.h>

void *__real_malloc(size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void __wrap_free(void *memory);

static int buffers;

void *__wrap_malloc(size_t size) {
  ++buffers;
  return __real_malloc(size);
}

void __wrap_free(void *memory) {
  buffers -= memory != NULL;
  __real_free(memory);
}

int main(void) {
  struct {
    const char *name;
    mdh_function *call;
  } functions[] = {{"freed", freed},     {"kept", kept},     {"cast", cast}, {"consumed", consumed},
                   {"carried", carried}, {"chosen", chosen}, {"own", own}};
  float value = 0;
  int64_t size = 1;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    mdh_array arguments[] = {mdh_f32(&value, 1, &size, NULL)};
    int before = buffers;
    functions[i].call(arguments, NULL, NULL);
    int left = buffers - before;
    printf("%s: %g, %d buffers are left\n", functions[i].name, value, left);
    fflush(stdout);
  }
  return 0;
}
