#include "frontends/operators/termination.h"

#include <algorithm>
#include <array>

#include "frontends/operators/message_bound.h"

namespace tessera::operators {
namespace {

using text::joined;
using text::plural;

constexpr const char* kPredicted = "the program is predicted to take the fewest cycles with it";

/// What operator `i` of the phase asks for or, if it leaves the choice, what the phase prefers.
Technique technique_of(const Phase& phase, const Operator& op, std::size_t i) {
  if (op.technique != Technique::kAuto || i >= phase.preferred.size()) return op.technique;
  return phase.preferred[i];
}

class Chooser {
 public:
  explicit Chooser(const PhaseStreams& streams)
      : streams_(streams), program_(streams.program), phase_(streams.phase) {}

  std::vector<Decision> choose() {
    barrier_ = find_barrier();
    std::vector<Decision> decisions;
    for (std::size_t i = 0; i < phase_.operators.size(); ++i) decisions.push_back(choose(i));
    return decisions;
  }

 private:
  const Operator& op(std::size_t i) const { return program_.operators[phase_.operators[i]]; }

  /// An operator for which only a barrier will do, or that asks for one or prefers one.
  const Operator* find_barrier() const {
    for (std::size_t i = 0; i < phase_.operators.size(); ++i) {
      if (op(i).kind == Kind::kOnline || technique_of(phase_, op(i), i) == Technique::kBarrier)
        return &op(i);
    }
    return nullptr;
  }

  Decision choose(std::size_t i) const {
    const Operator& o = op(i);
    Decision d;
    d.op = phase_.operators[i];
    if (o.kind == Kind::kOnline) {
      check_online(o);
    } else if (!why_no_message_bound(streams_, i)) {
      d.threshold = message_threshold(streams_, i);
    }
    if (!phase_.followed) {
      d.why = "no phase follows";
      return d;
    }
    switch (o.technique) {
    case Technique::kMessage:
      return as_message(std::move(d), i);
    case Technique::kProcessor:
      return decided(std::move(d), Outcome::kProcessor, "as told");
    case Technique::kMarker:
      return as_marker(std::move(d), "as told");
    case Technique::kNone:
      return decided(std::move(d), Outcome::kWrong,
                     "as told: nodes switch when they return, whatever is left");
    case Technique::kBarrier:
      return as_barrier(std::move(d), "as told");
    case Technique::kAuto:
      break;
    }
    return choose_freely(std::move(d), i);
  }

  void check_online(const Operator& o) const {
    const bool allowed = o.technique == Technique::kAuto || o.technique == Technique::kBarrier ||
                         o.technique == Technique::kNone;
    if (allowed) return;
    const char* why =
        o.technique == Technique::kMessage
            ? "its reads are not synchronous and its buffers, in the memory of the processors, "
              "have no bound, so no message is long enough"
            : "a node that passes messages on gets no event that says that it was the last one";
    program_.fail(o.place + ".technique", to_string(o.technique),
                  " termination is refused for online routing: ", why,
                  "; allowed: auto, barrier, none");
  }

  Decision choose_freely(Decision d, std::size_t i) const {
    const Operator& o = op(i);
    if (o.kind == Kind::kOnline)
      return as_barrier(std::move(d), "messages of others may still have to be passed on");
    if (barrier_ == &o) return as_barrier(std::move(d), kPredicted);
    if (barrier_ != nullptr) {
      return decided(std::move(d), Outcome::kCovered,
                     "the barrier of " + barrier_->name + " proves it");
    }
    if (const Operator* later = covering(i)) {
      return decided(std::move(d), Outcome::kCovered,
                     "who returns from " + later->name +
                         ", which is used after it, knows that all its nodes have returned from "
                         "this");
    }
    const Technique preferred = technique_of(phase_, o, i);
    if (preferred == Technique::kMarker) return as_marker(std::move(d), kPredicted);
    if (preferred == Technique::kProcessor)
      return decided(std::move(d), Outcome::kProcessor, kPredicted);
    if (const std::optional<std::string> no = why_no_message_bound(streams_, i))
      return decided(std::move(d), Outcome::kProcessor, "message-bound is impossible: " + *no);
    if (o.words < *d.threshold) {
      const std::string why = joined("a message of ", plural(o.words, "word"),
                                     " is short: message-bound needs ", *d.threshold);
      return decided(std::move(d), Outcome::kProcessor, why);
    }
    return as_message(std::move(d), i);
  }

  Decision as_message(Decision d, std::size_t i) const {
    const Operator& o = op(i);
    const std::string place = o.place + ".technique";
    d.outcome = Outcome::kMessage;
    if (o.delay) {
      d.why = "as told, with a delay of " + plural(*o.delay, "cycle") + " as told";
      return d;
    }
    if (const auto no = why_no_message_bound(streams_, i))
      program_.fail(place, "message-bound termination is impossible: ", *no,
                    "; use auto, processor or barrier");
    if (o.words < *d.threshold)
      program_.fail(place, "message-bound termination needs messages of at least ",
                    plural(*d.threshold, "word"), " here, but ", o.words,
                    " are given; use auto, processor or barrier, or give a \"delay\" at your "
                    "own risk");
    d.why =
        joined("a message of ", plural(o.words, "word"), " is long: ", *d.threshold, " would do");
    return d;
  }

  static Decision decided(Decision d, Outcome outcome, const std::string& why,
                          const std::string& cost = "") {
    d.outcome = outcome;
    d.why = why;
    d.cost = cost;
    return d;
  }

  static Decision as_marker(Decision d, const std::string& why) {
    return decided(std::move(d), Outcome::kMarker, why,
                   "1 more word on each of its streams, and its way");
  }

