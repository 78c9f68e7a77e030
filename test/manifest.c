/* Launches one kernel of a SPIR-V module on the first device of OpenCL: FILE KERNEL, three sizes of the grid and three of a block, and the
   arguments: i:NUMBER, s:BYTES of local memory, p:BYTES:FILE, a buffer that is read from a file and written back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int clGetPlatformIDs(unsigned, void **, unsigned *);
int clGetDeviceIDs(void *, uint64_t, unsigned, void **, unsigned *);
void *clCreateContext(const void *, unsigned, void **, void *, void *, int *);
void *clCreateCommandQueueWithProperties(void *, void *, const void *, int *);
void *clCreateProgramWithIL(void *, const void *, size_t, int *);
int clBuildProgram(void *, unsigned, void **, const char *, void *, void *);
void *clCreateKernel(void *, const char *, int *);
void *clCreateBuffer(void *, uint64_t, size_t, void *, int *);
int clSetKernelArg(void *, unsigned, size_t, const void *);
int clEnqueueNDRangeKernel(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *);
int clEnqueueReadBuffer(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *, void *);

enum { MOST = 64, COPY_FROM_HOST = 1 << 0 | 1 << 5 };

static void check(int status, const char *what) {
    if (status != 0)
        fprintf(stderr, "%s: error %d\n", what, status), exit(1);
}

static void *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (!file)
        perror(name), exit(1);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    void *data = malloc(*size + 1);
    if (fread(data, 1, *size, file) != *size)
        perror(name), exit(1);
    fclose(file);
    return data;
}

int main(int count, char **words) {
    void *platform, *device, *buffers[MOST], *contents[MOST];
    size_t sizes[MOST], size, grid[3], block[3];
    int status;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, 0xFFFFFFFF, 1, &device, NULL), "device");
    void *context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    void *queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "queue");
    void *code = read_file(words[1], &size);
    void *program = clCreateProgramWithIL(context, code, size, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    void *kernel = clCreateKernel(program, words[2], &status);
    check(status, "kernel");
    for (int i = 0; i < 3; ++i) {
        block[i] = strtoull(words[6 + i], NULL, 10);
        grid[i] = strtoull(words[3 + i], NULL, 10) * block[i];
    }
    for (int i = 0; i < count - 9; ++i) {
        char *word = words[9 + i], *rest;
        int64_t number = strtoll(word + 2, &rest, 10);
        buffers[i] = NULL;
        if (word[0] == 'i')
            check(clSetKernelArg(kernel, i, sizeof number, &number), word);
        else if (word[0] == 's')
            check(clSetKernelArg(kernel, i, number, NULL), word);
        else {
            contents[i] = read_file(rest + 1, &sizes[i]);
            if (sizes[i] != (size_t)number)
                fprintf(stderr, "%s has %zu bytes\n", word, sizes[i]), exit(1);
            buffers[i] = clCreateBuffer(context, COPY_FROM_HOST, sizes[i], contents[i], &status);
            check(status, word);
            check(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), word);
        }
    }
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, grid, block, 0, NULL, NULL), "launch");
    for (int i = 0; i < count - 9; ++i)
        if (buffers[i]) {
            check(clEnqueueReadBuffer(queue, buffers[i], 1, 0, sizes[i], contents[i], 0, NULL, NULL), "read");
            FILE *file = fopen(strrchr(words[9 + i], ':') + 1, "wb");
            if (!file || fwrite(contents[i], 1, sizes[i], file) != sizes[i] || fclose(file))
                perror(words[9 + i]), exit(1);
        }
    return 0;
}
