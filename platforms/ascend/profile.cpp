#include "platforms/ascend/profile.h"

#include <algorithm>
#include <numeric>

namespace tessera::ascend {

namespace {

using cluster::AiCore;
using cluster::CoreKind;
using cluster::Opcode;
using sync::Pipe;

void add(KindProfile& kind, const AiCore& core, Cycle cycles) {
  const Cycle end = core.finished() ? core.finished_at() : cycles;
  kind.first = kind.cores == 0 ? end : std::min(kind.first, end);
  kind.last = std::max(kind.last, end);
  kind.cycles += end;
  ++kind.cores;
  for (const Pipe pipe : sync::kPipes) {
    const cluster::PipeStats& from = core.stats(pipe);
    PipeProfile& to = kind.pipes[sync::index(pipe)];
    to.busy += from.busy;
    to.instructions += from.instructions;
    for (std::size_t r = 0; r < to.waits.size(); ++r) to.waits[r] += from.waits[r];
  }
}

void add(std::vector<PathProfile>& paths, const AiCore& core) {
  for (unsigned o = 0; o < cluster::kTileOpcodeCount; ++o) {
    const auto op = static_cast<Opcode>(o);
    const cluster::PathStats& from = core.path(op);
    const std::string name = path_name(op, cluster::kind_of(core.id()));
    if (from.operations == 0 || name.empty()) continue;
    const auto same = [&name](const PathProfile& p) { return p.name == name; };
    auto to = std::find_if(paths.begin(), paths.end(), same);
    if (to == paths.end()) to = paths.insert(to, {name, {}});
    to->sum.operations += from.operations;
    to->sum.bytes += from.bytes;
    to->sum.hit_bytes += from.hit_bytes;
    to->sum.busy += from.busy;
  }
}

/// "gm_to_l1" of "GM>L1": a key of the report.
std::string key_of(std::string path) {
  if (const std::size_t arrow = path.find('>'); arrow != std::string::npos)
    path.replace(arrow, 1, "_to_");
  return report::lower_case(std::move(path));
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void add_kind(const Profile& profile, const KindProfile& kind, report::Group& group) {
  const double us = 1000.0 / static_cast<double>(profile.clock_khz);
  const std::string prefix = kind.kind == CoreKind::kAic ? "aic" : "aiv";
  group.add(prefix + "_cores", kind.cores);
  group.add(prefix + "_time_us", kind.mean() * us);
  group.add(prefix + "_total_cycles", static_cast<double>(kind.cycles));
  for (const Pipe pipe : sync::kPipes) {
    const PipeProfile& p = kind.pipes[sync::index(pipe)];
    if (p.instructions == 0) continue;
    const std::string name = profiler_name(kind.kind, pipe);
    group.add(name + "_time_us", static_cast<double>(p.profiled()) / kind.cores * us);
    group.add(name + "_ratio", ratio(p.profiled(), kind.cycles));
  }
}

}  // namespace

std::uint64_t PipeProfile::waited() const {
  return std::accumulate(waits.begin(), waits.end(), std::uint64_t{0});
}

std::uint64_t PipeProfile::profiled() const {
  return busy + waits[static_cast<unsigned>(cluster::WaitReason::kUnitFlag)];
}

std::string path_name(Opcode op, CoreKind kind) {
  // By Opcode; kMad, kVector, kBusy and kVectorFunction move nothing.
  constexpr std::array<const char*, cluster::kTileOpcodeCount> kAic = {
      "",      "L1>L0A", "L1>L0B",       "L1>BT", "L1>UB", "UB>L1", "GM>L1",
      "L1>GM", "L0C>GM", "L0C>L1 or UB", "",      "",      ""};
  if (kind == CoreKind::kAiv && op == Opcode::kCopyIn) return "GM>UB";
  if (kind == CoreKind::kAiv && op == Opcode::kCopyOut) return "UB>GM";
  return kAic[static_cast<unsigned>(op)];
}

std::string profiler_name(CoreKind kind, Pipe pipe) {
  constexpr std::array<const char*, sync::kPipeCount> kNames = {"scalar", "vec", "mte1", "mte2",
                                                                "mte3",   "mac", "",     "fixpipe"};
  return (kind == CoreKind::kAic ? "aic_" : "aiv_") + std::string(kNames[sync::index(pipe)]);
}

Profile profile_of(const cluster::MachineView& machine, const AscendConfig& config, Cycle cycles) {
  Profile profile;
  profile.clock_khz = config.machine.clock_khz;
  profile.overhead_ns = config.overhead_ns;
  profile.cycles = cycles;
  profile.latencies = machine.sync_unit().latencies();
  for (const CoreKind kind : {CoreKind::kAic, CoreKind::kAiv}) {
    KindProfile sum;
    sum.kind = kind;
    for (const AiCore* core : machine.cores()) {
      if (cluster::kind_of(core->id()) != kind) continue;
      add(sum, *core, cycles);
      add(profile.paths, *core);
      for (std::size_t m = 0; m < profile.latencies.size(); ++m)
        profile.latencies[m].add(core->sync().latencies()[m]);
    }
    if (sum.cores > 0) profile.kinds.push_back(sum);
  }
  if (profile.kinds.size() > 1) profile.overhead_ns = config.mix_overhead_ns;
  return profile;
}

void add_groups(const Profile& profile, report::Report& report) {
  const double ns = 1e6 / static_cast<double>(profile.clock_khz);
  const double time_ns = static_cast<double>(profile.cycles) * ns;
  report::Group times{"profile", {}};
  times.add("task_time_us", (time_ns + profile.overhead_ns) / 1000);
  times.add("launch_overhead_us", profile.overhead_ns / 1000);
  for (const KindProfile& kind : profile.kinds) add_kind(profile, kind, times);
  report::Group paths{"paths", {}};
  for (const PathProfile& path : profile.paths) {
    report::Group::Entry& entry = paths.entry(key_of(path.name));
    entry.values = {{"operations", static_cast<double>(path.sum.operations)},
                    {"bytes", static_cast<double>(path.sum.bytes)},
                    {"busy_cycles", static_cast<double>(path.sum.busy)},
                    {"bytes_per_busy_cycle", ratio(path.sum.bytes, path.sum.busy)},
                    {"gb_per_s", time_ns == 0 ? 0 : static_cast<double>(path.sum.bytes) / time_ns}};
    if (path.name.find("GM") != std::string::npos)
      entry.values.emplace_back("l2_hit_ratio", ratio(path.sum.hit_bytes, path.sum.bytes));
  }
  report::Group flags{"flags", {}};
  for (unsigned m = 0; m < cluster::kMechanismCount; ++m) {
    const cluster::LatencyStats& s = profile.latencies[m];
    if (s.count == 0) continue;
    flags.entry(to_string(static_cast<cluster::Mechanism>(m))).values = {
        {"count", static_cast<double>(s.count)},
        {"min", static_cast<double>(s.least)},
        {"mean", ratio(s.sum, s.count)},
        {"max", static_cast<double>(s.most)}};
  }
  report.groups = {std::move(times), std::move(paths), std::move(flags)};
}

}  // namespace tessera::ascend
