/* A program of your own in C: runs a layout to its end and prints the report.
 *
 *   cc -std=c99 mine.c $(pkg-config --cflags --libs tessera-c) -o mine
 */
#include <stdio.h>
#include <tessera.h>

static int failed(void) {
  fprintf(stderr, "%s\n", tessera_last_error());
  return 1;
}

int main(int argc, char** argv) {
  tessera_machine* machine;
  if (argc != 2) return 2;
  if (tessera_create("wse", argv[1], 0, NULL, &machine) != TESSERA_OK) return failed();
  if (tessera_launch(machine, "main", 0, 0, 0, 0, NULL, 0) != TESSERA_OK) return failed();
  if (tessera_run(machine, UINT64_MAX, NULL) != TESSERA_OK) return failed();
  puts(tessera_report(machine));
  tessera_destroy(machine);
  return 0;
}
