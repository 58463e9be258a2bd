// What bounds a kernel: the pipe that works most of the time, the bandwidth that its copies use up, the scalar unit, or
// waits for each other; and the source lines that this time belongs to (docs/ascend-platform.md#what-it-reports).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "platforms/ascend/profile.h"

namespace tessera::ascend {

/// For one kind of core. Shares are of the time of its cores.
struct Bound {
  struct Line {
    std::string place, what;  ///< "k.pto:12", "vector on V"
    double share = 0;
  };
  cluster::CoreKind core = cluster::CoreKind::kAic;
  std::string kind;  ///< "pipe", "bandwidth", "scalar", "synchronisation"
  std::string name;  ///< "aic_mac"; "GM", "L2"; "flag"
  double share = 0;
  std::vector<Line> lines;  ///< at most three, the longest first
};

std::vector<Bound> bounds_of(const cluster::MachineView& machine, const AscendConfig& config,
                             const Profile& profile);
/// The member `bound_by` of the report.
report::Group bound_group(const std::vector<Bound>& bounds);
void print_bounds(const std::vector<Bound>& bounds, std::ostream& out);

}  // namespace tessera::ascend
