// Tile data in a machine: who reads and writes what when (ascend.md 2.2, 2.3, 2.5; cluster_data.h).
#include "models/cluster/memory/cluster_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "models/cluster/hazards/accesses.h"
#include "tests/models/cluster/operations.h"
#include "tests/support/reinterpreted.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {
namespace {

using bench::arrays;
using bench::attach;
using bench::copy;
using bench::error_of;
using bench::Events;
using bench::in_gm;
using bench::Kernel;
using bench::on_chip;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::byte> floats(const std::vector<float>& values) {
  return test::reinterpreted<std::byte>(values);
}
std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
  return test::reinterpreted<float>(bytes);
}

struct DataBench {
  explicit DataBench(const Kernel& aic, const Kernel& aiv,
                     const ClusterConfig& config = a5_config(), bool with_data = true)
      : data(config.profile, Launch(), arrays()),
        machine(config, Launch(), {&events, with_data ? &data : nullptr}) {
    data.bind(0, floats({1, 2, 3, 4, 5, 6, 7, 8}));
    machine.launch(aic.build(), aiv.build(), 1);
  }
  std::vector<float> y() {
    machine.run(1'000'000);
    return as_floats(data.contents(1));
  }

  Events events;
  ClusterData data;
  ClusterCore machine;
};

/// AIV: x to UB, doubled, to y; each step after a flag or not.
Kernel doubled(bool in_flag, bool out_flag) {
  Kernel k;
  attach(k, k.copy_in(2, 16), copy(in_gm(0, 0, 2, 4, 4), on_chip(Location::kUb, 64, 2, 4)));
  if (in_flag) {
    k.set_flag(Pipe::kMte2, Pipe::kV, 0);
    k.wait_flag(Pipe::kMte2, Pipe::kV, 0);
  }
  TileOperation sum;
  sum.function = TileFunction::kMap;
  sum.operands = {on_chip(Location::kUb, 64, 2, 4), on_chip(Location::kUb, 64, 2, 4),
                  on_chip(Location::kUb, 128, 2, 4)};
  sum.operands.back().access = Access::kWrite;
  attach(k, k.vector(DataType::kF32, 8), sum);
  if (out_flag) {
    k.set_flag(Pipe::kV, Pipe::kMte3, 0);
    k.wait_flag(Pipe::kV, Pipe::kMte3, 0);
  }
  attach(k, k.copy_out(2, 16), copy(on_chip(Location::kUb, 128, 2, 4), in_gm(1, 0, 2, 4, 4)));
  return k;
}

