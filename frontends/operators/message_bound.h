// Message-bound termination (numesh.md 3.3): from which length on whoever has written its message
// knows that its readers are at work, and how long what is left may then take to leave a node.
//
// The bounds hold for the loops of lower.h, in which a node writes and reads word by word:
//
//   stream, broadcast   a reader does nothing but read: m >= 1 + most words that fit on a way; the
//                       source then waits (Qs + b) * max(T, R) + M
//   prefix              any length, as the total comes back after everything else has been read
//   circular shift      who has read word m knows that the node k places before it has written word
//                       m - k + 1, so m >= n - 1; then at most n - 1 rounds of the loop are left
//   shift               a reader also writes and may be held up by the nodes behind it: all of them
//                       are known to be at work from 1 + the words that fit on all streams behind
//   reduce              as shift, up to the root, with two more words: then all other branches of
//                       the tree have come too
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/operators/termination.h"

namespace tessera::operators {

/// Why no length is enough for operator `i` of the phase; no value: some is.
std::optional<std::string> why_no_message_bound(const PhaseStreams& streams, std::size_t i);

/// The least message length of message-bound termination. Requires !why_no_message_bound.
std::uint64_t message_threshold(const PhaseStreams& streams, std::size_t i);

/// Delay of every node that needs one, by rising node. Requires slots.
std::vector<std::pair<NodeIndex, Cycle>> message_delays(const PhaseStreams& streams, std::size_t i);

/// Words that fit between the processors of a stream, from the source to the delivery at `stop`.
/// `slots`: nullptr before they are allotted (delay elements then count as none).
std::uint64_t capacity(const StreamPlan& stream, const StreamSlots* slots, std::size_t stop,
                       const scheduled::Rules& rules);

}  // namespace tessera::operators
