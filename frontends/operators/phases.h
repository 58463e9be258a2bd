// Groups as phases (numesh.md 2.1, 3.1, 3.8): which operators are live together under one schedule,
// and in which order the phases follow each other on which nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontends/operators/program.h"

namespace tessera::operators {

/// A use of an operator, or work of the processors.
struct Use {
  bool is_work = false;
  std::size_t index = 0;  ///< index in Program::operators or Program::works
};

/// Uses that every node does one after the other. Threads of a phase run side by side.
struct Thread {
  std::vector<Use> uses;
};

struct Phase {
  std::string name;  ///< "east+west"
  std::vector<Thread> threads;
  std::optional<std::uint32_t> length;  ///< schedule length that the program asks for
  bool followed = false;                ///< another phase comes after it
  std::vector<std::size_t> operators;   ///< operators that have a use here, each once
  std::vector<std::size_t> continuing;  ///< operators that are under way in this phase and others
  /// The techniques that operators with technique `auto` get, by place in `operators`. kAuto, or an
  /// empty list, leaves the choice to the message length.
  std::vector<Technique> preferred = {};

  /// The uses of all threads.
  std::vector<Use> uses() const {
    std::vector<Use> all;
    for (const Thread& thread : threads)
      all.insert(all.end(), thread.uses.begin(), thread.uses.end());
    return all;
  }
};

/// Phases one after the other, loops unrolled; indices in PhasePlan::phases. Regions have no nodes
/// in common but those that only continuing operators cross.
struct Region {
  std::vector<std::size_t> turns;
};

/// The phases of a program. Continuing operators start with the first phase of every region and go
/// on through all of them (3.7).
struct PhasePlan {
  std::vector<Phase> phases;
  std::vector<Region> regions;
  std::vector<std::size_t> continuing;  ///< indices in Program::operators
  std::vector<std::string> notes;       ///< what was chosen, and why
};

/// Cycles of the words of a phase, without changes and delays; decides between one phase and
/// several.
using PhaseCost = std::function<std::uint64_t(const Phase&)>;

/// `change`: cycles of a phase change. Throws UserError for a grouping that is impossible.
PhasePlan plan_phases(const Program& program, std::uint64_t change, const PhaseCost& cost);

}  // namespace tessera::operators
