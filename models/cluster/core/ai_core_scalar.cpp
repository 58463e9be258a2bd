// The scalar unit of AiCore.
#include <algorithm>
#include <utility>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/memory/gm_place.h"
#include "models/cluster/program/illegal.h"

namespace tessera::cluster {

namespace {

/// Far beyond all buffers, and small enough for costs not to overflow.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
constexpr std::int64_t kMostCycles = std::int64_t{1} << 40;

}  // namespace

void AiCore::serve_scalar(Cycle now) {
  PipeState& s = state(Pipe::kS);
  s.wake = kNever;
  if (ended_) return;
  if (s.free_at > now) {
    s.wake = s.free_at;
    return;
  }
  const WaitReason reason = issue(now);
  if (reason != WaitReason::kNone) {
    note_blocked(s, reason, now);
    return;
  }
  note_unblocked(s, s.busy_until, now);
  ++pc_;
  ++s.stats.instructions;
  s.stats.busy += s.free_at - now;
  s.busy_until = s.free_at;
  progressed_ = true;
}

Pipe AiCore::queue_of(const Instruction& i) const {
  switch (i.op) {
  case Opcode::kWaitFlag:
    return i.to;
  case Opcode::kBarrier:
    return i.pipe == Pipe::kAll ? Pipe::kS : i.pipe;
  case Opcode::kWaitFlagDev:
    return sync_config().waits_stop_core ? Pipe::kS : i.pipe;
  default:
    return i.op < Opcode::kSetFfts ? i.pipe : Pipe::kS;
  }
}

WaitReason AiCore::issue(Cycle now) {
  const Instruction& i = code(pc_);
  const Pipe pipe = queue_of(i);
  if (pipe != Pipe::kS) return enqueue(i, pipe, now);
  const bool is_sync = i.op < Opcode::kSet;
  const WaitReason reason = is_sync ? issue_sync(i, now) : issue_scalar(i, now);
  if (reason != WaitReason::kNone) return reason;
  const Cycle takes = std::max<Cycle>(std::exchange(scalar_takes_, 0), config_.core.scalar_cycles);
  state(Pipe::kS).free_at = now + std::max<Cycle>(takes, 1);
  return reason;
}

bool AiCore::takes_no_room(const Instruction& i) const {
  return i.op == Opcode::kSetFlag && !config_.core.sets_take_room;
}

bool AiCore::has_room(const Instruction& i, Pipe pipe) const {
  const PipeState& p = state(pipe);
  const std::size_t depth = config_.core.queue_depth[sync::index(pipe)];
  return takes_no_room(i) ? p.sets < depth : p.queue.size() - p.sets < depth;
}

WaitReason AiCore::enqueue(const Instruction& i, Pipe pipe, Cycle now) {
  PipeState& p = state(pipe);
  if (!has_room(i, pipe)) return WaitReason::kQueue;
  Entry entry;
  entry.pc = pc_;
  entry.visible_at = now + 1;
  check_dispatch(i, entry);
  const std::int64_t largest = i.op == Opcode::kBusy ? kMostCycles : kMostElements;
  for (std::size_t k = 0; k < entry.sizes.size(); ++k) {
    entry.sizes[k] = value(i.size[k]);
    if (entry.sizes[k] < 0 || entry.sizes[k] > largest)
      illegal(pc_,
              "a size of " + std::to_string(entry.sizes[k]) + ", expected 0.." +
                  std::to_string(largest),
              kSizeId);
  }
  const ResolvedOperation* const operands = resolve_operands(i, entry);
  if (operands != nullptr && follows_l2(i)) entry.place = place_of(*operands);
  const unsigned extra = sync_inserter_ ? note_dispatch(i, pipe, entry, operands) : 0;
  p.queue.push_back(entry);
  if (takes_no_room(i)) ++p.sets;
  state(Pipe::kS).free_at = now + std::max(1U, config_.core.issue_cycles) * (1 + extra);
  return WaitReason::kNone;
}

bool AiCore::follows_l2(const Instruction& i) const {
  const bool uses_gm =
      i.op == Opcode::kCopyIn || i.op == Opcode::kCopyOut || i.op == Opcode::kFixOut;
  return uses_gm && config_.core.cost.l2_bytes > 0;
}

transfer::Place AiCore::place_of(const ResolvedOperation& operation) const {
  for (std::size_t k = 0; k < operation.count; ++k) {
    const ResolvedOperand& operand = operation.operands[k];
    if (operand.location == Location::kGm)
      return cluster::place_of(operand, array_bases_[operand.array]);
  }
  return {};
}

std::int64_t AiCore::cross_core_id(std::int64_t id) const {
  return id & (sync::kFlagIds - 1);
}

// What can only be known when the instruction leaves the scalar unit, in the order of the program.
void AiCore::check_dispatch(const Instruction& i, Entry& entry) {
  entry.id = value(i.id);
  if (i.id.is_register) {
    const auto found = find_id_violation(i, entry.id, {config_, launch_, core_});
    if (found) illegal(pc_, found->text, found->id);
  }
  if (i.op == Opcode::kSetCrossCore || i.op == Opcode::kWaitFlagDev) {
    if (sync_config().needs_ffts && !ffts_set_ && sync_config().missing_ffts == Undefined::kError)
      illegal(pc_, "the FFTS base address has not been set on this core", kFftsId);
    entry.id = cross_core_id(entry.id);
  }
  const auto lock = static_cast<unsigned>(entry.id);
  if (i.op == Opcode::kGetBuf) {
    const auto ticket = locks_.get(lock, i.pipe, i.mode == 0);
    if (!ticket) illegal(pc_, "the pipe holds this lock already", kBufferLockId);
    entry.ticket = *ticket;
  }
  if (i.op == Opcode::kRlsBuf && !locks_.give_back(lock, i.pipe))
    illegal(pc_, "the pipe does not hold this lock", kBufferLockId);
}

WaitReason AiCore::wait_for_all(Cycle now) {
  for (const Pipe pipe : sync::kPipes) {
    const PipeState& p = state(pipe);
    if (!p.queue.empty() || p.moving) return WaitReason::kBarrier;
    if (pipe == Pipe::kS || p.complete_at <= now) continue;
    state(Pipe::kS).wake = p.complete_at;
    return WaitReason::kBarrier;
  }
  return WaitReason::kNone;
}

WaitReason AiCore::issue_sync(const Instruction& i, Cycle now) {
  Entry entry;
  entry.pc = pc_;
  check_dispatch(i, entry);
  const WaitReason reason = do_scalar_sync(i, entry, now);
  if (reason == WaitReason::kNone && hazards_ != nullptr) note_sync(Pipe::kS, entry);
  return reason;
}

WaitReason AiCore::do_scalar_sync(const Instruction& i, const Entry& entry, Cycle now) {
  switch (i.op) {
  case Opcode::kSetFfts:
    ffts_set_ = true;
    return WaitReason::kNone;
  case Opcode::kBarrier:
    return wait_for_all(now);
  case Opcode::kSetFlag:
    effects_.push_back({Effect::kFlag, now + sync_config().flag_latency, pc_, entry.id});
    return WaitReason::kNone;
  case Opcode::kWaitFlag:
    return try_wait_flag(Pipe::kS, entry, now);
  case Opcode::kSetIntraBlock:
    signal(pc_, entry.id, now);
    return WaitReason::kNone;
  default:
    return try_cross_core_wait(Pipe::kS, pc_, entry.id, now);
  }
}

WaitReason AiCore::access_word(const Instruction& i, Cycle now) {
  if (word_under_way_) return WaitReason::kMemory;
  if (word_asked_) {
    word_asked_ = false;
    if (hazards_ != nullptr) note_word(i);
    registers_[i.rd] = word_;
    return WaitReason::kNone;
  }
  transfer::Transfer t;
  t.core = core_;
  t.latency = config_.core.cost.word_latency;
  t.address = static_cast<std::uint64_t>(value(i.a));
  t.value = value(i.b);
  t.rate_limit = 1;
  t.access = i.op == Opcode::kGmLoad  ? transfer::WordAccess::kLoad
             : i.op == Opcode::kGmAdd ? transfer::WordAccess::kAdd
                                      : transfer::WordAccess::kStore;
  step_.moves.push_back({t, now + 1});
  word_under_way_ = true;
  if (hazards_ != nullptr && i.op != Opcode::kGmLoad) hazards_->write_word(core_, t.address);
  if (i.op == Opcode::kGmStore) return WaitReason::kNone;  // nobody waits for it
  word_asked_ = true;
  return WaitReason::kMemory;
}

std::int64_t AiCore::special(SpecialValue which) const {
  switch (which) {
  case SpecialValue::kBlockIndex:
    if (core_.is_aic() || aivs_of(launch_.ratio) < 2) return core_.cluster;
    return 2 * core_.cluster + core_.subblock();
  case SpecialValue::kCluster:
    return core_.cluster;
  case SpecialValue::kBlockCount:
    return launch_.block_count();
  case SpecialValue::kSubblockIndex:
    return core_.is_aic() ? 0 : core_.subblock();
  default:
    return aivs_of(launch_.ratio);
  }
}

std::int64_t AiCore::compute(const Instruction& i) const {
  const std::int64_t a = value(i.a), b = value(i.b);
  switch (i.op) {
  case Opcode::kCompare:
    return holds(i.predicate, a, b) ? 1 : 0;
  case Opcode::kSelect:
    return value(i.c) != 0 ? a : b;
  case Opcode::kGet:
    return special(i.special);
  case Opcode::kDiv:
  case Opcode::kRem:
  case Opcode::kCeilDiv:
  case Opcode::kFloorDiv:
    if (b == 0) illegal(pc_, "division by zero", kScalarId);
    return calculate(i.op, a, b);
  default:
    return calculate(i.op, a, b);
  }
}

WaitReason AiCore::issue_scalar(const Instruction& i, Cycle now) {
  switch (i.op) {
  case Opcode::kJump:
    jump_to(i.target);
    return WaitReason::kNone;
  case Opcode::kBranch:
    if (value(i.a) != 0) jump_to(i.target);
    return WaitReason::kNone;
  case Opcode::kGmLoad:
  case Opcode::kGmStore:
  case Opcode::kGmAdd:
    return access_word(i, now);
  case Opcode::kLoadScalar:
  case Opcode::kStoreScalar:
  case Opcode::kCleanCache:
    return access_scalar_cache(i, now);
  case Opcode::kDataBarrier:
    if (word_under_way_) return WaitReason::kMemory;
    scalar_takes_ = std::max<Cycle>(config_.core.scalar.barrier_cycles,
                                    std::max(state(Pipe::kS).complete_at, now) - now);
    return WaitReason::kNone;
  case Opcode::kTrap:
    illegal(pc_, program_->texts[static_cast<std::size_t>(i.a.value)], kTrapId);
  case Opcode::kEnd:
    ended_ = true;
    return WaitReason::kNone;
  default:
    registers_[i.rd] = compute(i);
    return WaitReason::kNone;
  }
}

}  // namespace tessera::cluster
