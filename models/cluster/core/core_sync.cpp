#include "models/cluster/core/core_sync.h"

#include <algorithm>

#include "models/cluster/program/legality.h"

namespace tessera::cluster {

using observe::EventKind;

sync::Request request_of(const Instruction& i, std::uint32_t pc, Pipe pipe, std::int64_t id,
                         CoreId core) {
  const bool sets = i.op == Opcode::kSetCrossCore || i.op == Opcode::kSetIntraBlock;
  const bool intra = i.op == Opcode::kSetIntraBlock || i.op == Opcode::kWaitIntraCore;
  sync::Request r;
  r.operation = sets ? sync::Operation::kSet : sync::Operation::kWait;
  r.mode = intra                           ? Mode::kIntraBlock
           : i.op == Opcode::kSetCrossCore ? static_cast<Mode>(i.mode)
                                           : Mode::kAll;
  r.pipe = pipe;
  r.id = static_cast<std::uint8_t>(id);
  r.core = core;
  r.tag = pc;
  return r;
}

void CoreSync::dispatch(const Instruction& i, QueueEntry& entry) {
  const std::uint32_t pc = entry.pc;
  entry.id = context_.value(i.id);
  if (i.id.is_register) {
    const auto found =
        find_id_violation(i, entry.id, {context_.config, context_.launch, context_.core});
    if (found) context_.illegal(pc, found->text, found->id);
  }
  if (i.op == Opcode::kSetCrossCore || i.op == Opcode::kWaitFlagDev) {
    if (config().needs_ffts && !ffts_set_ && config().missing_ffts == Undefined::kError)
      context_.illegal(pc, "the FFTS base address has not been set on this core", kFftsId);
    entry.id &= sync::kFlagIds - 1;
  }
  if (i.op == Opcode::kWaitFlag)
    ++queued_waits_[FlagTable::index({i.pipe, i.to, static_cast<std::uint8_t>(entry.id)})];
  const auto lock = static_cast<unsigned>(entry.id);
  if (i.op == Opcode::kGetBuf) {
    const auto ticket = locks_.get(lock, i.pipe, i.mode == 0);
    if (!ticket) context_.illegal(pc, "the pipe holds this lock already", kBufferLockId);
    entry.ticket = *ticket;
  }
  if (i.op == Opcode::kRlsBuf && !locks_.give_back(lock, i.pipe))
    context_.illegal(pc, "the pipe does not hold this lock", kBufferLockId);
}

WaitReason CoreSync::perform(Pipe pipe, const QueueEntry& entry, Cycle complete, Cycle now) {
  const Opcode op = context_.code(entry.pc).op;
  if (op == Opcode::kWaitFlag) return wait_flag(pipe, entry, now);
  if (op == Opcode::kGetBuf) return take_lock(entry, now);
  if (op == Opcode::kWaitFlagDev || op == Opcode::kWaitIntraCore)
    return wait_cross_core(pipe, entry, now);
  if (op == Opcode::kSetFfts)
    ffts_set_ = true;
  else if (op == Opcode::kSetFlag)
    effects_.add({Effect::kFlag, entry.pc, entry.id}, complete + config().flag_latency);
  else if (op == Opcode::kRlsBuf)
    effects_.add({Effect::kRelease, entry.pc, entry.id}, std::max(complete, now + 1));
  else if (complete == now)
    signal(entry.pc, entry.id, now);
  else
    effects_.add({Effect::kSignal, entry.pc, entry.id}, complete);
  return WaitReason::kNone;
}

WaitReason CoreSync::wait_flag(Pipe pipe, const QueueEntry& entry, Cycle now) {
  const Flag flag{context_.code(entry.pc).pipe, pipe, static_cast<std::uint8_t>(entry.id)};
  if (!flags_.take(flag)) return WaitReason::kFlag;
  --queued_waits_[FlagTable::index(flag)];
  latency(Mechanism::kFlag).add(now - flag_fired_[FlagTable::index(flag)]);
  context_.probe.emit(now, EventKind::kFlag,
                      sync::index(flag.from) | sync::index(pipe) << 8 | unsigned{flag.id} << 16, 0);
  return WaitReason::kNone;
}

WaitReason CoreSync::take_lock(const QueueEntry& entry, Cycle now) {
  const auto lock = static_cast<unsigned>(entry.id);
  if (!locks_.is_granted(lock, entry.ticket)) return WaitReason::kLock;
  if (!entry.ticket.at_once && entry.ticket.number > 0)
    latency(Mechanism::kLock).add(now - lock_fired_[lock]);
  return WaitReason::kNone;
}

WaitReason CoreSync::wait_cross_core(Pipe pipe, const QueueEntry& entry, Cycle now) {
  CrossCoreWait& wait = waits_[sync::index(pipe)];
  const sync::Request r =
      request_of(context_.code(entry.pc), entry.pc, pipe, entry.id, context_.core);
  if (!wait.asked) {
    wait.asked = true;
    context_.step.asks.push_back({r, now + 1});
  }
  if (!wait.granted) return WaitReason::kCrossCore;
  wait = {};
  context_.probe.emit(now, EventKind::kGrant,
                      sync::index(pipe) | static_cast<unsigned>(r.mode) << 8 | unsigned{r.id} << 16,
                      entry.pc);
  return WaitReason::kNone;
}

void CoreSync::take_answer(const sync::Answer& answer) {
  const sync::Request& r = answer.request;
  if (answer.verdict == sync::Verdict::kGranted) waits_[sync::index(r.pipe)].granted = true;
  if (answer.verdict != sync::Verdict::kIllegal) return;
  if (answer.reason == sync::Reason::kUnreachable)
    context_.illegal(
        r.tag, "the subblock that id " + std::to_string(r.id) + " names is not part of the launch",
        kUnreachableId);
  context_.illegal(r.tag,
                   "more than " + std::to_string(config().counter_max) + " sets of id " +
                       std::to_string(r.id) + " without a wait: the counter overflows",
                   kOverflowId);
}

void CoreSync::apply_effects(Cycle now) {
  std::vector<Effect>& due = effects_.take(now);
  if (due.empty()) return;
  std::stable_sort(due.begin(), due.end(),
                   [](const Effect& a, const Effect& b) { return a.kind < b.kind; });
  for (const Effect& effect : due) {
    if (effect.kind == Effect::kFlag) {
      raise_flag(effect, now);
    } else if (effect.kind == Effect::kSignal) {
      signal(effect.pc, effect.id, now);
    } else {
      locks_.release(static_cast<unsigned>(effect.id));
      lock_fired_[static_cast<std::size_t>(effect.id)] = now;
    }
  }
  context_.progressed = true;
}

void CoreSync::raise_flag(const Effect& effect, Cycle now) {
  const Instruction& i = context_.code(effect.pc);
  const Flag flag{i.pipe, i.to, static_cast<std::uint8_t>(effect.id)};
  const unsigned index = FlagTable::index(flag);
  // A set counts if a wait for every set before it stands in the queue of the other pipe.
  const bool taken = flags_.count(flag) <= queued_waits_[index];
  order_.raise_flag(flag, taken);
  if (!taken) {
    if (config().double_set == Undefined::kIgnore) return;
    context_.illegal(effect.pc, "the flag is set already: nobody has waited for the set before",
                     kDoubleSetId);
  }
  flags_.add(flag);
  flag_fired_[index] = now - std::min<Cycle>(now, config().flag_latency);
  context_.probe.emit(now, EventKind::kFlag,
                      sync::index(i.pipe) | sync::index(i.to) << 8 | unsigned{flag.id} << 16, 1);
}

void CoreSync::signal(std::uint32_t pc, std::int64_t id, Cycle now) {
  const Instruction& i = context_.code(pc);
  const sync::Request r = request_of(i, pc, i.pipe, id, context_.core);
  context_.step.asks.push_back({r, now + 1});
  context_.probe.emit(
      now, EventKind::kSignal,
      sync::index(r.pipe) | static_cast<unsigned>(r.mode) << 8 | unsigned{r.id} << 16, pc);
}

std::vector<std::string> CoreSync::flags_set() const {
  std::vector<std::string> list;
  for (const Pipe from : sync::kPipes)
    for (const Pipe to : sync::kPipes)
      for (std::uint8_t id = 0; id < FlagTable::kMaxEvents; ++id)
        if (flags_.count({from, to, id}) > 0)
          list.push_back(std::string(to_string(from)) + " to " + to_string(to) + ", event " +
                         std::to_string(id));
  return list;
}

}  // namespace tessera::cluster
