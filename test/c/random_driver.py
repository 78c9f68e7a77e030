"""The C code around random functions: types, and the driver that calls them."""

PRELUDE = """\
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
struct P { double x, y; };
struct Q { float x, y, z; };
struct V { double v; int k, l; };
struct M { int n, m; double *data; };
struct N { size_t n, m; float *data; };
struct O { unsigned n, m; int *data; };
"""

# The pools and their contents, before the code that calls the functions. `unsigned` shares the pool of `int`.
RUNTIME = """\
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static uint64_t state, hash;
static int ignores_sign_of_zero, dumps;
static unsigned draw(void) { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; }
static void mix(uint64_t bits) { hash = (hash ^ bits) * 1099511628211u, hash ^= hash >> 29; }
static double number(int mode) {
  unsigned r = draw();
  if (mode & 1 && r % 37 == 0) return NAN;
  if (r % 29 == 1) return r & 1024 ? -0.0 : 0.0;
  return r % 3 ? ((int)(r / 3 % 2001) - 1000) / 300.0 : ((int)(r / 3 % 33) - 16) / 4.0;
}
static long long whole(int mode) { unsigned r = draw(); return mode & 2 ? (int)(r % 13) : (int)(r % 19) - 6; }
static void mix_number(double x) {
  uint64_t bits;
  if (x == 0 && ignores_sign_of_zero) x = 0;
  memcpy(&bits, &x, 8);
  mix(x != x ? 1 : bits);
  if (dumps) printf(" %.9g", x);
}
static void mix_whole(long long x) { mix((uint64_t)x); if (dumps) printf(" %lld", x); }
#define SHARED static __attribute__((noinline)) void
#define TYPE(T, name, random, mixed) static T pool_##name[73728]; \\
  SHARED fill_##name(void *at, int n, int mode) { for (T *p = at; n-- > 0; p++) *p = (T)random(mode); } \\
  SHARED mix_##name(const void *at, int n) { \\
    if (dumps) printf("\\n" #name ":"); \\
    for (const T *p = at; n-- > 0; p++) mixed(*p); \\
  }
#define WHOLE(T, name) TYPE(T, name, whole, mix_whole)
TYPE(double, double, number, mix_number) TYPE(float, float, number, mix_number) WHOLE(int, int) WHOLE(long, long)
WHOLE(unsigned, unsigned) WHOLE(short, short) WHOLE(unsigned char, unsigned_char) WHOLE(long long, long_long)
static struct P pool_struct_P[73728];
static struct Q pool_struct_Q[73728];
static struct V pool_struct_V[73728];
SHARED fill_struct_V(struct V *p, int n, int mode) {
  for (; n-- > 0; p++) p->v = number(mode), p->k = (int)whole(mode), p->l = (int)whole(mode);
}
SHARED mix_struct_V(const struct V *p, int n) {
  for (; n-- > 0; p++) mix_number(p->v), mix_whole(p->k), mix_whole(p->l);
}
"""

# prog SECONDS SKIPPED [FUNCTION CALL]: prints the results of the calls that are not in the file SKIPPED, or all
# elements after one call. A call is a process.
MAIN = """\
int main(int count, char **arguments) {
  static char skipped[COUNT][64];
  FILE *file = fopen(arguments[2], "r");
  for (int f, c; file && fscanf(file, "%d %d", &f, &c) == 2;) skipped[f][c] = 1;
  dumps = count > 4;
  for (int f = 0; f < COUNT; f++)
    for (int c = 0, late = 0, status; c < functions[f].calls; c++) {
      int is_other = dumps && (functions[f].number != atoi(arguments[3]) || c != atoi(arguments[4]));
      if (skipped[f][c] || is_other) continue;
      fflush(stdout);
      if (fork() == 0) {
        alarm((unsigned)atoi(arguments[1]));
        state = (unsigned)functions[f].number * 1000u + (unsigned)c, hash = 1469598103934665603u;
        functions[f].run(c);
        printf("%s%d %d %016llx\\n", dumps ? "\\n" : "", f, c, (unsigned long long)hash);
        fflush(stdout);
        _exit(0);
      }
      wait(&status);
      int is_late = WIFSIGNALED(status) && WTERMSIG(status) == 14;
      if (status) printf("%d %d %s\\n", f, c, is_late ? "timeout" : WIFSIGNALED(status) ? "crash" : "error");
      late += is_late;
      while (late > 2 && ++c < functions[f].calls) printf("%d %d timeout\\n", f, c);
    }
}
"""
