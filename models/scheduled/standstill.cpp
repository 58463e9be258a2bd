#include "models/scheduled/standstill.h"

#include <algorithm>
#include <numeric>

namespace tessera::scheduled {

Cycle longest_standstill(const Program& program) {
  constexpr Cycle kMost = Cycle{1} << 24;
  Cycle longest = 1;
  const auto meet = [&](const Node& a, const Node& b) {
    for (const Schedule& x : a.schedules)
      for (const Schedule& y : b.schedules)
        longest = std::max<Cycle>(longest, std::lcm<Cycle>(x.length, y.length));
  };
  for (NodeId n = 0; n < program.nodes.size(); ++n) {
    meet(program.nodes[n], program.nodes[n]);
    for (const Port port : {Port::kXPlus, Port::kYPlus, Port::kZPlus}) {
      const NodeId peer = program.topology.neighbour(n, port);
      if (peer != kNone) meet(program.nodes[n], program.nodes[peer]);
    }
  }
  return std::min(kMost, 2 * longest + 2 + program.rules.switch_cost);
}

}  // namespace tessera::scheduled
