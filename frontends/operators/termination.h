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
  std::uint32_t max_length = 64;     ///< the most slots of a schedule
  std::uint32_t max_vfsms = 256;     ///< the most VFSMs of a node
  std::uint32_t max_addresses = 64;  ///< the most addresses of a node in each direction
  Cycle worst_stall = 0;      ///< longest stall of a processor in I/O, once a phase: M of 3.3
  Cycle interrupt_cost = 10;  ///< cycles that an interrupt of the software router takes
};

/// The technique that an operator of a phase got.
enum class Outcome : std::uint8_t {
  kMessage,
  kProcessor,
  kMarker,
  kBarrier,
  kWrong,       ///< no technique, as the program demands
  kCovered,     ///< another operator or the barrier of the phase proves it
  kContinuing,  ///< exempt because it goes on through all phases (3.7)
  kLast,        ///< no phase follows
};
const char* to_string(Outcome outcome);

struct Decision {
  std::size_t op = 0;
  Outcome outcome = Outcome::kLast;
  std::string why;
  std::string cost;
  /// The least message length of message-bound; no value if no length is enough.
  std::optional<std::uint64_t> threshold;
  /// The delay after the return for each node that needs one, by rising node.
  std::vector<std::pair<NodeIndex, Cycle>> delays;

  Cycle longest_delay() const;
  StreamOptions options(const Operator& of) const;
};

/// The operators of one phase with what is known of their streams and slots.
struct PhaseStreams {
  const Program& program;
  const Phase& phase;
  const Target& target;
  /// By the operator's place in phase.operators, then in phase.continuing.
  std::vector<OperatorStreams> operators;
  /// By operator, then stream. Empty as long as no slots are allotted (delay elements then count as
  /// none).
  std::vector<std::vector<StreamSlots>> slots;
  std::uint32_t length = 1;
};

/// Chooses a technique for every operator of phase.operators before slots are known;
/// `streams.operators` are made without echoes and branches. Throws UserError where the program
/// asks for a technique that cannot work.
std::vector<Decision> choose_techniques(const PhaseStreams& streams);

/// Computes thresholds and delays with the slots that were allotted. Returns whether all decisions
/// still hold; those that do not are changed to processor-bound, and the phase has to be allotted
/// again.
bool measure(const PhaseStreams& streams, std::vector<Decision>& decisions);

/// Whether whoever returns from the operator knows that all nodes of its instance have entered it.
bool synchronises(const Operator& op);

}  // namespace tessera::operators
