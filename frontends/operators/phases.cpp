#include "frontends/operators/phases.h"

#include <algorithm>

namespace tessera::operators {
namespace {

constexpr std::size_t kMaxTurns = 10000;

/// Phases of a part of the program, in order.
struct Part {
  std::vector<std::size_t> turns;
  std::string place;
};

class Planner {
 public:
  Planner(const Program& program, std::uint64_t change, const PhaseCost& cost)
      : program_(program), change_(change), cost_(cost) {}

  PhasePlan plan() {
    const Group& top = program_.group;
    if (top.kind == Group::Kind::kParallel) {
      plan_parallel_regions(top);
    } else {
      plan_.regions.push_back({lower(top).turns});
    }
    for (Phase& phase : plan_.phases) complete(phase);
    for (const Region& region : plan_.regions) {
      for (std::size_t i = 0; i + 1 < region.turns.size(); ++i)
        plan_.phases[region.turns[i]].followed = true;
    }
    drop_unused();
    return std::move(plan_);
  }

 private:
  Part lower(const Group& group) {
    if (group.kind == Group::Kind::kParallel) return lower_parallel(group);
    const bool is_leaf = group.kind == Group::Kind::kUse || group.kind == Group::Kind::kWork;
    return is_leaf ? single(group) : lower_sequence(group);
  }

  Part single(const Group& group) {
    Phase phase;
    phase.threads.push_back({{{group.kind == Group::Kind::kWork, group.index}}});
    phase.length = group.length;
    return add(std::move(phase), group.place);
  }

  Part add(Phase phase, const std::string& place) {
    plan_.phases.push_back(std::move(phase));
    return {{plan_.phases.size() - 1}, place};
  }

  static bool is_single(const Part& part) { return part.turns.size() == 1; }
  const Phase& phase_of(const Part& part) const { return plan_.phases[part.turns.front()]; }
  bool only_works(const Part& part) const {
    if (!is_single(part)) return false;
    const std::vector<Use> uses = phase_of(part).uses();
    return std::all_of(uses.begin(), uses.end(), [](const Use& use) { return use.is_work; });
  }

  Part lower_sequence(const Group& group) {
    std::vector<Part> parts;
    for (const Group& member : group.members) parts.push_back(lower(member));
    parts = with_works_joined(std::move(parts));
    const bool all_single = std::all_of(parts.begin(), parts.end(), is_single);
    if (group.phases == PhaseChoice::kShared && !all_single)
      program_.fail(group.place,
                    "its members have several phases of their own and cannot share one");
    const bool loops = group.kind == Group::Kind::kLoop;
    if (all_single && (parts.size() == 1 || is_shared(group, parts)))
      return add(merged(parts, group, loops ? group.times : 1), group.place);
    Part result{{}, group.place};
    for (std::uint32_t round = 0; round < (loops ? group.times : 1); ++round) {
      for (const Part& part : parts)
        result.turns.insert(result.turns.end(), part.turns.begin(), part.turns.end());
      if (result.turns.size() > kMaxTurns)
        program_.fail(group.place, "it makes more than ", kMaxTurns,
                      " phase changes, the most that are allowed");
    }
    if (group.length) {
      for (const std::size_t turn : result.turns) plan_.phases[turn].length = group.length;
    }
    return result;
  }

  /// Work has no phase of its own: it goes to the operators after it, or else before it.
  std::vector<Part> with_works_joined(std::vector<Part> parts) {
    std::vector<Part> joined;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      if (only_works(parts[i]) && !last && is_single(parts[i + 1])) {
        parts[i + 1] = add(one_thread(parts[i], parts[i + 1]), parts[i].place);
      } else if (only_works(parts[i]) && last && !joined.empty() && is_single(joined.back())) {
        joined.back() = add(one_thread(joined.back(), parts[i]), joined.back().place);
      } else {
        joined.push_back(parts[i]);
      }
    }
    return joined;
  }

  /// Everything that two parts do, the one after the other.
  Phase one_thread(const Part& first, const Part& second) const {
    Phase phase;
    phase.threads.emplace_back();
    append(phase, phase_of(first));
    append(phase, phase_of(second));
    return phase;
  }
  static void append(Phase& to, const Phase& phase) {
    const std::vector<Use> uses = phase.uses();
    std::vector<Use>& all = to.threads.front().uses;
    all.insert(all.end(), uses.begin(), uses.end());
    if (phase.length) to.length = phase.length;
  }

