// Where the time of a run went, from what the cores counted: the names are those of the vendor's
// profiler (reference ascend.md 4.6), so that the columns can be laid beside a measured profile.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/cluster/core/pipe_state.h"
#include "models/cluster/machine_view.h"
#include "models/cluster/program/program.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

/// A pipe, added over the cores of a kind. Times are in cycles.
struct PipeProfile {
  std::uint64_t busy = 0;
  std::array<std::uint64_t, cluster::kWaitReasonCount> waits{};
  std::uint64_t instructions = 0;

  std::uint64_t waited() const;
  /// What the profiler calls the time of a pipe: M and FIX count waiting for the unit flag too.
  std::uint64_t profiled() const;
};

struct KindProfile {
  cluster::CoreKind kind = cluster::CoreKind::kAic;
  unsigned cores = 0;
  std::uint64_t cycles = 0;   ///< sum over the cores, from the launch to their end
  Cycle first = 0, last = 0;  ///< the fastest and the slowest
  std::array<PipeProfile, sync::kPipeCount> pipes;

  double mean() const { return cores == 0 ? 0 : static_cast<double>(cycles) / cores; }
};

struct PathProfile {
  std::string name;  ///< "GM>L1"
  cluster::PathStats sum;
};

struct Profile {
  std::uint64_t clock_khz = 0;
  double overhead_ns = 0;
  Cycle cycles = 0;
  std::vector<KindProfile> kinds;
  std::vector<PathProfile> paths;
  cluster::Latencies latencies{};
};

/// "GM>UB": what a tile operation of a core moves; "" if nothing.
std::string path_name(cluster::Opcode op, cluster::CoreKind kind);
/// "aic_mac", "aiv_mte2".
std::string profiler_name(cluster::CoreKind kind, sync::Pipe pipe);

Profile profile_of(const cluster::MachineView& machine, const AscendConfig& config, Cycle cycles);
/// The members `profile`, `paths` and `flags` of the report.
void add_groups(const Profile& profile, report::Report& report);
void print_profile(const Profile& profile, std::ostream& out);

}  // namespace tessera::ascend
