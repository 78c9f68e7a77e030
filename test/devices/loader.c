/* An ICD loader of OpenCL whose devices have no f64. All other functions are those of the loader that it is linked with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { DOUBLE_FP_CONFIG = 0x1032 };

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t size, void *value, size_t *returned) {
    int32_t (*real)(void *, uint32_t, size_t, void *, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    int32_t status = real(device, what, size, value, returned);
    if (status == 0 && what == DOUBLE_FP_CONFIG && value)
        memset(value, 0, size);
    return status;
}
