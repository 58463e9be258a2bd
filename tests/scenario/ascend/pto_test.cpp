// Kernels in PTO text as public ones are written: TPUSH and TPOP in all forms (reference ascend.md 3.5),
// automatic synchronisation, and what is refused. Values are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "models/cluster/cluster_core.h"
#include "tests/support/reinterpreted.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Array = std::vector<float>;

struct Outcome {
  bool finished = false;
  Cycle cycles = 0;
  std::vector<std::string> hazards;
  std::vector<std::string> flags_left;
  std::string waits;
  std::map<std::string, Array> arrays;
  std::map<unsigned, std::array<PipeStats, sync::kPipeCount>> stats;  // by unit
};

struct Options {
  Profile profile = Profile::kA5;
  std::map<std::string, std::int64_t> params;
  std::map<std::string, Array> inputs;
  bool with_data = true;
};

Outcome run(const std::string& text, const Options& options) {
  const pto::Kernel kernel =
      pto::lower(pto::parse(text, "k.pto"), {options.profile, options.params});
  Launch launch;
  launch.ratio = !kernel.aic   ? LaunchRatio::k0To1
                 : !kernel.aiv ? LaunchRatio::k1To0
                               : LaunchRatio::k1To2;
  ClusterData data(options.profile, launch, kernel.arrays);
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    const auto input = options.inputs.find(kernel.arrays[i].name);
    if (input == options.inputs.end()) continue;
    data.bind(i, test::reinterpreted<std::byte>(input->second));
  }
  const ClusterConfig config = options.profile == Profile::kA5 ? a5_config() : a2a3_config();
  HazardWatch hazards(launch);
  ClusterCore machine(config, launch, {nullptr, options.with_data ? &data : nullptr, &hazards});
  machine.launch(kernel.aic, kernel.aiv, 0);
  machine.run();
  Outcome outcome;
  outcome.finished = machine.finished();
  outcome.cycles = outcome.finished ? machine.finished_at() : 0;
  outcome.hazards = hazards.sentences();
  observe::Waits waits(100);
  machine.describe_waits(waits);
  for (const observe::Wait& wait : waits)
    outcome.waits += wait.who + " waits for " + wait.what + "\n";
  for (std::uint16_t unit = 0; unit < 3; ++unit) {
    const AiCore* core = machine.find({0, unit});
    if (core == nullptr) continue;
    for (const std::string& flag : core->sync().flags_set()) outcome.flags_left.push_back(flag);
    for (unsigned id = 0; id < 48; ++id)
      if (machine.sync_unit().counter({0, unit}, id % 32, id >= 16) != 0)
        outcome.flags_left.push_back("counter " + std::to_string(id));
    for (const Pipe pipe : sync::kPipes) outcome.stats[unit][sync::index(pipe)] = core->stats(pipe);
  }
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    outcome.arrays[kernel.arrays[i].name] = test::reinterpreted<float>(data.contents(i));
  }
  return outcome;
}

std::string replace(std::string text, const std::map<std::string, std::string>& words) {
  for (const auto& [word, with] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size())
      text.replace(at, word.size(), with);
  return text;
}

Array counting(std::size_t n) {
  Array a(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<float>(i % 4093);
  return a;
}
Array identity() {
  Array a(256, 0);
  for (std::size_t i = 0; i < 16; ++i) a[17 * i] = 1;
  return a;
}

// --- TPUSH and TPOP ---

const char* const kTypes = R"(!mat = !pto.tile_buf<mat, 16x16xf32>
!left = !pto.tile_buf<left, 16x16xf32>
!right = !pto.tile_buf<right, 16x16xf32>
!acc = !pto.tile_buf<acc, 16x16xf32>
!ub = !pto.tile_buf<vec, ROWSxCOLSxf32>
!part = !pto.partition_tensor_view<ROWSxCOLSxf32>
!whole = !pto.partition_tensor_view<16x16xf32>
)";

const char* const kPrologue = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %z = arith.constant 0 : i32
    %rows = arith.muli %T, %c16 : index
    pto.set_ffts %ffts : !pto.ptr<i64>)";

