#include "frontends/operators/compiler.h"

#include <algorithm>
#include <map>
#include <set>

#include "frontends/operators/phase_skew.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators {
namespace {

/// Thrown when the streams of a phase find no slots.
class DoesNotFit : public UserError {
 public:
  using UserError::UserError;
};

class Compiler {
 public:
  Compiler(const Program& program, const Target& target) : program_(program), target_(target) {}

  Compiled compile(const Preferences& preferred) {
    const std::uint64_t change = target_.rules.switch_cost;
    result_.plan = plan_phases(program_, change, [this](const Phase& phase) {
      return transfer_cycles(phase, compile_phase(phase, {}, nullptr));
    });
    for (std::size_t p = 0; p < std::min(preferred.size(), result_.plan.phases.size()); ++p)
      result_.plan.phases[p].preferred = preferred[p];
    check_online();
    find_region_nodes();
    check_lengths(program_.group);
    fix_continuing();
    const bool separate_slots = target_.rules.skew == scheduled::SkewPolicy::kHold ||
                                target_.rules.skew == scheduled::SkewPolicy::kCheck;
    if (separate_slots && is_crowded()) {
      compile_apart();
    } else {
      compile_phases();
    }
    guard_skews(result_, target_.rules.skew);
    return std::move(result_);
  }

 private:
  /// Some region changes phases, so that neighbours can be in different ones.
  bool is_crowded() const {
    return std::any_of(result_.plan.regions.begin(), result_.plan.regions.end(),
                       [](const Region& region) { return region.turns.size() > 1; });
  }

  void check_online() const {
    const Operator* found = nullptr;
    std::size_t phases = 0;
    for (const Phase& phase : result_.plan.phases) {
      bool here = false;
      for (const std::size_t i : phase.operators) {
        const Operator& op = program_.operators[i];
        if (op.kind != Kind::kOnline) continue;
        if (found != nullptr && found != &op)
          program_.fail(op.place, "the software routers serve one online operator, and ",
                        found->name, " is one already; give all messages to one of them");
        found = &op;
        here = true;
      }
      phases += here ? 1 : 0;
    }
    if (phases < 2) return;
    program_.fail(found->place, "an online operator can be used in one phase only, but it is in ",
                  phases);
  }

  void check_lengths(const Group& group) const {
    if (group.length && *group.length > target_.max_length) {
      program_.fail(group.place + ".length", "a schedule of ", *group.length,
                    " slots is asked for, but the longest may have ", target_.max_length,
                    " (schedule.max_length)");
    }
    for (const Group& member : group.members) check_lengths(member);
  }

  // --- one phase

  CompiledPhase compile_phase(const Phase& phase, std::optional<std::uint32_t> length,
                              const Forbidden& forbidden, bool frugal = false) const {
    CompiledPhase result;
    PhaseStreams streams{program_, phase, target_, {}, {}, 1};
    for (const std::size_t op : phase.operators)
      streams.operators.push_back(make_streams(program_, op, {}));
    for (const std::size_t op : phase.continuing)
      streams.operators.push_back(make_streams(program_, op, {}));
    result.decisions = choose_techniques(streams);
    while (true) {
      for (std::size_t i = 0; i < phase.operators.size(); ++i) {
        const Operator& op = program_.operators[phase.operators[i]];
        streams.operators[i] =
            make_streams(program_, phase.operators[i], result.decisions[i].options(op));
      }
      allot_phase(streams, length, forbidden, frugal);
      if (measure(streams, result.decisions)) break;
    }
    result.barrier = std::any_of(result.decisions.begin(), result.decisions.end(),
                                 [](const Decision& d) { return d.outcome == Outcome::kBarrier; });
    for (const std::size_t op : phase.continuing)
      result.decisions.push_back({op,
                                  Outcome::kContinuing,
                                  "it has the same VFSMs and slots in all phases",
                                  "its slots in all phases",
                                  std::nullopt,
                                  {}});
    result.operators = std::move(streams.operators);
    result.slots = std::move(streams.slots);
    result.length = streams.length;
    return result;
  }

