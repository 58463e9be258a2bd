// Loads and stores of the scalar unit in PTO text (reference ascend.md 2.9) and their misuses (7): two
// cores in one line, control registers of another core, addresses of nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "models/cluster/cluster_core.h"
#include "models/cluster/hazards/cache_hazards.h"
#include "models/cluster/program/legality.h"
#include "tests/support/reinterpreted.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster::scalar_test {
namespace {

using test::reinterpreted;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Words = std::vector<std::int32_t>;

struct Outcome {
  std::map<std::string, Words> arrays;
  std::vector<std::string> hazards;
  std::vector<std::string> left;
  std::string error;  // what stopped it
};

struct Options {
  Profile profile = Profile::kA2A3;
  std::map<std::string, std::int64_t> params;
  std::map<std::string, Words> inputs;
  unsigned clusters = 1;
  bool with_data = true;
};

constexpr Profile kProfiles[] = {Profile::kA2A3, Profile::kA5};

/// Runs a kernel for AIVs.
Outcome run(const std::string& text, const Options& options) {
  const pto::Kernel kernel =
      pto::lower(pto::parse(text, "k.pto"), {options.profile, options.params});
  Launch launch;
  launch.ratio = LaunchRatio::k1To2;
  launch.clusters = options.clusters;
  ClusterData data(options.profile, launch, kernel.arrays);
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    const auto input = options.inputs.find(kernel.arrays[i].name);
    if (input != options.inputs.end()) data.bind(i, reinterpreted<std::byte>(input->second));
  }
  const ClusterConfig config = options.profile == Profile::kA5 ? a5_config() : a2a3_config();
  ClusterData* const values = options.with_data ? &data : nullptr;
  HazardWatch hazards(launch);
  ClusterCore machine(config, launch, {nullptr, values, &hazards});
  auto nothing = std::make_shared<Program>();
  nothing->code.emplace_back();
  Outcome outcome;
  machine.launch(nothing, kernel.aiv, 0);
  try {
    machine.run();
  } catch (const IllegalBehaviour& e) {
    outcome.error = e.what();
  }
  if (outcome.error.empty() && !machine.finished()) outcome.error = "hangs";
  outcome.hazards = hazards.sentences();
  for (const std::string& text_of : describe_cache_hazards(machine, values))
    outcome.hazards.push_back(text_of);
  for (const AiCore* core : machine.cores())
    if (const std::string left = describe_lines_left(*core); !left.empty())
      outcome.left.push_back(left);
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i)
    outcome.arrays[kernel.arrays[i].name] = reinterpreted<std::int32_t>(data.contents(i));
  return outcome;
}

/// A kernel around lines that begin on line 10; %me numbers the AIVs.
std::string kernel(const std::string& arguments, const std::string& body) {
  return "module {\n  func.func @k(" + arguments +
         R"() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index  %one = arith.constant 1 : i32
    %block = pto.get_block_idx
    %two = pto.get_subblock_num
    %half = pto.get_subblock_idx
    %pair = arith.muli %block, %two : i64
    %own = arith.addi %pair, %half : i64  %me = arith.index_cast %own : i64 to index
)" + body +
         "\n    return\n  }\n}\n";
}

// --- misuses ---

const std::string kOwnWord = kernel("%x: !pto.ptr<i32, gm>, %STRIDE: index",
                                    R"(    %at = arith.muli %me, %STRIDE : index
    %number = arith.addi %me, %c1 : index  %word = arith.index_cast %number : index to i32
    pto.store_scalar %word, %x[%at] : !pto.ptr<i32, gm>, i32
    %p = pto.addptr %x, %at : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>
    pto.dcci %p "SINGLE_CACHE_LINE", "CACHELINE_OUT" : !pto.ptr<i32, gm>
    pto.dsb "DDR")");

