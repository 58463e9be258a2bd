// The queues of a PE: one wavelet in and one out a cycle. Items are wavelets.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "models/queue/input_queue_core.h"
#include "models/queue/output_queue_core.h"

namespace tessera::queue {
namespace {

constexpr unsigned kLength = 6;

void input_queue_put_pop(benchmark::State& state) {
  InputQueueCore queue(QueueId(2), Color(1), kLength, {});
  link::Wavelet w;
  w.color = Color(1);
  Cycle now = 0;
  for (auto _ : state) {
    w.payload = static_cast<std::uint32_t>(now);
    queue.put(w, now + 1);
    ++now;
    if (queue.available(now) > 0) {
      benchmark::DoNotOptimize(queue.front().payload);
      queue.pop(now);
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(input_queue_put_pop);

void output_queue_push_pop(benchmark::State& state) {
  OutputQueueCore queue(QueueId(2), kLength, 1, {});
  link::Wavelet w;
  w.color = Color(1);
  Cycle now = 0;
  for (auto _ : state) {
    w.payload = static_cast<std::uint32_t>(now);
    if (queue.room(now) > 0) queue.push(w, now);
    ++now;
    if (queue.ready_at() <= now) {
      benchmark::DoNotOptimize(queue.front().payload);
      queue.pop(now);
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(output_queue_push_pop);

}  // namespace
}  // namespace tessera::queue
