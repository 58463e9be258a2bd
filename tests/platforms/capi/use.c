/* libtessera.so from C: the GEMV of examples/gemv_stream, twice, with a reset in the middle; two machines side
 * by side; errors. Answers 0, or the line of the first check that failed. */
#include <stdio.h>
#include <string.h>

#include "tessera.h"

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "line %d: %s; %s\n", __LINE__, #condition, tessera_last_error()); \
      return __LINE__;                                                          \
    }                                                                           \
  } while (0)

enum { kRow = 3, kColumns = 4, kWest = 0, kEast = 1, kNorth = 3 };

static uint32_t bits(float value) {
  uint32_t word;
  memcpy(&word, &value, 4);
  return word;
}

static uint32_t edge_at(tessera_machine* m, int x, int y, uint32_t side) {
  tessera_info info;
  uint32_t e;
  tessera_get_info(m, &info);
  for (e = 0; e < info.edges; ++e) {
    tessera_edge edge;
    tessera_get_edge(m, e, &edge);
    if (edge.x == x && edge.y == y && edge.side == side) return e;
  }
  return info.edges;
}

static int on_notice(void* user, uint32_t notice, uint64_t cycle) {
  uint32_t* seen = user;
  (void)cycle;
  *seen |= notice;
  return 0;
}

