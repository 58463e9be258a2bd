#include "models/cluster/cluster_config.h"

#include <string>

#include "models/cluster/memory/scalar_cache.h"
#include "models/cluster/sync/pipe_sync.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

namespace {

// Rates of GM are those of ascend.md 4.4, fitted: with rows of 128 B and of 2048 B (UB) or 512 B
// (L1) the two aggregate bandwidths give GM bandwidth and overhead per row, the unaligned case the
// rest. A UB sees 5 % (A2/A3) or 8 % (A5) less of GM than an L1 does.

CostConfig cost_of(Profile profile) {
  const auto choose = [profile](auto a2a3, auto a5) { return profile == Profile::kA5 ? a5 : a2a3; };
  using Rates = decltype(CostConfig::vector);
  using Macs = decltype(CostConfig::mac_per_cycle);
  using Percents = decltype(CostConfig::bank_conflict);
  CostConfig cost{};
  //                               int4   mxfp4  int8  fp8   f16   bf16  f32   hf32  int32
  cost.mac_per_cycle = choose(Macs{16384, 0, 8192, 0, 4096, 4096, 1024, 2048, 0},
                              Macs{0, 16384, 8192, 8192, 4096, 4096, 256, 2048, 0});
  cost.mad_gap = choose(10U, 9U);
  cost.mad_depth = choose(62U, 92U);
  // A2/A3: a pair of loads of A and B takes bytes / rate + 47 (4.2, 4.4): 28 until the data is there and
  // 19 between the two.
  cost.load_a = choose(PathRate{256, 28, 19}, PathRate{256, 27});
  cost.load_b = choose(PathRate{128, 28, 19}, PathRate{256, 27});
  cost.load_table = {32, 20};
  cost.l1_to_ub = cost.ub_to_l1 = choose(PathRate{0, 0}, PathRate{128, 30});
  cost.fix_narrow = 64;
  cost.fix_wide = choose(64U, 32U);
  cost.fix_latency = choose(20U, 26U);
  cost.fix_out = choose(PathRate{77, 140}, PathRate{82, 140});
  // In the order of VectorClass. A2/A3: gather 5, sort and merge 2 elements a cycle: 64 elements a repeat. A5:
  // gather 32 elements of 32 bits a cycle; for sort and merge there is no figure but that of A2/A3.
  cost.vector = choose(
      Rates{{{100, 24},          {100, 24},         {200, 24},          {200, 24},
             {200, 24},          {200, 31, 400},    {200, 31, 200},     {200, 31, 400},
             {500, 45, 900},     {107, 24, 107},    {190, 15, 0, 1760}, {200, 17, 0, 1550},
             {100, 37, 0, 1300}, {100, 3, 0, 1500}, {100, 48, 0, 12},   {800, 0, 0, 500},
             {800, 0, 0, 500},   {100, 0, 0, 3000}, {100, 4},           {700, 44},
             {700, 32},          {100, 24},         {1280, 24},         {3200, 20}}},
      Rates{{{125, 55, 203}, {106, 54, 130}, {132, 52, 132}, {500, 65},      {1235, 55, 3970},
             {197, 63, 388}, {197, 63, 388}, {197, 63, 388}, {191, 65, 355}, {403, 76, 806},
             {125, 55},      {125, 55},      {106, 53},      {200, 57},      {125, 55},
             {106, 53},      {106, 53},      {200, 55},      {106, 54},      {700, 44},
             {700, 44},      {106, 53},      {200, 55},      {3200, 55}}});
  // In the order of VectorUnit (ascend_2.md 3.1).
  cost.steps = {{{100, 17},
                 {100, 24},
                 {100, 14},
                 {100, 28},
                 {100, 36},
                 {100, 29},
                 {700, 44},
                 {700, 32},
                 {100, 18},
                 {1400, 34},
                 {100, 24},
                 {100, 60},
                 {100, 11}}};
  cost.vectors =
      choose(VectorConfig{17, 14, 17, 0, false, 100}, VectorConfig{0, 0, 0, 5, false, 83});
  cost.bank_conflict = choose(Percents{100, 200, 179, 170}, Percents{100, 133, 147, 144});
  cost.aic = choose(GmPath{{152, 40, 80}, {64, 100}, 21, 339, 61, 835, 1000},
                    GmPath{{85, 560}, {100, 100}, 39, 0, 54, 198, 1000});
  cost.aiv = choose(GmPath{{67, 228}, {27, 0}, 21, 0, 12, 760, 1052},
                    GmPath{{51, 280}, {100, 100}, 39, 0, 15, 188, 1085});
  cost.aic.write_l2_hit = cost.aiv.write_l2_hit = 1000;  // 4.4: L2 absorbs writes
  // A2/A3: case 7 of ascend.md 5.2: MTE1 takes 442 cycles a step of K where it takes 367 alone, MTE2 595
  // where its path would need 340.
  cost.l1_read_percent = choose(29U, 0U);
  cost.l1_write_percent = choose(76U, 0U);
  cost.gm_bytes_per_cycle = choose(852U, 1079U);
  cost.l2_bytes_per_cycle = choose(3216U, 3264U);
  cost.l2_miss_latency = choose(229U, 100U);
  cost.l2_bytes = choose(192U, 128U) << 20U;
  cost.gm_write_back_bytes = 4U << 20U;
  cost.word_latency = 280;
  cost.link_latency = choose(370, 330);
  cost.link_bytes_per_cycle = choose(10, 11);
  return cost;
}

void require(const char* key, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw UserError("", key,
                  std::to_string(value) + ", expected " + std::to_string(least) + ".." +
                      std::to_string(most));
}

constexpr std::uint64_t kMostRate = 1 << 20;

}  // namespace

