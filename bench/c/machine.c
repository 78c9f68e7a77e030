// Measures the machine: fused multiply-adds per second, and bytes per second by the size of the working set. Prints
// JSON.
//
//     machine THREADS
//
// Compiled by clang with -O3 -march=native -ffp-contract=fast -fopenmp. VECTOR is the size of a vector register in bytes.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__AVX512F__)
#define VECTOR 64
#elif defined(__AVX__)
#define VECTOR 32
#else
#define VECTOR 16
#endif
#define LANES (VECTOR / 4)
// Chains of dependent operations: enough to keep all units busy, and few enough to stay in registers.
#define CHAINS 12
typedef float vector __attribute__((vector_size(VECTOR)));

static float multiply_add(int64_t count) {
  vector x[CHAINS], factor = (vector){} + 0.999999f, term = (vector){} + 1e-6f, sum = {};
  for (int k = 0; k < CHAINS; ++k)
    x[k] = (vector){} + (float)k;
  for (int64_t i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
    for (int k = 0; k < CHAINS; ++k)
      x[k] = x[k] * factor + term;
    // Prevents merging a step with the next one.
    __asm__ volatile("" : "+x"(factor));
  }
  for (int k = 0; k < CHAINS; ++k)
    sum += x[k];
  return sum[0];
}

static double peak(int threads) {
  const int64_t count = 2000000;
  double best = 0;
  volatile float sink = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    sink = multiply_add(count);
    double rate = 2.0 * LANES * CHAINS * count * threads / (omp_get_wtime() - start);
    best = rate > best ? rate : best;
  }
  return best;
}

enum { READ, COPY, COPY_PAST_CACHES, TRIAD, TRIAD_PAST_CACHES, KINDS };
static const char *const names[KINDS] = {"read", "copy", "copy_nontemporal", "triad", "triad_nontemporal"};
static const int arrays[KINDS] = {1, 2, 2, 3, 3};

static float traverse(int kind, const vector *a, const vector *b, vector *c, int64_t count) {
  vector sum[8] = {};
  switch (kind) {
  case READ:
    for (int64_t i = 0; i + 8 <= count; i += 8)
      for (int k = 0; k < 8; ++k)
        sum[k] += a[i + k];
    for (int k = 1; k < 8; ++k)
      sum[0] += sum[k];
    break;
  case COPY:
#pragma clang loop unroll_count(8)
    for (int64_t i = 0; i < count; ++i) {
      c[i] = a[i];
      // Prevents replacement by a call of memcpy.
      __asm__ volatile("");
    }
    break;
  case COPY_PAST_CACHES:
    for (int64_t i = 0; i < count; ++i)
      __builtin_nontemporal_store(a[i], &c[i]);
    break;
  case TRIAD:
    for (int64_t i = 0; i < count; ++i)
      c[i] = a[i] + 3 * b[i];
    break;
  case TRIAD_PAST_CACHES:
    for (int64_t i = 0; i < count; ++i)
      __builtin_nontemporal_store(a[i] + 3 * b[i], &c[i]);
    break;
  }
  return sum[0][0];
}

static vector *allocate(int64_t bytes) {
  const int64_t page = 2 << 20;
  bytes = (bytes + page - 1) / page * page;
  void *memory = aligned_alloc(page, bytes);
  if (!memory)
    exit(1);
  madvise(memory, bytes, MADV_HUGEPAGE);
  memset(memory, 0, bytes);
  return memory;
}

// Bytes per second that the program requests; each thread has its own part of the arrays.
static double bandwidth(int kind, int64_t bytes, int threads) {
  int64_t count = bytes / arrays[kind] / threads / VECTOR / 8 * 8, inner = 1 + (100 << 20) / bytes;
  double best = 0;
  volatile float sink = 0;
#pragma omp parallel num_threads(threads)
  {
    vector *a = allocate(count * VECTOR), *b = allocate(arrays[kind] > 2 ? count * VECTOR : 1), *c = allocate(arrays[kind] > 1 ? count * VECTOR : 1);
    for (int repeat = 0; repeat < 8; ++repeat) {
#pragma omp barrier
      double start = omp_get_wtime();
      for (int64_t i = 0; i < inner; ++i) {
        sink = traverse(kind, a, b, c, count);
        __asm__ volatile("" ::: "memory");
      }
#pragma omp barrier
#pragma omp master
      {
        double rate = (double)count * VECTOR * arrays[kind] * threads * inner / (omp_get_wtime() - start);
        best = rate > best ? rate : best;
      }
    }
    free(a);
    free(b);
    free(c);
  }
  return best;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  static const int64_t sizes[] = {1 << 15, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30};
  printf("{\"peak\": %.4g, \"bandwidth\": {", peak(threads));
  for (int kind = READ; kind < KINDS; ++kind) {
    printf("%s\"%s\": [", kind ? ", " : "", names[kind]);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i)
      printf("%s[%lld, %.4g]", i ? ", " : "", (long long)sizes[i], bandwidth(kind, sizes[i], threads));
    printf("]");
  }
  printf("}}\n");
}
