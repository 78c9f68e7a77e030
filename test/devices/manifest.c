/* Executes the steps of a manifest on the first OpenCL device: MODULE STEP.., where a step is one of
     read BUFFER FILE             host memory with the contents of a file
     host|device BUFFER BYTES     new memory
     copy FROM TO BYTES           between any two buffers of the host and the device
     launch KERNEL GRID*3 BLOCK*3 COUNT ARGUMENT..
                                  arguments are i:NUMBER, s:BYTES of local memory, and p:BUFFER
     free BUFFER
     write BUFFER FILE            writes host memory to a file */
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
int clEnqueueWriteBuffer(void *, void *, unsigned, size_t, size_t, const void *, unsigned, void *, void *);
int clEnqueueCopyBuffer(void *, void *, void *, size_t, size_t, size_t, unsigned, void *, void *);
int clReleaseMemObject(void *);

enum { MOST = 64, READ_WRITE = 1 << 0 };

struct buffer {
    const char *name;
    size_t size;
    void *host, *device;
};

static struct buffer buffers[MOST];

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

static struct buffer *find(const char *name) {
    for (int i = 0; i < MOST; ++i)
        if (buffers[i].name && strcmp(buffers[i].name, name) == 0)
            return &buffers[i];
    fprintf(stderr, "no %s\n", name), exit(1);
}

static struct buffer *add(const char *name, size_t size) {
    for (int i = 0; i < MOST; ++i)
        if (!buffers[i].name) {
            buffers[i] = (struct buffer){name, size, NULL, NULL};
            return &buffers[i];
        }
    fprintf(stderr, "more than %d buffers\n", MOST), exit(1);
}

int main(int count, char **words) {
    void *platform, *device;
    size_t size;
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
    for (char **word = words + 2; word < words + count;) {
        const char *step = *word++;
        if (strcmp(step, "read") == 0) {
            struct buffer *buffer = add(*word++, 0);
            buffer->host = read_file(*word++, &buffer->size);
        } else if (strcmp(step, "host") == 0) {
            struct buffer *buffer = add(word[0], strtoull(word[1], NULL, 10));
            buffer->host = malloc(buffer->size + 1);
            word += 2;
        } else if (strcmp(step, "device") == 0) {
            struct buffer *buffer = add(word[0], strtoull(word[1], NULL, 10));
            buffer->device = clCreateBuffer(context, READ_WRITE, buffer->size + !buffer->size, NULL, &status);
            check(status, word[0]);
            word += 2;
        } else if (strcmp(step, "copy") == 0) {
            struct buffer *from = find(word[0]), *to = find(word[1]);
            size = strtoull(word[2], NULL, 10);
            word += 3;
            if (size > from->size || size > to->size)
                fprintf(stderr, "%zu bytes from %s to %s\n", size, from->name, to->name), exit(1);
            if (from->host && to->host)
                memmove(to->host, from->host, size);
            else if (from->host)
                check(clEnqueueWriteBuffer(queue, to->device, 1, 0, size, from->host, 0, NULL, NULL), "to the device");
            else if (to->host)
                check(clEnqueueReadBuffer(queue, from->device, 1, 0, size, to->host, 0, NULL, NULL), "to the host");
            else
                check(clEnqueueCopyBuffer(queue, from->device, to->device, 0, 0, size, 0, NULL, NULL), "on the device");
        } else if (strcmp(step, "launch") == 0) {
            size_t grid[3], block[3];
            void *kernel = clCreateKernel(program, *word, &status);
            check(status, *word++);
            for (int i = 0; i < 3; ++i) {
                block[i] = strtoull(word[3 + i], NULL, 10);
                grid[i] = strtoull(word[i], NULL, 10) * block[i];
            }
            int arguments = atoi(word[6]);
            word += 7;
            for (int i = 0; i < arguments; ++i, ++word) {
                int64_t number = strtoll(*word + 2, NULL, 10);
                if (**word == 'i')
                    check(clSetKernelArg(kernel, i, sizeof number, &number), *word);
                else if (**word == 's')
                    check(clSetKernelArg(kernel, i, number, NULL), *word);
                else
                    check(clSetKernelArg(kernel, i, sizeof(void *), &find(*word + 2)->device), *word);
            }
            check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, grid, block, 0, NULL, NULL), "launch");
        } else if (strcmp(step, "free") == 0) {
            struct buffer *buffer = find(*word++);
            check(buffer->device ? clReleaseMemObject(buffer->device) : 0, "free");
            free(buffer->host);
            buffer->name = NULL;
        } else if (strcmp(step, "write") == 0) {
            struct buffer *buffer = find(*word++);
            FILE *file = fopen(*word++, "wb");
            if (!file || fwrite(buffer->host, 1, buffer->size, file) != buffer->size || fclose(file))
                perror(buffer->name), exit(1);
        } else
            fprintf(stderr, "no step is called %s\n", step), exit(1);
    }
    return 0;
}