TEST(ascend, M27_two_cores_in_one_line) {
  for (const Profile profile : kProfiles) {
    const Outcome shared =
        run(kOwnWord, {profile, {{"STRIDE", 1}}, {{"x", {0, 0}}}, 1});  // AIV0 and AIV1
    EXPECT_EQ(shared.error, "");
    EXPECT_THAT(shared.arrays.at("x"), ElementsAre(0, 2)) << "the last writer wins";
    EXPECT_THAT(shared.hazards,
                ElementsAre(AllOf(StartsWith("k.pto:14 (dcci on S of AIV1 of cluster 0) writes a "
                                             "line of 64 bytes back over bytes 0..0 of %x"),
                                  HasSubstr("give the stores of each core lines of their own"))));
  }
}

TEST(ascend, M27_cured_by_a_line_for_each_core) {
  for (const Profile profile : kProfiles) {
    const Outcome apart = run(kOwnWord, {profile, {{"STRIDE", 16}}, {{"x", Words(64, 9)}}, 2});
    for (std::size_t i = 0; i < 64; ++i)
      EXPECT_EQ(apart.arrays.at("x")[i], i % 16 == 0 ? std::int32_t(i / 16 + 1) : 9) << i;
    EXPECT_THAT(apart.hazards, IsEmpty());
    EXPECT_THAT(apart.left, IsEmpty());
  }
}

std::string from_number(const std::string& use) {
  return kernel("%x: !pto.ptr<i32, gm>, %ADDRESS: i64",
                "    %p = pto.castptr %ADDRESS : i64 -> !pto.ptr<i32, gm>\n" + use);
}
const std::string kLoad = "    %v = pto.load_scalar %p[%c1] : !pto.ptr<i32, gm> -> i32";

std::int64_t registers_of(unsigned unit, unsigned cluster) {
  const ScalarConfig scalar;
  return static_cast<std::int64_t>(scalar.control_base +
                                   (cluster * 3 + unit) * scalar.control_bytes);
}

TEST(ascend, M28_control_registers_of_another_core) {
  for (const Profile profile : kProfiles) {
    const Outcome aiv1 =
        run(from_number(kLoad), {profile, {{"ADDRESS", registers_of(2, 0)}}, {}, 1});
    EXPECT_THAT(aiv1.error, AllOf(StartsWith("k.pto:11: AIV0 of cluster 0, load_scalar: "),
                                  HasSubstr("is a control register of AIV1 of cluster 0: a load "
                                            "from another core's hangs the chip (50 s operator "
                                            "time-out)"),
                                  HasSubstr(kControlId)));
    // Registers of cores that the kernel does not run on are there, too.
    const Outcome far =
        run(from_number(kLoad), {profile, {{"ADDRESS", registers_of(0, 35)}}, {}, 1});
    EXPECT_THAT(far.error, HasSubstr("of AIC of cluster 35: a load from another core's hangs"));
  }
}

TEST(ascend, M28_its_own_registers_and_stores_are_not_modelled) {
  const std::string own =
      run(from_number(kLoad), {Profile::kA5, {{"ADDRESS", registers_of(1, 0)}}, {}, 1}).error;
  EXPECT_THAT(
      own, AllOf(HasSubstr("AIV0 of cluster 0 itself; they have no values"), HasSubstr(kAccessId)));
  const std::string store = "    pto.store_scalar %one, %p[0] : !pto.ptr<i32, gm>, i32";
  EXPECT_THAT(
      run(from_number(store), {Profile::kA5, {{"ADDRESS", registers_of(2, 0)}}, {}, 1}).error,
      HasSubstr("stores to them are not modelled"));
}

