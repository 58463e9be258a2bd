#include "frontends/operators/message_bound.h"

#include <algorithm>
#include <map>

namespace tessera::operators {
namespace {

/// What the bounds of one operator are made of.
class Bounds {
 public:
  Bounds(const PhaseStreams& phase, std::size_t i)
      : phase_(phase), streams_(phase.operators[i]),
        slots_(phase.slots.empty() ? nullptr : &phase.slots[i]),
        op_(phase.program.operators[phase.operators[i].op]) {}

  std::optional<std::string> why_not() const {
    if (op_.kind == Kind::kOnline) return "its reads are not synchronous";
    for (const std::size_t other : phase_.phase.operators) {
      if (phase_.program.operators[other].kind == Kind::kOnline)
        return "interrupts of the online routing in the same phase have no bound";
    }
    for (const NodeRole& role : streams_.roles) {
      const std::size_t jobs = role.writes.size() + role.reads.size() + role.proofs.size();
      if (is_pure() && role.member && jobs > 1)
        return "node " + phase_.program.mesh.name(role.node) + " reads and writes in it";
    }
    return why_crossed();
  }

  std::uint64_t threshold() const {
    std::uint64_t least = 1;
    std::size_t stream = 0;
    for (const Nodes& instance : op_.instances) {
      least = std::max(least, threshold_of(instance, stream));
      stream += streams_of(instance);
    }
    return least;
  }

  std::vector<std::pair<NodeIndex, Cycle>> delays() const {
    std::map<NodeIndex, Cycle> delays;
    std::size_t stream = 0;
    for (const Nodes& instance : op_.instances) {
      add_delays(instance, stream, delays);
      stream += streams_of(instance);
    }
    return {delays.begin(), delays.end()};
  }

 private:
  bool is_pure() const { return op_.kind == Kind::kStream || op_.kind == Kind::kBroadcast; }

  std::size_t streams_of(const Nodes& instance) const {
    if (is_pure()) return 1;
    return is_ring() ? instance.size() : instance.size() - 1;
  }

  /// Nodes that streams cross: outsiders get a branch if that makes pure readers of them; members of
  /// a ring are covered by its delays; others would have to be in time without an event.
  std::optional<std::string> why_crossed() const {
    std::map<NodeIndex, unsigned> crossings;
    std::size_t first = 0;
    for (const Nodes& instance : op_.instances) {
      for (std::size_t s = first; s < first + streams_of(instance); ++s) {
        for (const NodeIndex node : crossed_by(streams_.streams[s])) {
          const bool own = std::count(instance.begin(), instance.end(), node) != 0;
          if (own && is_ring()) continue;
          const NodeRole* role = streams_.role_of(node);
          const bool member = role != nullptr && role->member;
          if (!member && is_pure() && ++crossings[node] == 1) continue;
          return "its streams cross node " + phase_.program.mesh.name(node) +
                 (member ? ", which is busy with others of it" : ", which takes no part");
        }
      }
      first += streams_of(instance);
    }
    return std::nullopt;
  }
  bool is_ring() const { return op_.kind == Kind::kCircularShift || op_.kind == Kind::kPrefix; }

  static Nodes crossed_by(const StreamPlan& stream) {
    Nodes nodes;
    for (std::size_t s = 1; s < stream.stops.size(); ++s) {
      if (!stream.stops[s].takes_data()) nodes.push_back(stream.stops[s].node);
    }
    return nodes;
  }

  /// Words that fit on the longest way of a stream.
  std::uint64_t most_words(std::size_t stream) const {
    const StreamPlan& plan = streams_.streams[stream];
    const StreamSlots* slots = slots_ == nullptr ? nullptr : &(*slots_)[stream];
    std::uint64_t most = 0;
    for (std::size_t s = 1; s < plan.stops.size(); ++s)
      most = std::max(most, capacity(plan, slots, s, phase_.target.rules));
    return most;
  }

