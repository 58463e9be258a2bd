#include "models/scheduled/barriers.h"

#include "models/scheduled/word_checker.h"

namespace tessera::scheduled {

std::string Barriers::missing(std::uint32_t extent) const {
  constexpr std::size_t kMost = 4;
  const std::vector<NodeId>& here = extents_[extent].arrived;
  std::string names;
  std::size_t missing = 0;
  for (const NodeId member : program_.extents[extent]) {
    if (std::find(here.begin(), here.end(), member) != here.end()) continue;
    if (++missing <= kMost) names += (missing == 1 ? "" : ", ") + node_name(program_, member);
  }
  if (missing > kMost) names += " and " + std::to_string(missing - kMost) + " more";
  return "the barrier of " + std::to_string(program_.extents[extent].size()) + " nodes: " + names +
         (missing == 1 ? " is missing" : " are missing");
}

bool has_barrier(const NodePhase& phase, const Rules& rules) {
  return phase.extent != kNone &&
         (phase.barrier || rules.skew == SkewPolicy::kBarrier ||
          std::any_of(phase.tasks.begin(), phase.tasks.end(),
                      [](const Task& task) { return task.technique == Technique::kBarrier; }));
}

Cycle TurnBarrier::released(const NodePhase& phase, Cycle now) {
  if (!arrived_) {
    arrived_ = true;
    round_ = barriers_.arrive(phase.extent, at_, now);
  }
  const Cycle released = barriers_.released(phase.extent, round_);
  if (released == kNever) return kNever;
  Cycle delay = 0;
  for (const Task& task : phase.tasks)
    if (task.technique == Technique::kBarrier) delay = std::max(delay, task.delay);
  return released + delay;
}

}  // namespace tessera::scheduled