const ClusterConfig& check_config(const ClusterConfig& config) {
  const SyncConfig& sync = config.core.sync;
  require("clock_khz", config.clock_khz, 1, 100'000'000);
  for (const Pipe pipe : sync::kPipes)
    require("queue_depth", config.core.queue_depth[sync::index(pipe)], 1, 4096);
  require("sync.event_ids", sync.event_ids, 1, FlagTable::kMaxEvents);
  require("sync.buffer_ids", sync.buffer_ids, 1, BufferLocks::kMaxLocks);
  require("sync.counter_max", sync.counter_max, 1, 255);
  const ScalarConfig& scalar = config.core.scalar;
  require("scalar.cache_bytes", scalar.cache_bytes, ScalarCache::kLineBytes, 1 << 30);
  require("scalar.commit_cycles", scalar.commit_cycles, 1, 1 << 20);
  require("scalar.control_bytes", scalar.control_bytes, 1, std::uint64_t{1} << 40U);
  const CostConfig& cost = config.core.cost;
  for (const PathRate* path : {&cost.load_a, &cost.load_b, &cost.load_table, &cost.fix_out})
    require("cost path", path->bytes_per_cycle, 1, kMostRate);
  require("cost.fix_narrow", cost.fix_narrow, 1, kMostRate);
  require("cost.fix_wide", cost.fix_wide, 1, kMostRate);
  for (const PathRate* path : {&cost.aic.read, &cost.aic.write})
    require("cost.aic", path->bytes_per_cycle, 1, kMostRate);
  for (const PathRate* path : {&cost.aiv.read, &cost.aiv.write})
    require("cost.aiv", path->bytes_per_cycle, 1, kMostRate);
  require("cost.gm_bytes_per_cycle", cost.gm_bytes_per_cycle, 1, kMostRate);
  require("cost.l2_bytes_per_cycle", cost.l2_bytes_per_cycle, 1, kMostRate);
  return config;
}

void check_launch(const Launch& launch) {
  require("clusters", launch.clusters, 1, kMaxClusters);
  require("devices", launch.devices, 1, kMaxDevices);
}

ClusterConfig a2a3_config() {
  ClusterConfig config;
  config.core.cost = cost_of(Profile::kA2A3);
  return config;
}

ClusterConfig a5_config() {
  ClusterConfig config;
  config.profile = Profile::kA5;
  config.clock_khz = 1'650'000;
  config.core.l0c_blocks = 512;
  config.core.cost = cost_of(Profile::kA5);
  config.core.scalar.clean_cycles = 354;
  config.core.scalar.commit_cycles = config.core.scalar.barrier_cycles = 17;
  SyncConfig& sync = config.core.sync;
  sync.missing_ffts = Undefined::kIgnore;
  sync.needs_ffts = false;
  sync.waits_stop_core = false;
  sync.has_intra_block = true;
  sync.has_buffer_locks = true;
  return config;
}

}  // namespace tessera::cluster