  std::uint64_t threshold_of(const Nodes& instance, std::size_t first) const {
    switch (op_.kind) {
    case Kind::kStream:
    case Kind::kBroadcast:
      return most_words(first) + 1;
    case Kind::kCircularShift:
      return instance.size() - 1;
    case Kind::kShift:
      return words_behind(instance, first, 0) + 1;
    case Kind::kReduce: {
      std::uint64_t most = 0;
      for (std::size_t i = 1; i < instance.size(); ++i)
        most = std::max(most, words_to_root(instance, first, i) + 2);
      return most;
    }
    case Kind::kPrefix:
    case Kind::kOnline:
      break;
    }
    return 1;
  }

  /// Words that fit on the streams of a shift from its place `place` on.
  std::uint64_t words_behind(const Nodes& instance, std::size_t first, std::size_t place) const {
    std::uint64_t words = 0;
    for (std::size_t i = place; i + 1 < instance.size(); ++i) words += most_words(first + i);
    return words;
  }

  /// Words by which a member of a reduce may be ahead of the root.
  std::uint64_t words_to_root(const Nodes& instance, std::size_t first, std::size_t place) const {
    std::uint64_t words = 0;
    while (place != 0) {
      const std::size_t stream = first + place - 1;
      words += most_words(stream) + 1;
      const NodeIndex parent = streams_.streams[stream].stops.back().node;
      place = static_cast<std::size_t>(std::find(instance.begin(), instance.end(), parent) -
                                       instance.begin());
    }
    return words;
  }

  // --- delays

  /// Cycles of one round of the loops of a node, in all threads that it takes part in.
  Cycle round_of(NodeIndex node) const {
    Cycle cycles = 0;
    for (const Thread& thread : phase_.phase.threads) {
      Cycle longest = 0;
      for (const Use& use : thread.uses) {
        if (!use.is_work) longest = std::max(longest, round_in(use.index, node));
      }
      cycles += longest;
    }
    for (const std::size_t op : phase_.phase.continuing) cycles += round_in(op, node);
    return cycles;
  }
  Cycle round_in(std::size_t op, NodeIndex node) const {
    const auto it = std::find_if(phase_.operators.begin(), phase_.operators.end(),
                                 [&](const OperatorStreams& s) { return s.op == op; });
    const NodeRole* role = it->role_of(node);
    if (role == nullptr) return 0;
    const Cycle per_read = 1 + phase_.program.operators[op].compute;
    return role->writes.size() + role->reads.size() * per_read + role->proofs.size();
  }

  /// The M of numesh.md 3.3 at one node: the cycles that something may hold its processor up once.
  Cycle stall_of(NodeIndex node) const {
    Cycle stall = phase_.target.worst_stall;
    // Interruptions that are suspended come when the phase is over.
    if (!phase_.target.rules.suspend_interrupts) {
      for (const Interruption& i : phase_.program.interruptions)
        stall += std::count(i.nodes.begin(), i.nodes.end(), node) != 0 ? i.length : 0;
    }
    return stall;
  }

  Cycle period_of(std::size_t stream) const {
    return pace_of(streams_.streams[stream], (*slots_)[stream], phase_.length,
                   phase_.target.rules.vfsm_buffer)
        .longest;
  }

  /// Cycles a word with a reader that takes `round` cycles for one: with a queue of a single word
  /// the room that a read makes comes too late for some slots.
  Cycle steady(Cycle period, Cycle round) const {
    if (phase_.target.rules.input_depth > 1) return std::max(period, round);
    return (round + 2 + period - 1) / period * period;
  }

