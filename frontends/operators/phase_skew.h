// Neighbours in different phases (numesh.md 4.4, 4.5): slots of a link that two phases use, and what
// keeps nodes of equal visible tag apart.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "frontends/operators/slots.h"
#include "frontends/operators/streams.h"

namespace tessera::operators {

struct Compiled;

/// In which slots nodes listen to their neighbours.
class ListeningSlots {
 public:
  void add(const StreamPlan& stream, const StreamSlots& slots, std::uint32_t length);
  /// Whether a word that `from` sends for `slot` of a schedule of `length` could be taken for one of
  /// the streams that were added: the slots are equal modulo the common divisor of the lengths.
  bool collides(NodeIndex node, NodeIndex from, std::uint32_t slot, std::uint32_t length) const;

 private:
  struct Slot {
    std::uint32_t length;
    std::uint32_t slot;
  };
  std::map<std::pair<NodeIndex, NodeIndex>, std::vector<Slot>> slots_;  // by from, node
};

/// Under policy TAG a word is refused by a neighbour of the other parity, so it must not happen that
/// neighbours are two phases apart and use one slot of a link. Where nothing in the phases between
/// prevents it, the phase before gets a barrier.
void guard_skews(const Program& program, Compiled& compiled);

}  // namespace tessera::operators
