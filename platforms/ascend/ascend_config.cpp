#include "platforms/ascend/ascend_config.h"

#include <array>

#include "models/cluster/memory/scalar_cache.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

namespace {

using cluster::Undefined;
using config::name;
using config::number;
using config::Schema;

constexpr std::uint64_t kMaxCycles = 1'000'000;
constexpr std::uint64_t kMaxRate = 1'000'000;

/// Adds rows to a schema.
struct Rows {
  Schema& schema;

  template <class Integer>
  void add(std::string path, Integer& target, std::string unit, std::uint64_t min,
           std::uint64_t max, std::string what) {
    schema.push_back(number(std::move(path), target, std::move(unit), min, max, std::move(what)));
  }
  void cycles(std::string path, unsigned& target, unsigned least, std::string what) {
    add(std::move(path), target, "cycles", least, kMaxCycles, std::move(what));
  }
  template <class Enum>
  void one_of(std::string path, Enum& target, std::vector<std::pair<std::string, Enum>> names,
              std::string what) {
    schema.push_back(name<Enum>(std::move(path), target, std::move(names), std::move(what)));
  }
  void flag(std::string path, bool& target, std::string what) {
    one_of<bool>(std::move(path), target, {{"true", true}, {"false", false}}, std::move(what));
  }
  void undefined(std::string path, Undefined& target, std::string what) {
    one_of<Undefined>(std::move(path), target,
                      {{"error", Undefined::kError}, {"ignore", Undefined::kIgnore}},
                      std::move(what));
  }
  /// `least`: 0 where a profile may lack the path.
  void path(const std::string& path, cluster::PathRate& rate, unsigned least) {
    add(path + ".rate", rate.bytes_per_cycle, "B/cycle", least, kMaxRate, "of the pipe");
    cycles(path + ".latency", rate.latency, 0, "beyond the bytes, until the data is there");
    cycles(path + ".gap", rate.gap, 0, "of the pipe, per instruction");
  }
};

void add_launch(Rows rows, AscendConfig& c) {
  using Ratio = cluster::LaunchRatio;
  rows.add("launch.clusters", c.clusters, "clusters", 1, cluster::kMaxClusters,
           "clusters of 1 AIC and 2 AIVs that the kernel runs on");
  rows.add(
      "launch.devices", c.devices, "devices", 1, cluster::kMaxDevices,
      "that run the kernel at the same time, each on launch.clusters clusters, a kernel in C++");
  rows.add(
      "launch.blocks", c.blocks, "blocks", 0, 1'000'000,
      "blocks of the kernel; those beyond the clusters, with launch.ratio 0:2 beyond the AIVs, "
      "are not resident; 0: as many as are resident");
  rows.add("launch.overhead", c.overhead_ns, "ns", 0, 1'000'000'000,
           "of the task around the time of its cores; adds to task_time only");
  rows.add("launch.mix_overhead", c.mix_overhead_ns, "ns", 0, 1'000'000'000,
           "the same, of a kernel on AICs and AIVs");
  rows.one_of<std::optional<Ratio>>(
      "launch.ratio", c.ratio,
      {{"auto", std::nullopt},
       {"1:0", Ratio::k1To0},
       {"0:1", Ratio::k0To1},
       {"1:1", Ratio::k1To1},
       {"1:2", Ratio::k1To2},
       {"0:2", Ratio::k0To2}},
      "AIC : AIV of each cluster; `auto` takes the kinds of core that "
      "the program has functions for; with 0:2 each AIV is a block");
  rows.one_of<std::optional<bool>>("launch.mix", c.mix,
                                   {{"auto", std::nullopt}, {"yes", true}, {"no", false}},
                                   "whether the scheduling module counts cross-core flags; `auto`: "
                                   "the program has functions for both kinds of core");
}

void add_scalar(Rows rows, cluster::ScalarConfig& s) {
  rows.add("scalar.cache_bytes", s.cache_bytes, "B", cluster::ScalarCache::kLineBytes, 1U << 30U,
           "of the data cache, in lines of 64 B");
  rows.cycles("scalar.hit_cycles", s.hit_cycles, 1,
              "of a load or store whose line is in the cache");
  rows.cycles("scalar.miss_cycles", s.miss_cycles, 1, "of one whose line comes from GM");
  rows.cycles("scalar.buffer_cycles", s.buffer_cycles, 1, "of a load or store in UB");
  rows.cycles("scalar.clean_cycles", s.clean_cycles, 1,
              "of dcci, for each line with stores and at least for one");
  rows.cycles("scalar.commit_cycles", s.commit_cycles, 1, "more until the line is in GM");
  rows.cycles("scalar.barrier_cycles", s.barrier_cycles, 1, "of dsb, or until all lines are in GM");
  rows.add("scalar.control_base", s.control_base, "B", 0, std::uint64_t{1} << 48U,
           "address of the control registers of the first core");
  rows.add("scalar.control_bytes", s.control_bytes, "B", 1, std::uint64_t{1} << 32U,
           "from the control registers of a core to those of the next");
}

void add_core(Rows rows, cluster::CoreConfig& core) {
  rows.cycles("scalar.cycles", core.scalar_cycles, 1, "per scalar instruction");
  rows.cycles("scalar.issue_cycles", core.issue_cycles, 1, "per instruction put into a queue");
  rows.cycles("scalar.block_cycles", core.block_cycles, 0,
              "of a kernel in C++: per basic block between two instructions, beyond issue_cycles");
  add_scalar(rows, core.scalar);
  using sync::Pipe;
  for (const Pipe pipe : {Pipe::kV, Pipe::kMte1, Pipe::kMte2, Pipe::kMte3, Pipe::kM, Pipe::kFix})
    rows.add("queue." + report::lower_case(to_string(pipe)), core.queue_depth[sync::index(pipe)],
             "instructions", 1, 4096, "depth of the queue");
  rows.flag("queue.sets_take_room", core.sets_take_room,
            "a set_flag takes an entry of the queue, like all other instructions");
  rows.add("l0c.blocks", core.l0c_blocks, "blocks", 1, 65536, "L0C in blocks of 512 B");
}

void add_sync(Rows rows, cluster::SyncConfig& s) {
  rows.cycles("sync.flag_latency", s.flag_latency, 1, "set_flag fires to wait_flag goes on");
  rows.cycles("sync.cycles", s.sync_cycles, 1, "of a pipe, for a sync operation");
  rows.cycles("sync.cluster_latency", s.cluster_latency, 3,
              "modes 1 and 2: set fires to wait goes on");
  rows.cycles("sync.all_latency", s.all_latency, 3, "mode 0: set fires to wait goes on");
  rows.cycles("sync.intra_latency", s.intra_latency, 3, "mode 4: set fires to wait goes on");
  rows.add("sync.counter_max", s.counter_max, "sets", 1, 255, "that a cross-core counter holds");
  rows.undefined("sync.counter_overflow", s.counter_overflow, "a set beyond that");
  rows.undefined("sync.double_set", s.double_set, "set_flag on a flag that is set");
  rows.undefined("sync.wide_id", s.wide_id, "ids above 15 of modes 0 to 2");
  rows.undefined("sync.missing_ffts", s.missing_ffts, "a cross-core flag before set_ffts");
  rows.flag("sync.needs_ffts", s.needs_ffts, "there is an FFTS base address");
  rows.flag("sync.waits_stop_core", s.waits_stop_core,
            "wait_flag_dev stops the scalar unit; otherwise the named pipe");
  rows.flag("sync.has_intra_block", s.has_intra_block, "mode 4 exists");
  rows.flag("sync.has_buffer_locks", s.has_buffer_locks, "get_buf and rls_buf exist");
  rows.flag("sync.barrier_on_all_pipes", s.barrier_on_all_pipes,
            "pipe_barrier takes any pipe; otherwise MTE2, MTE3 and ALL");
  rows.add("sync.event_ids", s.event_ids, "ids", 1, 8, "events of a pair of pipes");
  rows.add("sync.buffer_ids", s.buffer_ids, "ids", 1, 32, "locks of a core");
}

void add_gm_path(Rows rows, const std::string& path, cluster::GmPath& gm) {
  rows.path(path + ".read", gm.read, 1);
  rows.path(path + ".write", gm.write, 1);
  rows.cycles(path + ".interval", gm.interval, 0, "between two copies of a pipe");
  rows.add(path + ".row_percent", gm.row_percent, "1/100 cycle", 0, kMaxCycles, "per row at least");
  rows.add(path + ".row_overhead", gm.row_overhead, "B", 0, kMaxRate, "of GM bandwidth, per row");
  rows.add(path + ".unaligned_overhead", gm.unaligned_overhead, "B", 0, kMaxRate,
           "more for a row that is not aligned");
  rows.add(path + ".weight", gm.weight, "1/1000", 1, kMaxRate, "bytes of GM bandwidth for a byte");
  rows.add(path + ".read_l2_hit", gm.read_l2_hit, "1/1000", 0, 1000,
           "of the bytes read, that L2 has, where gm.l2_bytes is 0");
  rows.add(path + ".write_l2_hit", gm.write_l2_hit, "1/1000", 0, 1000,
           "of the bytes written, that L2 takes, where gm.l2_bytes is 0");
}

void add_vector(Rows rows, cluster::CostConfig& c) {
  using cluster::VectorClass;
  constexpr std::array<const char*, cluster::kVectorClassCount> kClasses = {
      "simple", "single", "convert",        "from_bytes", "to_bytes",      "transcendental",
      "exp",    "divide", "divide_scalar",  "rsqrt",      "column",        "column_extreme",
      "expand", "select", "row_map",        "move",       "column_expand", "transpose",
      "abs",    "reduce", "reduce_extreme", "copy",       "gather",        "sort"};
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    const std::string path = std::string("vector.") + kClasses[i];
    const auto number = static_cast<VectorClass>(i);
    cluster::VectorRate& rate = c.vector[i];
    rows.add(path + ".percent", rate.percent, "1/100 cycle", 1, kMaxCycles, "per repeat of 256 B");
    rows.cycles(path + ".overhead", rate.overhead, 0, "per instruction");
    if (number <= VectorClass::kToBytes)
      rows.add(path + ".apart", rate.other, "1/100 cycle", 0, kMaxCycles,
               "per repeat, if rows do not lie one after the other and have several repeats; 0: "
               "the same");
    else if (number <= VectorClass::kRsqrt)
      rows.add(path + ".half", rate.other, "1/100 cycle", 0, kMaxCycles,
               "per repeat of elements of 16 bits; 0: the same");
    else if (number <= VectorClass::kTranspose)
      rows.add(path + ".row", rate.row, "1/100 cycle", 0, kMaxCycles,
               "per row, burst or strip; 0: rows make no difference");
  }
  constexpr std::array<const char*, cluster::kVectorUnitCount> kUnits = {
      "map",           "chain",       "mask",          "block_map", "group_sum",
      "group_extreme", "whole_sum",   "whole_extreme", "spread",    "compress",
      "fill",          "scalar_turn", "scalar_element"};
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    const std::string path = std::string("vector.step.") + kUnits[i];
    rows.add(path + ".percent", c.steps[i].percent, "1/100 cycle", 1, kMaxCycles,
             "per repeat of 256 B of this step of a sequence");
    rows.cycles(path + ".overhead", c.steps[i].overhead, 0,
                "per instruction that waits for the one before");
  }
  cluster::VectorConfig& v = c.vectors;
  rows.flag("vector.sequences", v.sequences,
            "reductions and expansions take the time of their instructions; otherwise that of "
            "their class");
  rows.cycles("vector.reduction.chunk", v.reduce_chunk, 0, "per further 256 B of a row");
  rows.cycles("vector.reduction.tail", v.reduce_tail, 0, "for rows that do not end with 256 B");
  rows.cycles("vector.mask", v.mask, 0,
              "per instruction with a mask; 0: rows need no repeats of their own");
  rows.cycles("vector.apart_row", v.apart_row, 0,
              "per row that lies apart, beyond one for each repeat; 0: none");
  rows.cycles("vector.overlap", v.overlap, 0,
              "of start and drain that a vector function of A5 saves right after another one");
  rows.flag("vector.fusion", v.fusion,
            "adjacent elementwise operations of A5 share a vector function");
  rows.add("vector.fused_percent", v.fused_percent, "1/100 cycle", 1, kMaxCycles,
           "per repeat of an operation that continues a vector function");
}

