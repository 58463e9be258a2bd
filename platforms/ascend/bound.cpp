#include "platforms/ascend/bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

#include "platforms/ascend/wait_summary.h"

namespace tessera::ascend {

namespace {

using cluster::AiCore;
using cluster::CoreKind;
using cluster::Instruction;
using cluster::Opcode;
using cluster::WaitReason;
using sync::Pipe;

constexpr std::size_t kLines = 3;
constexpr double kFull =
    0.8;  // of a bandwidth: no more is to be had than copies of all cores leave

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

/// Waits for another pipe or core, not for room in a queue or for memory.
constexpr WaitReason kSyncReasons[] = {WaitReason::kFlag, WaitReason::kLock, WaitReason::kBarrier,
                                       WaitReason::kCrossCore, WaitReason::kUnitFlag};

bool moves_gm(CoreKind kind, Pipe pipe) {
  return pipe == Pipe::kMte2 || pipe == Pipe::kMte3 ||
         (kind == CoreKind::kAic && pipe == Pipe::kFix);
}

/// The share of the launch in which the bandwidth of GM, or of L2, is used up, and its name. GM moves what L2 has not.
std::pair<double, std::string> bandwidth_of(const AscendConfig& config, const Profile& profile) {
  const cluster::CostConfig& cost = config.machine.core.cost;
  const auto cycles = static_cast<double>(profile.cycles);
  double moved = 0, missed = 0;
  for (const PathProfile& path : profile.paths) {
    if (path.name.find("GM") == std::string::npos) continue;
    moved += static_cast<double>(path.sum.bytes);
    missed += static_cast<double>(path.sum.bytes - path.sum.hit_bytes);
  }
  const double of_gm = ratio(missed, cycles * cost.gm_bytes_per_cycle);
  const double of_l2 = ratio(moved, cycles * cost.l2_bytes_per_cycle);
  return of_gm >= of_l2 ? std::pair(of_gm, "GM") : std::pair(of_l2, "L2");
}

/// Cycles of a line that a bound explains.
std::uint64_t cycles_of(const Bound& bound, Pipe pipe, const Instruction& i,
                        const cluster::LineStats& stats, const AscendConfig& config) {
  if (bound.kind == "synchronisation") {
    std::uint64_t waited = 0;
    for (const WaitReason r : kSyncReasons) waited += stats.waits[static_cast<unsigned>(r)];
    return queue_of(i, config.machine.core.sync) == pipe ? waited : 0;
  }
  const bool of_pipe =
      pipe == Pipe::kS ? i.op >= Opcode::kSet : cluster::is_tile_operation(i.op) && i.pipe == pipe;
  return of_pipe ? stats.busy : 0;
}

void add_lines(const cluster::MachineView& machine, const AscendConfig& config, Pipe pipe,
               std::uint64_t total, Bound& bound) {
  std::map<std::pair<std::string, std::string>, double> shares;  // of a place and what it does
  for (const AiCore* core : machine.cores()) {
    if (cluster::kind_of(core->id()) != bound.core || core->program() == nullptr) continue;
    for (std::uint32_t pc = 0; pc < core->lines().size(); ++pc) {
      const Instruction& i = core->program()->code[pc];
      const std::uint64_t cycles = cycles_of(bound, pipe, i, core->lines()[pc], config);
      if (cycles == 0) continue;
      std::string what = i.op < Opcode::kSetFlag
                             ? std::string(to_string(i.op)) + " on " + to_string(i.pipe)
                             : to_string(i);
      shares[{core->program()->where(pc), std::move(what)}] +=
          ratio(static_cast<double>(cycles), static_cast<double>(total));
    }
  }
  for (const auto& [line, share] : shares) bound.lines.push_back({line.first, line.second, share});
  const auto last =
      bound.lines.begin() + static_cast<std::ptrdiff_t>(std::min(kLines, shares.size()));
  std::partial_sort(
      bound.lines.begin(), last, bound.lines.end(), [](const Bound::Line& a, const Bound::Line& b) {
        return std::tie(b.share, a.place, a.what) < std::tie(a.share, b.place, b.what);
      });
  bound.lines.erase(last, bound.lines.end());
}

Bound bound_of(const cluster::MachineView& machine, const AscendConfig& config,
               const Profile& profile, const KindProfile& kind) {
  Bound bound;
  bound.core = kind.kind;
  Pipe busiest = Pipe::kS;
  for (const Pipe pipe : sync::kPipes)
    if (kind.pipes[sync::index(pipe)].busy > kind.pipes[sync::index(busiest)].busy) busiest = pipe;
  const PipeProfile& work = kind.pipes[sync::index(busiest)];
  const auto cycles = static_cast<double>(kind.cycles);
  bound.kind = busiest == Pipe::kS ? "scalar" : "pipe";
  bound.name = profiler_name(kind.kind, busiest);
  bound.share = ratio(static_cast<double>(work.busy), cycles);
  std::uint64_t waited = 0;
  WaitReason longest = kSyncReasons[0];
  for (const WaitReason r : kSyncReasons) {
    waited += work.waits[static_cast<unsigned>(r)];
    if (work.waits[static_cast<unsigned>(r)] > work.waits[static_cast<unsigned>(longest)])
      longest = r;
  }
  const auto [used, memory] = bandwidth_of(config, profile);
  if (waited > work.busy) {
    bound.kind = "synchronisation";
    bound.name = to_string(longest);
    bound.share = ratio(static_cast<double>(waited), cycles);
  } else if (moves_gm(kind.kind, busiest) && used >= kFull) {
    bound.kind = "bandwidth";
    bound.name = memory;
    bound.share = used;
  }
  add_lines(machine, config, busiest, kind.cycles, bound);
  return bound;
}

}  // namespace

std::vector<Bound> bounds_of(const cluster::MachineView& machine, const AscendConfig& config,
                             const Profile& profile) {
  std::vector<Bound> bounds;
  for (const KindProfile& kind : profile.kinds)
    if (kind.cycles > 0) bounds.push_back(bound_of(machine, config, profile, kind));
  return bounds;
}

report::Group bound_group(const std::vector<Bound>& bounds) {
  report::Group group{"bound_by", {}};
  for (const Bound& bound : bounds) {
    report::Group::Entry& entry = group.entry(bound.core == CoreKind::kAic ? "aic" : "aiv");
    entry.values = {{"share", bound.share}};
    entry.texts = {{"kind", bound.kind}, {"name", bound.name}};
    for (std::size_t n = 0; n < bound.lines.size(); ++n) {
      const std::string key = "line_" + std::to_string(n + 1);
      entry.texts.emplace_back(key, bound.lines[n].place + ": " + bound.lines[n].what);
      entry.values.emplace_back(key + "_share", bound.lines[n].share);
    }
  }
  return group;
}

void print_bounds(const std::vector<Bound>& bounds, std::ostream& out) {
  const auto percent = [](double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return std::string(text);
  };
  for (const Bound& bound : bounds) {
    out << to_string(bound.core) << " bound by "
        << (bound.kind == "pipe" || bound.kind == "scalar" ? "" : bound.kind + ": ") << bound.name
        << ", " << percent(bound.share) << '\n';
    for (const Bound::Line& line : bound.lines)
      out << "  " << percent(line.share) << "  " << line.place << ": " << line.what << '\n';
  }
  if (!bounds.empty()) out << '\n';
}

}  // namespace tessera::ascend
