// The scalar unit's data cache (ascend.md 1.3, 2.9, 4.5): lines, what leaves, and cycles.
#include "models/cluster/memory/scalar_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "models/cluster/hazards/cache_hazards.h"
#include "tests/models/cluster/bench.h"

namespace tessera::cluster {
namespace {

using bench::Bench;
using bench::error_of;
using bench::Kernel;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// --- lines ---

TEST(ScalarCache, BitsOfBytes) {
  EXPECT_EQ(ScalarCache::bits_of(64, 4), 0xFU);
  EXPECT_EQ(ScalarCache::bits_of(127, 1), std::uint64_t{1} << 63);
  EXPECT_EQ(ScalarCache::bits_of(0, 64), ~std::uint64_t{0});
  EXPECT_EQ(ScalarCache::line_of(191), 128);
}

TEST(ScalarCache, TheLineUsedLeastRecentlyLeaves) {
  ScalarCache cache(2 * ScalarCache::kLineBytes);
  std::optional<ScalarCache::Line> victim;
  cache.add(0, 0, victim).changed = 1;
  cache.add(1, 0, victim).changed = 2;
  EXPECT_FALSE(victim);
  EXPECT_NE(cache.find(0, 0), nullptr);
  cache.add(0, 64, victim);
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->array, 1);
  EXPECT_EQ(victim->changed, 2u);
  EXPECT_EQ(cache.find(1, 0), nullptr);
  EXPECT_NE(cache.find(0, 0), nullptr);
}

TEST(ScalarCache, TakenLinesAreGone) {
  ScalarCache cache(1024);
  std::optional<ScalarCache::Line> victim;
  cache.add(1, 64, victim).changed = 1;
  cache.add(0, 128, victim);
  cache.add(0, 0, victim).changed = 1;
  EXPECT_EQ(cache.changed_lines().size(), 2u);
  EXPECT_EQ(cache.take(0, 64), std::nullopt);
  const std::vector<ScalarCache::Line> all = cache.take_all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].first, 0);
  EXPECT_EQ(all[1].first, 128);
  EXPECT_EQ(all[2].array, 1);
  EXPECT_TRUE(cache.take_all().empty());
}

// --- a core ---

const std::vector<GmArray> kArrays = {{"x", Element::kI32}};

/// Element `index` of x.
TileOperand word(std::int64_t index, Access access) {
  TileOperand o;
  o.name = "%x";
  o.access = access;
  o.location = Location::kGm;
  o.element = Element::kI32;
  o.address.base = o.view_address.base = index;
  o.dimensions = o.view = {{1, 1}};
  return o;
}

class Scalar {
 public:
  explicit Scalar(const ClusterConfig& config = a2a3_config()) : config_(config) {
    kernel.program().arrays = kArrays;
  }
  unsigned load(std::int64_t index) {
    const unsigned rd = kernel.reg();
    access(kernel.scalar(Opcode::kLoadScalar, rd, 0), word(index, Access::kRead));
    return rd;
  }
  void store(std::int64_t index, Operand value) {
    access(kernel.scalar(Opcode::kStoreScalar, 0, value), word(index, Access::kWrite));
  }
  void clean(std::int64_t index) {
    access(kernel.add(Opcode::kCleanCache), word(index, Access::kRead));
  }
  void clean_all() { kernel.add(Opcode::kCleanCache).mode = 1; }
  void barrier() { kernel.add(Opcode::kDataBarrier); }

  /// Cycles of its scalar unit without the end of the program.
  Cycle run() {
    data = std::make_unique<ClusterData>(config_.profile, launch_, kArrays);
    data->bind(0, std::vector<std::byte>(4096));
    machine = std::make_unique<ClusterCore>(config_, launch_, Attachments{nullptr, data.get()});
    machine->launch(nullptr, kernel.build(), 0);
    machine->run();
    EXPECT_TRUE(machine->finished());
    return core().stats(Pipe::kS).busy - 1;
  }
  const AiCore& core() const { return machine->core({0, 1}); }
  std::int32_t word_in_gm(std::size_t index) const {
    const std::vector<std::byte> bytes = data->contents(0);
    std::int32_t value;
    std::memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  }

  Kernel kernel;
  std::unique_ptr<ClusterData> data;
  std::unique_ptr<ClusterCore> machine;

 private:
  void access(Instruction& i, TileOperand operand) {
    TileOperation operation;
    operation.operands = {std::move(operand)};
    kernel.program().operations.push_back(std::move(operation));
    i.operation = static_cast<std::uint32_t>(kernel.program().operations.size());
  }
  const ClusterConfig config_;
  const Launch launch_ = bench::launch_of(1, LaunchRatio::k0To1);
};

TEST(ScalarCacheCore, CyclesOfHitsAndMisses) {
  Scalar s;
  s.load(0);
  s.load(15);  // lies in the same line
  s.store(1, 7);
  s.store(16, 8);  // takes its line in, too
  EXPECT_EQ(s.run(), 550u + 19 + 19 + 550);
}