void add_cost(Rows rows, cluster::CostConfig& c) {
  constexpr std::array<const char*, cluster::kDataTypeCount> kTypes = {
      "int4", "mxfp4", "int8", "fp8", "f16", "bf16", "f32", "hf32", "int32"};
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    rows.add(std::string("mad.rate.") + kTypes[i], c.mac_per_cycle[i], "MAC/cycle", 0, kMaxRate,
             "of the cube; 0: not a type of this profile");
  rows.cycles("mad.gap", c.mad_gap, 0, "per MAD, back to back");
  rows.cycles("mad.depth", c.mad_depth, 0, "until the result is there");
  rows.path("mte1.a", c.load_a, 1);
  rows.path("mte1.b", c.load_b, 1);
  rows.path("mte1.table", c.load_table, 1);
  rows.add("l1.read_percent", c.l1_read_percent, "%", 0, 1000,
           "longer takes a load of MTE1 that starts while MTE2 writes L1");
  rows.add("l1.write_percent", c.l1_write_percent, "%", 0, 100,
           "of the cycles in which MTE1 is busy are lost to MTE2 writing L1");
  rows.path("direct.l1_to_ub", c.l1_to_ub, 0);
  rows.path("direct.ub_to_l1", c.ub_to_l1, 0);
  rows.add("fix.narrow", c.fix_narrow, "elements/cycle", 1, kMaxRate, "of 16 bits and less");
  rows.add("fix.wide", c.fix_wide, "elements/cycle", 1, kMaxRate, "of 32 bits");
  rows.cycles("fix.latency", c.fix_latency, 0, "L0C to L1 or UB");
  rows.path("fix.out", c.fix_out, 1);
  add_vector(rows, c);
  constexpr std::array<const char*, 4> kConflicts = {"none", "read_read", "read_write",
                                                     "neighbour"};
  for (std::size_t i = 0; i < kConflicts.size(); ++i)
    rows.add(std::string("vector.bank_conflict.") + kConflicts[i], c.bank_conflict[i], "1/100", 100,
             kMaxCycles, "times a repeat");
  add_gm_path(rows, "gm.aic", c.aic);
  add_gm_path(rows, "gm.aiv", c.aiv);
  rows.add("gm.rate", c.gm_bytes_per_cycle, "B/cycle", 1, kMaxRate, "of GM, all cores together");
  rows.add("gm.l2_rate", c.l2_bytes_per_cycle, "B/cycle", 1, kMaxRate,
           "of L2, all cores together; reads and writes have a way each");
  rows.cycles("gm.l2_miss_latency", c.l2_miss_latency, 0,
              "until what a read misses is in L2; with gm.l2_bytes");
  rows.add("gm.l2_bytes", c.l2_bytes, "B", 0, std::uint64_t{1} << 30,
           "what L2 holds; 0: copies hit it as read_l2_hit and write_l2_hit say");
  rows.flag(
      "gm.l2_warm", c.l2_warm,
      "a launch that needs more than gm.l2_bytes also pays for what one before it has written");
  rows.add("gm.write_back_bytes", c.gm_write_back_bytes, "B", 0, std::uint64_t{1} << 30,
           "that leave L2 for GM without delaying the copy that pushes them out, at most");
  rows.cycles("gm.word_latency", c.word_latency, 3, "of a scalar access");
  rows.cycles("link.latency", c.link_latency, 0, "more to the memory of another device");
  rows.add("link.rate", c.link_bytes_per_cycle, "B/cycle", 1, kMaxRate,
           "of one copy from or to another device");
}

}  // namespace

Schema ascend_schema(AscendConfig& config) {
  Schema schema;
  Rows rows{schema};
  rows.one_of<cluster::Profile>("profile", config.machine.profile,
                                {{"a2a3", cluster::Profile::kA2A3}, {"a5", cluster::Profile::kA5}},
                                "hardware generation: which operations and paths exist");
  rows.add("clock.khz", config.machine.clock_khz, "kHz", 1000, 10'000'000,
           "of all cores; 1 cycle of the report");
  add_launch(rows, config);
  add_core(rows, config.machine.core);
  add_sync(rows, config.machine.core.sync);
  add_cost(rows, config.machine.core.cost);
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

unsigned clusters_in_use(const cluster::Launch& launch) {
  const bool leaves_some = launch.blocks > 0 && launch.blocks < launch.clusters;
  return leaves_some && !launch.is_block_an_aiv() ? launch.blocks : launch.clusters;
}

}  // namespace tessera::ascend