TEST(ClusterData, FlagsMakeValuesRight) {
  EXPECT_THAT(DataBench(Kernel(), doubled(true, true)).y(),
              ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}
// A wrong stride must not take the memory of the computer.
TEST(ClusterData, TensorsBeyondWhatARunHoldsAreRefused) {
  Kernel k;
  TileOperation out = copy(on_chip(Location::kUb, 128, 2, 4), in_gm(1, 0, 2, 4, 1 << 30));
  attach(k, k.copy_out(2, 16), out);
  EXPECT_THAT(error_of([&] { DataBench(Kernel(), k).y(); }), HasSubstr("together"));
}
// What a host does with an array between two cycles.
TEST(ClusterData, BytesOfAnArrayAtTheEndOfACycle) {
  DataBench bench(Kernel(), doubled(true, true));
  bench.data.resize(0, 32);
  ASSERT_EQ(bench.data.size(0), 32U);
  const std::vector<std::byte> ones = floats(std::vector<float>(8, 1));
  std::memcpy(bench.data.bytes_at(0, 0), ones.data(), 32);
  bench.data.resize(1, 40);
  bench.machine.run(1'000'000);
  const Cycle end = bench.machine.finished_at();
  EXPECT_EQ(bench.data.bytes_at(1, end)[3], std::byte{0x40}) << "2.0";
  EXPECT_THAT(as_floats(bench.data.contents(1)), ElementsAre(2, 2, 2, 2, 2, 2, 2, 2, 0, 0));
  DataBench again(Kernel(), doubled(true, true));
  again.data.resize(1, 40);
  again.machine.run(1'000'000);
  EXPECT_EQ(again.data.bytes_at(1, 1)[3], std::byte{0}) << "not there yet";
  again.data.resize(1, 0);
  EXPECT_EQ(again.data.size(1), 0U);
  EXPECT_TRUE(again.data.contents(1).empty());
}
TEST(ClusterData, AMissingFlagIsAWrongValue) {
  EXPECT_THAT(DataBench(Kernel(), doubled(false, true)).y(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(DataBench(Kernel(), doubled(true, false)).y(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}
TEST(ClusterData, ValuesCostNoCycles) {
  DataBench with(Kernel(), doubled(true, true)),
      without(Kernel(), doubled(true, true), a5_config(), false);
  with.y();
  without.y();
  EXPECT_EQ(with.machine.finished_at(), without.machine.finished_at());
  EXPECT_EQ(with.events.digest.hex(), without.events.digest.hex());
}
TEST(ClusterData, StridesOfArrays) {
  Kernel k;  // columns 1 and 2 of x as 2x4, then back with rows of 3
  attach(k, k.copy_in(2, 8), copy(in_gm(0, 1, 2, 2, 4), on_chip(Location::kUb, 0, 2, 2)));
  k.barrier(Pipe::kAll);
  attach(k, k.copy_out(2, 8), copy(on_chip(Location::kUb, 0, 2, 2), in_gm(1, 0, 2, 2, 3)));
  EXPECT_THAT(DataBench(Kernel(), k).y(), ElementsAre(2, 3, 0, 6, 7));
}
TEST(ClusterData, TransposedByStrides) {
  Kernel k;
  TileOperand across = in_gm(0, 0, 4, 2, 1);
  across.dimensions[1].stride = 4;
  across.view = across.dimensions;
  attach(k, k.copy_in(4, 8), copy(across, on_chip(Location::kUb, 0, 4, 2)));
  k.barrier(Pipe::kAll);
  attach(k, k.copy_out(4, 8), copy(on_chip(Location::kUb, 0, 4, 2), in_gm(1, 0, 4, 2, 2)));
  EXPECT_THAT(DataBench(Kernel(), k).y(), ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
}
// Both AIVs add to y; the sum is the same in any order.
TEST(ClusterData, AtomicAdditionsOfTwoCores) {
  Kernel k;
  attach(k, k.copy_in(1, 16), copy(in_gm(0, 0, 1, 4, 4), on_chip(Location::kUb, 0, 1, 4)));
  k.barrier(Pipe::kAll);
  TileOperation add = copy(on_chip(Location::kUb, 0, 1, 4), in_gm(1, 0, 1, 4, 4));
  add.adds = true;
  attach(k, k.copy_out(1, 16), add);
  EXPECT_THAT(DataBench(Kernel(), k).y(), ElementsAre(2, 4, 6, 8));
}
TEST(ClusterData, AddressesInRegistersAreThoseOfTheIssue) {
  Kernel k;
  const unsigned r = k.reg();
  k.scalar(Opcode::kSet, r, 4);
  TileOperand from = in_gm(0, 0, 1, 4, 4);
  from.address.add(reg(r), 1);
  attach(k, k.copy_in(1, 16), copy(from, on_chip(Location::kUb, 0, 1, 4)));
  k.scalar(Opcode::kSet, r, 1'000'000);
  k.barrier(Pipe::kAll);
  attach(k, k.copy_out(1, 16), copy(on_chip(Location::kUb, 0, 1, 4), in_gm(1, 0, 1, 4, 4)));
  EXPECT_THAT(DataBench(Kernel(), k).y(), ElementsAre(5, 6, 7, 8));
}
TEST(ClusterData, AccessBeyondABufferOrAnArrayIsIllegal) {
  Kernel array;
  attach(array, array.copy_in(1, 16), copy(in_gm(0, 6, 1, 4, 4), on_chip(Location::kUb, 0, 1, 4)));
  EXPECT_THAT(
      error_of([&] { DataBench(Kernel(), array).y(); }),
      HasSubstr("k.pto:1: AIV0 of cluster 0, copy_in: the array x has 32 bytes, the part takes "
                "bytes 24 to 39"));
  Kernel buffer;
  attach(buffer, buffer.copy_in(1, 16),
         copy(in_gm(0, 0, 1, 4, 4), on_chip(Location::kUb, (256 << 10) - 8, 1, 4)));
  EXPECT_THAT(error_of([&] { DataBench(Kernel(), buffer).y(); }),
              HasSubstr("%t takes bytes 262136 to 262151, UB has 262144"));
}
TEST(ClusterData, StridesThatWrapAroundAreIllegal) {
  Kernel k;
  attach(k, k.copy_in(1, 16),
         copy(in_gm(0, 0, 5, 1, std::int64_t{1} << 62), on_chip(Location::kUb, 0, 5, 1)));
  EXPECT_THAT(error_of([&] { DataBench(Kernel(), k).y(); }), HasSubstr("reaches farther than"));
}
// ascend.md 1.3: blocks of 32 bytes.
TEST(ClusterData, AnOperandInUbThatIsNotAlignedIsIllegal) {
  Kernel k;
  TileOperand tile = on_chip(Location::kUb, 48, 1, 4);
  tile.full_rows = 1;
  attach(k, k.copy_in(1, 16), copy(in_gm(0, 0, 1, 4, 4), tile));
  EXPECT_THAT(error_of([&] { DataBench(Kernel(), k).y(); }),
              HasSubstr("%t begins at byte 48 of UB, expected a multiple of 32"));
}
TEST(ClusterData, APartThatItsTileHasNoRoomForIsIllegal) {
  Kernel k;
  TileOperand small = on_chip(Location::kUb, 0, 1, 2);
  small.full_rows = 1;
  attach(k, k.copy_in(1, 16), copy(in_gm(0, 0, 1, 4, 4), small));
  EXPECT_THAT(error_of([&] { DataBench(Kernel(), k).y(); }),
              HasSubstr("the part of the array x has 4 elements, the tile %t has room for 2"));
  Kernel valid;
  small.rows = 2;
  attach(valid, valid.copy_in(1, 16), copy(in_gm(0, 0, 1, 2, 2), small));
  EXPECT_THAT(error_of([&] { DataBench(Kernel(), valid).y(); }),
              HasSubstr("%t has 1 x 2 elements, of them 2 x 2 valid"));
}
// AIC to AIVs on A5: FIX divides the rows of L0C.
TEST(ClusterData, FixSplitsATileAmongBothAivs) {
  Kernel aic, aiv;
  TileOperation product;
  product.function = TileFunction::kFill;
  product.scalars = {{true, 3, 0}};
  product.operands = {on_chip(Location::kL0c, 0, 4, 4)};
  product.operands[0].access = Access::kWrite;
  attach(aic, aic.mad(DataType::kF16, 4, 4, 16), product);
  aic.barrier(Pipe::kAll);
  TileOperand both = on_chip(Location::kUb, 32, 4, 4);
  both.holder = Holder::kSplitRows;
  attach(aic, aic.tile(Opcode::kFixLocal, Pipe::kFix, DataType::kF32, 4, 4),
         copy(on_chip(Location::kL0c, 0, 4, 4), both));
  aic.set_intra(Pipe::kFix, 0);
  aic.set_intra(Pipe::kFix, 16);
  aiv.wait_intra(Pipe::kMte3, 0);
  attach(aiv, aiv.copy_out(2, 16), copy(on_chip(Location::kUb, 32, 2, 4), in_gm(1, 0, 2, 4, 4)));
  EXPECT_THAT(DataBench(aic, aiv).y(), ElementsAre(3, 3, 3, 3, 3, 3, 3, 3));
}

// A program from C++ that forgot its arrays: refused when it is loaded.
TEST(ClusterData, OperandsMustNameArraysOfTheProgram) {
  Kernel k = doubled(true, true);
  k.program().arrays.pop_back();
  try {
    DataBench(Kernel(), k);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("an array that the program does not have"));
  }
}

TEST(ClusterData, OperandsOverlapByRowsAndColumns) {
  TileOperation operation;
  operation.operands = {on_chip(Location::kUb, 0, 4, 4), on_chip(Location::kUb, 16, 4, 4),
                        on_chip(Location::kUb, 8, 4, 2)};
  for (TileOperand& o : operation.operands) o.row_stride = 8;
  ResolvedOperation r;
  resolve(operation, {}, r);
  EXPECT_EQ(r.operands[0].bytes, (3 * 8 + 4) * 4);
  const Extent left = extent_of(r.operands[0]);   // columns 0 to 3
  const Extent right = extent_of(r.operands[1]);  // 4 to 7
  const Extent middle = extent_of(r.operands[2]);
  EXPECT_FALSE(overlap(left, right));
  EXPECT_TRUE(overlap(left, middle));
  EXPECT_FALSE(overlap(right, middle));
}

}  // namespace
}  // namespace tessera::cluster
