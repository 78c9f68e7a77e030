// Calls functions n times and says how many seconds that took: see ../peers_worker.py. Python's own loop would cost small ones dear.
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

double time_calls(int64_t n, void (*function)(void **, void **), void **in, void **out) {
  double start = now();
  for (int64_t i = 0; i < n; ++i)
    function(in, out);
  return now() - start;
}

// A compiled function takes the place of its results' descriptors and one descriptor for each input, five arguments at most. It
// allocates its results: `allocated` says at which words of their descriptors the pointers are. The last results are kept.
double time_compiled(int64_t n, void (*function)(), int64_t *results, void **in, int64_t outputs, const int64_t *allocated) {
  void (*call)(void *, void *, void *, void *, void *) = (void (*)(void *, void *, void *, void *, void *))function;
  double start = now();
  for (int64_t i = 0; i < n; ++i) {
    call(results, in[0], in[1], in[2], in[3]);
    if (i + 1 < n)
      for (int64_t k = 0; k < outputs; ++k)
        free((void *)results[allocated[k]]);
  }
  return now() - start;
}
