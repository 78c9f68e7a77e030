/* An ICD loader of OpenCL whose devices end by a signal when they compile; all other functions are those of the loader that it is linked
   with. */
#include <signal.h>
#include <stdlib.h>

int clBuildProgram(void *program, unsigned count, const void *devices, const char *options, void *notify, void *data) {
    return raise(atoi(getenv("MDH_TEST_SIGNAL")));
}
