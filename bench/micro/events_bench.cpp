// What is done with an event that a model announces. Items are events.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "models/observe/digest.h"
#include "models/observe/event_fields.h"
#include "models/observe/event_stream.h"

namespace tessera::observe {
namespace {

constexpr unsigned kSide = 32;

Event hop(std::uint64_t number) {
  Event e;
  e.cycle = number / kSide;
  e.place = static_cast<std::uint32_t>(number % (kSide * kSide));
  e.kind = EventKind::kHop;
  e.a = 1U | static_cast<std::uint32_t>(index(Direction::kEast)) << 8;
  e.b = static_cast<std::uint32_t>(number);
  return e;
}

/// `sink.record()` of hops, without a virtual call.
template <class Sink>
void record_hops(benchmark::State& state, Sink& sink) {
  std::uint64_t number = 0;
  for (auto _ : state) sink.record(hop(number++));
  benchmark::ClobberMemory();
  state.SetItemsProcessed(state.iterations());
}

void digest(benchmark::State& state) {
  Digest sink;
  record_hops(state, sink);
  benchmark::DoNotOptimize(sink.value());
}
void event_stream(benchmark::State& state) {
  EventStream sink(kSide, kSide, false);
  record_hops(state, sink);
  benchmark::DoNotOptimize(sink.digest().value());
}
void event_stream_per_tile(benchmark::State& state) {
  EventStream sink(kSide, kSide, true);
  record_hops(state, sink);
  benchmark::DoNotOptimize(sink.digest().value());
}
BENCHMARK(digest);
BENCHMARK(event_stream);
BENCHMARK(event_stream_per_tile);

/// As a core does it, through its probe and Sink.
void probe(benchmark::State& state) {
  EventStream sink(kSide, kSide, false);
  const Probe probe(&sink, 7);
  Cycle now = 0;
  for (auto _ : state) {
    probe.emit(now, EventKind::kQueueIn, 2, static_cast<std::uint32_t>(now));
    ++now;
  }
  benchmark::DoNotOptimize(sink.digest().value());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(probe);

}  // namespace
}  // namespace tessera::observe
