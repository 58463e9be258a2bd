// Automatic synchronisation and the search for hazards (docs/ascend-platform.md#order-inside-a-core;
// ascend.md 2, 3, 7) on programs whose operations say which bytes they touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "models/cluster/hazards/accesses.h"
#include "tests/models/cluster/bench.h"

namespace tessera::cluster {
namespace {

using bench::error_of;
using bench::Kernel;
using bench::launch_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned kLatency = 3;  // cycles from setting a flag to the end of the wait
const Launch kVectorOnly = launch_of(1, LaunchRatio::k0To1);
const Launch kCubeOnly = launch_of(1, LaunchRatio::k1To0);

TileOperand tile(Location location, std::int64_t address, Access access, std::int64_t rows = 16) {
  TileOperand o;
  o.location = location;
  o.access = access;
  o.address.base = address;
  o.rows = rows;
  o.columns = 16;
  o.row_stride = 16;
  return o;
}
TileOperand read(std::int64_t address, Location location = Location::kUb) {
  return tile(location, address, Access::kRead);
}
TileOperand write(std::int64_t address, Location location = Location::kUb) {
  return tile(location, address, Access::kWrite);
}
/// Row `row` of array 0, 16 elements.
TileOperand row_of_gm(std::int64_t row, Access access) {
  TileOperand o;
  o.location = Location::kGm;
  o.access = access;
  o.address.base = row * 16;
  o.dimensions = {{1, 16}, {16, 1}};
  o.view = {{1024, 16}, {16, 1}};
  return o;
}

/// `cycles` of a pipe that touch these operands.
void touch(Kernel& k, Pipe pipe, unsigned cycles, std::vector<TileOperand> operands) {
  Program& p = k.program();
  p.arrays = {{"x", Element::kF32}};
  p.operations.emplace_back();
  p.operations.back().operands = std::move(operands);
  k.busy(pipe, cycles).operation = static_cast<std::uint32_t>(p.operations.size());
}

struct Result {
  Cycle cycles = 0;
  std::vector<std::string> hazards;
  std::array<PipeStats, sync::kPipeCount> stats;
};
Result run(const Kernel& aic, const Kernel& aiv, const Launch& launch, bool automatic,
           const ClusterConfig& config = a5_config(), bool watch = true) {
  HazardWatch hazards(launch);
  Attachments attached;
  if (watch) attached.hazards = &hazards;
  ClusterCore machine(config, launch, attached);
  const auto build = [automatic](Kernel kernel) {
    kernel.program().automatic_sync = automatic;
    return kernel.build();
  };
  machine.launch(build(aic), build(aiv), 0);
  machine.run();
  EXPECT_TRUE(machine.finished());
  Result result{machine.finished_at(), hazards.sentences(), {}};
  const CoreId first{0, static_cast<std::uint16_t>(aics_of(launch.ratio) > 0 ? 0 : 1)};
  for (const Pipe pipe : sync::kPipes)
    result.stats[sync::index(pipe)] = machine.core(first).stats(pipe);
  return result;
}
Result run_vector(const Kernel& k, bool automatic = false) {
  return run(Kernel(), k, kVectorOnly, automatic);
}

// --- two products on one tile (ascend_2.md 2.1) ---

/// A product of so many rows that reads and writes L0C from byte 0 on.
void product(Kernel& k, std::int64_t rows) {
  Program& p = k.program();
  TileOperand c = tile(Location::kL0c, 0, Access::kReadWrite, rows);
  p.operations.emplace_back();
  p.operations.back().operands = {tile(Location::kL0a, 0, Access::kRead, rows),
                                  tile(Location::kL0b, 0, Access::kRead), c};
  Instruction& mad = k.add(Opcode::kMad, Pipe::kM);
  mad.type = DataType::kF16;
  mad.size = {rows, 16, 16};
  mad.operation = static_cast<std::uint32_t>(p.operations.size());
}
std::vector<std::string> hazards_of_products(const Kernel& k) {
  return run(k, Kernel(), kCubeOnly, false).hazards;
}

TEST(ClusterOrder, SmallProductsNeedABarrier) {
  Kernel bare, barrier, large;
  for (Kernel* k : {&bare, &barrier, &large}) {
    product(*k, k == &large ? 160 : 144);
    if (k == &barrier) k->add(Opcode::kBarrier, Pipe::kM);
    product(*k, k == &large ? 160 : 144);
  }
  EXPECT_THAT(hazards_of_products(bare), ElementsAre(HasSubstr("pipe_barrier(PIPE_M)")));
  EXPECT_THAT(hazards_of_products(barrier), IsEmpty());
  EXPECT_THAT(hazards_of_products(large), IsEmpty());
}

// The end of the first product reaches the second one by way of MTE1.
TEST(ClusterOrder, AChainOfFlagsOrdersSmallProducts) {
  const auto chain = [](bool whole) {
    Kernel k;
    product(k, 16);
    if (whole) {
      k.set_flag(Pipe::kM, Pipe::kMte1, 0);
      k.wait_flag(Pipe::kM, Pipe::kMte1, 0);
    }
    touch(k, Pipe::kMte1, 10, {write(0, Location::kL0a)});
    k.set_flag(Pipe::kMte1, Pipe::kM, 0);
    k.wait_flag(Pipe::kMte1, Pipe::kM, 0);
    product(k, 16);
    return hazards_of_products(k);
  };
  EXPECT_THAT(chain(true), IsEmpty());
  EXPECT_THAT(chain(false), testing::Contains(HasSubstr("pipe_barrier(PIPE_M)")));
}

// --- automatic synchronisation ---

TEST(ClusterOrder, ReadAfterWriteWaitsAsAPairWould) {
  Kernel automatic, written;
  touch(automatic, Pipe::kMte2, 100, {write(0)});
  touch(automatic, Pipe::kV, 50, {read(0), write(4096)});
  touch(written, Pipe::kMte2, 100, {write(0)});
  written.set_flag(Pipe::kMte2, Pipe::kV, 0);
  written.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  touch(written, Pipe::kV, 50, {read(0), write(4096)});
  const Result a = run_vector(automatic, true), b = run_vector(written);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_GE(a.cycles, 150 + kLatency);
  EXPECT_THAT(a.hazards, IsEmpty());
  EXPECT_THAT(b.hazards, IsEmpty());
}

TEST(ClusterOrder, WriteAfterReadAndWriteAfterWriteWait) {
  Kernel war, waw, apart;
  for (Kernel* k : {&war, &waw, &apart})
    touch(*k, Pipe::kV, 100, {k == &war ? read(0) : write(k == &waw ? 0 : 8192)});
  for (Kernel* k : {&war, &waw, &apart}) touch(*k, Pipe::kMte2, 100, {write(0)});
  EXPECT_GT(run_vector(war, true).cycles, 200u);
  EXPECT_GT(run_vector(waw, true).cycles, 200u);
  EXPECT_LT(run_vector(apart, true).cycles, 150u);
}

TEST(ClusterOrder, ReadersDoNotWaitForEachOther) {
  Kernel k;
  touch(k, Pipe::kV, 100, {read(0)});
  touch(k, Pipe::kMte3, 100, {read(0)});
  EXPECT_LT(run_vector(k, true).cycles, 150u);
}

// Two buffers overlap loads and work, one does not; each operation waits for those it depends on only.
TEST(ClusterOrder, DoubleBuffersOverlap) {
  const auto cycles = [](unsigned buffers) {
    Kernel k;
    for (unsigned i = 0; i < 100; ++i) {
      const std::int64_t x = 16384 * (i % buffers), y = 65536 + x;
      touch(k, Pipe::kMte2, 100, {write(x)});
      touch(k, Pipe::kV, 100, {read(x), write(y)});
      touch(k, Pipe::kMte3, 100, {read(y)});
    }
    return run_vector(k, true).cycles;
  };
  EXPECT_GT(cycles(1), 20'000u);
  EXPECT_LT(cycles(2), 11'500u);
}

// Far more operations than a queue holds, on pipes of different pace.
TEST(ClusterOrder, LongQueuesStayInOrder) {
  Kernel k;
  k.loop(0, 200, [&k](Operand) {
    for (int i = 0; i < 5; ++i) touch(k, Pipe::kMte2, 7, {write(1024 * i)});
    touch(k, Pipe::kV, 3, {read(1024 * 4), write(16384)});
    touch(k, Pipe::kMte3, 90, {read(16384)});
  });
  EXPECT_THAT(run_vector(k, true).hazards, IsEmpty());
}

TEST(ClusterOrder, APairCostsTheScalarUnitTwoInstructions) {
  Kernel k;
  touch(k, Pipe::kMte2, 1, {write(0)});
  touch(k, Pipe::kV, 1, {read(0)});
  touch(k, Pipe::kV, 1, {read(0)});  // ordered by the pair before
  const Result r = run_vector(k, true);
  const unsigned issue = a5_config().core.issue_cycles;
  EXPECT_EQ(r.stats[0].busy, 5 * issue + 1);
}

// ascend.md 2.3
TEST(ClusterOrder, SmallMadsOnOneTileGetABarrier) {
  const auto cycles = [](unsigned rows) {
    Kernel k;
    for (int i = 0; i < 10; ++i) {
      k.program().operations.emplace_back();
      k.program().operations.back().operands = {tile(Location::kL0c, 0, Access::kReadWrite, rows)};
      k.mad(DataType::kF16, rows, 16, 16).operation =
          static_cast<std::uint32_t>(k.program().operations.size());
    }
    return run(k, Kernel(), kCubeOnly, true).cycles;
  };
  const unsigned depth = a5_config().core.cost.mad_depth;
  EXPECT_GT(cycles(144), 9u * depth);
  EXPECT_LT(cycles(160), 5u * depth);
}

// --- hazards ---

TEST(ClusterOrder, MissingFlagIsAHazardWithBothLines) {
  Kernel k;
  touch(k, Pipe::kMte2, 100, {write(0)});
  touch(k, Pipe::kV, 50, {read(512), write(4096)});
  touch(k, Pipe::kV, 50, {read(512), write(4096)});
  const Result r = run_vector(k);
  ASSERT_EQ(r.hazards.size(), 2u);
  EXPECT_EQ(r.hazards[0],
            "k.pto:1 (busy on MTE2 of AIV0 of cluster 0) writes and k.pto:2 (busy on V of AIV0 of "
            "cluster 0) reads bytes 512..1023 of UB of AIV0, and nothing orders them");
}

TEST(ClusterOrder, OnePairOfLinesIsReportedOnce) {
  Kernel k;
  k.loop(0, 10, [&k](Operand) {
    touch(k, Pipe::kMte2, 10, {write(0)});
    touch(k, Pipe::kV, 10, {read(0)});
  });
  const Result r = run_vector(k);
  ASSERT_EQ(r.hazards.size(), 1u);
  EXPECT_THAT(r.hazards[0], HasSubstr("nothing orders them (1"));
}

// Memory adds by itself: additions need an order against reads and plain writes only.
TEST(ClusterOrder, AdditionsToOneArrayNeedNoOrderAmongThemselves) {
  const auto hazards = [](std::vector<Access> accesses) {
    Kernel k;
    constexpr std::array kPipes = {Pipe::kMte3, Pipe::kV, Pipe::kMte2};
    for (std::size_t n = 0; n < accesses.size(); ++n)
      touch(k, kPipes[n], 50, {row_of_gm(3, accesses[n])});
    return run_vector(k).hazards;
  };
  EXPECT_THAT(hazards({Access::kAdd, Access::kAdd, Access::kAdd}), IsEmpty());
  EXPECT_EQ(hazards({Access::kAdd, Access::kReadWrite}).size(), 1u);
  EXPECT_EQ(hazards({Access::kWrite, Access::kAdd}).size(), 1u);
  EXPECT_EQ(hazards({Access::kAdd, Access::kRead}).size(), 1u);
  // The second addition hides neither the write nor the addition in front of it.
  EXPECT_EQ(hazards({Access::kWrite, Access::kAdd, Access::kAdd}).size(), 2u);
  EXPECT_EQ(hazards({Access::kAdd, Access::kAdd, Access::kRead}).size(), 2u);
}

TEST(ClusterOrder, OrderPassesThroughOtherPipes) {
  Kernel k;
  touch(k, Pipe::kMte2, 100, {write(0)});
  k.set_flag(Pipe::kMte2, Pipe::kV, 0);
  k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  k.set_flag(Pipe::kV, Pipe::kMte3, 0);
  k.wait_flag(Pipe::kV, Pipe::kMte3, 0);
  touch(k, Pipe::kMte3, 100, {read(0)});
  EXPECT_THAT(run_vector(k).hazards, IsEmpty());
}

// A flag orders what stands before its set, not after it.
TEST(ClusterOrder, AFlagThatIsSetTooEarlyDoesNotHelp) {
  Kernel k;
  k.set_flag(Pipe::kMte2, Pipe::kV, 0);
  touch(k, Pipe::kMte2, 100, {write(0)});
  k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  touch(k, Pipe::kV, 10, {read(0)});
  EXPECT_EQ(run_vector(k).hazards.size(), 1u);
}

// The second set is made before the flag of the first is up: the first wait learns nothing from it.
TEST(ClusterOrder, AWaitLearnsFromItsOwnSet) {
  Kernel k;
  for (const unsigned cycles : {100U, 1U}) {
    touch(k, Pipe::kMte2, cycles, {write(0)});
    k.set_flag(Pipe::kMte2, Pipe::kV, 0);
  }
  for (int i = 0; i < 2; ++i) {
    k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
    touch(k, Pipe::kV, 10, {read(0)});
  }
  const Result r = run_vector(k);
  ASSERT_EQ(r.hazards.size(), 1u);
  EXPECT_THAT(r.hazards[0], AllOf(HasSubstr("k.pto:3"), HasSubstr("k.pto:6")));
}

TEST(ClusterOrder, ABarrierOverAllPipesOrdersWhatIsIssuedBehindIt) {
  Kernel k;
  touch(k, Pipe::kMte2, 100, {write(0)});
  k.barrier(Pipe::kAll);
  touch(k, Pipe::kV, 10, {read(0), write(4096)});
  k.barrier(Pipe::kV);
  touch(k, Pipe::kMte3, 10, {read(4096)});
  const Result r = run_vector(k);
  ASSERT_EQ(r.hazards.size(), 1u);  // the barrier of V orders V
  EXPECT_THAT(r.hazards[0], AllOf(HasSubstr("k.pto:3"), HasSubstr("k.pto:5")));
}

// ascend_2.md 2.4: what is put into a queue after a store of the scalar unit to UB is not held back by it.
TEST(ClusterOrder, AStoreOfTheScalarUnitReachesOtherPipesByAFlagOrABarrierOnly) {
  const auto hazards = [](const std::function<void(Kernel&)>& order, bool automatic = false) {
    Kernel k;
    Program& p = k.program();
    p.operations.emplace_back();
    p.operations.back().operands = {write(0)};
    k.scalar(Opcode::kStoreScalar, 0, 7).operation = 1;
    p.code.back().pipe = Pipe::kS;
    order(k);
    touch(k, Pipe::kV, 10, {read(0)});
    return run_vector(k, automatic).hazards;
  };
  const auto flag = [](Kernel& k, Pipe from, Pipe to) {
    k.set_flag(from, to, 0);
    k.wait_flag(from, to, 0);
  };
  EXPECT_THAT(hazards([](Kernel&) {}), ElementsAre(HasSubstr("store_scalar on S of AIV0")));
  EXPECT_THAT(hazards([&](Kernel& k) { flag(k, Pipe::kS, Pipe::kMte3); }).size(), 1u);
  EXPECT_THAT(hazards([](Kernel& k) { k.barrier(Pipe::kV); }).size(), 1u);
  EXPECT_THAT(hazards([&](Kernel& k) { flag(k, Pipe::kS, Pipe::kV); }), IsEmpty());
  EXPECT_THAT(hazards([&](Kernel& k) {
                flag(k, Pipe::kS, Pipe::kMte3);
                flag(k, Pipe::kMte3, Pipe::kS);  // the scalar unit knows that its store is seen
              }),
              IsEmpty());
  EXPECT_THAT(hazards([](Kernel& k) { k.barrier(Pipe::kAll); }), IsEmpty());
  EXPECT_THAT(hazards([](Kernel& k) { k.add(Opcode::kDataBarrier); }), IsEmpty());
  EXPECT_THAT(hazards([](Kernel&) {}, true), IsEmpty());
}

TEST(ClusterOrder, LocksOrder) {
  const auto hazards = [](unsigned second_lock) {
    Kernel k;
    k.get_buf(Pipe::kMte2, 1);
    touch(k, Pipe::kMte2, 100, {write(0)});
    k.rls_buf(Pipe::kMte2, 1);
    k.get_buf(Pipe::kV, second_lock);
    touch(k, Pipe::kV, 10, {read(0)});
    k.rls_buf(Pipe::kV, second_lock);
    return run_vector(k).hazards.size();
  };
  EXPECT_EQ(hazards(1), 0u);
  EXPECT_EQ(hazards(2), 1u);
}

TEST(ClusterOrder, ColumnsOfOneTileAreApart) {
  Kernel k;
  TileOperand left = write(0), right = read(32);
  left.columns = 8;
  right.columns = 8;
  touch(k, Pipe::kMte2, 100, {left});
  touch(k, Pipe::kV, 10, {right});
  EXPECT_THAT(run_vector(k).hazards, IsEmpty());
}

// --- between cores ---

struct HandOver {
  Kernel aic, aiv;
};

TEST(ClusterOrder, SignalsOrderCoresOfACluster) {
  const auto hazards = [](unsigned aiv1_waits, Pipe waits, bool a5) {
    HandOver h;
    if (!a5) {
      h.aic.ffts();
      h.aiv.ffts();
    }
    touch(h.aic, Pipe::kFix, 100, {row_of_gm(0, Access::kWrite)});
    if (a5) {
      h.aic.set_intra(Pipe::kFix, 0);
      h.aic.set_intra(Pipe::kFix, 16);
      h.aiv.wait_intra(waits, aiv1_waits);
    } else {
      h.aic.set_cross(Pipe::kFix, 2, 0);
      h.aiv.wait_dev(0);
    }
    touch(h.aiv, Pipe::kMte2, 10, {row_of_gm(0, Access::kRead)});
    return run(h.aic, h.aiv, {}, false, a5 ? a5_config() : a2a3_config()).hazards;
  };
  EXPECT_THAT(hazards(0, Pipe::kMte2, true), IsEmpty());
  EXPECT_THAT(hazards(0, Pipe::kS, true), IsEmpty());
  EXPECT_THAT(hazards(0, Pipe::kS, false), IsEmpty());
  // 7: the wait stands on a pipe that does not read.
  ASSERT_EQ(hazards(0, Pipe::kV, true).size(), 1u);
  EXPECT_THAT(hazards(0, Pipe::kV, true)[0],
              AllOf(HasSubstr("k.pto:1 (busy on FIX of AIC of cluster 0) writes"),
                    HasSubstr("k.pto:2 (busy on MTE2 of AIV0 of cluster 0) reads bytes 0..63 of")));
}

// 2.6: the AIC goes on when both AIVs have set, so it is after both.
TEST(ClusterOrder, ReductionOrdersBothAivs) {
  HandOver h;
  h.aic.ffts();
  h.aiv.ffts();
  const unsigned sub = h.aiv.get(SpecialValue::kSubblockIndex);
  TileOperand own = row_of_gm(0, Access::kWrite);
  own.address.add(cluster::reg(sub), 16);
  touch(h.aiv, Pipe::kMte3, 100, {own});
  h.aiv.set_cross(Pipe::kMte3, 2, 3);
  h.aic.wait_dev(3);
  TileOperand both = row_of_gm(0, Access::kRead);
  both.dimensions[0].size = 2;
  touch(h.aic, Pipe::kMte2, 10, {both});
  EXPECT_THAT(run(h.aic, h.aiv, {}, false, a2a3_config()).hazards, IsEmpty());
}

TEST(ClusterOrder, SyncAllOrdersAllCores) {
  for (const bool soft : {false, true}) {
    HandOver h;
    h.aic.ffts();
    h.aiv.ffts();
    const unsigned sub = h.aiv.get(SpecialValue::kSubblockIndex);
    TileOperand own = row_of_gm(0, Access::kWrite), other = row_of_gm(1, Access::kRead);
    own.address.add(cluster::reg(sub), 16);
    other.address.add(cluster::reg(sub), -16);
    touch(h.aiv, Pipe::kMte3, 100, {own});
    for (Kernel* k : {&h.aic, &h.aiv}) {
      const CoreKind kind = k == &h.aic ? CoreKind::kAic : CoreKind::kAiv;
      if (soft)
        append_soft_sync_all(k->program(), 1 << 20, 3, 90);
      else
        append_sync_all(k->program(), Profile::kA2A3, kind, SyncScope::kMix, 90);
    }
    touch(h.aiv, Pipe::kMte2, 10, {other});
    EXPECT_THAT(run(h.aic, h.aiv, {}, false, a2a3_config()).hazards, IsEmpty()) << soft;
  }
}

TEST(ClusterOrder, TilesOfAnotherCoreAreSeen) {
  HandOver h;
  TileOperand half = write(0);
  half.holder = Holder::kSplitRows;
  touch(h.aic, Pipe::kFix, 100, {half});
  TileOperand lower = read(0);
  lower.rows = 8;
  touch(h.aiv, Pipe::kV, 10, {lower});
  const Result r = run(h.aic, h.aiv, {}, false);
  ASSERT_EQ(r.hazards.size(), 1u);
  EXPECT_THAT(r.hazards[0], HasSubstr("bytes 0..511 of UB of AIV"));
  EXPECT_THAT(r.hazards[0], HasSubstr("(2 times)"));
}

TEST(ClusterOrder, WatchingChangesNoCycle) {
  Kernel k;
  for (unsigned i = 0; i < 50; ++i) {
    touch(k, Pipe::kMte2, 10 + i, {write(64 * i)});
    touch(k, Pipe::kV, 30, {read(64 * i), write(32768)});
  }
  for (const bool automatic : {false, true})
    EXPECT_EQ(run(Kernel(), k, kVectorOnly, automatic, a5_config(), true).cycles,
              run(Kernel(), k, kVectorOnly, automatic, a5_config(), false).cycles);
}

// --- extents ---

TEST(ClusterOrder, RowsOfBoxesInOneTileDoNotOverlap) {
  // Two halves of a tile of 32 x 32 halves, whose boxes of 16 x 16 lie column by column.
  const auto half = [](const Boxes& boxes) {
    ResolvedOperand o;
    o.element = Element::kF16;
    o.dimensions = 2;
    o.sizes = {16, 32};
    o.boxes = &boxes;
    o.first = boxes.at(0, 0) * 2;
    o.bytes = boxes.at(15, 31) * 2 + 2 - o.first;
    return extent_of(o);
  };
  Boxes upper, lower;
  upper.rows = upper.columns = upper.row = 16;
  upper.column = 1;
  upper.row_step = 256;
  upper.column_step = 512;
  lower = upper;
  lower.first_row = 16;
  EXPECT_FALSE(overlap(half(upper), half(lower)));
  EXPECT_TRUE(overlap(half(upper), half(upper)));
  EXPECT_TRUE(covers(half(lower), half(lower)));
  upper.first_column = 8;  // parts of boxes: every byte counts
  EXPECT_TRUE(overlap(half(upper), half(lower)));
}

TEST(ClusterOrder, ExtentsOverlapAndCover) {
  const Extent all{0, 1024, 64, 64, true}, part{256, 256, 64, 64, true};
  const Extent column{0, 1000, 64, 32, false}, other{32, 1000, 64, 32, false};
  EXPECT_TRUE(overlap(all, part));
  EXPECT_TRUE(covers(all, part));
  EXPECT_FALSE(covers(part, all));
  EXPECT_TRUE(covers(all, column));
  EXPECT_FALSE(covers(column, part));
  EXPECT_FALSE(overlap(column, other));
  EXPECT_TRUE(overlap(column, {16, 1000, 64, 32, false}));
  EXPECT_FALSE(overlap(all, {1024, 4, 0, 0, true}));
}

// V has as many operations in its queue as there is room for, with more operands than a list of 64
// holds; a copy then writes what the first of them still has to read.
TEST(ClusterOrder, WaitsForAllThatStandsInAQueue) {
  constexpr unsigned kSlow = 5000, kOperands = 4;
  Kernel k;
  touch(k, Pipe::kV, kSlow, {});
  for (std::int64_t i = 0; i < 31; ++i) {
    std::vector<TileOperand> operands;
    for (std::int64_t n = 0; n < kOperands; ++n)
      operands.push_back(read((i * kOperands + n) * 1024));
    touch(k, Pipe::kV, 1, std::move(operands));
  }
  touch(k, Pipe::kMte2, 1, {write(0)});
  const Result result = run(Kernel(), k, kVectorOnly, true);
  EXPECT_GT(result.stats[sync::index(Pipe::kMte2)].waits[static_cast<unsigned>(WaitReason::kFlag)],
            kSlow / 2);
}

}  // namespace
}  // namespace tessera::cluster
