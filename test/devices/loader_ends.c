/* An ICD loader of OpenCL in which compilation of a program dies by a signal. All other functions are those of the loader
   that it is linked with. */
#include <signal.h>
#include <stdlib.h>

int clBuildProgram(void *program, unsigned count, const void *devices, const char *options, void *notify, void *data) {
    return raise(atoi(getenv("MDH_TEST_SIGNAL")));
}