  Decision as_barrier(Decision d, const std::string& why) const {
    return decided(std::move(d), Outcome::kBarrier, why,
                   "nobody goes on before the last, and " +
                       plural(streams_.target.rules.barrier_latency, "cycle") + " of the barrier");
  }

  /// An operator used after the last use of operator `i`, in the same thread, that tells everybody
  /// on its way that all its nodes have come to it.
  const Operator* covering(std::size_t i) const {
    for (const Thread& thread : phase_.threads) {
      bool after = false;
      const Operator* found = nullptr;
      for (const Use& use : thread.uses) {
        if (use.is_work) continue;
        if (use.index == phase_.operators[i]) {
          after = true;
          found = nullptr;
        } else if (after && covers(use.index, i)) {
          found = &program_.operators[use.index];
        }
      }
      if (after) return found;
    }
    return nullptr;
  }
  bool covers(std::size_t later, std::size_t i) const {
    const Operator& o = program_.operators[later];
    if (!synchronises(o) || o.technique == Technique::kNone) return false;
    return std::any_of(o.instances.begin(), o.instances.end(), [&](Nodes instance) {
      std::sort(instance.begin(), instance.end());
      const Nodes& touched = streams_.operators[i].touched;
      return std::includes(instance.begin(), instance.end(), touched.begin(), touched.end());
    });
  }

  const PhaseStreams& streams_;
  const Program& program_;
  const Phase& phase_;
  const Operator* barrier_ = nullptr;
};

std::string describe_echo(const OperatorStreams& streams) {
  std::size_t echoes = 0;
  std::size_t crossings = 0;
  std::size_t most = 1;
  for (const NodeRole& role : streams.roles)
    most = std::max(most, role.writes.size() + role.reads.size() + role.proofs.size());
  for (const StreamPlan& stream : streams.streams) {
    for (const Stop& stop : stream.stops) {
      for (const Branch& branch : stop.branches) {
        echoes += branch.deliver && branch.delivery == Delivery::kEcho ? 1 : 0;
        crossings += branch.deliver && branch.delivery == Delivery::kCross ? 1 : 0;
      }
    }
  }
  std::string text = std::to_string(echoes) + (echoes == 1 ? " echo" : " echoes");
  if (crossings > 0)
    text +=
        joined(" and ", crossings, crossings == 1 ? " branch" : " branches", " to crossed nodes");
  return joined(text, ", a slot and an I/O a word each; bandwidth at most 1/", most);
}

}  // namespace

const char* to_string(Outcome outcome) {
  constexpr std::array<const char*, 8> kNames = {
      "message-bound", "processor-bound", "marker",     "barrier",
      "none",          "covered",         "continuing", "not needed"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Cycle Decision::longest_delay() const {
  Cycle longest = 0;
  for (const auto& [node, delay] : delays) longest = std::max(longest, delay);
  return longest;
}

StreamOptions Decision::options(const Operator& of) const {
  StreamOptions options;
  options.echo_first = of.echo_first;
  options.echo = outcome == Outcome::kProcessor;
  options.branch_members = outcome == Outcome::kProcessor;
  options.branch_outsiders = outcome == Outcome::kProcessor || outcome == Outcome::kMessage;
  return options;
}

bool synchronises(const Operator& op) {
  if (op.kind == Kind::kPrefix) return true;
  if (op.kind != Kind::kCircularShift) return false;
  return std::all_of(op.instances.begin(), op.instances.end(),
                     [&](const Nodes& nodes) { return op.words + 1 >= nodes.size(); });
}

std::vector<Decision> choose_techniques(const PhaseStreams& streams) {
  return Chooser(streams).choose();
}

bool measure(const PhaseStreams& streams, std::vector<Decision>& decisions) {
  bool holds = true;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    Decision& d = decisions[i];
    const Operator& op = streams.program.operators[d.op];
    if (d.outcome == Outcome::kProcessor) d.cost = describe_echo(streams.operators[i]);
    if (d.outcome != Outcome::kMessage) continue;
    if (op.delay) {
      d.delays.clear();
      for (const NodeRole& role : streams.operators[i].roles)
        d.delays.emplace_back(role.node, *op.delay);
      d.cost = "a delay of " + plural(*op.delay, "cycle") + " at all its nodes";
      continue;
    }
    d.threshold = message_threshold(streams, i);
    d.delays = message_delays(streams, i);
    d.cost = "up to " + plural(d.longest_delay(), "cycle") + " of delay at " +
             plural(d.delays.size(), "node");
    const bool is_free = op.technique == Technique::kAuto;
    const bool too_short = op.words < *d.threshold;
    const bool is_open = technique_of(streams.phase, op, i) == Technique::kAuto;
    if (!too_short && !(is_open && d.longest_delay() > op.words)) continue;
    if (!is_free)
      streams.program.fail(op.place + ".technique",
                           "message-bound termination needs messages of at least ",
                           plural(*d.threshold, "word"),
                           " with the delay elements of its streams, "
                           "but ",
                           op.words, " are given; use auto or processor");
    d.why = too_short
                ? "a message of " + plural(op.words, "word") + " is short: message-bound needs " +
                      std::to_string(*d.threshold) + " with the delay elements of its streams"
                : "an echo costs less: message-bound is possible, but its delays of up to " +
                      plural(d.longest_delay(), "cycle") + " are longer than the " +
                      plural(op.words, "slot") + " of an echo";
    d.outcome = Outcome::kProcessor;
    d.delays.clear();
    holds = false;
  }
  return holds;
}

}  // namespace tessera::operators