  /// The source of a stream whose readers do nothing else.
  Cycle source_delay(std::size_t stream) const {
    const StreamPlan& plan = streams_.streams[stream];
    const StreamSlots& slots = (*slots_)[stream];
    const Cycle period = period_of(stream);
    Cycle slowest = period;
    Cycle stalls = 0;
    std::size_t readers = 0;
    std::size_t depth = 0;
    for (const Stop& stop : plan.stops) {
      depth = std::max(depth, stop.depth);
      if (!std::any_of(stop.branches.begin(), stop.branches.end(),
                       [](const Branch& b) { return b.deliver; }))
        continue;
      ++readers;
      slowest = std::max(slowest, steady(period, round_of(stop.node)));
      stalls += stall_of(stop.node);
    }
    const scheduled::Rules& rules = phase_.target.rules;
    const Cycle held = slots.stops[0].hold > 0 ? 2 : 1;
    const Cycle words = rules.output_depth + rules.vfsm_buffer * held;
    const Cycle span = slots.stops[0].branches.back();
    // Readers of a tree hold each other up; what one gives back comes up a hop a period.
    const Cycle tree = readers > 1 ? depth * slowest : 0;
    return words * slowest + stalls + span + tree;
  }

  /// Cycles in which every node of the instance does a round, when all are at work.
  Cycle round_time(const Nodes& instance, std::size_t first) const {
    Cycle latency = 0;
    for (std::size_t s = first; s < first + streams_of(instance); ++s) {
      Cycle last = 0;
      for (const StopSlots& stop : (*slots_)[s].stops)
        last = std::max<Cycle>(last, stop.branches.back());
      latency = std::max(latency, period_of(s) + last + 2);
    }
    Cycle loop = 0;
    for (const NodeIndex node : instance) loop = std::max(loop, round_of(node));
    return latency + loop;
  }
  void add_delays(const Nodes& instance, std::size_t first,
                  std::map<NodeIndex, Cycle>& delays) const {
    const std::size_t n = instance.size();
    const auto rounds = [&](std::uint64_t left) {
      Cycle stalls = 0;
      for (const NodeIndex node : instance) stalls += stall_of(node);
      return std::min<std::uint64_t>(left, op_.words) * round_time(instance, first) + stalls;
    };
    switch (op_.kind) {
    case Kind::kStream:
    case Kind::kBroadcast:
      delays[instance[0]] = source_delay(first);
      return;
    case Kind::kPrefix:
      delays[instance[n - 1]] = source_delay(first + n - 1);
      return;
    case Kind::kCircularShift:
      for (const NodeIndex node : instance) delays[node] = rounds(n - 1);
      return;
    case Kind::kShift:
      for (std::size_t i = 0; i + 1 < n; ++i)
        delays[instance[i]] = rounds(words_behind(instance, first, i));
      return;
    case Kind::kReduce:
      for (std::size_t i = 1; i < n; ++i)
        delays[instance[i]] =
            rounds(words_to_root(instance, first, i)) + n * round_time(instance, first);
      return;
    case Kind::kOnline:
      return;
    }
  }

  const PhaseStreams& phase_;
  const OperatorStreams& streams_;
  const std::vector<StreamSlots>* slots_;
  const Operator& op_;
};

}  // namespace

std::optional<std::string> why_no_message_bound(const PhaseStreams& streams, std::size_t i) {
  return Bounds(streams, i).why_not();
}

std::uint64_t message_threshold(const PhaseStreams& streams, std::size_t i) {
  return Bounds(streams, i).threshold();
}

std::vector<std::pair<NodeIndex, Cycle>> message_delays(const PhaseStreams& streams,
                                                        std::size_t i) {
  return Bounds(streams, i).delays();
}

std::uint64_t capacity(const StreamPlan& stream, const StreamSlots* slots, std::size_t stop,
                       const scheduled::Rules& rules) {
  std::uint64_t words = rules.output_depth + rules.input_depth;
  for (std::size_t at = stop;; at = stream.stops[at].parent) {
    const bool held = slots != nullptr && slots->stops[at].hold > 0;
    words += rules.vfsm_buffer * (held ? 2 : 1);
    if (at == 0) return words;
  }
}

}  // namespace tessera::operators
