// The driver of polybench.c: calls its kernels with arrays from a pool of memory, prints hashes of the pool, or times.
//
//   prog n [spacing [name]]   a line `NAME HASH` for each kernel, or for the named one
//   prog -t n reps name       the median time of a call, in nanoseconds
//   prog -v n name            the bytes of all elements after a call
//
// Arrays start at multiples of the spacing, a number of elements, and overlap where it is less than the size of an
// array, which needs -DRESTRICT= for both files. With 0, or none, they do not overlap.
#define _POSIX_C_SOURCE 200809L
#include "polybench_forms.c"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 3
#define ALPHA 1.5
#define BETA 1.2

// Extents of form 0 do not exceed N_STATIC.
#if FORM == 0
#define LARGEST(n) ((void)(n), N_STATIC)
#define OTHER(n) ((n) - 3)
#else
#define LARGEST(n) ((n) + 1)
#define OTHER(n) ((n) + 1)
#endif

// The arrays of kernels with integers, which do not share memory
static int *int_pool;
static char *char_pool;

// Sets up a kernel's arrays, or calls it.
typedef void Step(double *pool, int n, size_t spacing);

// The array a, as an argument
#define V(a) (pool + (a) * spacing)
#define M(a, m) AS_MATRIX_OF(double, V(a), m)
#define C(a, m, o) AS_CUBE_OF(double, V(a), m, o)

static void run_2mm(double *pool, int n, size_t spacing) {
  int ni = n, nj = n - 1, nk = OTHER(n), nl = n - 2;
  kernel_2mm(ni, nj, nk, nl, ALPHA, BETA, M(0, nj), M(1, nk), M(2, nj), M(3, nl), M(4, nl));
}

static void run_3mm(double *pool, int n, size_t spacing) {
  int ni = n, nj = n - 1, nk = OTHER(n), nl = n - 2, nm = n;
  kernel_3mm(ni, nj, nk, nl, nm, M(0, nj), M(1, nk), M(2, nj), M(3, nl), M(4, nm), M(5, nl), M(6, nl));
}

static void run_adi(double *pool, int n, size_t spacing) {
  kernel_adi(STEPS, n, M(0, n), M(1, n), M(2, n), M(3, n));
}

static void run_atax(double *pool, int n, size_t spacing) {
  int cols = n - 1;
  kernel_atax(n, cols, M(0, cols), V(1), V(2), V(3));
}

static void run_bicg(double *pool, int n, size_t spacing) {
  int cols = n - 1;
  kernel_bicg(cols, n, M(0, cols), V(1), V(2), V(3), V(4));
}

static void run_cholesky(double *pool, int n, size_t spacing) {
  kernel_cholesky(n, M(0, n));
}

static void run_correlation(double *pool, int n, size_t spacing) {
  int cols = n - 1;
  kernel_correlation(cols, n, n, M(0, cols), M(1, cols), V(2), V(3));
}

static void run_covariance(double *pool, int n, size_t spacing) {
  int cols = n - 1;
  kernel_covariance(cols, n, n, M(0, cols), M(1, cols), V(2));
}

static void run_deriche(double *pool, int n, size_t spacing) {
  int w = n, h = n - 1;
  kernel_deriche(w, h, 0.25, M(0, h), M(1, h), M(2, h), M(3, h));
}

static void run_doitgen(double *pool, int n, size_t spacing) {
  int nr = n, nq = n - 1, np = OTHER(n);
  kernel_doitgen(nr, nq, np, C(0, nq, np), M(1, np), V(2));
}

static void run_durbin(double *pool, int n, size_t spacing) {
  kernel_durbin(n, V(0), V(1));
}

static void run_fdtd_2d(double *pool, int n, size_t spacing) {
  int nx = n, ny = n - 1;
  kernel_fdtd_2d(STEPS, nx, ny, M(0, ny), M(1, ny), M(2, ny), V(3));
}

static void run_floyd_warshall(double *pool, int n, size_t spacing) {
  (void)pool, (void)spacing;
  kernel_floyd_warshall(n, AS_MATRIX_OF(int, int_pool, n));
}