  void allot_phase(PhaseStreams& streams, std::optional<std::uint32_t> length,
                   const Forbidden& forbidden, bool frugal) const {
    std::vector<Request> requests;
    for (const OperatorStreams& operator_streams : streams.operators) {
      const Operator& op = program_.operators[operator_streams.op];
      const double share =
          op.bandwidth ? static_cast<double>(op.bandwidth->num) / op.bandwidth->den : 1;
      for (std::size_t i = 0; i < operator_streams.streams.size(); ++i) {
        Request request{&operator_streams.streams[i], share, op.slot};
        const auto fixed = fixed_.find({operator_streams.op, i});
        if (fixed != fixed_.end()) request.fixed = &fixed->second;
        requests.push_back(request);
      }
    }
    SlotLimits limits;
    limits.max_length = target_.max_length;
    limits.per_cycle = target_.rules.vfsms_per_cycle;
    limits.vfsm_buffer = target_.rules.vfsm_buffer;
    limits.length = length ? length : streams.phase.length;
    limits.frugal = frugal;
    std::optional<Allotment> found = allot(requests, limits, program_.mesh.node_count(), forbidden);
    if (!found) fail_to_allot(streams, limits);
    streams.length = found->length;
    streams.slots.clear();
    std::size_t next = 0;
    for (const OperatorStreams& operator_streams : streams.operators) {
      streams.slots.emplace_back();
      for (std::size_t i = 0; i < operator_streams.streams.size(); ++i)
        streams.slots.back().push_back(std::move(found->streams[next++]));
    }
  }

  /// Throws UserError if an operator asks for a first slot that no schedule has.
  void check_slots(const PhaseStreams& streams, const SlotLimits& limits) const {
    const std::uint32_t most = limits.length.value_or(limits.max_length);
    for (const OperatorStreams& op : streams.operators) {
      const std::optional<std::uint32_t> slot = program_.operators[op.op].slot;
      if (!slot || *slot < most) continue;
      program_.fail(program_.operators[op.op].place + ".slot", "slot ", *slot,
                    " is asked for, but the schedule has ", (limits.length ? "" : "at most "), most,
                    " slots; expected 0 to ", most - 1);
    }
  }

