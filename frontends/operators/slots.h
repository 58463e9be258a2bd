// Slots for streams (numesh.md 1.2): when every node of a stream takes a word and serves each of
// its branches, in a schedule that repeats. Time is global: a word that a node offers in the cycle
// after a slot is taken by the next node in that cycle. Where the slots of a node are taken, the
// word waits in a delay element.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "frontends/operators/streams.h"

namespace tessera::operators {

/// When a stop serves a word, in cycles from the first slot of the stream.
struct StopSlots {
  std::uint32_t entry = 0;              ///< offset of the slot that takes the word
  std::uint32_t hold = 0;               ///< cycles in a delay element; 0: there is none
  std::vector<std::uint32_t> branches;  ///< offset of the slot that serves branch i
};

struct StreamSlots {
  std::vector<std::uint32_t> starts;  ///< slots of the source in a period, rising
  std::vector<StopSlots> stops;
};

struct Allotment {
  std::uint32_t length = 1;
  std::vector<StreamSlots> streams;
};

/// A stream that wants slots.
struct Request {
  const StreamPlan* stream = nullptr;
  double share = 1;                    ///< the largest share of the cycles of a schedule
  std::optional<std::uint32_t> slot;   ///< first slot at the source, if the program asks for one
  const StreamSlots* fixed = nullptr;  ///< the only slots that it may have; nullptr: any slots
};

/// Slots that other phases use in a way that forbids them here: whether node `node` may not listen
/// to its neighbour `from` in `slot` of a schedule of `length`.
using Forbidden =
    std::function<bool(NodeIndex node, NodeIndex from, std::uint32_t slot, std::uint32_t length)>;

/// How fast words follow each other on a stream whose ends keep up.
struct Pace {
  std::uint32_t words = 1;  ///< words that pass in `cycles`
  std::uint32_t cycles = 1;
  std::uint32_t longest = 1;  ///< cycles from one word to the next
};
/// A VFSM of one word takes the next in the cycle after the last branch has been served at the
/// earliest, a larger one when the first branch may be served again (numesh.md 1.3, R3).
Pace pace_of(const StreamPlan& stream, const StreamSlots& slots, std::uint32_t length,
             std::uint32_t vfsm_buffer);

struct SlotLimits {
  std::uint32_t max_length = 64;
  std::uint32_t per_cycle = 1;          ///< VFSMs of a node that may run in one cycle
  std::uint32_t vfsm_buffer = 1;        ///< words
  std::optional<std::uint32_t> length;  ///< length that the program asks for
  bool frugal = false;                  ///< one slot a period for every stream, whatever its share
};

/// The schedule in which the worst-served stream gets the most. How well a stream is served is
/// measured against its share. Of those schedules that are about as good it is the shortest, and
/// none has more than twice the least length. Where the streams cannot have their shares, they are
/// cut, down to one slot a period. No value: not even that fits within the limits.
std::optional<Allotment> allot(const std::vector<Request>& requests, const SlotLimits& limits,
                               std::size_t nodes, const Forbidden& forbidden = nullptr);

}  // namespace tessera::operators
