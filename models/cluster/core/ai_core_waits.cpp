// Who waits for what in AiCore, and why those that could help do not.
#include <algorithm>
#include <utility>

#include "models/cluster/core/ai_core.h"

namespace tessera::cluster {

namespace {

std::string pair_text(const Instruction& i) {
  return std::string(to_string(i.pipe)) + " to " + to_string(i.to);
}

}  // namespace

std::vector<std::string> AiCore::flags_set() const {
  std::vector<std::string> list;
  for (const Pipe from : sync::kPipes) {
    for (const Pipe to : sync::kPipes) {
      for (std::uint8_t id = 0; id < FlagTable::kMaxEvents; ++id) {
        if (!flags_.is_set({from, to, id})) continue;
        list.push_back(std::string(to_string(from)) + " to " + to_string(to) + ", event " +
                       std::to_string(id));
      }
    }
  }
  return list;
}

// Why no instruction that `is` knows has happened: it stands in a queue, or the scalar unit has not
// come to it, or there is none.
AiCore::Reason AiCore::why_not_done(const IsMissing& is) const {
  for (const Pipe pipe : sync::kPipes) {
    const PipeState& p = state(pipe);
    for (std::size_t k = 0; k < p.queue.size(); ++k) {
      const Entry& entry = p.queue[k];
      if (!is(code(entry.pc), &entry.id)) continue;
      return {at(entry.pc) + " stands in the queue of pipe " + to_string(pipe) + ", which " +
              (p.blocked == WaitReason::kNone ? "goes on"
                                              : "is held back by " + at(p.queue.front().pc))};
    }
  }
  if (!has(is)) return {"the program of " + to_string(core_) + " has no set of it", true};
  if (ended_) return {"the program of " + to_string(core_) + " has ended", true};
  const std::string where = "the scalar unit of " + to_string(core_) + " is at " + at(pc_);
  for (std::uint32_t pc = pc_; pc < program_->code.size(); ++pc)
    if (is(code(pc), nullptr)) return {where + " and has not come to " + at(pc)};
  return {where + ", behind the last set of it"};
}

bool AiCore::has(const IsMissing& is) const {
  if (!program_) return false;
  return std::any_of(program_->code.begin(), program_->code.end(),
                     [&is](const Instruction& i) { return is(i, nullptr); });
}

// A set of `id` in `mode`; one whose id is in a register may be it.
AiCore::IsMissing AiCore::signal_matcher(Mode mode, unsigned id) {
  return [mode, id](const Instruction& i, const std::int64_t* known) {
    const bool intra = mode == Mode::kIntraBlock;
    if (i.op != (intra ? Opcode::kSetIntraBlock : Opcode::kSetCrossCore)) return false;
    if (!intra && i.mode != static_cast<unsigned>(mode)) return false;
    if (known != nullptr) return *known == std::int64_t{id};
    return i.id.is_register || i.id.value == std::int64_t{id};
  };
}

bool AiCore::has_signal(Mode mode, unsigned id) const {
  return has(signal_matcher(mode, id));
}

AiCore::Reason AiCore::why_no_signal(Mode mode, unsigned id) const {
  if (!program_) return {to_string(core_) + " has no program", true};
  return why_not_done(signal_matcher(mode, id));
}

AiCore::Wanted AiCore::what_it_waits_for(Pipe pipe, const Explain& explain) const {
  constexpr unsigned kSymptom = 3;  // behind those who wait for a signal
  const PipeState& p = state(pipe);
  const std::uint32_t pc = pipe == Pipe::kS ? pc_ : p.queue.front().pc;
  const Instruction& i = code(pc);
  const std::int64_t id = pipe == Pipe::kS ? value(i.id) : p.queue.front().id;
  switch (p.blocked) {
  case WaitReason::kFlag:
    if (is_tile_operation(i.op) || uses_scalar_cache(i.op))
      return {"earlier operations on the same bytes", {}, kSymptom};
    return {"the flag " + pair_text(i) + ", event " + std::to_string(id),
            why_not_done([&i, id](const Instruction& set, const std::int64_t* known) {
              if (set.op != Opcode::kSetFlag || set.pipe != i.pipe || set.to != i.to) return false;
              return known != nullptr ? *known == id : set.id.is_register || set.id.value == id;
            })};
  case WaitReason::kLock:
    return {"lock " + std::to_string(id),
            why_not_done([&i, id](const Instruction& release, const std::int64_t* known) {
              if (release.op != Opcode::kRlsBuf || release.pipe == i.pipe) return false;
              return known != nullptr ? *known == id
                                      : release.id.is_register || release.id.value == id;
            })};
  case WaitReason::kBarrier:
    return {"the results of earlier instructions", {}, kSymptom};
  case WaitReason::kCrossCore:
    return explain(request(sync::Operation::kWait, pc, pipe, id));
  case WaitReason::kUnitFlag:
    return {i.op == Opcode::kMad ? "blocks of L0C that FIX has not read"
                                 : "blocks of L0C that no MAD with unit flag 3 has written",
            {},
            2};
  case WaitReason::kQueue:
    return {std::string("room in the queue of pipe ") + to_string(queue_of(i)), {}, kSymptom};
  case WaitReason::kMemory:
    return {"a word of GM", {}, 2};
  case WaitReason::kNone:
    break;
  }
  return {"nothing", {}, kSymptom};
}

std::vector<AiCore::BlockedPipe> AiCore::blocked_pipes(const Explain& explain) const {
  std::vector<BlockedPipe> list;
  if (finished_) return list;
  for (const Pipe pipe : sync::kPipes) {
    const PipeState& p = state(pipe);
    if (p.blocked == WaitReason::kNone) continue;
    const std::uint32_t pc = pipe == Pipe::kS ? pc_ : p.queue.front().pc;
    const Wanted wanted = what_it_waits_for(pipe, explain);
    const std::string& why = wanted.why.text;
    BlockedPipe blocked;
    blocked.wait.place = probe_.place();
    blocked.wait.who =
        std::string("pipe ") + to_string(pipe) + " of " + to_string(core_) + " (" + at(pc) + ")";
    blocked.wait.what = wanted.what + (why.empty() ? "" : ": " + why);
    blocked.distance = wanted.why.never ? 0 : wanted.distance;
    if (wanted.why.never) blocked.cause = wanted.what + " never comes: " + why;
    list.push_back(std::move(blocked));
  }
  return list;
}

void AiCore::describe_waits(observe::Waits& waits, const Explain& explain) const {
  for (BlockedPipe& blocked : blocked_pipes(explain)) waits.push_back(std::move(blocked.wait));
}

}  // namespace tessera::cluster
