#include "models/cluster/core/core_waits.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

namespace {

/// A flag or a set with this id; one whose id is in a register may be it.
bool may_be(const Instruction& i, const std::int64_t* known, std::int64_t id) {
  return known != nullptr ? *known == id : i.id.is_register || i.id.value == id;
}

auto is_signal(Mode mode, unsigned id) {
  return [mode, id](const Instruction& i, const std::int64_t* known) {
    const bool intra = mode == Mode::kIntraBlock;
    if (i.op != (intra ? Opcode::kSetIntraBlock : Opcode::kSetCrossCore)) return false;
    return (intra || i.mode == static_cast<unsigned>(mode)) && may_be(i, known, id);
  };
}

}  // namespace

// It has been carried out, the instruction stands in a queue, or the scalar unit has not come to it, or there is none.
CoreWaits::Reason CoreWaits::why_not_done(const IsMissing& is) const {
  const std::string core = to_string(context_.core);
  if (const auto set = sync_.under_way(is))
    return {context_.at(set->pc) + " is under way and takes effect in cycle " +
            std::to_string(set->due)};
  for (const PipeState& p : context_.pipes.all) {
    for (std::size_t k = 0; k < p.queue.size(); ++k) {
      const QueueEntry& entry = p.queue[k];
      if (!is(context_.code(entry.pc), &entry.id)) continue;
      return {
          context_.at(entry.pc) + " stands in the queue of pipe " + to_string(p.pipe) + ", which " +
          (p.blocked == WaitReason::kNone ? "goes on"
                                          : "is held back by " + context_.at(p.queue.front().pc))};
    }
  }
  if (!has(is)) return {"the program of " + core + " has no set of it", true};
  if (scalar_.ended()) return {"the program of " + core + " has ended", true};
  const std::uint32_t pc = scalar_.pc();
  const std::string where = "the scalar unit of " + core + " is " +
                            (scalar_.is_between() ? "in native code" : "at " + context_.at(pc));
  for (std::uint32_t next = pc; next < context_.program->code.size(); ++next)
    if (is(context_.code(next), nullptr))
      return {where + " and has not come to " + context_.at(next)};
  return {where + ", after the last set of it"};
}

bool CoreWaits::has(const IsMissing& is) const {
  if (!context_.program) return false;
  const std::vector<Instruction>& code = context_.program->code;
  return std::any_of(code.begin(), code.end(),
                     [&is](const Instruction& i) { return is(i, nullptr); });
}

bool CoreWaits::has_signal(Mode mode, unsigned id) const {
  return has(is_signal(mode, id));
}

CoreWaits::Reason CoreWaits::why_no_signal(Mode mode, unsigned id) const {
  if (!context_.program) return {to_string(context_.core) + " has no program", true};
  return why_not_done(is_signal(mode, id));
}

// `pc` is that of the instruction that is held back.
CoreWaits::Wanted CoreWaits::wanted(const PipeState& p, std::uint32_t pc,
                                    const Explain& explain) const {
  constexpr unsigned kSymptom = 3;  // after those who wait for a signal
  const Instruction& i = context_.code(pc);
  const std::int64_t id = p.pipe == Pipe::kS ? context_.value(i.id) : p.queue.front().id;
  const WaitReason reason = p.blocked;
  const bool orders = is_tile_operation(i.op) || uses_scalar_cache(i.op);
  if (reason == WaitReason::kFlag && orders)
    return {"earlier operations on the same bytes", {}, kSymptom};
  if (reason == WaitReason::kFlag)
    return {std::string("the flag ") + to_string(i.pipe) + " to " + to_string(i.to) + ", event " +
                std::to_string(id),
            why_not_done([&i, id](const Instruction& set, const std::int64_t* known) {
              return set.op == Opcode::kSetFlag && set.pipe == i.pipe && set.to == i.to &&
                     may_be(set, known, id);
            })};
  if (reason == WaitReason::kLock)
    return {"lock " + std::to_string(id),
            why_not_done([&i, id](const Instruction& release, const std::int64_t* known) {
              return release.op == Opcode::kRlsBuf && release.pipe != i.pipe &&
                     may_be(release, known, id);
            })};
  if (reason == WaitReason::kCrossCore)
    return explain(request_of(i, pc, p.pipe, id, context_.core));
  if (reason == WaitReason::kUnitFlag && i.op == Opcode::kMad)
    return {"blocks of L0C that FIX has not read", {}, 2};
  if (reason == WaitReason::kUnitFlag)
    return {"blocks of L0C that no MAD with unit flag 3 has written", {}, 2};
  if (reason == WaitReason::kQueue) {
    const std::string pipe = to_string(queue_of(i, context_.config.core.sync));
    return {"room in the queue of pipe " + pipe, {}, kSymptom};
  }
  if (reason == WaitReason::kMemory) return {"a word of GM", {}, 2};
  return {"the results of earlier instructions", {}, kSymptom};  // kBarrier
}

std::vector<CoreWaits::BlockedPipe> CoreWaits::blocked_pipes(const Explain& explain) const {
  std::vector<BlockedPipe> list;
  for (const PipeState& p : context_.pipes.all) {
    if (p.blocked == WaitReason::kNone) continue;
    const std::uint32_t pc = p.pipe == Pipe::kS ? scalar_.pc() : p.queue.front().pc;
    const Wanted wants = wanted(p, pc, explain);
    const std::string& why = wants.why.text;
    BlockedPipe blocked;
    blocked.wait.place = context_.probe.place();
    blocked.wait.who = std::string("pipe ") + to_string(p.pipe) + " of " +
                       to_string(context_.core) + " (" + context_.at(pc) + ")";
    blocked.wait.what = wants.what + (why.empty() ? "" : ": " + why);
    blocked.distance = wants.why.never ? 0 : wants.distance;
    if (wants.why.never) blocked.cause = wants.what + " never comes: " + why;
    list.push_back(std::move(blocked));
  }
  return list;
}

}  // namespace tessera::cluster
