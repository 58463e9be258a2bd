#include "platforms/ascend/wait_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace tessera::ascend {

namespace {

using cluster::AiCore;
using cluster::Instruction;
using cluster::WaitReason;
using sync::Pipe;

/// By cluster::WaitReason.
constexpr std::array<const char*, cluster::kWaitReasonCount> kReasonWords = {
    "",
    "a flag of another pipe, or earlier operations on the same bytes",
    "a lock",
    "the results of earlier instructions",
    "a flag of another core",
    "the unit flag of a block of L0C",
    "room in the queue of a pipe",
    "a word of GM"};

/// Lines of all cores of a kind together.
class Lines {
 public:
  explicit Lines(const AscendConfig& config) : config_(config) {}
  void add(const AiCore& core) {
    if (core.program() == nullptr) return;
    for (std::uint32_t pc = 0; pc < core.lines().size(); ++pc) add(core, pc, core.lines()[pc]);
  }
  void put(report::WaitSummary& summary) const {
    for (const auto& [key, line] : lines_) summary.lines.push_back(line);
  }

 private:
  void add(const AiCore& core, std::uint32_t pc, const cluster::LineStats& stats) {
    const cluster::CoreKind kind = cluster::kind_of(core.id());
    for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r) {
      if (stats.waits[r] == 0) continue;
      const auto reason = static_cast<WaitReason>(r);
      const Instruction& i = core.program()->code[pc];
      const Pipe of_line = queue_of(i, config_.machine.core.sync);
      const bool of_scalar = reason == WaitReason::kQueue || reason == WaitReason::kMemory;
      report::WaitSummary::Line& line = lines_[{kind, pc, r}];
      line.place = core.program()->where(pc);
      line.thread = std::string("pipe ") + to_string(of_scalar ? Pipe::kS : of_line) + " of " +
                    to_string(kind);
      line.reason = to_string(reason);
      line.what = reason == WaitReason::kQueue
                      ? std::string("room in the queue of pipe ") + to_string(of_line)
                      : what_waits_for(i, reason);
      line.cycles += stats.waits[r];
      if (!of_scalar) line.busy += stats.busy;
    }
  }

  const AscendConfig& config_;
  std::map<std::tuple<cluster::CoreKind, std::uint32_t, unsigned>, report::WaitSummary::Line>
      lines_;
};

}  // namespace

const char* words_of(WaitReason reason) {
  return kReasonWords[static_cast<std::size_t>(reason)];
}

// The text of a wait names its flag or lock; for other instructions kReasonWords says what is
// missing.
std::string what_waits_for(const Instruction& i, WaitReason reason) {
  const std::string text = to_string(i);
  switch (reason) {
  case WaitReason::kFlag:
    if (cluster::is_tile_operation(i.op)) return "earlier operations on the same bytes: " + text;
    return text;
  case WaitReason::kLock:
  case WaitReason::kCrossCore:
    return text;
  default:
    return std::string(kReasonWords[static_cast<std::size_t>(reason)]) + ": " + text;
  }
}

void summarize_waits(const cluster::MachineView& machine, const AscendConfig& config, Cycle cycles,
                     report::WaitSummary& summary) {
  std::array<std::uint64_t, cluster::kWaitReasonCount> waits{};
  Lines lines(config);
  summary.unit = "pipe";
  for (const AiCore* core : machine.cores()) {
    for (const Pipe pipe : sync::kPipes) {
      const cluster::PipeStats& stats = core->stats(pipe);
      std::uint64_t waited = 0;
      for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r) {
        waits[r] += stats.waits[r];
        waited += stats.waits[r];
      }
      if (stats.busy + waited == 0) continue;
      ++summary.units;
      summary.busy += stats.busy;
      summary.idle += cycles - std::min(cycles, stats.busy + waited);
    }
    lines.add(*core);
  }
  for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r)
    summary.reasons.push_back({to_string(static_cast<WaitReason>(r)), kReasonWords[r], waits[r]});
  lines.put(summary);
  summary.sort();
}

report::Group compute_group(const cluster::MachineView& machine, const AscendConfig& config,
                            Cycle cycles) {
  report::Group group{"compute", {}};
  std::uint64_t multiply_adds = 0, aics = 0;
  double least_cycles = 0;  // if one AIC did all of it at its peak
  for (const AiCore* core : machine.cores()) {
    aics += core->id().is_aic() ? 1 : 0;
    for (std::uint32_t pc = 0; pc < core->lines().size(); ++pc) {
      const std::uint64_t done = core->lines()[pc].multiply_adds;
      if (done == 0) continue;
      const auto type = static_cast<std::size_t>(core->program()->code[pc].type);
      multiply_adds += done;
      least_cycles += static_cast<double>(done) /
                      static_cast<double>(config.machine.core.cost.mac_per_cycle[type]);
    }
  }
  if (multiply_adds == 0 || cycles == 0) return group;
  const auto done = static_cast<double>(multiply_adds);
  const auto time = static_cast<double>(cycles);
  const double peak = done / least_cycles * static_cast<double>(aics);
  const auto bytes = static_cast<double>(machine.gm_bytes_read() + machine.gm_bytes_written());
  group.add("multiply_adds", done);
  group.add("multiply_adds_per_cycle", done / time);
  group.add("peak_multiply_adds_per_cycle", peak);
  group.add("of_peak", done / time / peak);
  group.add("gm_bytes", bytes);
  if (bytes > 0) group.add("operations_per_byte", 2 * done / bytes);
  return group;
}

std::string busy_pipes(const AiCore& core, Cycle now) {
  std::string text;
  for (const Pipe pipe : sync::kPipes) {
    if (core.is_busy(pipe, now))
      text += (text.empty() ? "busy: pipe " : ", pipe ") + std::string(to_string(pipe));
  }
  return text;
}

}  // namespace tessera::ascend
