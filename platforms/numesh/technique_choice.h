// The choice of termination techniques by predicted totals. Every candidate is compiled and played on
// the cores of the nodes, without a kernel: the total contains the lengths of the schedules, the delays,
// echoes and markers on their ways, barriers, changes, and what overlaps between nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/operators/compiler.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::numesh {

/// One way to terminate the operators whose technique is `auto`.
struct Candidate {
  std::string name;                ///< "length", "marker", .., "mixed"
  std::optional<Cycle> predicted;  ///< none: it does not fit, or does not carry the words over
};

struct TechniqueChoice {
  operators::Compiled compiled;
  std::vector<Candidate> candidates;  ///< as they were tried; empty: there was nothing to choose
  std::optional<Cycle> predicted;     ///< predicted cycles of `compiled`
};

/// Compiles the program with the techniques that are predicted to need the fewest cycles: the best of
/// one technique for all phases and of what message lengths suggest, then changed operator by operator
/// as long as that helps and the search is short. Of equal ones the first is taken, so a program is
/// compiled to the same schedules every time. Throws UserError as operators::compile.
TechniqueChoice choose_techniques(const operators::Program& program,
                                  const operators::Target& target);

}  // namespace tessera::numesh
