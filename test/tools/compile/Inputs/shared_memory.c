// Calls functions with arrays at all distances from each other, one of them twice, and compares the memory with that of
// loops.
#include "shared_memory.h"
#include <stdio.h>
#include <string.h>

#define SIZE 200
#define ROWS 5
#define COLUMNS 7

static void fill(int32_t *memory) {
  for (int i = 0; i < SIZE; ++i)
    memory[i] = i * i % 31 + 1;
}

int main(void) {
  char message[MDH_MESSAGE];
  int32_t memory[SIZE], expected[SIZE];
  int wrong = 0;
  for (int x = 0; x <= 100; x += 4)
    for (int y = 0; y <= 100; ++y) {
      fill(memory);
      fill(expected);
      for (int run = 0; run < 2; ++run) {
        for (int i = 0; i < 40; ++i)
          expected[y + i] = expected[x + i] + expected[x + i + 1];
        if (mdh_call_smooth(memory + x, 41, memory + y, 40, 40, message)) {
          printf("%s\n", message);
          return 1;
        }
      }
      wrong += memcmp(memory, expected, sizeof memory) != 0;
      fill(memory);
      fill(expected);
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
          expected[y + j * ROWS + i] = expected[x + i * COLUMNS + j];
      if (mdh_call_transpose(memory + x, ROWS * COLUMNS, memory + y, ROWS * COLUMNS, ROWS, COLUMNS, message)) {
        printf("%s\n", message);
        return 1;
      }
      wrong += memcmp(memory, expected, sizeof memory) != 0;
    }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