static void run_gemm(double *pool, int n, size_t spacing) {
  int ni = n, nj = n - 1, nk = OTHER(n);
  kernel_gemm(ni, nj, nk, ALPHA, BETA, M(0, nj), M(1, nk), M(2, nj));
}

static void run_gemver(double *pool, int n, size_t spacing) {
  kernel_gemver(n, ALPHA, BETA, M(0, n), V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8));
}

static void run_gesummv(double *pool, int n, size_t spacing) {
  kernel_gesummv(n, ALPHA, BETA, M(0, n), M(1, n), V(2), V(3), V(4));
}

static void run_gramschmidt(double *pool, int n, size_t spacing) {
  int cols = n - 1;
  kernel_gramschmidt(n, cols, M(0, cols), M(1, cols), M(2, cols));
}

static void run_heat_3d(double *pool, int n, size_t spacing) {
  kernel_heat_3d(STEPS, n, C(0, n, n), C(1, n, n));
}

static void run_jacobi_1d(double *pool, int n, size_t spacing) {
  kernel_jacobi_1d(STEPS, n, V(0), V(1));
}

static void run_jacobi_2d(double *pool, int n, size_t spacing) {
  kernel_jacobi_2d(STEPS, n, M(0, n), M(1, n));
}

static void run_lu(double *pool, int n, size_t spacing) {
  kernel_lu(n, M(0, n));
}

static void run_ludcmp(double *pool, int n, size_t spacing) {
  kernel_ludcmp(n, M(0, n), V(1), V(2), V(3));
}

static void run_mvt(double *pool, int n, size_t spacing) {
  kernel_mvt(n, V(0), V(1), V(2), V(3), M(4, n));
}

static void run_nussinov(double *pool, int n, size_t spacing) {
  (void)pool, (void)spacing;
  kernel_nussinov(n, char_pool, AS_MATRIX_OF(int, int_pool, n));
}

static void run_seidel_2d(double *pool, int n, size_t spacing) {
  kernel_seidel_2d(STEPS, n, M(0, n));
}

static void run_symm(double *pool, int n, size_t spacing) {
  int rows = n, cols = n - 1;
  kernel_symm(rows, cols, ALPHA, BETA, M(0, cols), M(1, rows), M(2, cols));
}

static void run_syr2k(double *pool, int n, size_t spacing) {
  int cols = OTHER(n);
  kernel_syr2k(n, cols, ALPHA, BETA, M(0, n), M(1, cols), M(2, cols));
}

static void run_syrk(double *pool, int n, size_t spacing) {
  int cols = OTHER(n);
  kernel_syrk(n, cols, ALPHA, BETA, M(0, n), M(1, cols));
}

static void run_trisolv(double *pool, int n, size_t spacing) {
  kernel_trisolv(n, M(0, n), V(1), V(2));
}

static void run_trmm(double *pool, int n, size_t spacing) {
  int rows = n, cols = n - 1;
  kernel_trmm(rows, cols, ALPHA, M(0, rows), M(1, cols));
}

// The diagonal of the first array, with n rows and m columns, is more than the sum of a row.
static void add_to_diagonal(double *pool, int n, int m) {
  for (int i = 0; i < n && i < m; i++)
    pool[(size_t)i * STRIDE(m) + i] += 2.0 * n;
}

static void dominant(double *pool, int n, size_t spacing) {
  (void)spacing;
  add_to_diagonal(pool, n, n);
}

// A symmetric, positive definite first array
static void definite(double *pool, int n, size_t spacing) {
  (void)spacing;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      pool[(size_t)j * STRIDE(n) + i] = pool[(size_t)i * STRIDE(n) + j];
  add_to_diagonal(pool, n, n);
}

// A first array of independent columns
static void independent(double *pool, int n, size_t spacing) {
  (void)spacing;
  add_to_diagonal(pool, n, n - 1);
}

// A Toeplitz matrix with the first array, after 1, is positive definite.
static void small(double *pool, int n, size_t spacing) {
  (void)spacing;
  for (int i = 0; i < n; i++)
    pool[i] *= 0.25 / n;
}

