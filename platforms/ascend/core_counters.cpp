#include "platforms/ascend/core_counters.h"

#include <string>

#include "models/cluster/hazards/cache_hazards.h"

namespace tessera::ascend {

namespace {

using cluster::AiCore;
using cluster::PipeStats;

std::uint64_t idle(const PipeStats& stats, Cycle cycles) {
  std::uint64_t used = stats.busy;
  for (const std::uint64_t waited : stats.waits) used += waited;
  return cycles > used ? cycles - used : 0;
}

std::vector<std::string> counter_names(bool detail) {
  std::vector<std::string> names = {"finished_at"};
  for (const sync::Pipe pipe : sync::kPipes) {
    const std::string p = report::lower_case(to_string(pipe));
    for (const char* what : {"_instructions", "_bytes", "_busy", "_idle"})
      names.push_back(p + what);
    for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r)
      names.push_back(p + "_wait_" + to_string(static_cast<cluster::WaitReason>(r)));
  }
  if (!detail) return names;
  for (unsigned o = 0; o < cluster::kTileOpcodeCount; ++o)
    for (const char* what : {"_operations", "_bytes", "_l2_hit_bytes", "_busy"})
      names.push_back(to_string(static_cast<cluster::Opcode>(o)) + std::string(what));
  for (const char* what : {"set_flag_count", "set_flag_cycles", "set_flag_most"})
    names.emplace_back(what);
  return names;
}

void add_details(const AiCore& core, std::vector<std::uint64_t>& values) {
  for (unsigned o = 0; o < cluster::kTileOpcodeCount; ++o) {
    const cluster::PathStats& s = core.path(static_cast<cluster::Opcode>(o));
    values.insert(values.end(), {s.operations, s.bytes, s.hit_bytes, s.busy});
  }
  const cluster::LatencyStats& flags =
      core.sync().latencies()[static_cast<unsigned>(cluster::Mechanism::kFlag)];
  values.insert(values.end(), {flags.count, flags.sum, flags.most});
}

void warn(const AiCore& core, const char* id, const std::string& text, report::Report& report) {
  ++report.diagnoses.count;
  report.diagnoses.first.push_back({report.cycles, core_of(core.id().index()), id, text});
}

}  // namespace

std::vector<int> core_of(std::uint32_t place) {
  return {static_cast<int>(place / 3), static_cast<int>(place % 3)};
}

std::vector<report::Counter> totals(const cluster::MachineView& machine) {
  const std::vector<const AiCore*> cores = machine.cores();
  std::uint64_t operations = 0, assumed = 0;
  for (const AiCore* core : cores) {
    assumed += core->stats(sync::Pipe::kS).assumed;
    for (const sync::Pipe pipe : sync::kPipes)
      operations += pipe == sync::Pipe::kS ? 0 : core->stats(pipe).instructions;
  }
  std::vector<report::Counter> counters = {
      {"cores", cores.size(), "cores", "of the launch"},
      {"tile_operations", operations, "operations", "that pipes have executed"},
      {"gm_bytes_read", machine.gm_bytes_read(), "bytes", "from GM and L2"},
      {"gm_bytes_written", machine.gm_bytes_written(), "bytes", "to GM and L2"}};
  if (assumed > 0)
    counters.push_back(
        {"assumed_cycles", assumed, "cycles",
         "of all scalar units in native code, at scalar.block_cycles each basic block: assumed"});
  return counters;
}

report::Places counters_of_cores(const cluster::MachineView& machine, Cycle cycles, bool detail) {
  report::Places places;
  places.counters = counter_names(detail);
  for (const AiCore* core : machine.cores()) {
    places.at.insert(places.at.end(), {core->id().cluster, core->id().unit});
    places.values.push_back(core->finished() ? core->finished_at() : 0);
    for (const sync::Pipe pipe : sync::kPipes) {
      const PipeStats& s = core->stats(pipe);
      places.values.insert(places.values.end(), {s.instructions, s.bytes, s.busy, idle(s, cycles)});
      places.values.insert(places.values.end(), s.waits.begin() + 1, s.waits.end());
    }
    if (detail) add_details(*core, places.values);
  }
  return places;
}

void warn_of_flags(const AiCore& core, report::Report& report) {
  for (const std::string& flag : core.sync().flags_set())
    warn(core, "/tessera/ascend/flag_left_set",
         to_string(core.id()) + ": the flag " + flag + " is still set at the end", report);
}

void warn_of_nothing(const AiCore& core, report::Report& report) {
  warn(core, "/tessera/ascend/no_operation",
       "the kernel comes to no operation with these arguments on any core", report);
}

void warn_of_subblocks(const AiCore& core, report::Report& report) {
  warn(core, "/tessera/ascend/subblocks",
       "get_subblockid() is 0 on all cores of this kernel for vector cores only, each of which is "
       "a block; a build for both kinds of "
       "core, whose blocks have two AIVs, is --set launch.ratio=1:2",
       report);
}

void warn_of_lines(const AiCore& core, report::Report& report) {
  const std::string left = cluster::describe_lines_left(core);
  if (!left.empty()) warn(core, "/tessera/ascend/lines_left", left, report);
}

}  // namespace tessera::ascend
