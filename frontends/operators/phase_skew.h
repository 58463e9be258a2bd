// Neighbours in different phases (numesh.md 4.4, 4.5): slots of a link that two phases use, and
// what keeps nodes of equal visible tag apart.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "frontends/operators/slots.h"
#include "frontends/operators/streams.h"
#include "models/scheduled/program.h"

namespace tessera::operators {

struct Compiled;
struct CompiledPhase;

/// In which slots nodes listen to their neighbours.
class ListeningSlots {
 public:
  /// Adds the slots of a phase, except for those of its continuing operators.
  void add(const CompiledPhase& phase);
  /// Whether a word that `from` sends for `slot` of a schedule of `length` could be taken for one
  /// of the streams that were added: the slots are equal modulo the common divisor of the lengths.
  bool collides(NodeIndex node, NodeIndex from, std::uint32_t slot, std::uint32_t length) const;

 private:
  struct Slot {
    std::uint32_t length;
    std::uint32_t slot;
  };
  std::map<std::pair<NodeIndex, NodeIndex>, std::vector<Slot>> slots_;  // by sender, then receiver
};

/// Neighbours must not be in two phases that use one slot of a link and are not told apart: under
/// policy TAG, phases of equal parity are not told apart, under HOLD and CHECK no phases are. Where
/// nothing in the phases between prevents it, the phase before gets a barrier.
void guard_skews(Compiled& compiled, scheduled::SkewPolicy policy);

}  // namespace tessera::operators
