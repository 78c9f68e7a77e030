/* Mimics compiled host code: a constructor loads the module, a function launches its kernel, and a destructor unloads it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *mdhOpenclModuleLoad(void *data, size_t bytes);
void mdhOpenclModuleUnload(void *module);
void *mdhOpenclModuleGetFunction(void *module, const char *name);
void *mdhOpenclStreamCreate(void);
void mdhOpenclStreamSynchronize(void *stream);
void mdhOpenclStreamDestroy(void *stream);
void mdhOpenclLaunchKernel(void *function, intptr_t grid_x, intptr_t grid_y, intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                           intptr_t block_z, int32_t shared, void *stream, void **parameters, void **extra, size_t count);
void *mdhOpenclMemAlloc(uint64_t bytes, void *stream, bool is_host_shared);
void mdhOpenclMemFree(void *memory, void *stream);
void mdhOpenclMemcpy(void *to, void *from, size_t bytes, void *stream);

static void *module;
static char image[1 << 16];

__attribute__((constructor)) static void load(void) {
    FILE *file = fopen(getenv("MODULE"), "rb");
    size_t bytes = fread(image, 1, sizeof image, file);
    fclose(file);
    module = mdhOpenclModuleLoad(image, bytes);
}

__attribute__((destructor)) static void unload(void) { mdhOpenclModuleUnload(module); }

int main(void) {
    float values[64];
    for (int place = 0; place < 64; place++)
        values[place] = place;
    void *stream = mdhOpenclStreamCreate();
    void *memory = mdhOpenclMemAlloc(sizeof values, stream, false);
    mdhOpenclMemcpy(memory, values, sizeof values, stream);
    float factor = 1;
    int64_t offset = 0;
    int16_t add = 2;
    void *parameters[] = {&memory, &memory, &factor, &offset, &add};
    mdhOpenclLaunchKernel(mdhOpenclModuleGetFunction(module, "reverse"), 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL, 5);
    mdhOpenclMemcpy(values, memory, sizeof values, stream);
    mdhOpenclMemFree(memory, stream);
    mdhOpenclStreamSynchronize(stream);
    mdhOpenclStreamDestroy(stream);
    printf("%g %g\n", values[0], values[63]);
    return 0;
}