TEST(ascend, M28_addresses_of_nothing) {
  for (const std::int64_t address : {std::int64_t{0}, registers_of(0, 0) - 8, registers_of(0, 36)})
    EXPECT_THAT(
        run(from_number(kLoad), {Profile::kA2A3, {{"ADDRESS", address}}, {}, 1}).error,
        AllOf(StartsWith("k.pto:11: "), HasSubstr("belongs to no array"), HasSubstr(kAccessId)));
  const std::string beyond =
      kernel("%x: !pto.ptr<i32>", "    %v = pto.load %x[4] : !pto.ptr<i32> -> i32");
  EXPECT_THAT(run(beyond, {Profile::kA5, {}, {{"x", {1, 2, 3, 4}}}, 1}).error,
              AllOf(StartsWith("k.pto:10: "),
                    HasSubstr("the array x has 16 bytes, the part takes bytes 16 to 19")));
  const std::string before =
      kernel("%x: !pto.ptr<i32>", "    %n = arith.subi %c0, %me : index\n"
                                  "    %v = pto.load %x[%n] : !pto.ptr<i32> -> i32");
  EXPECT_THAT(run(before, {Profile::kA5, {}, {{"x", {1, 2}}}, 1}).error,
              AllOf(StartsWith("k.pto:11: AIV1 of cluster 0"), HasSubstr("%x is byte -4 of")));
}

// 2^46 lines after x[0] the cache would take the line of one array for that of the other.
TEST(ascend, M28_far_behind_an_array) {
  const std::string far = kernel("%y: !pto.ptr<i32>, %x: !pto.ptr<i32>, %FAR: index",
                                 "    pto.store_scalar %one, %x[%c0] : !pto.ptr<i32>, i32\n"
                                 "    pto.store_scalar %one, %y[%FAR] : !pto.ptr<i32>, i32");
  for (const bool with_data : {true, false})
    for (const std::int64_t index : {std::int64_t{1} << 52, std::int64_t{1} << 62})
      EXPECT_THAT(run(far, {Profile::kA5, {{"FAR", index}}, {}, 1, with_data}).error,
                  AllOf(StartsWith("k.pto:11: "), HasSubstr("%y reaches farther than 68719476736"),
                        HasSubstr(kAccessId)));
}

// --- order of publishing (2.9 rule 2) ---