  [[noreturn]] void fail_to_allot(const PhaseStreams& streams, const SlotLimits& limits) const {
    check_slots(streams, limits);
    std::map<NodeIndex, std::size_t> slots;
    for (const OperatorStreams& op : streams.operators) {
      for (const StreamPlan& stream : op.streams) {
        for (std::size_t i = 0; i < stream.stops.size(); ++i)
          slots[stream.stops[i].node] += stream.slots_on(i);
      }
    }
    const auto most =
        std::max_element(slots.begin(), slots.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string length =
        limits.length ? "a schedule of " + std::to_string(*limits.length) + " slots, as asked for"
                      : "a schedule of up to " + std::to_string(limits.max_length) + " slots";
    throw DoesNotFit(program_.file, "program",
                     text::joined("the streams of phase '", streams.phase.name, "' do not fit in ",
                                  length, ": a word of each takes ", most->second,
                                  " slots on node ", program_.mesh.name(most->first),
                                  first_slots(streams),
                                  "; use shorter ways, more phases or a longer schedule"));
  }

  /// Lists the first slots that operators ask for: without them the streams could fit.
  std::string first_slots(const PhaseStreams& streams) const {
    std::string text;
    for (const OperatorStreams& streams_of : streams.operators) {
      const Operator& op = program_.operators[streams_of.op];
      if (op.slot)
        text +=
            (text.empty() ? ", and " : ", ") + op.place + ".slot is " + std::to_string(*op.slot);
    }
    return text;
  }

  /// Cycles for the words of a compiled phase: each thread takes its uses one after the other, every
  /// use its words at the rate of its slowest stream (numesh.md 3.8).
  std::uint64_t transfer_cycles(const Phase& phase, const CompiledPhase& compiled) const {
    std::map<std::size_t, std::uint64_t> of_use;
    for (std::size_t i = 0; i < phase.operators.size(); ++i) {
      const Operator& op = program_.operators[phase.operators[i]];
      std::uint64_t longest = 0;
      for (std::size_t s = 0; s < compiled.slots[i].size(); ++s) {
        const Pace pace = pace_of(compiled.operators[i].streams[s], compiled.slots[i][s],
                                  compiled.length, target_.rules.vfsm_buffer);
        const std::uint64_t cycles = std::uint64_t{op.words} * pace.cycles;
        longest = std::max(longest, (cycles + pace.words - 1) / pace.words);
      }
      of_use[phase.operators[i]] = longest;
    }
    std::uint64_t cycles = 0;
    for (const Thread& thread : phase.threads) {
      std::uint64_t sum = 0;
      for (const Use& use : thread.uses)
        sum += use.is_work ? program_.works[use.index].cycles : of_use[use.index];
      cycles = std::max(cycles, sum);
    }
    return cycles;
  }

  // --- several phases

  /// Continuing operators have equal slots in all phases of a common length, which also serves
  /// where regions are in different phases at one time (numesh.md 3.7).
  void fix_continuing() {
    if (result_.plan.continuing.empty()) return;
    const std::optional<std::uint32_t> asked = asked_length();
    std::uint32_t least = 1;
    for (const Phase& phase : result_.plan.phases)
      least = std::max(least, compile_phase(phase, {}, nullptr).length);
    const std::uint32_t most = asked.value_or(target_.max_length);
    for (common_length_ = asked.value_or(least); *common_length_ <= most; ++*common_length_) {
      fixed_.clear();
      if (try_common_length()) return;
    }
    if (refusal_) throw UserError(*refusal_);
    program_.fail("program", "there is no schedule of ", (asked ? "" : "up to "), most, " slots",
                  (asked ? ", as asked for," : ""),
                  " in which the continuing operators have the same slots in all phases");
  }
  bool try_common_length() {
    try {
      Phase only;
      only.name = "continuing operators";
      only.continuing = result_.plan.continuing;
      const CompiledPhase alone = compile_phase(only, common_length_, nullptr);
      for (std::size_t op = 0; op < alone.operators.size(); ++op) {
        for (std::size_t i = 0; i < alone.slots[op].size(); ++i)
          fixed_[{alone.operators[op].op, i}] = thin(alone.slots[op][i]);
      }
      for (const Phase& phase : result_.plan.phases) compile_phase(phase, common_length_, nullptr);
      return true;
    } catch (const DoesNotFit&) {
      refusal_.reset();
    } catch (const UserError& e) {  // another length may do
      refusal_ = e;
    }
    return false;
  }
  /// A stream that is alone gets all slots that it asks for. This leaves half of them to others.
  static StreamSlots thin(StreamSlots slots) {
    const std::size_t keep = std::max<std::size_t>(1, slots.starts.size() / 2);
    std::vector<std::uint32_t> starts;
    for (std::size_t i = 0; i < keep; ++i)
      starts.push_back(slots.starts[i * slots.starts.size() / keep]);
    slots.starts = std::move(starts);
    return slots;
  }

  /// Where all phases have one length, that is the one the program asks for, if it asks for one.
  std::optional<std::uint32_t> asked_length() const {
    std::optional<std::uint32_t> asked;
    for (const Phase& phase : result_.plan.phases) {
      if (phase.length && asked && *asked != *phase.length)
        program_.fail("program", "schedules of ", *asked, " and of ", *phase.length,
                      " slots are asked for, but all phases have one length with continuing "
                      "operators and under policies hold and check");
      if (phase.length) asked = phase.length;
    }
    return asked;
  }

  /// Compiles each phase for itself. Under policy TAG neighbours could be two phases apart; where
  /// it costs nothing, phases have slots of their own, so that it does not matter.
  void compile_phases() {
    const bool tries = target_.rules.skew == scheduled::SkewPolicy::kTag && is_crowded();
    std::uint32_t longest = 1;
    for (const Phase& phase : result_.plan.phases) {
      result_.phases.push_back(compile_phase(phase, common_length_, nullptr));
      longest = std::max(longest, result_.phases.back().length);
    }
    ListeningSlots listening;
    for (std::size_t p = 0; tries && p < result_.phases.size(); ++p) {
      CompiledPhase& phase = result_.phases[p];
      const std::uint64_t cost = transfer_cycles(result_.plan.phases[p], phase);
      for (const std::uint32_t length : {phase.length, longest}) {
        if (length != phase.length && (result_.plan.phases[p].length || common_length_)) continue;
        std::optional<CompiledPhase> apart =
            compile_beside(result_.plan.phases[p], length, listening);
        if (!apart || transfer_cycles(result_.plan.phases[p], *apart) > cost) continue;
        phase = std::move(*apart);
        break;
      }
      listening.add(phase);
    }
  }
  std::optional<CompiledPhase> compile_beside(const Phase& phase, std::uint32_t length,
                                              const ListeningSlots& listening,
                                              bool frugal = false) const {
    try {
      return compile_phase(
          phase, length,
          [&](NodeIndex node, NodeIndex from, std::uint32_t slot, std::uint32_t of) {
            return listening.collides(node, from, slot, of);
          },
          frugal);
    } catch (const UserError&) {  // the phase does not fit
      return std::nullopt;
    }
  }

  /// For the policies HOLD and CHECK: no slot in which a node listens to a neighbour is used for
  /// that in another phase, in schedules of one length.
  void compile_apart() {
    const std::optional<std::uint32_t> fixed = common_length_ ? common_length_ : asked_length();
    const std::uint32_t least = fixed.value_or(least_length_apart());
    const std::uint32_t most = fixed.value_or(target_.max_length);
    for (std::uint32_t length = least; length <= most; length += 1 + length / 4) {
      if (compile_apart(length)) return;
    }
    program_.fail("program", "there is no schedule of up to ", most,
                  " slots in which the phases use no slot of a link twice, as skew policy "
                  "hold and check need it; use policy tag or barrier, or "
                  "a longer schedule (schedule.max_length)");
  }
  /// The least length of a schedule in which a link can carry the streams of all phases.
  std::uint32_t least_length_apart() const {
    std::uint32_t least = 1;
    std::map<std::pair<NodeIndex, NodeIndex>, std::uint32_t> streams_on;
    for (const Phase& phase : result_.plan.phases) {
      const CompiledPhase alone = compile_phase(phase, {}, nullptr);
      least = std::max(least, alone.length);
      for (const OperatorStreams& op : alone.operators) {
        for (const StreamPlan& stream : op.streams) {
          for (std::size_t s = 1; s < stream.stops.size(); ++s)
            least = std::max(
                least,
                ++streams_on[{stream.stops[stream.stops[s].parent].node, stream.stops[s].node}]);
        }
      }
    }
    return least;
  }
  bool compile_apart(std::uint32_t length) {
    ListeningSlots listening;
    result_.phases.clear();
    for (const Phase& phase : result_.plan.phases) {
      std::optional<CompiledPhase> compiled = compile_beside(phase, length, listening, true);
      if (!compiled) return false;
      listening.add(*compiled);
      result_.phases.push_back(std::move(*compiled));
    }
    return true;
  }

  void find_region_nodes() {
    std::map<NodeIndex, std::size_t> region_of;
    for (std::size_t r = 0; r < result_.plan.regions.size(); ++r) {
      std::set<NodeIndex> nodes;
      for (const std::size_t turn : result_.plan.regions[r].turns) add_nodes(turn, nodes);
      for (const NodeIndex node : nodes) {
        if (region_of.emplace(node, r).second) continue;
        program_.fail(program_.group.place,
                      "members of the parallel group change phases for themselves, but both use "
                      "node ",
                      program_.mesh.name(node),
                      "; only a member with one phase may share nodes with others");
      }
      result_.region_nodes.emplace_back(nodes.begin(), nodes.end());
    }
  }
  void add_nodes(std::size_t turn, std::set<NodeIndex>& nodes) const {
    const Phase& phase = result_.plan.phases[turn];
    for (const std::size_t op : phase.operators) {
      // Branches to processors come later; the ways do not change.
      const Nodes touched = make_streams(program_, op, {}).touched;
      nodes.insert(touched.begin(), touched.end());
    }
    for (const Use& use : phase.uses()) {
      if (!use.is_work) continue;
      const Nodes& at = program_.works[use.index].nodes;
      nodes.insert(at.begin(), at.end());
    }
  }

  const Program& program_;
  const Target& target_;
  Compiled result_;
  std::optional<std::uint32_t> common_length_;
  std::optional<UserError> refusal_;  // error of the last common length, if it had slots
  std::map<std::pair<std::size_t, std::size_t>, StreamSlots> fixed_;  // by operator and stream
};

}  // namespace

Compiled compile(const Program& program, const Target& target, const Preferences& preferred) {
  return Compiler(program, target).compile(preferred);
}

}  // namespace tessera::operators
