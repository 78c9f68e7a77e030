/* A stub of NVIDIA's driver: device memory is host memory, and its only kernel is known by name. It rejects what the real driver
   rejects: calls without a current context, text that is not PTX, and freeing memory that is not allocated. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_VALUE = 1, NO_DEVICE = 100, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500 };

static int depth, retained, events, allocations, modules, asked, ordered;
static const char context, stream, module, function;

/* A stream of the caller. */
#define CALLERS ((const void *)7)
#define IS_NO_STREAM(in) ((in) != &stream && (in) != CALLERS)

#define NEEDS_CONTEXT                                                                                                              \
    if (depth != 1)                                                                                                                \
        return INVALID_CONTEXT;

int cuInit(unsigned flags) { return getenv("NO_GPU") ? NO_DEVICE : flags ? INVALID_VALUE : 0; }
int cuDriverGetVersion(int *version) { return *version = 12090, 0; }
int cuGetErrorName(int error, const char **name) {
    *name = error == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : error == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : NULL;
    return *name ? 0 : INVALID_VALUE;
}
int cuGetErrorString(int error, const char **text) {
    *text = error == INVALID_PTX ? "a PTX JIT compilation failed" : error == NOT_FOUND ? "named symbol not found" : NULL;
    return *text ? 0 : INVALID_VALUE;
}
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int index) { return *device = 40 + index, index ? 101 : 0; }
int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "Stand-in %d", device), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = 1 << 20, device != 40; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = 2147483647; break;
    case 6: case 7: *value = 65535; break;
    case 8: *value = 49152; break;
    case 10: *value = 32; break;
    case 12: *value = 65536; break;
    case 13: *value = 1980000; break;
    case 16: *value = 132; break;
    case 97: *value = 232448; break;
    case 115: *value = 1; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: return INVALID_VALUE;
    }
    return device != 40;
}
int cuDevicePrimaryCtxRetain(const void **out, int device) { return *out = &context, retained++, device != 40; }
int cuDevicePrimaryCtxRelease_v2(int device) { return retained--, device != 40; }
int cuCtxPushCurrent_v2(const void *pushed) { return depth++, pushed != &context; }
int cuCtxPopCurrent_v2(const void **out) { return *out = &context, depth--, 0; }
int cuStreamCreate(const void **out, unsigned flags) { NEEDS_CONTEXT return *out = &stream, flags != 0; }
int cuStreamDestroy_v2(const void *of) { NEEDS_CONTEXT return of != &stream; }
int cuStreamSynchronize(const void *of) { NEEDS_CONTEXT return IS_NO_STREAM(of); }
int cuEventCreate(void **out, unsigned flags) { NEEDS_CONTEXT events++; return *out = calloc(1, sizeof(int)), flags != 0; }
int cuEventDestroy_v2(void *event) { NEEDS_CONTEXT events--; return free(event), 0; }
int cuEventRecord(int *event, const void *in) { NEEDS_CONTEXT return *event = 1, in != &stream; }
int cuEventSynchronize(int *event) { NEEDS_CONTEXT return !*event; }
int cuEventElapsedTime(float *milliseconds, int *start, int *end) { NEEDS_CONTEXT return *milliseconds = 0.5f, !*start || !*end; }
int cuCtxSynchronize(void) { NEEDS_CONTEXT return 0; }
int cuModuleLoadDataEx(const void **out, const char *text, unsigned count, const int *options, void **values) {
    NEEDS_CONTEXT
    if (strncmp(text, ".version", 8) == 0)
        return *out = &module, modules++, 0;
    char *log = NULL;
    for (unsigned option = 0; option < count; option++) {
        if (options[option] == 5)
            log = values[option];
        if (options[option] == 6 && log)
            snprintf(log, (size_t)values[option], "ptxas error   : no version\n\nptxas fatal   : aborted\n");
    }
    return INVALID_PTX;
}
int cuModuleUnload(const void *of) { NEEDS_CONTEXT modules--; return of != &module; }
int cuModuleGetFunction(const void **out, const void *of, const char *name) {
    NEEDS_CONTEXT
    return *out = &function, strcmp(name, "scale") ? NOT_FOUND : of != &module;
}
int cuFuncSetAttribute(const void *of, int attribute, int value) {
    NEEDS_CONTEXT
    if (of != &function || attribute != 8 || value > 232448)
        return INVALID_VALUE;
    return asked = value, 0;
}
int cuLaunchKernel(const void *of, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y, unsigned threads_z,
                   unsigned shared, const void *in, void **parameters, void **extra) {
    NEEDS_CONTEXT
    if (of != &function || y != 1 || z != 1 || threads_y != 1 || threads_z != 1 || (shared && shared > (unsigned)asked) || IS_NO_STREAM(in) || extra)
        return INVALID_VALUE;
    float *values = *(float **)parameters[0], factor = *(float *)parameters[1];
    for (unsigned place = 0; place < x * threads_x; place++)
        values[place] *= factor;
    return 0;
}
int cuMemAlloc_v2(void **out, size_t bytes) { NEEDS_CONTEXT allocations++; return *out = malloc(bytes), 0; }
int cuMemAllocManaged(void **out, size_t bytes, unsigned flags) {
    NEEDS_CONTEXT
    allocations++;
    return *out = malloc(bytes), flags != 1;
}
int cuMemFree_v2(void *memory) { NEEDS_CONTEXT allocations--; return free(memory), 0; }
int cuMemAllocAsync(void **out, size_t bytes, const void *in) {
    NEEDS_CONTEXT
    allocations++, ordered++;
    return *out = malloc(bytes), in != CALLERS;
}
int cuMemFreeAsync(void *memory, const void *in) { NEEDS_CONTEXT allocations--; return free(memory), in != CALLERS; }
/* Addresses that are no multiples of 16 are of the host, and those below 4096 of another device. */
int cuPointerGetAttribute(void *data, int attribute, const void *address) {
    size_t number = (size_t)address;
    if (number % 16)
        return INVALID_VALUE;
    if (attribute == 8)
        *(char *)data = 0;
    else
        *(unsigned *)data = attribute == 2 ? 2 : number < 4096;
    return 0;
}
int cuMemcpyAsync(void *to, const void *from, size_t bytes, const void *in) {
    NEEDS_CONTEXT
    return memcpy(to, from, bytes), IS_NO_STREAM(in);
}
int cuMemsetD32Async(uint32_t *to, uint32_t value, size_t count, const void *in) {
    NEEDS_CONTEXT
    while (count--)
        *to++ = value;
    return IS_NO_STREAM(in);
}
int cuMemsetD16Async(uint16_t *to, uint16_t value, size_t count, const void *in) {
    NEEDS_CONTEXT
    while (count--)
        *to++ = value;
    return IS_NO_STREAM(in);
}

/* Reports resources that are still in use at exit. */
__attribute__((destructor)) static void tell(void) {
    printf("stand-in: %d contexts current, %d retained, %d events, %d allocations, %d modules\n", depth, retained, events, allocations,
           modules);
    if (ordered)
        printf("stand-in: %d allocations in the order of a stream\n", ordered);
}