// Scores, instead of lengths
static void scores(double *pool, int n, size_t spacing) {
  (void)pool, (void)spacing;
  for (int i = 0; i < LARGEST(n) * LARGEST(n); i++)
    int_pool[i] %= 4;
}

// A kernel has `arrays` arrays of double with up to `rank` dimensions.
typedef struct {
  const char *name;
  int arrays, rank;
  Step *prepare, *run;
} Kernel;

#define KERNEL(name, arrays, rank, prepare) {#name, arrays, rank, prepare, run_##name}

static const Kernel kernels[] = {
    KERNEL(2mm, 5, 2, NULL),
    KERNEL(3mm, 7, 2, NULL),
    KERNEL(adi, 4, 2, NULL),
    KERNEL(atax, 4, 2, NULL),
    KERNEL(bicg, 5, 2, NULL),
    KERNEL(cholesky, 1, 2, definite),
    KERNEL(correlation, 4, 2, NULL),
    KERNEL(covariance, 3, 2, NULL),
    KERNEL(deriche, 4, 2, NULL),
    KERNEL(doitgen, 3, 3, NULL),
    KERNEL(durbin, 2, 1, small),
    KERNEL(fdtd_2d, 4, 2, NULL),
    KERNEL(floyd_warshall, 0, 2, NULL),
    KERNEL(gemm, 3, 2, NULL),
    KERNEL(gemver, 9, 2, NULL),
    KERNEL(gesummv, 5, 2, NULL),
    KERNEL(gramschmidt, 3, 2, independent),
    KERNEL(heat_3d, 2, 3, NULL),
    KERNEL(jacobi_1d, 2, 1, NULL),
    KERNEL(jacobi_2d, 2, 2, NULL),
    KERNEL(lu, 1, 2, definite),
    KERNEL(ludcmp, 4, 2, definite),
    KERNEL(mvt, 5, 2, NULL),
    KERNEL(nussinov, 0, 2, scores),
    KERNEL(seidel_2d, 1, 2, NULL),
    KERNEL(symm, 3, 2, NULL),
    KERNEL(syr2k, 3, 2, NULL),
    KERNEL(syrk, 2, 2, NULL),
    KERNEL(trisolv, 3, 2, dominant),
    KERNEL(trmm, 2, 2, NULL),
};

#define KERNELS (sizeof kernels / sizeof *kernels)

// The memory of a kernel: `size` elements, of double, or of int and char
typedef struct {
  double *pool;
  size_t size, spacing;
} Memory;

static void fail(const char *message, const char *what) {
  fprintf(stderr, "polybench: %s%s\n", message, what);
  exit(2);
}

static Memory allocate(const Kernel *kernel, int n, size_t spacing) {
  Memory memory;
  size_t array = 1;
  for (int i = 0; i < kernel->rank; i++)
    array *= LARGEST((size_t)n);
  memory.spacing = spacing ? spacing : array;
  memory.pool = NULL;
  int_pool = NULL;
  char_pool = NULL;
  if (kernel->arrays) {
    memory.size = (kernel->arrays - 1) * memory.spacing + array;
    memory.pool = malloc(memory.size * sizeof *memory.pool);
  } else {
    memory.size = array;
    int_pool = malloc(memory.size * sizeof *int_pool);
    char_pool = malloc(memory.size);
  }
  if (kernel->arrays ? !memory.pool : !int_pool || !char_pool)
    fail("no memory for ", kernel->name);
  return memory;
}

static void release(Memory memory) {
  free(memory.pool);
  free(int_pool);
  free(char_pool);
}