  Phase merged(const std::vector<Part>& parts, const Group& group, std::uint32_t times) const {
    Phase phase;
    if (parts.size() == 1) {
      phase = phase_of(parts.front());
    } else {
      phase.threads.emplace_back();
      for (const Part& part : parts) append(phase, phase_of(part));
    }
    for (Thread& thread : phase.threads) {
      const std::vector<Use> once = thread.uses;
      for (std::uint32_t i = 1; i < times; ++i)
        thread.uses.insert(thread.uses.end(), once.begin(), once.end());
    }
    if (group.length) phase.length = group.length;
    return phase;
  }

  bool is_shared(const Group& group, const std::vector<Part>& parts) {
    if (group.phases == PhaseChoice::kShared) return true;
    if (group.phases == PhaseChoice::kSeparate) return false;
    const bool loops = group.kind == Group::Kind::kLoop;
    Phase together = merged(parts, group, 1);
    complete(together);
    const std::uint64_t shared = cost_(together);
    std::uint64_t words = 0;
    for (const Part& part : parts) {
      Phase alone = phase_of(part);
      complete(alone);
      words += cost_(alone);
    }
    // In a loop the last phase is followed by the first (numesh.md 3.8).
    const std::uint64_t changes = loops ? parts.size() : parts.size() - 1;
    const std::uint64_t separate = words + changes * change_;
    plan_.notes.push_back(text::joined(group.place, ": one phase takes ", shared,
                                       " cycles for its words, ", parts.size(), " phases take ",
                                       words, " and ", text::plural(changes, "change"), " of ",
                                       change_, ", ", separate, loops ? ", a round" : "", ": ",
                                       shared <= separate ? "one phase" : "separate phases"));
    return shared <= separate;
  }

  Part lower_parallel(const Group& group) {
    Phase phase;
    for (const Group& member : group.members) {
      const Part part = lower(member);
      if (!is_single(part))
        program_.fail(member.place,
                      "a member of a parallel group that changes phases needs a group that is the "
                      "whole program");
      for (const Thread& thread : phase_of(part).threads) phase.threads.push_back(thread);
      if (phase_of(part).length) phase.length = phase_of(part).length;
    }
    if (group.length) phase.length = group.length;
    return add(std::move(phase), group.place);
  }

  /// Members that change phases have a region each; the others go on through all of them.
  void plan_parallel_regions(const Group& group) {
    std::vector<Part> parts;
    for (const Group& member : group.members) parts.push_back(lower(member));
    if (std::all_of(parts.begin(), parts.end(), is_single)) {
      plan_.regions.push_back({lower_parallel(group).turns});
      return;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!is_single(parts[i])) {
        plan_.regions.push_back({parts[i].turns});
      } else {
        add_continuing(group.members[i], parts[i]);
      }
    }
    for (const Region& region : plan_.regions) {
      for (const std::size_t turn : region.turns) plan_.phases[turn].continuing = plan_.continuing;
    }
  }

  void add_continuing(const Group& member, const Part& part) {
    for (const Use& use : phase_of(part).uses()) {
      if (use.is_work || program_.operators[use.index].kind == Kind::kOnline)
        program_.fail(member.place,
                      "only operators with streams can continue while others change phases");
      if (std::count(plan_.continuing.begin(), plan_.continuing.end(), use.index) != 0)
        program_.fail(member.place, "a continuing operator can be used once");
      plan_.continuing.push_back(use.index);
    }
  }

  void complete(Phase& phase) const {
    phase.operators.clear();
    for (const Use& use : phase.uses()) {
      if (use.is_work || std::count(phase.operators.begin(), phase.operators.end(), use.index))
        continue;
      phase.operators.push_back(use.index);
    }
    phase.name.clear();
    constexpr std::size_t kNamed = 4;
    for (std::size_t i = 0; i < std::min(phase.operators.size(), kNamed); ++i)
      phase.name += (i == 0 ? "" : "+") + program_.operators[phase.operators[i]].name;
    if (phase.operators.size() > kNamed) phase.name += "+..";
    if (phase.operators.empty()) phase.name = "work";
  }

  /// Drops phases that were only considered.
  void drop_unused() {
    std::vector<std::size_t> number(plan_.phases.size(), plan_.phases.size());
    std::vector<Phase> kept;
    for (Region& region : plan_.regions) {
      for (std::size_t& turn : region.turns) {
        std::size_t& n = number[turn];
        if (n == number.size()) {
          n = kept.size();
          kept.push_back(plan_.phases[turn]);
        }
        turn = n;
      }
    }
    plan_.phases = std::move(kept);
  }

  const Program& program_;
  const std::uint64_t change_;
  const PhaseCost& cost_;
  PhasePlan plan_;
};

}  // namespace

PhasePlan plan_phases(const Program& program, std::uint64_t change, const PhaseCost& cost) {
  return Planner(program, change, cost).plan();
}

}  // namespace tessera::operators
