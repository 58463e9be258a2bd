#include "platforms/ascend/ascend_config.h"

#include <array>

#include "models/cluster/memory/scalar_cache.h"

namespace tessera::ascend {

namespace {

using cluster::CostConfig;
using cluster::PathRate;
using cluster::SyncConfig;
using cluster::Undefined;
using config::name;
using config::number;
using config::Schema;

constexpr std::uint64_t kMaxCycles = 1'000'000;
constexpr std::uint64_t kMaxRate = 1'000'000;

config::Field flag(std::string path, bool& target, std::string description) {
  return name<bool>(std::move(path), target, {{"true", true}, {"false", false}},
                    std::move(description));
}

config::Field undefined(std::string path, Undefined& target, std::string description) {
  return name<Undefined>(std::move(path), target,
                         {{"error", Undefined::kError}, {"ignore", Undefined::kIgnore}},
                         std::move(description));
}

void add_launch(Schema& schema, AscendConfig& c) {
  schema.push_back(number("launch.clusters", c.clusters, "clusters", 1, cluster::kMaxClusters,
                          "clusters of 1 AIC and 2 AIVs that the kernel runs on"));
  schema.push_back(number("launch.blocks", c.blocks, "blocks", 0, 1'000'000,
                          "blocks of the kernel; those beyond the clusters are not resident; 0: as "
                          "many as clusters"));
  schema.push_back(number("launch.overhead", c.overhead_ns, "ns", 0, 1'000'000'000,
                          "of the task around the time of its cores; adds to task_time only"));
  using Ratio = cluster::LaunchRatio;
  schema.push_back(name<std::optional<Ratio>>("launch.ratio", c.ratio,
                                              {{"auto", std::nullopt},
                                               {"1:0", Ratio::k1To0},
                                               {"0:1", Ratio::k0To1},
                                               {"1:1", Ratio::k1To1},
                                               {"1:2", Ratio::k1To2}},
                                              "AIC : AIV of each cluster; `auto` takes the kinds "
                                              "of core that the program has functions for"));
  schema.push_back(name<std::optional<bool>>("launch.mix", c.mix,
                                             {{"auto", std::nullopt}, {"yes", true}, {"no", false}},
                                             "whether the scheduling module counts cross-core "
                                             "flags; `auto`: the program has functions for "
                                             "both kinds of core"));
}

void add_scalar(Schema& schema, cluster::ScalarConfig& s) {
  schema.push_back(number("scalar.cache_bytes", s.cache_bytes, "B",
                          cluster::ScalarCache::kLineBytes, 1U << 30U,
                          "of the data cache, in lines of 64 B"));
  schema.push_back(number("scalar.hit_cycles", s.hit_cycles, "cycles", 1, kMaxCycles,
                          "of a load or store whose line is in the cache"));
  schema.push_back(number("scalar.miss_cycles", s.miss_cycles, "cycles", 1, kMaxCycles,
                          "of one whose line comes from GM"));
  schema.push_back(number("scalar.clean_cycles", s.clean_cycles, "cycles", 1, kMaxCycles,
                          "of dcci, for each line with stores and at least for one"));
  schema.push_back(number("scalar.commit_cycles", s.commit_cycles, "cycles", 1, kMaxCycles,
                          "more until the line is in GM"));
  schema.push_back(number("scalar.barrier_cycles", s.barrier_cycles, "cycles", 1, kMaxCycles,
                          "of dsb, or until all lines are in GM"));
  schema.push_back(number("scalar.control_base", s.control_base, "B", 0, std::uint64_t{1} << 48U,
                          "address of the control registers of the first core"));
  schema.push_back(number("scalar.control_bytes", s.control_bytes, "B", 1, std::uint64_t{1} << 32U,
                          "from the control registers of a core to those of the next"));
}

void add_core(Schema& schema, cluster::CoreConfig& core) {
  schema.push_back(number("scalar.cycles", core.scalar_cycles, "cycles", 1, kMaxCycles,
                          "per scalar instruction"));
  schema.push_back(number("scalar.issue_cycles", core.issue_cycles, "cycles", 1, kMaxCycles,
                          "per instruction put into a queue"));
  add_scalar(schema, core.scalar);
  constexpr std::array<std::pair<sync::Pipe, const char*>, 6> kQueues = {
      {{sync::Pipe::kV, "v"},
       {sync::Pipe::kMte1, "mte1"},
       {sync::Pipe::kMte2, "mte2"},
       {sync::Pipe::kMte3, "mte3"},
       {sync::Pipe::kM, "m"},
       {sync::Pipe::kFix, "fix"}}};
  for (const auto& [pipe, text] : kQueues)
    schema.push_back(number(std::string("queue.") + text, core.queue_depth[sync::index(pipe)],
                            "instructions", 1, 4096, "depth of the queue"));
  schema.push_back(flag("queue.sets_take_room", core.sets_take_room,
                        "a set_flag takes an entry of the queue, like all other instructions"));
  schema.push_back(
      number("l0c.blocks", core.l0c_blocks, "blocks", 1, 65536, "L0C in blocks of 512 B"));
}

void add_sync(Schema& schema, SyncConfig& s) {
  const auto cycles = [&schema](const char* path, unsigned& target, unsigned least,
                                const char* what) {
    schema.push_back(number(path, target, "cycles", least, kMaxCycles, what));
  };
  cycles("sync.flag_latency", s.flag_latency, 1, "set_flag fires to wait_flag goes on");
  cycles("sync.cycles", s.sync_cycles, 1, "of a pipe, for a sync operation");
  cycles("sync.cluster_latency", s.cluster_latency, 3, "modes 1 and 2: set fires to wait goes on");
  cycles("sync.all_latency", s.all_latency, 3, "mode 0: set fires to wait goes on");
  cycles("sync.intra_latency", s.intra_latency, 3, "mode 4: set fires to wait goes on");
  schema.push_back(
      number("sync.counter_max", s.counter_max, "sets", 1, 255, "that a cross-core counter holds"));
  schema.push_back(undefined("sync.counter_overflow", s.counter_overflow, "a set beyond that"));
  schema.push_back(undefined("sync.double_set", s.double_set, "set_flag on a flag that is set"));
  schema.push_back(undefined("sync.wide_id", s.wide_id, "ids above 15 of modes 0 to 2"));
  schema.push_back(
      undefined("sync.missing_ffts", s.missing_ffts, "a cross-core flag before set_ffts"));
  schema.push_back(flag("sync.needs_ffts", s.needs_ffts, "there is an FFTS base address"));
  schema.push_back(flag("sync.waits_stop_core", s.waits_stop_core,
                        "wait_flag_dev stops the scalar unit; otherwise the named pipe"));
  schema.push_back(flag("sync.has_intra_block", s.has_intra_block, "mode 4 exists"));
  schema.push_back(flag("sync.has_buffer_locks", s.has_buffer_locks, "get_buf and rls_buf exist"));
  schema.push_back(flag("sync.barrier_on_all_pipes", s.barrier_on_all_pipes,
                        "pipe_barrier takes any pipe; otherwise MTE2, MTE3 and ALL"));
  schema.push_back(number("sync.event_ids", s.event_ids, "ids", 1, 8, "events of a pair of pipes"));
  schema.push_back(number("sync.buffer_ids", s.buffer_ids, "ids", 1, 32, "locks of a core"));
}

/// `least`: 0 where a profile may lack the path.
void add_path(Schema& schema, const std::string& path, PathRate& rate, unsigned least) {
  schema.push_back(
      number(path + ".rate", rate.bytes_per_cycle, "B/cycle", least, kMaxRate, "of the pipe"));
  schema.push_back(number(path + ".latency", rate.latency, "cycles", 0, kMaxCycles,
                          "beyond the bytes, until the data is there"));
  schema.push_back(
      number(path + ".gap", rate.gap, "cycles", 0, kMaxCycles, "of the pipe, per instruction"));
}

void add_gm_path(Schema& schema, const std::string& path, cluster::GmPath& gm) {
  add_path(schema, path + ".read", gm.read, 1);
  add_path(schema, path + ".write", gm.write, 1);
  schema.push_back(number(path + ".interval", gm.interval, "cycles", 0, kMaxCycles,
                          "between two copies of a pipe"));
  schema.push_back(number(path + ".row_percent", gm.row_percent, "1/100 cycle", 0, kMaxCycles,
                          "per row at least"));
  schema.push_back(number(path + ".row_overhead", gm.row_overhead, "B", 0, kMaxRate,
                          "of GM bandwidth, per row"));
  schema.push_back(number(path + ".unaligned_overhead", gm.unaligned_overhead, "B", 0, kMaxRate,
                          "more for a row that is not aligned"));
  schema.push_back(number(path + ".weight", gm.weight, "1/1000", 1, kMaxRate,
                          "bytes of GM bandwidth for a byte"));
  schema.push_back(number(path + ".read_l2_hit", gm.read_l2_hit, "1/1000", 0, 1000,
                          "of the bytes read, that L2 has, where gm.l2_bytes is 0"));
  schema.push_back(number(path + ".write_l2_hit", gm.write_l2_hit, "1/1000", 0, 1000,
                          "of the bytes written, that L2 takes, where gm.l2_bytes is 0"));
}

void add_cost(Schema& schema, CostConfig& c) {
  constexpr std::array<const char*, cluster::kDataTypeCount> kTypes = {
      "int4", "mxfp4", "int8", "fp8", "f16", "bf16", "f32", "hf32", "int32"};
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    schema.push_back(number(std::string("mad.rate.") + kTypes[i], c.mac_per_cycle[i], "MAC/cycle",
                            0, kMaxRate, "of the cube; 0: not a type of this profile"));
  schema.push_back(number("mad.gap", c.mad_gap, "cycles", 0, kMaxCycles, "per MAD, back to back"));
  schema.push_back(
      number("mad.depth", c.mad_depth, "cycles", 0, kMaxCycles, "until the result is there"));
  add_path(schema, "mte1.a", c.load_a, 1);
  add_path(schema, "mte1.b", c.load_b, 1);
  add_path(schema, "mte1.table", c.load_table, 1);
  schema.push_back(number("l1.read_percent", c.l1_read_percent, "%", 0, 1000,
                          "longer takes a load of MTE1 that starts while MTE2 writes L1"));
  schema.push_back(number("l1.write_percent", c.l1_write_percent, "%", 0, 100,
                          "of the cycles in which MTE1 is busy are lost to MTE2 writing L1"));
  add_path(schema, "direct.l1_to_ub", c.l1_to_ub, 0);
  add_path(schema, "direct.ub_to_l1", c.ub_to_l1, 0);
  schema.push_back(
      number("fix.narrow", c.fix_narrow, "elements/cycle", 1, kMaxRate, "of 16 bits and less"));
  schema.push_back(number("fix.wide", c.fix_wide, "elements/cycle", 1, kMaxRate, "of 32 bits"));
  schema.push_back(
      number("fix.latency", c.fix_latency, "cycles", 0, kMaxCycles, "L0C to L1 or UB"));
  add_path(schema, "fix.out", c.fix_out, 1);
  constexpr std::array<const char*, cluster::kVectorClassCount> kClasses = {
      "simple", "transcendental", "convert", "reduce", "copy", "rsqrt", "gather", "sort"};
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    const std::string path = std::string("vector.") + kClasses[i];
    schema.push_back(number(path + ".percent", c.vector[i].percent, "1/100 cycle", 1, kMaxCycles,
                            "per repeat of 256 B"));
    schema.push_back(number(path + ".overhead", c.vector[i].overhead, "cycles", 0, kMaxCycles,
                            "per instruction"));
  }
  constexpr std::array<const char*, 4> kConflicts = {"none", "read_read", "read_write",
                                                     "neighbour"};
  for (std::size_t i = 0; i < kConflicts.size(); ++i)
    schema.push_back(number(std::string("vector.bank_conflict.") + kConflicts[i],
                            c.bank_conflict[i], "1/100", 100, kMaxCycles, "times a repeat"));
  add_gm_path(schema, "gm.aic", c.aic);
  add_gm_path(schema, "gm.aiv", c.aiv);
  schema.push_back(
      number("gm.rate", c.gm_bytes_per_cycle, "B/cycle", 1, kMaxRate, "of GM, all cores together"));
  schema.push_back(number("gm.l2_rate", c.l2_bytes_per_cycle, "B/cycle", 1, kMaxRate,
                          "of L2, all cores together; reads and writes have a way each"));
  schema.push_back(number("gm.l2_miss_latency", c.l2_miss_latency, "cycles", 0, kMaxCycles,
                          "until what a read misses is in L2; with gm.l2_bytes"));
  schema.push_back(number("gm.l2_bytes", c.l2_bytes, "B", 0, std::uint64_t{1} << 30,
                          "what L2 holds; 0: copies hit it as read_l2_hit and write_l2_hit say"));
  schema.push_back(
      number("gm.word_latency", c.word_latency, "cycles", 3, kMaxCycles, "of a scalar access"));
}

}  // namespace

Schema ascend_schema(AscendConfig& config) {
  Schema schema;
  schema.push_back(
      name<cluster::Profile>("profile", config.machine.profile,
                             {{"a2a3", cluster::Profile::kA2A3}, {"a5", cluster::Profile::kA5}},
                             "hardware generation: which operations and paths exist"));
  schema.push_back(number("clock.khz", config.machine.clock_khz, "kHz", 1000, 10'000'000,
                          "of all cores; 1 cycle of the report"));
  add_launch(schema, config);
  add_core(schema, config.machine.core);
  add_sync(schema, config.machine.core.sync);
  add_cost(schema, config.machine.core.cost);
  return schema;
}

AscendConfig load_ascend_config(const std::string& preset, const std::string& file,
                                const std::vector<std::string>& overrides) {
  AscendConfig config;
  config.machine = cluster::a5_config();
  config.loaded = config::load(ascend_schema(config), "ascend", {preset, file, overrides});
  config.name = config.loaded.name;
  return config;
}

void print_ascend_config(std::ostream& out, const AscendConfig& config) {
  AscendConfig copy = config;
  config::print_config(out, ascend_schema(copy), config.loaded);
}

}  // namespace tessera::ascend