// AIV0 publishes x[0]; all others read it after a barrier, and have read it before.
const std::string kPublish = kernel("%x: !pto.ptr<i32, gm>, %y: !pto.ptr<i32, gm>",
                                    R"(    pto.set_ffts %c1 : index
    %c16 = arith.constant 16 : index
    %seven = arith.constant 7 : i32
    %early = pto.load_scalar %x[%c0] : !pto.ptr<i32, gm> -> i32
    pto.sync_all() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
    %first = arith.cmpi eq, %me, %c0 : index
    scf.if %first {
      pto.store_scalar %seven, %x[%c0] : !pto.ptr<i32, gm>, i32
      pto.cmo.cacheinvalid %x single_cache_line : !pto.ptr<i32, gm>
      pto.fence.barrier_all #pto.fence_scope<gm>
    }
    pto.sync_all() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
    pto.cmo.cacheinvalid all #pto.address_space<gm>
    %late = pto.load_scalar %x[%c0] : !pto.ptr<i32, gm> -> i32
    %at = arith.muli %me, %c16 : index
    pto.store_scalar %late, %y[%at] : !pto.ptr<i32, gm>, i32
    pto.cmo.cacheinvalid all #pto.address_space<gm>)");

Options publishing(Profile profile) {
  return {profile, {}, {{"x", Words(16)}, {"y", Words(64)}}, 2};
}

TEST(ascend, scalar_store_is_published_by_dcci_dsb_and_a_signal) {
  for (const Profile profile : kProfiles) {
    const Outcome o = run(kPublish, publishing(profile));
    EXPECT_EQ(o.error, "");
    for (const std::size_t me : {0, 1, 2, 3}) EXPECT_EQ(o.arrays.at("y")[16 * me], 7);
    EXPECT_THAT(o.hazards, IsEmpty());
    EXPECT_THAT(o.left, IsEmpty());
  }
}

TEST(ascend, scalar_load_behind_a_signal_is_stale_without_dcci) {
  const std::string dcci = "    pto.cmo.cacheinvalid all #pto.address_space<gm>\n    %late";
  std::string text = kPublish;
  text.replace(text.find(dcci), dcci.size(), "    %late");
  const Outcome o = run(text, publishing(Profile::kA2A3));
  // AIV0 has sent its line away, and reads it again.
  for (const std::size_t me : {0, 1, 2, 3})
    EXPECT_EQ(o.arrays.at("y")[16 * me], me == 0 ? 7 : 0) << me;
  EXPECT_THAT(o.hazards, ElementsAre(StartsWith(
                             "k.pto:22 (load_scalar on S of AIV1 of cluster 0) reads bytes "
                             "0..3 of %x in its scalar cache, where GM has another value")));
}

TEST(ascend, scalar_store_without_dcci_never_reaches_gm) {
  const std::string unclean = kernel("%x: !pto.ptr<i32, gm>",
                                     "    %at = arith.addi %me, %c1 : index\n"
                                     "    pto.store_scalar %one, %x[%at] : !pto.ptr<i32, gm>, i32");
  const Outcome o = run(unclean, {Profile::kA2A3, {}, {{"x", Words(4)}}, 1});
  EXPECT_THAT(o.arrays.at("x"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(o.left,
              ElementsAre("1 line in the scalar cache of AIV0 of cluster 0 has stores that never "
                          "reached GM, the last one by k.pto:11: nothing has cleaned it (dcci)",
                          HasSubstr("AIV1 of cluster 0")));
}

// A copy of another core, ordered by a barrier of all AIVs.
const std::string kCopied = kernel("%x: !pto.ptr<i32, gm>, %y: !pto.ptr<i32, gm>",
                                   R"(    pto.set_ffts %c1 : index
    %seven = arith.constant 7 : i32
    %first = arith.cmpi eq, %me, %c0 : index
    %second = arith.cmpi eq, %me, %c1 : index
    scf.if %first {
      pto.store_scalar %seven, %x[%c0] : !pto.ptr<i32, gm>, i32
      CLEAN
    }
    pto.sync_all() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
    scf.if %second {
      %v = pto.make_tensor_view %x, shape = [8], strides = [1] : !pto.tensor_view<?xi32>
      %p = pto.partition_view %v, offsets = [0], sizes = [8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
      %yv = pto.make_tensor_view %y, shape = [8], strides = [1] : !pto.tensor_view<?xi32>
      %yp = pto.partition_view %yv, offsets = [0], sizes = [8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
      %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
      pto.tload ins(%p : !pto.partition_tensor_view<8xi32>) outs(%tile : !pto.tile_buf<vec, 1x8xi32>)
      pto.tstore ins(%tile : !pto.tile_buf<vec, 1x8xi32>) outs(%yp : !pto.partition_tensor_view<8xi32>)
    }
    AFTER)");

Outcome copied(const std::string& clean, const std::string& after) {
  std::string text = kCopied;
  text.replace(text.find("CLEAN"), 5, clean);
  text.replace(text.find("AFTER"), 5, after);
  return run(text, {Profile::kA5, {}, {{"x", Words(16)}, {"y", Words(8)}}, 1});
}

TEST(ascend, scalar_store_is_missed_by_a_copy_without_dcci) {
  const std::string dcci = "pto.dcci %x \"SINGLE_CACHE_LINE\" : !pto.ptr<i32, gm>\n",
                    dsb = "pto.dsb \"DDR\"";
  const Outcome right = copied(dcci + dsb, "");
  EXPECT_EQ(right.arrays.at("y")[0], 7);
  EXPECT_THAT(right.hazards, IsEmpty());
  const Outcome late = copied("", dcci);  // GM has it in the end
  EXPECT_EQ(late.arrays.at("x")[0], 7);
  EXPECT_EQ(late.arrays.at("y")[0], 0);
  EXPECT_THAT(
      late.hazards,
      testing::Contains(
          "k.pto:25 (copy_in on MTE2 of AIV1 of cluster 0) reads byte 0 of %x in GM, and what "
          "k.pto:15 has stored there is in the scalar cache of AIV0 of cluster 0; dcci sends "
          "it to GM"));
}

// The store lies in the row between the two that are copied, whatever dimensions say so.
TEST(ascend, scalar_store_beside_the_bytes_of_a_copy_is_not_missed) {
  std::string text = kCopied;
  const auto replace = [&text](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  replace("CLEAN", "");
  replace("AFTER", "");
  replace("%x[%c0]", "%x[5]");
  replace("%x, shape = [8], strides = [1] : !pto.tensor_view<?xi32>",
          "%x, shape = [1, 2, 4], strides = [16, 8, 1] : !pto.tensor_view<?x?x?xi32>");
  replace("%v, offsets = [0], sizes = [8] : !pto.tensor_view<?xi32> -> "
          "!pto.partition_tensor_view<8xi32>",
          "%v, offsets = [0, 0, 0], sizes = [1, 2, 4] : !pto.tensor_view<?x?x?xi32> -> "
          "!pto.partition_tensor_view<1x2x4xi32>");
  replace("ins(%p : !pto.partition_tensor_view<8xi32>)",
          "ins(%p : !pto.partition_tensor_view<1x2x4xi32>)");
  const Outcome o = run(text, {Profile::kA5, {}, {{"x", Words(16)}, {"y", Words(8)}}, 1});
  EXPECT_EQ(o.error, "");
  EXPECT_THAT(o.hazards, IsEmpty());
}

// --- what a loaded value may do ---

TEST(ascend, scalar_values_drive_loops_branches_and_views) {
  const std::string text = kernel("%n: !pto.ptr<i16>, %x: !pto.ptr<i32>, %y: !pto.ptr<i32>",
                                  R"(    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %odd0 = pto.load_scalar %n[%me] : !pto.ptr<i16> -> i16
    %count = arith.index_cast %odd0 : i16 to index
    %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %c0) -> (index) {
      %v = pto.load_scalar %x[%i] : !pto.ptr<i32> -> i32
      %w = arith.index_cast %v : i32 to index
      %t = arith.addi %s, %w : index
      scf.yield %t : index
    }
    %at = arith.muli %me, %c16 : index
    %big = arith.cmpi sgt, %sum, %c8 : index
    scf.if %big {
      %word = arith.index_cast %sum : index to i32
      pto.store_scalar %word, %y[%at] : !pto.ptr<i32>, i32
    }
    %v = pto.make_tensor_view %x, shape = [%c16], strides = [%c1] : !pto.tensor_view<?xi32>
    %p = pto.partition_view %v, offsets = [%count], sizes = [%c8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
    %next = arith.addi %at, %c8 : index
    %yv = pto.make_tensor_view %y, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xi32>
    %yp = pto.partition_view %yv, offsets = [%me, %c8], sizes = [%c1, %c8] : !pto.tensor_view<?x?xi32> -> !pto.partition_tensor_view<1x8xi32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
    pto.dcci %y "ENTIRE_DATA_CACHE" : !pto.ptr<i32>
    pto.dsb "ALL"
    pto.tload ins(%p : !pto.partition_tensor_view<8xi32>) outs(%tile : !pto.tile_buf<vec, 1x8xi32>)
    pto.tstore ins(%tile : !pto.tile_buf<vec, 1x8xi32>) outs(%yp : !pto.partition_tensor_view<1x8xi32>))");
  Words x(16);
  for (int i = 0; i < 16; ++i) x[static_cast<std::size_t>(i)] = i + 1;
  const Outcome o =
      run(text, {Profile::kA5, {}, {{"n", {3 | 5 << 16}}, {"x", x}, {"y", Words(256)}}, 1});
  EXPECT_EQ(o.error, "");
  EXPECT_THAT(o.hazards, IsEmpty());
  const Words& y = o.arrays.at("y");
  EXPECT_EQ(y[0], 0) << "1 + 2 + 3 is not above 8";
  EXPECT_EQ(y[16], 15);
  EXPECT_EQ(y[8], 4) << "a part that begins at element 3";
  EXPECT_EQ(y[16 + 8], 6);
}

TEST(ascend, scalar_floats_are_operands_and_come_back) {
  const std::string text = kernel("%a: !pto.ptr<f32>, %h: !pto.ptr<f16>, %y: !pto.ptr<f32>",
                                  R"(    %c8 = arith.constant 8 : index
    %scale = pto.load_scalar %a[%c1] : !pto.ptr<f32> -> f32
    %tenth = arith.constant 1.0e-1 : f16
    %less = arith.constant -1.5 : f16
    pto.store_scalar %less, %h[%c0] : !pto.ptr<f16>, f16
    pto.store_scalar %tenth, %h[%c1] : !pto.ptr<f16>, f16
    pto.dcci %h "SINGLE_CACHE_LINE" : !pto.ptr<f16>
    %v = pto.make_tensor_view %a, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>
    %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %yv = pto.make_tensor_view %y, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<1x8xf32>) outs(%tile : !pto.tile_buf<vec, 1x8xf32>)
    pto.tmuls ins(%tile, %scale : !pto.tile_buf<vec, 1x8xf32>, f32) outs(%tile : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%tile : !pto.tile_buf<vec, 1x8xf32>) outs(%yp : !pto.partition_tensor_view<1x8xf32>))");
  const std::vector<float> a = {2, -1.5F, 3, 4, 5, 6, 7, 8};
  const Outcome o =
      run(text, {Profile::kA5, {}, {{"a", reinterpreted<std::int32_t>(a)}, {"h", {0}}}, 1});
  EXPECT_EQ(o.error, "");
  const auto y = reinterpreted<float>(o.arrays.at("y"));
  EXPECT_THAT(y, ElementsAre(-3, 2.25F, -4.5F, -6, -7.5F, -9, -10.5F, -12));
  EXPECT_EQ(o.arrays.at("h")[0], static_cast<std::int32_t>(0x2E66BE00)) << "0.1 and -1.5 in f16";
}

// A copy between dcci and dsb gets what was there before; the advice names what is missing.
TEST(ascend, copy_of_a_line_on_its_way) {
  const auto text = [](const std::string& clean) {
    return kernel("%x: !pto.ptr<i32>", R"(    %c8 = arith.constant 8 : index
    %v = pto.make_tensor_view %x, shape = [%c8], strides = [%c1] : !pto.tensor_view<?xi32>
    %p = pto.partition_view %v, offsets = [%c0], sizes = [%c8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
    %zero = arith.cmpi eq, %me, %c0 : index
    scf.if %zero {
      pto.store_scalar %one, %x[%c0] : !pto.ptr<i32>, i32
)" + clean + R"(
      pto.tload ins(%p : !pto.partition_tensor_view<8xi32>) outs(%tile : !pto.tile_buf<vec, 1x8xi32>)
    })");
  };
  const std::string dcci = "      pto.dcci %x \"SINGLE_CACHE_LINE\" : !pto.ptr<i32>";
  const Options options{Profile::kA5, {}, {{"x", Words(8)}}, 1};
  EXPECT_THAT(run(text(""), options).hazards,
              ElementsAre(HasSubstr("is in the scalar cache of AIV0 of cluster 0; dcci sends it")));
  EXPECT_THAT(run(text(dcci), options).hazards,
              ElementsAre(HasSubstr("is on its way from the scalar cache of AIV0 of cluster 0; dsb "
                                    "after dcci waits until it is there")));
  EXPECT_THAT(run(text(dcci + "\n      pto.dsb \"DDR\""), options).hazards, IsEmpty());
}

// What a copy of the same core has put beside a store goes as well, and no other core is to blame.
TEST(ascend, M27_a_copy_beside_a_store_in_its_line) {
  const std::string text = kernel("%x: !pto.ptr<i32>", R"(    %c8 = arith.constant 8 : index
    %v = pto.make_tensor_view %x, shape = [%c8], strides = [%c1] : !pto.tensor_view<?xi32>
    %p = pto.partition_view %v, offsets = [%c0], sizes = [%c8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
    %nine = arith.constant 9 : i32
    %zero = arith.cmpi eq, %me, %c0 : index
    scf.if %zero {
      pto.store_scalar %one, %x[%c8] : !pto.ptr<i32>, i32
      pto.texpands ins(%nine : i32) outs(%tile : !pto.tile_buf<vec, 1x8xi32>)
      pto.barrier <PIPE_ALL>
      pto.tstore ins(%tile : !pto.tile_buf<vec, 1x8xi32>) outs(%p : !pto.partition_tensor_view<8xi32>)
      pto.barrier <PIPE_ALL>
      pto.dcci %x "SINGLE_CACHE_LINE" : !pto.ptr<i32>
    })");
  const Outcome o = run(text, {Profile::kA5, {}, {{"x", Words(16)}}, 1});
  EXPECT_THAT(o.arrays.at("x"), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(o.hazards, ElementsAre(HasSubstr("which a copy or another core has written")));
}

// --- order inside a core ---

const std::string kBehindStore = kernel("%x: !pto.ptr<i32>, %y: !pto.ptr<i32>, %z: !pto.ptr<i32>",
                                        R"(    %c8 = arith.constant 8 : index
    %v = pto.make_tensor_view %x, shape = [%c8], strides = [%c1] : !pto.tensor_view<?xi32>
    %p = pto.partition_view %v, offsets = [%c0], sizes = [%c8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
    %yv = pto.make_tensor_view %y, shape = [%c8], strides = [%c1] : !pto.tensor_view<?xi32>
    %yp = pto.partition_view %yv, offsets = [%c0], sizes = [%c8] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<8xi32>
    %tile = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
    %zero = arith.cmpi eq, %me, %c0 : index
    scf.if %zero {
      pto.tload ins(%p : !pto.partition_tensor_view<8xi32>) outs(%tile : !pto.tile_buf<vec, 1x8xi32>)
      FLAG_IN
      pto.tstore ins(%tile : !pto.tile_buf<vec, 1x8xi32>) outs(%yp : !pto.partition_tensor_view<8xi32>)
      FLAG_OUT
      %got = pto.load_scalar %y[%c1] : !pto.ptr<i32> -> i32
      pto.store_scalar %got, %z[%c0] : !pto.ptr<i32>, i32
      pto.dcci %z "SINGLE_CACHE_LINE" : !pto.ptr<i32>
    })");

Outcome behind_store(const std::string& in, const std::string& out) {
  std::string text = kBehindStore;
  text.replace(text.find("FLAG_IN"), 7, in);
  text.replace(text.find("FLAG_OUT"), 8, out);
  return run(
      text,
      {Profile::kA2A3, {}, {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"y", Words(8)}, {"z", {0}}}, 1});
}
std::string flags(const std::string& pair) {
  return "pto.set_flag[" + pair + ", <EVENT_ID0>]\n      pto.wait_flag[" + pair + ", <EVENT_ID0>]";
}

TEST(ascend, scalar_load_behind_a_store_of_a_pipe) {
  const std::string in = flags("<PIPE_MTE2>, <PIPE_MTE3>");
  const Outcome automatic = behind_store("", "");
  EXPECT_THAT(automatic.arrays.at("z"), ElementsAre(2));
  EXPECT_THAT(automatic.hazards, IsEmpty());
  const Outcome written = behind_store(in, flags("<PIPE_MTE3>, <PIPE_S>"));
  EXPECT_THAT(written.arrays.at("z"), ElementsAre(2));
  EXPECT_THAT(written.hazards, IsEmpty());
  const Outcome racing = behind_store(in, "");
  EXPECT_THAT(racing.arrays.at("z"), ElementsAre(0));
  EXPECT_THAT(racing.hazards,
              ElementsAre(AllOf(HasSubstr("copy_out on MTE3 of AIV0 of cluster 0) writes"),
                                HasSubstr("load_scalar on S of AIV0 of cluster 0) reads"))));
}

}  // namespace
}  // namespace tessera::cluster::scalar_test
