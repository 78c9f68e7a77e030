// The level of the x86-64 architecture that this computer has, in objects with several versions of their functions.
// `build.rs` compiles it to LLVM IR, and `interface/levels.rs` links it into such modules.
#include <cpuid.h>

#define LEVEL_2_FEATURES (bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE41 | bit_SSE42 | bit_POPCNT)
#define LEVEL_3_FEATURES (bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C)
#define LEVEL_3_EXTENSIONS (bit_BMI | bit_AVX2 | bit_BMI2)
#define LEVEL_4_EXTENSIONS (bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL)

// The registers that the operating system saves: those of AVX, and those of AVX-512 as well.
#define AVX_REGISTERS 0x06
#define AVX512_REGISTERS 0xe6

static int has_all(unsigned flags, unsigned wanted) { return (flags & wanted) == wanted; }

static unsigned saved_registers(void) {
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Returns 1 to 4, as the processor supplement of the ABI of x86-64 defines them.
int mdh_level(void) {
  unsigned eax, ebx = 0, ecx, edx, features = 0, extended = 0;
  __get_cpuid(1, &eax, &ebx, &features, &edx);
  __get_cpuid(0x80000001, &eax, &ebx, &extended, &edx);
  if (!has_all(features, LEVEL_2_FEATURES) || !has_all(extended, bit_LAHF_LM))
    return 1;
  unsigned extensions = 0;
  __get_cpuid_count(7, 0, &eax, &extensions, &ecx, &edx);
  if (!has_all(features, LEVEL_3_FEATURES) || !has_all(extended, bit_LZCNT) ||
      !has_all(extensions, LEVEL_3_EXTENSIONS) || !has_all(saved_registers(), AVX_REGISTERS))
    return 2;
  return has_all(extensions, LEVEL_4_EXTENSIONS) && has_all(saved_registers(), AVX512_REGISTERS) ? 4 : 3;
}