/// From the cube to the vector cores: every tile of %in is multiplied with %one and stored to %out.
const char* const kToVector = R"(module {
  func.func @cube(%in: !pto.ptr<f32>, %one: !pto.ptr<f32>, %ring: !pto.ptr<f32>, %ffts: !pto.ptr<i64>, %T: index) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {PROLOGUE
    %buf = pto.import_reserved_buffer {name = "fifo", peer_func = @vector} -> i32
    pto.aic_initialize_pipe {dir_mask = 1, slot_size = 1024, slot_num = SLOTS NOSPLIT} (GM c2v_consumer_buf = %buf : i32, v2c_consumer_buf = %z : i32)
    %av = pto.make_tensor_view %in, shape = [%rows, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %bv = pto.make_tensor_view %one, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %bp = pto.partition_view %bv, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !whole
    %a = pto.alloc_tile : !mat
    %b = pto.alloc_tile : !mat
    %l = pto.alloc_tile : !left
    %r = pto.alloc_tile : !right
    %c = pto.alloc_tile : !acc
    pto.tload ins(%bp : !whole) outs(%b : !mat)
    pto.tmov ins(%b : !mat) outs(%r : !right)
    scf.for %i = %c0 to %T step %c1 {
      %row = arith.muli %i, %c16 : index
      %ap = pto.partition_view %av, offsets = [%row, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !whole
      pto.tload ins(%ap : !whole) outs(%a : !mat)
      pto.tmov ins(%a : !mat) outs(%l : !left)
      pto.tmatmul ins(%l, %r : !left, !right) outs(%c : !acc)
      pto.tpush_to_aiv(%c : !acc) {split = SPLIT}
    }
    return
  }
  func.func @vector(%out: !pto.ptr<f32>, %ring: !pto.ptr<f32>, %ffts: !pto.ptr<i64>, %T: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {PROLOGUE
    %buf = pto.reserve_buffer {name = "fifo", size = RINGBYTES, location = #pto.address_space<vec>, auto = true} -> i32
    pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024, slot_num = SLOTS NOSPLIT} (GM c2v_consumer_buf = %buf : i32, v2c_consumer_buf = %z : i32)
    %ov = pto.make_tensor_view %out, shape = [%rows, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %lane = pto.get_subblock_idx -> i64
    %sub = arith.index_cast %lane : i64 to index
    %dr = arith.constant STEPDOWN : index
    %dc = arith.constant STEPRIGHT : index
    %sr = arith.muli %sub, %dr : index
    %sc = arith.muli %sub, %dc : index
    %first = arith.cmpi eq, %sub, %c0 : index
    %whole = arith.constant WHOLE : i1
    %mine = arith.ori %first, %whole : i1
    %x = pto.alloc_tile : !ub
    scf.for %i = %c0 to %T step %c1 {
      %row0 = arith.muli %i, %c16 : index
      %row = arith.addi %row0, %sr : index
      %op = pto.partition_view %ov, offsets = [%row, %sc], sizes = [ROWS, COLS] : !pto.tensor_view<?x?xf32> -> !part
      %t = pto.tpop_from_aic {split = SPLIT} -> !ub
      pto.tadds ins(%t, %z : !ub, i32) outs(%x : !ub)
      TFREE
      scf.if %mine {
        pto.tstore ins(%x : !ub) outs(%op : !part)
      }
    }
    return
  }
})";

/// From the vector cores to the cube: every tile of %in is pushed, and multiplied with %one there.
const char* const kToCube = R"(module {
  func.func @cube(%out: !pto.ptr<f32>, %one: !pto.ptr<f32>, %ring: !pto.ptr<f32>, %ffts: !pto.ptr<i64>, %T: index) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {PROLOGUE
    %buf = pto.reserve_buffer {name = "fifo", size = RINGBYTES, location = #pto.address_space<mat>, auto = true} -> i32
    %p = HANDLE
    %ov = pto.make_tensor_view %out, shape = [%rows, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %bv = pto.make_tensor_view %one, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %bp = pto.partition_view %bv, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !whole
    %b = pto.alloc_tile : !mat
    %l = pto.alloc_tile : !left
    %r = pto.alloc_tile : !right
    %c = pto.alloc_tile : !acc
    pto.tload ins(%bp : !whole) outs(%b : !mat)
    pto.tmov ins(%b : !mat) outs(%r : !right)
    scf.for %i = %c0 to %T step %c1 {
      %row = arith.muli %i, %c16 : index
      %op = pto.partition_view %ov, offsets = [%row, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !whole
      %t = pto.declare_tile -> !mat
      pto.tpop(%t, %p : !mat, !pto.pipe) {split = SPLIT}
      pto.tmov ins(%t : !mat) outs(%l : !left)
      pto.tfree(%p : !pto.pipe) {split = SPLIT}
      pto.tmatmul ins(%l, %r : !left, !right) outs(%c : !acc)
      pto.tstore ins(%c : !acc) outs(%op : !whole)
    }
    return
  }
  func.func @vector(%in: !pto.ptr<f32>, %ring: !pto.ptr<f32>, %ffts: !pto.ptr<i64>, %T: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {PROLOGUE
    %buf = pto.import_reserved_buffer {name = "fifo", peer_func = @cube} -> i32
    %p = HANDLE
    %av = pto.make_tensor_view %in, shape = [%rows, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %lane = pto.get_subblock_idx -> i64
    %sub = arith.index_cast %lane : i64 to index
    %dr = arith.constant STEPDOWN : index
    %dc = arith.constant STEPRIGHT : index
    %sr = arith.muli %sub, %dr : index
    %sc = arith.muli %sub, %dc : index
    %x = pto.alloc_tile : !ub
    scf.for %i = %c0 to %T step %c1 {
      %row0 = arith.muli %i, %c16 : index
      %row = arith.addi %row0, %sr : index
      %ap = pto.partition_view %av, offsets = [%row, %sc], sizes = [ROWS, COLS] : !pto.tensor_view<?x?xf32> -> !part
      pto.tload ins(%ap : !part) outs(%x : !ub)
      pto.tpush(%x, %p : !ub, !pto.pipe) {split = SPLIT}
    }
    return
  }
})";

struct Pipe2 {
  bool through_gm = true;
  int split = 1;
  int slots = 4;
  bool frees = true;
};

std::string text_of(const char* kernel, const Pipe2& p) {
  const std::string slots = std::to_string(p.slots);
  const std::string handle =
      p.through_gm
          ? "pto.initialize_l2g2l_pipe {dir_mask = 2, slot_size = 1024, slot_num = " + slots +
                "} (%ring : !pto.ptr<f32>, %buf : i32) -> !pto.pipe"
          : "pto.initialize_l2l_pipe {dir_mask = 2, slot_size = 1024, slot_num = " + slots +
                ", flag_base = 4} (%buf : i32) -> !pto.pipe";
  return replace(
      std::string(kTypes) + kernel,
      {{"PROLOGUE", kPrologue},
       {"HANDLE", handle},
       {"GM ", p.through_gm ? "gm_slot_buffer = %ring : !pto.ptr<f32>, " : ""},
       {"RINGBYTES", std::to_string(1024 * p.slots)},
       {"SLOTS", slots},
       {" NOSPLIT", p.split == 0 ? ", nosplit = true" : ""},
       {"SPLIT", std::to_string(p.split)},
       {"STEPDOWN", p.split == 1 ? "8" : "0"},
       {"STEPRIGHT", p.split == 2 ? "8" : "0"},
       {"ROWS", p.split == 1 ? "8" : "16"},
       {"COLS", p.split == 2 ? "8" : "16"},
       {"WHOLE", p.split == 0 ? "0" : "1"},
       {"TFREE", p.frees ? "pto.tfree_from_aic {split = " + std::to_string(p.split) + "}" : ""}});
}

void expect_copies(const char* kernel, const Pipe2& pipe, Profile profile, int tiles) {
  const std::string what = std::string(kernel == kToCube ? "V to C" : "C to V") +
                           (pipe.through_gm ? " through GM" : " direct") + ", split " +
                           std::to_string(pipe.split) + ", slots " + std::to_string(pipe.slots) +
                           ", tiles " + std::to_string(tiles) + " on " + to_string(profile);
  const Array in = counting(256 * static_cast<std::size_t>(tiles));
  const Outcome o =
      run(text_of(kernel, pipe), {profile, {{"T", tiles}}, {{"in", in}, {"one", identity()}}});
  ASSERT_TRUE(o.finished) << what << ": " << o.waits;
  EXPECT_THAT(o.hazards, IsEmpty()) << what;
  EXPECT_THAT(o.flags_left, IsEmpty()) << what;
  EXPECT_EQ(o.arrays.at("out"), in) << what;
}

TEST(ascend, S9_tpush_tpop_of_pto_text_cube_to_vector) {
  for (const int split : {0, 1, 2}) {
    for (const int slots : {1, 2, 3, 8}) {
      expect_copies(kToVector, {true, split, slots}, Profile::kA2A3, 13);
      expect_copies(kToVector, {true, split, slots}, Profile::kA5, 13);
      expect_copies(kToVector, {false, split, slots}, Profile::kA5, 13);
    }
  }
}

TEST(ascend, S10_tpush_tpop_of_pto_text_vector_to_cube) {
  for (const int split : {0, 1, 2}) {
    for (const int slots : {1, 2, 3, 8}) {
      expect_copies(kToCube, {true, split, slots}, Profile::kA2A3, 13);
      expect_copies(kToCube, {true, split, slots}, Profile::kA5, 13);
      expect_copies(kToCube, {false, split, slots}, Profile::kA5, 13);
    }
  }
}

// Fewer tiles than slots, and numbers that leave every remainder: all counters end at 0.
TEST(ascend, S11_tpush_tpop_of_pto_text_leaves_no_credits) {
  for (int tiles = 1; tiles < 10; ++tiles) {
    expect_copies(kToVector, {true, 1, 4}, Profile::kA2A3, tiles);
    expect_copies(kToVector, {false, 1, 4}, Profile::kA5, tiles);
  }
}

TEST(ascend, M22_tpop_without_tfree_of_pto_text) {
  Pipe2 pipe{false, 1, 4};
  pipe.frees = false;
  const Options options{Profile::kA5, {{"T", 9}}, {{"in", counting(9 * 256)}, {"one", identity()}}};
  const Outcome o = run(text_of(kToVector, pipe), options);
  EXPECT_FALSE(o.finished);
  EXPECT_THAT(o.waits, HasSubstr("pipe FIX of AIC of cluster 0 (wait_intra_core(FIX, id 1)"));
}

// 7: FlagID + 1 or + 3 beyond 15 is refused when the kernel is read, and so are other wrong pipes.
TEST(ascend, M21_flags_of_a_pipe_out_of_range) {
  const auto message = [](const std::map<std::string, std::string>& change, Profile profile,
                          const char* kernel = kToVector) {
    try {
      run(replace(text_of(kernel, {profile == Profile::kA2A3, 1, 4}), change),
          {profile, {{"T", 3}}, {}});
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message({{"flag_base = 4", "flag_base = 15"}}, Profile::kA5, kToCube),
              HasSubstr("pto.initialize_l2l_pipe takes the flags 15..16, expected 0..15"));
  EXPECT_THAT(message({{"dir_mask = 1", "dir_mask = 4"}}, Profile::kA5),
              HasSubstr("expected dir_mask 1 (cube to vector), 2 (vector to cube) or 3, found 4"));
  EXPECT_THAT(message({{"dir_mask = 1", "dir_mask = 2"}}, Profile::kA5),
              HasSubstr("which has no way from the cube to vector"));
  EXPECT_THAT(message({{"slot_num = 4", "slot_num = 0"}}, Profile::kA5),
              HasSubstr("slot_num is 0, expected 1..1024"));
  EXPECT_THAT(message({{"slot_size = 1024", "slot_size = x"}}, Profile::kA5),
              HasSubstr("expected a whole number for slot_size, found 'x'"));
  EXPECT_THAT(message({{"split = 1", "split = 3"}}, Profile::kA5),
              HasSubstr("split 3, expected 1 or 2: the pipe is divided"));
  EXPECT_THAT(message({{"peer_func = @vector", "peer_func = @nobody"}}, Profile::kA5),
              HasSubstr("@nobody reserves no buffer 'fifo'"));
  EXPECT_THAT(message({{"size = 4096", "size = 4096000"}}, Profile::kA5),
              HasSubstr("the buffer fifo needs 4096000 bytes of UB, which has 262144"));
  EXPECT_THAT(message({{"tpush_to_aiv(%c : !acc)", "tpush_to_aiv(%l : !left)"}}, Profile::kA5),
              HasSubstr("expected a tile in acc, found one in left"));
  EXPECT_THAT(message({{"{split = 1}\n    }\n    return\n  }\n  func.func @vector",
                        "{split = 1, id = 7}\n    }\n    return\n  }\n  func.func @vector"}},
                      Profile::kA5),
              HasSubstr("pipe 7 has not been initialized on this core"));
  std::string direct = text_of(kToVector, {false, 1, 4});
  try {
    run(direct, {Profile::kA2A3, {{"T", 3}}, {}});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("A2/A3 have no direct path, expected a buffer in GM"));
  }
}

// --- unit flag ---

// 2.5: FIX drains the tile block by block after the last MAD, with no flag between M and FIX.
TEST(ascend, S19_unit_flag_of_pto_text) {
  const auto kernel = [](const std::string& phase, const std::string& last,
                         const std::string& store) {
    return R"(!mat = !pto.tile_buf<mat, 128x128xf32>
!left = !pto.tile_buf<left, 128x32xf32>
!right = !pto.tile_buf<right, 32x128xf32>
!acc = !pto.tile_buf<acc, 128x128xf32>
!part = !pto.partition_tensor_view<128x128xf32>
module {
  func.func @k(%out: !pto.ptr<f32>) {
    %v = pto.make_tensor_view %out, shape = [128, 128], strides = [128, 1] : !pto.tensor_view<128x128xf32>
    %p = pto.partition_view %v, offsets = [0, 0], sizes = [128, 128] : !pto.tensor_view<128x128xf32> -> !part
    %l = pto.alloc_tile : !left
    %r = pto.alloc_tile : !right
    %c = pto.alloc_tile : !acc
    pto.tmatmul ins(%l, %r : !left, !right) outs(%c : !acc))" +
           phase + "\n    pto.tmatmul.acc ins(%c, %l, %r : !acc, !left, !right) outs(%c : !acc)" +
           last + "\n    pto.tstore ins(%c : !acc) outs(%p : !part)" + store +
           "\n    return\n  }\n}\n";
  };
  const Options options{Profile::kA2A3, {}, {}};
  const Outcome with =
      run(kernel(" {accPhase = #pto<acc_phase partial>}", " {accPhase = #pto<acc_phase final>}",
                 " {stPhase = #pto<st_phase final>}"),
          options);
  const Outcome without = run(kernel("", "", ""), options);
  ASSERT_TRUE(with.finished && without.finished);
  EXPECT_LT(with.cycles, without.cycles);
  EXPECT_THAT(with.hazards, IsEmpty());
  try {
    run(kernel(" {accPhase = #pto<acc_phase last>}", "", ""), options);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("expected unspecified, partial or final, found 'last'"));
  }
}

// --- timing ---

/// C = A B in tiles of 128 x 256 and steps of 64, with one buffer for each operand.
const char* const kGemm = R"(!a = !pto.tile_buf<mat, 128x64xf16>
!b = !pto.tile_buf<mat, 64x256xf16>
!left = !pto.tile_buf<left, 128x64xf16>
!right = !pto.tile_buf<right, 64x256xf16>
!acc = !pto.tile_buf<acc, 128x256xf32>
!pa = !pto.partition_tensor_view<128x64xf16>
!pb = !pto.partition_tensor_view<64x256xf16>
!pc = !pto.partition_tensor_view<128x256xf32>
module {
  func.func @gemm(%A: !pto.ptr<f16>, %B: !pto.ptr<f16>, %C: !pto.ptr<f32>, %M: index, %N: index, %K: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %av = pto.make_tensor_view %A, shape = [%M, %K], strides = [%K, %c1] : !pto.tensor_view<?x?xf16>
    %bv = pto.make_tensor_view %B, shape = [%K, %N], strides = [%N, %c1] : !pto.tensor_view<?x?xf16>
    %cv = pto.make_tensor_view %C, shape = [%M, %N], strides = [%N, %c1] : !pto.tensor_view<?x?xf32>
    %at = pto.alloc_tile : !a
    %bt = pto.alloc_tile : !b
    %l = pto.alloc_tile : !left
    %r = pto.alloc_tile : !right
    %c = pto.alloc_tile : !acc
    scf.for %i = %c0 to %M step %c128 {
      scf.for %j = %c0 to %N step %c256 {
        scf.for %k = %c0 to %K step %c64 {
          %ap = pto.partition_view %av, offsets = [%i, %k], sizes = [128, 64] : !pto.tensor_view<?x?xf16> -> !pa
          %bp = pto.partition_view %bv, offsets = [%k, %j], sizes = [64, 256] : !pto.tensor_view<?x?xf16> -> !pb
          pto.tload ins(%ap : !pa) outs(%at : !a)
          pto.tload ins(%bp : !pb) outs(%bt : !b)
          pto.tmov ins(%at : !a) outs(%l : !left)
          pto.tmov ins(%bt : !b) outs(%r : !right)
          %first = arith.cmpi eq, %k, %c0 : index
          scf.if %first {
            pto.tmatmul ins(%l, %r : !left, !right) outs(%c : !acc)
          } else {
            pto.tmatmul.acc ins(%c, %l, %r : !acc, !left, !right) outs(%c : !acc)
          }
        }
        %cp = pto.partition_view %cv, offsets = [%i, %j], sizes = [128, 256] : !pto.tensor_view<?x?xf32> -> !pc
        pto.tstore ins(%c : !acc) outs(%cp : !pc)
      }
    }
    return
  }
})";

// 6, 17: the sizes of the performance simulator's matrix products. The cube is busy for the products
// and its fixed cost; long sums keep it busier than short ones.
TEST(ascend, S17_gemm_sizes_of_the_performance_simulator) {
  struct Size {
    std::int64_t m, k, n;
  };
  std::vector<double> share;
  for (const Size size : {Size{128, 64, 256}, Size{1536, 256, 1024}, Size{256, 4096, 256}}) {
    const Options options{Profile::kA2A3, {{"M", size.m}, {"N", size.n}, {"K", size.k}}, {}, false};
    const Outcome o = run(kGemm, options);
    ASSERT_TRUE(o.finished) << o.waits;
    EXPECT_THAT(o.hazards, IsEmpty());
    const auto products = static_cast<std::uint64_t>(size.m * size.n * size.k);
    const std::uint64_t busy = o.stats.at(0)[sync::index(Pipe::kM)].busy;
    EXPECT_GE(busy, products / 4096);
    EXPECT_LE(busy, products / 4096 * 115 / 100);
    share.push_back(static_cast<double>(busy) / static_cast<double>(o.cycles));
  }
  EXPECT_GT(share[1], share[0]);
  EXPECT_GT(share[2], share[1]);
}

// --- automatic synchronisation ---

/// out = exp-free chain over tiles of one buffer, with loops and a branch around it.
TEST(ascend, AutomaticSynchronisationGivesTheRightValues) {
  const std::string text = R"(!ub = !pto.tile_buf<vec, 16x16xf32>
!part = !pto.partition_tensor_view<16x16xf32>
module {
  func.func private @double(%x: index) -> index {
    %two = arith.constant 2 : index
    %r = arith.muli %x, %two : index
    return %r : index
  }
  func.func @k(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>, %T: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %three = arith.constant 3.0 : f32
    %rows = arith.muli %T, %c16 : index
    %av = pto.make_tensor_view %in, shape = [%rows, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %ov = pto.make_tensor_view %out, shape = [%rows, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %x = pto.alloc_tile : !ub
    %y = pto.alloc_tile : !ub
    %n = scf.while (%i = %c0) : (index) -> index {
      %on = arith.cmpi slt, %i, %T : index
      scf.condition(%on) %i : index
    } do {
    ^bb0(%i2: index):
      %row = arith.muli %i2, %c16 : index
      %ap = pto.partition_view %av, offsets = [%row, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !part
      %op = pto.partition_view %ov, offsets = [%row, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !part
      pto.tload ins(%ap : !part) outs(%x : !ub)
      pto.tmuls ins(%x, %three : !ub, f32) outs(%y : !ub)
      %odd = arith.andi %i2, %c1 : index
      %is_odd = arith.cmpi ne, %odd, %c0 : index
      scf.if %is_odd {
        pto.tadd ins(%x, %y : !ub, !ub) outs(%y : !ub)
      }
      pto.tstore ins(%y : !ub) outs(%op : !part)
      %d = func.call @double(%i2) : (index) -> index
      %e = arith.subi %d, %i2 : index
      %next = arith.addi %e, %c1 : index
      scf.yield %next : index
    }
    return
  }
})";
  const Array in = counting(8 * 256);
  Array expected = in;
  for (std::size_t i = 0; i < in.size(); ++i)
    expected[i] = in[i] * ((i / 256) % 2 == 1 ? 4.0F : 3.0F);
  for (const Profile profile : {Profile::kA2A3, Profile::kA5}) {
    const Outcome o = run(text, {profile, {{"T", 8}}, {{"in", in}}});
    ASSERT_TRUE(o.finished);
    EXPECT_EQ(o.arrays.at("out"), expected);
    EXPECT_THAT(o.hazards, IsEmpty());
  }
}

}  // namespace
}  // namespace tessera::cluster
