// Operator termination (numesh.md 3.3 to 3.7, 4): how a node knows that nothing of an operator is
// left in its router, so that it may go to the next phase. Decides on a technique for every
// operator of a phase, the message length from which message-bound holds, and the delays of the
// nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/operators/phases.h"
#include "frontends/operators/slots.h"
#include "frontends/operators/streams.h"
#include "models/scheduled/program.h"

namespace tessera::operators {

/// What the compiler must know of the machine.
struct Target {
  scheduled::Rules rules;
  std::uint32_t max_length = 64;     ///< slots of a schedule
  std::uint32_t max_vfsms = 256;     ///< of a node
  std::uint32_t max_addresses = 64;  ///< of a node, in each direction
  Cycle worst_stall = 0;             ///< of a processor in its I/O, once a phase: M of 3.3
  Cycle interrupt_cost = 10;         ///< of the software router
};

/// What an operator of a phase got.
enum class Outcome : std::uint8_t {
  kMessage,
  kProcessor,
  kMarker,
  kBarrier,
  kWrong,       ///< none, as told
  kCovered,     ///< another operator or the barrier of the phase proves it
  kContinuing,  ///< exempt (3.7)
  kLast,        ///< no phase follows
};
const char* to_string(Outcome outcome);

struct Decision {
  std::size_t op = 0;
  Outcome outcome = Outcome::kLast;
  std::string why;
  std::string cost;
  /// Least message length of message-bound; none where it cannot be had at any length.
  std::optional<std::uint64_t> threshold;
  /// After the return, of the nodes that need one, by rising node.
  std::vector<std::pair<NodeIndex, Cycle>> delays;

  Cycle longest_delay() const;
  StreamOptions options(const Operator& of) const;
};

/// The operators of one phase with what is known of their streams and slots.
struct PhaseStreams {
  const Program& program;
  const Phase& phase;
  const Target& target;
  /// By place in phase.operators, then phase.continuing.
  std::vector<OperatorStreams> operators;
  /// By operator, then stream; empty as long as no slots are allotted (delay elements then count as
  /// none).
  std::vector<std::vector<StreamSlots>> slots;
  std::uint32_t length = 1;
};

/// Technique of every operator of phase.operators, before slots are known; `streams.operators` are
/// made without echoes and branches. Throws UserError where the program asks for a technique that
/// cannot work.
std::vector<Decision> choose_techniques(const PhaseStreams& streams);

/// Thresholds and delays with the slots that were allotted. Returns whether all decisions still
/// hold; those that do not are changed to processor-bound, and the phase has to be allotted again.
bool measure(const PhaseStreams& streams, std::vector<Decision>& decisions);

/// Whether whoever returns from the operator knows that all nodes of its instance have entered it.
bool synchronises(const Operator& op);

}  // namespace tessera::operators
