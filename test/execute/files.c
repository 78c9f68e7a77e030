// Reads and writes .npy files of format 1.0, as far as the examples need it: row-major arrays with numbers in host byte
// order. Functions are inline, because not every program uses all of them.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fail(const char *path) {
  perror(path);
  exit(1);
}

// Reads the first `bytes` bytes of the elements in a file into memory of exactly this size.
static inline void *load(const char *path, size_t bytes) {
  FILE *file = fopen(path, "rb");
  unsigned char start[10];
  if (!file || fread(start, 1, sizeof start, file) != sizeof start ||
      fseek(file, start[8] + 256 * start[9], SEEK_CUR) != 0)
    fail(path);
  void *data = malloc(bytes);
  if (fread(data, 1, bytes, file) != bytes)
    fail(path);
  fclose(file);
  return data;
}

static inline void save(const char *path, const char *type, size_t element, int rank, const int64_t *sizes,
                 const void *data) {
  char header[119];
  size_t count = 1;
  int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  for (int i = 0; i < rank; ++i) {
    count *= (size_t)sizes[i];
    length += snprintf(header + length, sizeof header - (size_t)length, "%lld,", (long long)sizes[i]);
  }
  snprintf(header + length, sizeof header - (size_t)length, ")}");
  FILE *file = fopen(path, "wb");
  if (!file || fprintf(file, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, header) < 0 ||
      fwrite(data, element, count, file) != count || fclose(file) != 0)
    fail(path);
}
