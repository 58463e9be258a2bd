// libtessera.so as a stranger uses it: NULL everywhere, machines that were destroyed, calls in a wrong order, huge numbers,
// listeners that throw or call back, threads. hostile LAYOUT CSL. Answers 0, or the line of the first check that failed.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tessera.h"

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "line %d: %s; %s\n", __LINE__, #condition, tessera_last_error());       \
      return __LINE__;                                                                             \
    }                                                                                              \
  } while (0)
#define REFUSED(call, text)                                                                        \
  CHECK((call) == TESSERA_USER_INPUT && std::strstr(tessera_last_error(), text) != nullptr)

namespace {

constexpr std::uint32_t kHuge = UINT32_MAX;

tessera_machine* create(const char* program) {
  tessera_machine* m = nullptr;
  tessera_create("wse", program, 0, nullptr, &m);
  return m;
}

/// Every function with this machine, and NULL for all else. Each must be refused with `text`, or be content with NULL.
int call_everything(tessera_machine* m, const char* text) {
  tessera_info info;
  REFUSED(tessera_get_info(m, text == nullptr ? nullptr : &info),
          text == nullptr ? "'info' is NULL" : text);
  const auto refusal = [text](const char* own) { return text == nullptr ? own : text; };
  REFUSED(tessera_get_edge(m, 0, nullptr), refusal("'edge' is NULL"));
  REFUSED(tessera_find_symbol(m, 0, 0, nullptr, nullptr), refusal("is NULL"));
  REFUSED(tessera_get_symbol(m, 0, nullptr), refusal("'symbol' is NULL"));
  REFUSED(tessera_read(m, 0, 0, nullptr, 4), refusal("'to' is NULL"));
  REFUSED(tessera_write(m, 0, 0, nullptr, 4), refusal("'from' is NULL"));
  REFUSED(tessera_map(m, 0, nullptr, nullptr), refusal("'data' is NULL"));
  REFUSED(tessera_resize_array(m, 0, 4), refusal("there is no array 0"));
  REFUSED(tessera_launch(m, nullptr, 0, 0, 0, 0, nullptr, 0), refusal("'function' is NULL"));
  REFUSED(tessera_launch(m, "main", 0, 0, 0, 0, nullptr, 1), refusal("'arguments' is NULL"));
  REFUSED(tessera_send(m, 0, 0, nullptr, 1, 0), refusal("'words' is NULL"));
  REFUSED(tessera_receive(m, 0, 0, nullptr, 1, nullptr), refusal("is NULL"));
  REFUSED(tessera_counter(m, 0, nullptr), refusal("'value' is NULL"));
  REFUSED(tessera_csl_copy_to(m, nullptr, nullptr, nullptr, 1), refusal("'region' is NULL"));
  REFUSED(tessera_csl_copy_from(m, nullptr, nullptr, nullptr, 1), refusal("'region' is NULL"));
  REFUSED(tessera_csl_stream_to(m, 0, nullptr, nullptr, 1), refusal("'region' is NULL"));
  REFUSED(tessera_csl_stream_from(m, 0, nullptr, nullptr, 1), refusal("'region' is NULL"));
  REFUSED(tessera_csl_launch(m, nullptr, nullptr, 0), refusal("not written in CSL"));
  REFUSED(tessera_save(m, nullptr), refusal("'path' is NULL"));
  REFUSED(tessera_restore(m, nullptr), refusal("'path' is NULL"));
  CHECK(tessera_debug(m, nullptr) == nullptr);
  REFUSED(tessera_csl_rectangle(m, nullptr), refusal("not written in CSL"));
  CHECK(tessera_csl_functions(m) == nullptr);
  if (text == nullptr) return 0;
  REFUSED(tessera_run(m, 1, nullptr), text);
  REFUSED(tessera_step(m, 1, nullptr), text);
  REFUSED(tessera_reset(m, 0), text);
  REFUSED(tessera_expect(m, 0, 0, 1), text);
  REFUSED(tessera_cancel(m, 0, 0), text);
  CHECK(tessera_report(m) == nullptr && tessera_waits(m) == nullptr);
  CHECK(tessera_function_name(m, 0) == nullptr && tessera_array_name(m, 0) == nullptr);
  CHECK(tessera_symbol_name(m, 0) == nullptr && tessera_counter_name(m, 0) == nullptr);
  CHECK(tessera_cycle(m) == 0 && tessera_time_ps(m) == 0 && tessera_open_launches(m) == 0);
  tessera_set_listener(m, nullptr, nullptr);
  return 0;
}

int create_wrongly(const char* layout) {
  tessera_machine* m = nullptr;
  const char* const missing[] = {"--structure", nullptr};
  const char* const unknown[] = {"--structure", "solid"};
  const char* const useless[] = {"--report", "/tmp/never"};
  REFUSED(tessera_create("wse", layout, 0, nullptr, nullptr), "'created' is NULL");
  REFUSED(tessera_create(nullptr, layout, 0, nullptr, &m), "'kind' is NULL");
  REFUSED(tessera_create("wse", nullptr, 0, nullptr, &m), "'program' is NULL");
  REFUSED(tessera_create("wse", layout, 2, nullptr, &m), "'options' is NULL");
  REFUSED(tessera_create("wse", layout, -1, nullptr, &m), "'option_count' is -1");
  REFUSED(tessera_create("wse", layout, 2, missing, &m), "'options' is NULL");
  REFUSED(tessera_create("wse", layout, 2, unknown, &m), "solid");
  REFUSED(tessera_create("wse", layout, 2, useless, &m), "--report");
  REFUSED(tessera_create("wse", "", 0, nullptr, &m), "");
  REFUSED(tessera_create("ascend", layout, 0, nullptr, &m), "");
  CHECK(m == nullptr && tessera_create("wse", layout, 0, nullptr, &m) == TESSERA_OK);
  tessera_destroy(m);
  tessera_destroy(m);  // it is gone
  return call_everything(m, "there is no such machine");
}

int huge_numbers(tessera_machine* m) {
  std::uint32_t word = 0, taken = 0;
  tessera_stop stop = TESSERA_ON_REQUEST;
  REFUSED(tessera_read(m, 0, kHuge, &word, 4), "are not all in memory");
  REFUSED(tessera_read(m, kHuge, 0, &word, 4), "there is no memory number");
  REFUSED(tessera_write(m, 0, 49150, &word, kHuge), "are not all in memory");
  REFUSED(tessera_launch(m, "main", kHuge, 0, 1, 1, nullptr, 0), "not inside the grid");
  REFUSED(tessera_launch(m, "main", 1, 0, kHuge, 1, nullptr, 0), "not inside the grid");
  REFUSED(tessera_launch(m, "main", 0, 0, 0, 0, &word, kHuge), "at most 4 arguments");
  REFUSED(tessera_send(m, kHuge, 0, &word, 1, 0), "no edge");
  REFUSED(tessera_send(m, 0, kHuge, &word, 1, 0), "no color");
  REFUSED(tessera_find_symbol(m, kHuge, kHuge, "A", nullptr), "");
  CHECK(tessera_receive(m, 0, 0, nullptr, 0, &taken) == TESSERA_OK && taken == 0);
  CHECK(tessera_send(m, 0, 0, nullptr, 0, 0) == TESSERA_OK);
  CHECK(tessera_read(m, 0, 49152, nullptr, 0) == TESSERA_OK);
  CHECK(tessera_expect(m, 0, 2, kHuge) == TESSERA_OK &&
        tessera_expect(m, 0, 2, kHuge) == TESSERA_OK);
  CHECK(tessera_cancel(m, 0, 2) == TESSERA_OK);
  CHECK(tessera_step(m, UINT64_MAX, &stop) == TESSERA_OK && stop == TESSERA_AT_REST);
  CHECK(tessera_step(m, UINT64_MAX, nullptr) == TESSERA_OK);
  CHECK(tessera_run(m, 0, nullptr) == TESSERA_OK && tessera_step(m, 0, nullptr) == TESSERA_OK);
  return 0;
}

// --- listeners

struct Caller {
  tessera_machine* own;
  tessera_machine* other;
  int calls = 0;
  int failed = 0;
};
int calls_back(void* user, std::uint32_t, std::uint64_t) {
  auto& caller = *static_cast<Caller*>(user);
  ++caller.calls;
  caller.failed = call_everything(caller.own, "the listener must not call");
  tessera_destroy(caller.own);  // refused
  if (tessera_reset(caller.other, 0) != TESSERA_OK ||
      tessera_run(caller.other, 50, nullptr) != TESSERA_OK)
    caller.failed = __LINE__;
  return 0;
}
int throws(void*, std::uint32_t, std::uint64_t) {
  throw std::runtime_error("it fell off the table");
}
int throws_a_number(void*, std::uint32_t, std::uint64_t) {
  throw 7;
}

int use_listeners(tessera_machine* m, tessera_machine* other) {
  Caller caller{m, other};
  CHECK(tessera_reset(m, 0) == TESSERA_OK);
  tessera_set_listener(m, calls_back, &caller);
  CHECK(tessera_launch(m, tessera_function_name(m, 0), 0, 0, 0, 0, nullptr, 0) == TESSERA_OK);
  CHECK(tessera_run(m, UINT64_MAX, nullptr) == TESSERA_OK);
  CHECK(caller.calls > 0);
  if (caller.failed != 0) return caller.failed;
  for (const tessera_listener listener : {throws, throws_a_number}) {
    CHECK(tessera_reset(m, 0) == TESSERA_OK);
    tessera_set_listener(m, listener, nullptr);
    REFUSED(tessera_run(m, UINT64_MAX, nullptr), "the listener threw an exception");
    tessera_set_listener(m, nullptr, nullptr);
    CHECK(tessera_run(m, UINT64_MAX, nullptr) == TESSERA_OK);
  }
  return 0;
}

int use_csl(const char* program) {
  const char* const options[] = {"--params", "width:2,height:2,M:8,N:8"};
  tessera_machine* m = nullptr;
  CHECK(tessera_create("wse", program, 2, options, &m) == TESSERA_OK);
  std::int32_t r[4];
  CHECK(tessera_csl_rectangle(m, r) == TESSERA_OK && r[2] > 0 && r[3] > 0);
  std::vector<std::uint32_t> words(1 << 16);
  tessera_region region = {0, 0, r[2], r[3], 1, 32, 0, 0, 0, 0};
  const auto pes = static_cast<std::uint64_t>(r[2] * r[3]);
  REFUSED(tessera_csl_copy_to(m, "A", &region, words.data(), pes + 1), "the region takes");
  REFUSED(tessera_csl_copy_to(m, "A", &region, nullptr, pes), "'words' is NULL");
  REFUSED(tessera_csl_copy_to(m, nullptr, &region, words.data(), pes), "'symbol' is NULL");
  REFUSED(tessera_csl_copy_to(m, "B", &region, words.data(), pes), "exports no symbol 'B'");
  REFUSED(tessera_csl_launch(m, "A", nullptr, 0), "which is no function");
  REFUSED(tessera_csl_launch(m, "compute", words.data(), 3), "3 arguments given");
  REFUSED(tessera_csl_stream_to(m, 24, &region, words.data(), pes), "there is no color 24");
  region.elements = 30000;
  REFUSED(tessera_csl_copy_from(m, "A", &region, words.data(), 1), "the region takes");
  region.elements = kHuge;
  REFUSED(tessera_csl_copy_from(m, "A", &region, words.data(), pes * kHuge),
          "do not fit the memory of a PE");
  for (const tessera_region wrong :
       {tessera_region{-1, 0, 1, 1, 1, 32, 0, 0, 0, 0},
        tessera_region{0, 0, INT32_MAX, 1, 1, 32, 0, 1, 0, 0},
        tessera_region{INT32_MAX, INT32_MAX, 1, 1, 1, 32, 0, 0, 0, 0},
        tessera_region{0, 0, 1, 1, 1, 8, 0, 0, 0, 0}, tessera_region{0, 0, 1, 1, 1, 32, 2, 0, 0, 0},
        tessera_region{0, 0, 1, 1, 1, 32, 0, 3, 0, 0}})
    REFUSED(tessera_csl_copy_from(m, "A", &wrong, words.data(), 1), "");
  CHECK(tessera_csl_launch(m, "compute", nullptr, 0) == TESSERA_OK);
  REFUSED(tessera_launch(m, "compute", 0, 0, 0, 0, nullptr, 0), "commands of CSL");
  CHECK(tessera_reset(m, 0) == TESSERA_OK);
  CHECK(tessera_launch(m, tessera_function_name(m, 0), 0, 0, 0, 0, nullptr, 0) == TESSERA_OK);
  REFUSED(tessera_csl_launch(m, "compute", nullptr, 0), "tessera_launch has started");
  tessera_destroy(m);
  return 0;
}

/// Threads with machines of their own, and one machine of all; results do not depend on who comes first.
int use_threads(const char* layout) {
  tessera_machine* shared = create(layout);
  CHECK(shared != nullptr);
  std::vector<std::string> reports(4);
  std::vector<std::thread> threads;
  for (std::string& report : reports) {
    threads.emplace_back([layout, shared, &report] {
      tessera_machine* m = create(layout);
      tessera_launch(m, tessera_function_name(m, 0), 0, 0, 0, 0, nullptr, 0);
      for (int i = 0; i < 40; ++i) {
        tessera_step(m, 5, nullptr);
        tessera_step(shared, 1, nullptr);
      }
      report = tessera_waits(m);
      tessera_run(nullptr, 1, nullptr);
      if (std::strstr(tessera_last_error(), "NULL") == nullptr) report += "another thread's error";
      tessera_destroy(m);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& report : reports)
    CHECK(report == reports[0] && report.find("who") != report.npos);
  tessera_destroy(shared);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  if (const int failed = call_everything(nullptr, "the machine is NULL")) return failed;
  if (const int failed = create_wrongly(argv[1])) return failed;
  tessera_machine *m = create(argv[1]), *other = create(argv[1]);
  CHECK(m != nullptr && other != nullptr);
  if (const int failed = call_everything(m, nullptr)) return failed;
  if (const int failed = huge_numbers(m)) return failed;
  if (const int failed = use_listeners(m, other)) return failed;
  tessera_destroy(m);
  if (const int failed = use_csl(argv[2])) return failed;
  if (const int failed = use_threads(argv[1])) return failed;
  tessera_destroy(other);
  return 0;
}