// dcci and commit 150 to 300 ns, dsb after it 7 to 14 ns (ascend.md 4.5), on both clocks.
TEST(ScalarCacheCore, CyclesOfDcciAndDsb) {
  for (const ClusterConfig& config : {a2a3_config(), a5_config()}) {
    Scalar stored(config), cleaned(config), fenced(config);
    for (Scalar* s : {&stored, &cleaned, &fenced}) s->store(0, 7);
    for (Scalar* s : {&cleaned, &fenced}) s->clean(3);
    fenced.barrier();
    const Cycle store = stored.run(), dcci = cleaned.run(), dsb = fenced.run();
    const auto ns = [&config](Cycle c) {
      return static_cast<double>(c) * 1e6 / static_cast<double>(config.clock_khz);
    };
    EXPECT_GE(ns(dsb - store), 150);
    EXPECT_LE(ns(dsb - store), 300);
    EXPECT_GE(ns(dsb - dcci), 7);
    EXPECT_LE(ns(dsb - dcci), 14);
  }
}

TEST(ScalarCacheCore, EveryLineWithStoresIsCleanedByItself) {
  Scalar s;
  s.store(0, 1);
  s.store(16, 2);
  s.load(32);
  const Cycle before = 3 * 550;
  s.clean_all();
  EXPECT_EQ(s.run(), before + 2 * 397u);
  EXPECT_EQ(s.word_in_gm(0), 1);
  EXPECT_EQ(s.word_in_gm(16), 2);
  // The kernel ends when the last of them is in GM.
  EXPECT_EQ(s.core().finished_at(), before + 2 * 397 + 19);
}

TEST(ScalarCacheCore, AStoreStaysInItsLineUntilItIsCleaned) {
  Scalar s;
  s.store(3, 7);
  const unsigned seen = s.load(3);
  s.run();
  EXPECT_EQ(s.core().reg(seen), 7);
  EXPECT_EQ(s.word_in_gm(3), 0);
  EXPECT_FALSE(s.data->is_written(0));
  ASSERT_EQ(s.core().scalar_memory().lines_left().size(), 1u);
  EXPECT_EQ(s.core().scalar_memory().lines_left()[0].changed, 0xF000U);
}

TEST(ScalarCacheCore, AStoreGoesToGmWhenItsLineHasToLeave) {
  ClusterConfig config = a2a3_config();
  config.core.scalar.cache_bytes = 64;
  Scalar s(config);
  s.store(3, 7);
  s.load(16);
  const unsigned again = s.load(3);
  s.run();
  EXPECT_EQ(s.word_in_gm(3), 7);
  EXPECT_EQ(s.core().reg(again), 7);
  EXPECT_TRUE(s.core().scalar_memory().lines_left().empty());
}

TEST(ScalarCacheCore, TheNextKernelHasAnEmptyCache) {
  Scalar s;
  s.store(3, 7);
  s.run();
  s.machine->launch(nullptr, Kernel().build(), s.machine->now() + 1);
  s.machine->run();
  EXPECT_TRUE(s.core().scalar_memory().lines_left().empty());
  EXPECT_EQ(s.word_in_gm(3), 0);
}

TEST(ScalarCacheCore, NumbersAreCutToTheirElement) {
  Scalar s;
  s.store(0, std::int64_t{0x1'8000'0000});
  const unsigned seen = s.load(0);
  s.run();
  EXPECT_EQ(s.core().reg(seen), std::int64_t{-2147483648});
}

TEST(ScalarCacheCore, WithoutDataALoadIsRefused) {
  Scalar s;
  s.store(0, 1);
  s.load(0);
  ClusterCore machine(a2a3_config(), bench::launch_of(1, LaunchRatio::k0To1));
  EXPECT_THAT(error_of([&] { machine.launch(nullptr, s.kernel.build(), 0); }),
              StartsWith("refused: k.pto:2: load_scalar: what it loads decides"));
}

TEST(ScalarCacheCore, WithoutDataStoresTakeTheSameCycles) {
  Scalar s;
  s.store(0, 1);
  s.store(1, 1);
  s.clean(0);
  s.barrier();
  s.run();
  ClusterCore machine(a2a3_config(), bench::launch_of(1, LaunchRatio::k0To1));
  machine.launch(nullptr, s.kernel.build(), 0);
  machine.run();
  EXPECT_EQ(machine.finished_at(), s.core().finished_at());
}

TEST(ScalarCacheCore, AnAccessNeedsAnOperandInGm) {
  Kernel k;
  k.add(Opcode::kCleanCache);
  Bench b(a2a3_config());
  EXPECT_THAT(error_of([&] { b.run(Kernel(), k); }),
              HasSubstr("an access of the scalar unit without operand"));
}

}  // namespace
}  // namespace tessera::cluster
