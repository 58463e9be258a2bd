// What a compute engine takes of the host's memory, beside the SRAM its program touches: a wafer
// has 745,500 of them. This file counts every operator new, rounded up as an allocator does.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <string>

#include "frontends/tasm/assembler.h"
#include "models/pe/compute_engine_core.h"

namespace {

/// What is in use, and how often memory was taken.
struct Heap {
  std::size_t bytes = 0;
  std::size_t blocks = 0;
} heap;

constexpr std::size_t kHeader = 16;  // holds the size of the block
std::size_t cost_of(std::size_t size) {
  return (size + 8 + 15) / 16 * 16;
}

}  // namespace

// Not inlined: else the compiler sees malloc paired with delete and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
  auto* block = static_cast<std::size_t*>(std::malloc(size + kHeader));
  if (block == nullptr) throw std::bad_alloc();
  *block = size;
  heap.bytes += cost_of(size);
  ++heap.blocks;
  return reinterpret_cast<char*>(block) + kHeader;
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  if (p == nullptr) return;
  void* const block = static_cast<char*>(p) - kHeader;
  heap.bytes -= cost_of(*static_cast<std::size_t*>(block));
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  operator delete(p);
}

namespace tessera::pe::test {
namespace {

/// A step of a reduction: adds what comes from one neighbour, relays what comes from the other.
const std::string kReduce = R"(
data sum: f32[64]
data constants: f32[4] = 0.1, 0.2, 0.3, 0.4      ; in pages that all engines share
queue west  input 1 color=1
queue north input 2 color=2
queue east  output 4 color=3
queue south output 5 color=4
dsd in      fabin west extent=64
dsd relayed fabin north extent=64
dsd out     fabout south extent=64
dsd all     mem1d sum
task main local 8 active
    lddsr s1ds1, relayed
    lddsr dds1, out
    mov32 dds1, s1ds1 async
    lddsr s0ds0, all
    lddsr s1ds0, in
    fadds s0ds0, s0ds0, s1ds0
    end
)";

/// Queues that take no memory: wavelets of payload 0 on the way in, room on the way out.
class CountedQueues : public PeQueues {
 public:
  std::array<unsigned, kMaxQueues> wavelets{};  ///< waiting, by input queue

  Cycle ready_at(QueueId q) const override { return wavelets[q.value()] > 0 ? 0 : kNever; }
  unsigned available(QueueId q, Cycle) const override { return wavelets[q.value()]; }
  link::Wavelet front(QueueId) const override { return wavelet_; }
  link::Wavelet take(QueueId q, Cycle) override {
    --wavelets[q.value()];
    return wavelet_;
  }
  unsigned room(QueueId, Cycle) const override { return 8; }
  void push(QueueId, const link::Wavelet&, Cycle) override {}

 private:
  link::Wavelet wavelet_;
};

class PeFootprint : public testing::Test {
 protected:
  PeFootprint()
      : program_(std::make_shared<const DecodedImage>(
            std::make_shared<const Image>(
                tasm::assemble(kReduce, {"reduce.tasm", Generation::kWse3, {}})),
            timing_)) {
    for (VectorRate& rate : timing_.rate) rate = {1, 1};
  }
  /// Steps the engine until it sleeps.
  void run(ComputeEngineCore& engine) {
    Cycle next = now_;
    while (next != kNever) {
      now_ = next;
      next = engine.step(now_);
    }
    ++now_;
  }

  PeTiming timing_;
  std::shared_ptr<const DecodedImage> program_;
  CountedQueues queues_;
  Cycle now_ = 0;
};

TEST_F(PeFootprint, OfAnEngineAtRestAndAtWork) {
  const std::size_t before = heap.bytes;
  auto engine =
      std::make_unique<ComputeEngineCore>(TileCoord{0, 0}, program_, queues_, observe::Probe());
  const std::size_t idle = heap.bytes - before;
  run(*engine);
  const std::size_t busy = heap.bytes - before;  // both operations wait for wavelets
  std::cout << "engine " << sizeof(ComputeEngineCore) << " bytes, at rest " << idle
            << " bytes, with two operations " << busy << " bytes\n";
  EXPECT_LE(sizeof(ComputeEngineCore), 376u);
  EXPECT_LE(idle, 592u);
  EXPECT_LE(busy, 1120u);
}

TEST_F(PeFootprint, OperationsTakeMemoryOnlyWhileTheyAreInProgress) {
  ComputeEngineCore engine({0, 0}, program_, queues_, observe::Probe());
  const std::uint32_t sum = engine.image().find_symbol("sum")->address;
  for (std::uint32_t at = 0; at < 256; at += 4) engine.sram().write(sum + at, 4, 0);
  const std::size_t idle = heap.bytes;
  run(engine);
  EXPECT_GT(heap.bytes, idle);
  queues_.wavelets = {0, 64, 64};
  run(engine);
  EXPECT_EQ(queues_.wavelets[1] + queues_.wavelets[2], 0u);
  EXPECT_EQ(heap.bytes, idle);
}

TEST_F(PeFootprint, AStreamTakesNoMemoryOnTheWay) {
  ComputeEngineCore engine({0, 0}, program_, queues_, observe::Probe());
  run(engine);
  queues_.wavelets[1] = 1;
  run(engine);  // takes the page of `sum`
  const std::size_t blocks = heap.blocks;
  queues_.wavelets[1] = 30;
  run(engine);
  EXPECT_EQ(queues_.wavelets[1], 0u);
  EXPECT_EQ(heap.blocks, blocks);
}

TEST(PeSramFootprint, ATileThatTouches300BytesTakesTwoPages) {
  const std::size_t before = heap.bytes;
  Sram sram;
  for (std::uint32_t at = 1300; at < 1600; at += 4) sram.write(at, 4, 1);
  EXPECT_LE(sizeof(Sram) + heap.bytes - before, 600u);
}

}  // namespace
}  // namespace tessera::pe::test
