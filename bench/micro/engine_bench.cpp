// ComputeEngineCore::step: instructions and groups of DSD operations. Items are steps.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

#include "frontends/tasm/assembler.h"
#include "models/pe/compute_engine_core.h"

namespace tessera::pe {
namespace {

/// A wavelet is always there, and there is always room.
class EndlessQueues final : public PeQueues {
 public:
  Cycle ready_at(QueueId) const override { return 0; }
  unsigned available(QueueId, Cycle) const override { return 1; }
  link::Wavelet front(QueueId) const override { return wavelet_; }
  link::Wavelet take(QueueId, Cycle) override {
    ++wavelet_.payload;
    return wavelet_;
  }
  unsigned room(QueueId, Cycle) const override { return 1; }
  void push(QueueId, const link::Wavelet& w, Cycle) override {
    benchmark::DoNotOptimize(w.payload);
  }

 private:
  link::Wavelet wavelet_;
};

/// Runs function `main` of `program`, again whenever it ends.
void run_engine(benchmark::State& state, const std::string& program) {
  const auto image =
      std::make_shared<const Image>(tasm::assemble(program, {"bench.tasm", Generation::kWse2, {}}));
  const PeTiming timing;
  EndlessQueues queues;
  ComputeEngineCore engine({0, 0}, image, timing, queues, {});
  const Function& main = *image->find_function("main");
  Cycle now = 0;
  for (auto _ : state) {
    if (engine.launches_open() == 0) engine.launch(main, {}, now + 1);
    const Cycle next = engine.step(now);
    now = next == kNever ? now + 1 : next;
  }
  state.SetItemsProcessed(state.iterations());
}

void engine_scalar(benchmark::State& state) {
  run_engine(state, R"(fn main
next:
    add16 r1, r1, 3
    xor16 r2, r2, r1
    sub16 r0, r0, 1
    eq16  r0, 0
    jmpf  next
    ret
)");
}
BENCHMARK(engine_scalar);

void engine_memory_group(benchmark::State& state) {
  run_engine(state, R"(data a: f32[4096]
data b: f32[4096]
dsd va mem1d a
dsd vb mem1d b
dsr dds1 va
dsr s0ds1 va
dsr s1ds1 vb
fn main
    fadds dds1, s0ds1, s1ds1
    ret
)");
}
BENCHMARK(engine_memory_group);

void engine_fabric_group(benchmark::State& state) {
  run_engine(state, R"(data a: f32[4096]
queue from input 2 color=1
queue to output 2 color=2
dsd va mem1d a
dsd in fabin from extent=4096
dsd out fabout to extent=4096
dsr dds1 out
dsr s0ds1 in
dsr s1ds1 va
fn main
    fadds dds1, s0ds1, s1ds1
    ret
)");
}
BENCHMARK(engine_fabric_group);

}  // namespace
}  // namespace tessera::pe
