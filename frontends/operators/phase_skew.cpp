#include "frontends/operators/phase_skew.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "frontends/operators/compiler.h"

namespace tessera::operators {
namespace {

using Link = std::pair<NodeIndex, NodeIndex>;  // from, to

/// A word on a link.
struct Hop {
  Link link;
  std::uint32_t slot;
};

/// The hops of one period of a phase, except for its continuing operators, whose words are of any
/// phase.
std::vector<Hop> hops_of(const CompiledPhase& phase) {
  std::vector<Hop> hops;
  for (std::size_t op = 0; op < phase.operators.size(); ++op) {
    if (phase.decisions[op].outcome == Outcome::kContinuing) continue;
    for (std::size_t i = 0; i < phase.operators[op].streams.size(); ++i) {
      const StreamPlan& stream = phase.operators[op].streams[i];
      const StreamSlots& slots = phase.slots[op][i];
      for (std::size_t s = 1; s < stream.stops.size(); ++s) {
        const Link link = {stream.before(stream.stops[s]), stream.stops[s].node};
        for (const std::uint32_t start : slots.starts)
          hops.push_back({link, (start + slots.stops[s].entry) % phase.length});
      }
    }
  }
  return hops;
}

class SkewGuard {
 public:
  SkewGuard(Compiled& compiled, std::size_t stride) : compiled_(compiled), stride_(stride) {
    for (const CompiledPhase& phase : compiled.phases) {
      listening_.emplace_back().add(phase);
      guarded_.push_back(guarded_by(phase));
    }
  }

  void guard() {
    for (const Region& region : compiled_.plan.regions) {
      for (std::size_t later = 2; later < region.turns.size(); ++later) guard(region, later);
    }
  }

 private:
  /// Links whose sender, when it leaves the phase, knows that the other end has come to it: a word
  /// of the phase has passed the link in one of both directions.
  std::set<Link> guarded_by(const CompiledPhase& phase) const {
    std::set<Link> links;
    for (std::size_t i = 0; i < phase.operators.size(); ++i) {
      const Outcome outcome = phase.decisions[i].outcome;
      if (outcome == Outcome::kContinuing) continue;  // its words belong to no one phase
      const bool proves = outcome == Outcome::kMessage || outcome == Outcome::kProcessor ||
                          outcome == Outcome::kMarker;
      for (const StreamPlan& stream : phase.operators[i].streams) {
        for (std::size_t s = 1; s < stream.stops.size(); ++s) {
          const Stop& stop = stream.stops[s];
          const NodeIndex from = stream.before(stop);
          if (proves) links.insert({from, stop.node});
          // Who has read knows that the router at `from` has run this phase.
          if (stop.takes_data()) links.insert({stop.node, from});
        }
      }
    }
    return links;
  }

  void guard(const Region& region, std::size_t later) {
    // Turns between which there is no barrier, with what guards in all phases between.
    for (std::size_t distance = 1; distance <= later; ++distance) {
      const std::size_t earlier = later - distance;
      const bool between = distance > 1;
      if (between && compiled_.phases[region.turns[earlier + 1]].barrier) return;
      if (distance % stride_ != 0 || distance > kFarthest) continue;
      if (!collide(region, earlier, later)) continue;
      CompiledPhase& before = compiled_.phases[region.turns[later - 1]];
      before.barrier = true;
      before.barrier_why = "phase '" + compiled_.plan.phases[region.turns[later]].name + "' and '" +
                           compiled_.plan.phases[region.turns[earlier]].name +
                           "' use a slot of a link whose ends could be in both otherwise";
      return;
    }
  }

  bool collide(const Region& region, std::size_t earlier, std::size_t later) {
    std::vector<std::size_t> key(region.turns.begin() + static_cast<std::ptrdiff_t>(earlier),
                                 region.turns.begin() + static_cast<std::ptrdiff_t>(later) + 1);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_[key] = find_collision(key);
  }
  bool find_collision(const std::vector<std::size_t>& turns) const {
    const CompiledPhase& phase = compiled_.phases[turns.back()];
    const std::vector<Hop> hops = hops_of(phase);
    return std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) {
      const auto& [from, to] = hop.link;
      const bool guarded = std::any_of(turns.begin() + 1, turns.end() - 1, [&](std::size_t turn) {
        return guarded_[turn].count(hop.link) != 0;
      });
      return !guarded && listening_[turns.front()].collides(to, from, hop.slot, phase.length);
    });
  }

  /// The most phases apart that are checked. Neighbours with nothing in common could be further.
  static constexpr std::size_t kFarthest = 16;

  Compiled& compiled_;
  const std::size_t stride_;  // two phases this far apart, or a multiple of it, are not told apart
  std::vector<ListeningSlots> listening_;  // by phase
  std::vector<std::set<Link>> guarded_;
  std::map<std::vector<std::size_t>, bool> known_;
};

}  // namespace

void ListeningSlots::add(const CompiledPhase& phase) {
  for (const Hop& hop : hops_of(phase)) slots_[hop.link].push_back({phase.length, hop.slot});
}

bool ListeningSlots::collides(NodeIndex node, NodeIndex from, std::uint32_t slot,
                              std::uint32_t length) const {
  const auto it = slots_.find({from, node});
  if (it == slots_.end()) return false;
  return std::any_of(it->second.begin(), it->second.end(), [&](const Slot& other) {
    const std::uint32_t common = std::gcd(length, other.length);
    return slot % common == other.slot % common;
  });
}

void guard_skews(Compiled& compiled, scheduled::SkewPolicy policy) {
  if (policy == scheduled::SkewPolicy::kBarrier) return;
  SkewGuard(compiled, policy == scheduled::SkewPolicy::kTag ? 2 : 1).guard();
}

}  // namespace tessera::operators