// The same bits for the same place
static uint64_t bits_at(size_t place) {
  uint64_t x = (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

// Doubles of [0.1, 1.1), ints of 1 to 1000 and chars of 0 to 3, and what the kernel needs
static void fill(const Kernel *kernel, int n, Memory memory) {
  for (size_t i = 0; i < memory.size; i++) {
    uint64_t bits = bits_at(i);
    if (memory.pool) {
      memory.pool[i] = 0.1 + (double)(bits >> 11) / (double)(UINT64_C(1) << 53);
    } else {
      int_pool[i] = 1 + (int)(bits % 1000);
      char_pool[i] = (char)(bits >> 62);
    }
  }
  if (kernel->prepare)
    kernel->prepare(memory.pool, n, memory.spacing);
}

// FNV-1a over the lowest `bytes` bytes of the value, the lowest one first
static uint64_t hash_value(uint64_t hash, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    hash = (hash ^ ((value >> (8 * i)) & 0xff)) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_memory(Memory memory) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < memory.size; i++) {
    if (memory.pool) {
      uint64_t bits;
      memcpy(&bits, &memory.pool[i], sizeof bits);
      if ((bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000))
        bits = UINT64_C(0x7ff8000000000000); // any NaN
      hash = hash_value(hash, bits, 8);
    } else {
      hash = hash_value(hash, (uint32_t)int_pool[i], 4);
      hash = hash_value(hash, (unsigned char)char_pool[i], 1);
    }
  }
  return hash;
}

static void print_hash(const Kernel *kernel, int n, size_t spacing) {
  Memory memory = allocate(kernel, n, spacing);
  fill(kernel, n, memory);
  kernel->run(memory.pool, n, memory.spacing);
  printf("%s %016" PRIx64 "\n", kernel->name, hash_memory(memory));
  release(memory);
}

static void print_values(const Kernel *kernel, int n) {
  Memory memory = allocate(kernel, n, 0);
  fill(kernel, n, memory);
  kernel->run(memory.pool, n, memory.spacing);
  const void *values = memory.pool ? (const void *)memory.pool : int_pool;
  size_t bytes = memory.pool ? sizeof *memory.pool : sizeof *int_pool;
  if (fwrite(values, bytes, memory.size, stdout) != memory.size)
    fail("cannot write the values of ", kernel->name);
  release(memory);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int compare(const void *first, const void *second) {
  int64_t a = *(const int64_t *)first, b = *(const int64_t *)second;
  return (a > b) - (a < b);
}

static void print_time(const Kernel *kernel, int n, size_t reps) {
  Memory memory = allocate(kernel, n, 0);
  int64_t *times = malloc(reps * sizeof *times);
  if (!times)
    fail("no memory for ", "times");
  for (size_t i = 0; i < reps; i++) {
    fill(kernel, n, memory);
    int64_t start = now();
    kernel->run(memory.pool, n, memory.spacing);
    times[i] = now() - start;
  }
  qsort(times, reps, sizeof *times, compare);
  printf("%" PRId64 "\n", (times[(reps - 1) / 2] + times[reps / 2]) / 2);
  free(times);
  release(memory);
}

static const Kernel *named(const char *name) {
  for (size_t i = 0; i < KERNELS; i++)
    if (strcmp(kernels[i].name, name) == 0)
      return &kernels[i];
  fail("no kernel ", name);
  return NULL;
}

static long number(const char *text, long least, long most) {
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < least || value > most)
    fail("no number in range: ", text);
  return value;
}

// The size, of which extents are up to 3 less
static int size(const char *text) {
  return (int)number(text, 4, FORM == 0 ? N_STATIC : 46000);
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "-t") == 0) {
    print_time(named(argv[4]), size(argv[2]), (size_t)number(argv[3], 1, 1000000));
    return 0;
  }
  if (argc == 4 && strcmp(argv[1], "-v") == 0) {
    print_values(named(argv[3]), size(argv[2]));
    return 0;
  }
  if (argc < 2 || argc > 4)
    fail("prog n [spacing [name]], prog -t n reps name, or prog -v n name", "");
  int n = size(argv[1]);
  size_t spacing = argc > 2 ? (size_t)number(argv[2], 0, 1000000000) : 0;
  if (argc == 4) {
    print_hash(named(argv[3]), n, spacing);
    return 0;
  }
  for (size_t i = 0; i < KERNELS; i++)
    print_hash(&kernels[i], n, spacing);
  return 0;
}
