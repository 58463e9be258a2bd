// timing::Calendar: blocks that want to be stepped again soon. Items are wake-ups.
#include <benchmark/benchmark.h>

#include <vector>

#include "models/timing/calendar.h"

namespace tessera::timing {
namespace {

/// As many blocks as the argument says; each is due again 1 to `spread` cycles later.
void run_calendar(benchmark::State& state, Cycle spread) {
  Calendar calendar;
  const auto blocks = static_cast<BlockId>(state.range(0));
  for (BlockId block = 0; block < blocks; ++block) calendar.insert(block, 1 + block % spread);
  std::vector<BlockId> due;
  std::int64_t taken = 0;
  for (auto _ : state) {
    const Cycle now = calendar.next_due();
    calendar.take(now, due);
    for (BlockId block : due) calendar.insert(block, now + 1 + (block + now) % spread);
    taken += static_cast<std::int64_t>(due.size());
  }
  state.SetItemsProcessed(taken);
}
void calendar_next_cycle(benchmark::State& state) {
  run_calendar(state, 1);
}
void calendar_near(benchmark::State& state) {
  run_calendar(state, 16);
}
void calendar_far(benchmark::State& state) {
  run_calendar(state, 5000);
}
BENCHMARK(calendar_next_cycle)->Arg(64)->Arg(65536);
BENCHMARK(calendar_near)->Arg(64)->Arg(65536);
BENCHMARK(calendar_far)->Arg(64)->Arg(65536);

}  // namespace
}  // namespace tessera::timing