/* A = 1, 2, 3, 4 in every tile, x = 1, b = 10 and 20: y = 26 and 44 in each row. */
static int gemv(tessera_machine* m, uint64_t limit, int is_complete) {
  const float a[4] = {1, 2, 3, 4};
  const uint32_t x[2] = {bits(1), bits(1)}, b[2] = {bits(10), bits(20)};
  tessera_stop stop;
  uint32_t y[4], taken, i;
  for (i = 0; i < kRow * kColumns; ++i) {
    tessera_symbol symbol;
    CHECK(tessera_find_symbol(m, i % kColumns, i / kColumns, "A", &symbol) == TESSERA_OK);
    CHECK(symbol.bytes == 16 && strcmp(tessera_type_name(symbol.type), "f32") == 0);
    CHECK(tessera_write(m, i, symbol.address, a, 16) == TESSERA_OK);
  }
  for (i = 0; i < kRow; ++i)
    CHECK(tessera_expect(m, edge_at(m, 3, (int)i, kEast), 2, 2) == TESSERA_OK);
  CHECK(tessera_launch(m, tessera_function_name(m, 0), 0, 0, 0, 0, x, 0) == TESSERA_OK);
  for (i = 0; i < kColumns; ++i)
    CHECK(tessera_send(m, edge_at(m, (int)i, 0, kNorth), 0, x, 2, 0) == TESSERA_OK);
  for (i = 0; i < kRow; ++i)
    CHECK(tessera_send(m, edge_at(m, 0, (int)i, kWest), 2, b, 2, 0) == TESSERA_OK);
  CHECK(tessera_run(m, limit, &stop) == TESSERA_OK);
  CHECK(stop == (is_complete ? TESSERA_AT_REST : TESSERA_AT_LIMIT));
  for (i = 0; i < kRow && is_complete; ++i) {
    CHECK(tessera_receive(m, edge_at(m, 3, (int)i, kEast), 2, y, 4, &taken) == TESSERA_OK);
    CHECK(taken == 2 && y[0] == bits(26) && y[1] == bits(44));
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const options[] = {"--structure", "dense"};
  tessera_machine *m = NULL, *other = NULL;
  uint32_t seen = 0, bytes = 0;
  uint64_t cycle, time, hops;
  char report[20000];
  void* view;
  int failed;
  tessera_stop stop;
  if (argc != 4) return 1;
  CHECK(tessera_abi_version() == TESSERA_ABI_VERSION);
  CHECK(tessera_create("wse", "/nowhere.json", 0, NULL, &m) == TESSERA_USER_INPUT && m == NULL);
  CHECK(strstr(tessera_last_error(), "/nowhere.json") != NULL);
  CHECK(tessera_create("abc", argv[1], 0, NULL, &m) == TESSERA_USER_INPUT);
  CHECK(tessera_run(NULL, 1, NULL) == TESSERA_USER_INPUT);

  CHECK(tessera_create("wse", argv[1], 0, NULL, &m) == TESSERA_OK);
  tessera_set_listener(m, on_notice, &seen);
  if ((failed = gemv(m, UINT64_MAX, 1)) != 0) return failed;
  CHECK((seen & TESSERA_STREAM_DONE) && (seen & TESSERA_CAME_TO_REST));
  CHECK((seen & TESSERA_MACHINE_FAILED) == 0);
  cycle = tessera_cycle(m);
  time = tessera_time_ps(m);
  CHECK(tessera_counter(m, 0, &hops) == TESSERA_OK && hops > 0);
  CHECK(tessera_report(m) != NULL && strlen(tessera_report(m)) < sizeof report);
  strcpy(report, tessera_report(m));
  CHECK(strstr(report, "\"digest\"") != NULL);
  CHECK(tessera_map(m, 0, &view, &bytes) == TESSERA_OK && bytes == 49152 && view != NULL);

  /* In the middle of it. */
  CHECK(tessera_reset(m, 0) == TESSERA_OK);
  CHECK(tessera_cycle(m) <= 1 && tessera_time_ps(m) == time);
  if ((failed = gemv(m, 30, 0)) != 0) return failed;
  CHECK(tessera_reset(m, 0) == TESSERA_OK);
  if ((failed = gemv(m, UINT64_MAX, 1)) != 0) return failed;
  CHECK(tessera_cycle(m) == cycle);

  /* A second machine beside the first, then alone. */
  CHECK(tessera_create("wse", argv[1], 2, options, &other) == TESSERA_OK);
  if ((failed = gemv(other, UINT64_MAX, 1)) != 0) return failed;
  CHECK(tessera_cycle(other) == cycle);
  /* Saved in the middle of it, and restored twice. */
  CHECK(tessera_save(m, argv[3]) == TESSERA_OK); /* modules */
  CHECK(tessera_save(other, NULL) == TESSERA_USER_INPUT);
  CHECK(tessera_reset(other, 0) == TESSERA_OK);
  if ((failed = gemv(other, 8, 0)) != 0) return failed;
  CHECK(tessera_save(other, argv[3]) == TESSERA_OK);
  CHECK(tessera_restore(other, argv[1]) == TESSERA_USER_INPUT);
  for (failed = 0; failed < 2; ++failed) {
    CHECK(tessera_restore(other, argv[3]) == TESSERA_OK && tessera_cycle(other) == 8);
    CHECK(tessera_run(other, UINT64_MAX, NULL) == TESSERA_OK && tessera_cycle(other) == cycle);
  }

  /* A breakpoint. */
  CHECK(tessera_debug(other, NULL) == NULL);
  CHECK(strstr(tessera_debug(other, "nonsense"), "\"success\":false") != NULL);
  CHECK(strstr(tessera_debug(other, "{\"seq\":1,\"type\":\"request\",\"command\":\"setFunctionBreakpoints\","
                                    "\"arguments\":{\"breakpoints\":[{\"name\":\"reduce\"}]}}"),
               "\"verified\":true") != NULL);
  CHECK(tessera_restore(other, argv[3]) == TESSERA_OK);
  CHECK(tessera_run(other, UINT64_MAX, &stop) == TESSERA_OK && stop == TESSERA_AT_STOP);
  CHECK(strstr(tessera_debug(other, "{\"seq\":2,\"type\":\"request\",\"command\":\"disconnect\"}"),
               "\"reason\":\"breakpoint\"") != NULL);
  CHECK(tessera_run(other, UINT64_MAX, &stop) == TESSERA_OK && stop == TESSERA_AT_REST);
  CHECK(tessera_cycle(other) == cycle);

  tessera_destroy(m);
  CHECK(tessera_reset(other, 1) == TESSERA_OK);
  CHECK(tessera_read(other, 99, 0, report, 4) == TESSERA_USER_INPUT);
  CHECK(tessera_read(other, 0, 49150, report, 4) == TESSERA_USER_INPUT);
  CHECK(tessera_launch(other, "nothing", 0, 0, 0, 0, NULL, 0) == TESSERA_USER_INPUT);
  CHECK(tessera_step(other, 5, NULL) == TESSERA_OK);
  tessera_destroy(other);

  /* What the machine does not allow ends no process. */
  CHECK(tessera_create("wse", argv[2], 0, NULL, &m) == TESSERA_OK);
  CHECK(tessera_launch(m, "bad", 0, 0, 0, 0, NULL, 0) == TESSERA_OK);
  CHECK(tessera_run(m, UINT64_MAX, NULL) == TESSERA_FAILED);
  CHECK(strstr(tessera_last_error(), "code_store") != NULL);
  CHECK(tessera_run(m, UINT64_MAX, NULL) == TESSERA_FAILED);
  CHECK(tessera_reset(m, 0) == TESSERA_OK);
  CHECK(tessera_launch(m, "good", 0, 0, 0, 0, NULL, 0) == TESSERA_OK);
  CHECK(tessera_open_launches(m) == 1);
  CHECK(tessera_run(m, UINT64_MAX, NULL) == TESSERA_OK);
  CHECK(tessera_open_launches(m) == 0);
  tessera_destroy(m);
  tessera_destroy(NULL);
  return 0;
}
