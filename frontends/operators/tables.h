// What was compiled, for people: phases, techniques and why, delays, costs; and the schedules as
// tables, a row a node and a column a slot.
#pragma once

#include <iosfwd>

#include "frontends/operators/compiler.h"

namespace tessera::operators {

/// Which technique every operator of every phase got, why, the threshold, the delays and the cost.
void print_decisions(std::ostream& out, const Program& program, const Compiled& compiled);

/// The schedule of every phase. A cell names the stream and where its word goes: "a >+x" to the
/// neighbour, "a >me" to the own processor, "a hold" into a delay element, "." nothing.
void print_schedules(std::ostream& out, const Program& program, const Compiled& compiled);

}  // namespace tessera::operators
