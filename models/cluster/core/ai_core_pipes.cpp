// The pipes of AiCore: what starts at the head of a queue.
#include <algorithm>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/memory/gm_place.h"
#include "models/cluster/program/illegal.h"

namespace tessera::cluster {

using observe::EventKind;

void AiCore::serve(Pipe pipe, Cycle now) {
  PipeState& p = state(pipe);
  p.wake = kNever;
  if (p.moving || p.queue.empty()) return;
  const Entry& head = p.queue.front();
  const Cycle earliest = std::max(p.free_at, head.visible_at);
  if (earliest > now) {
    p.wake = earliest;
    return;
  }
  if (head.number != 0) {
    const Cycle start = sync_inserter_->start_of(pipe, head.number, earliest);
    if (start > now) {
      p.wake = start;
      return note_blocked(p, WaitReason::kFlag, now);
    }
  }
  const Cycle busy_until = p.busy_until;
  const WaitReason reason = try_head(pipe, head, now);
  if (reason != WaitReason::kNone) {
    note_blocked(p, reason, now);
    return;
  }
  note_unblocked(p, busy_until, now);
  if (hazards_ != nullptr) note_arrival(pipe, head);
  if (takes_no_room(code(head.pc))) --p.sets;
  p.queue.pop_front();
  progressed_ = true;
}

WaitReason AiCore::try_head(Pipe pipe, const Entry& head, Cycle now) {
  if (is_tile_operation(code(head.pc).op)) return start_tile(pipe, head, now);
  const WaitReason reason = try_sync(pipe, head, now);
  if (reason == WaitReason::kNone) state(pipe).free_at = now + sync_config().sync_cycles;
  return reason;
}

WaitReason AiCore::start_tile(Pipe pipe, const Entry& head, Cycle now) {
  PipeState& p = state(pipe);
  const Instruction& i = code(head.pc);
  Cost cost = costs_.cost(i, head.sizes, kind_of(core_), i.aligned && is_aligned(head.place));
  if (i.unit_flag != 0 && (pipe == Pipe::kM || pipe == Pipe::kFix)) {
    const WaitReason reason = try_unit_flag(p, head, cost, now);
    if (reason != WaitReason::kNone) return reason;
  }
  slow_read(i, cost);
  ++p.stats.instructions;
  probe_.emit(now, EventKind::kPipeStart, sync::index(pipe) | static_cast<unsigned>(i.op) << 8,
              head.pc);
  if (cost.is_transfer) {
    start_transfer(pipe, head, cost, now);
    return WaitReason::kNone;
  }
  cost.occupied = std::max<std::uint64_t>(cost.occupied, 1);
  const Cycle ready = now + std::max(cost.ready, cost.occupied);
  p.free_at = now + cost.occupied;
  if (head.resolved != 0) write_result(pipe, head, compute(head, now), now, ready);
  complete(pipe, head, cost, now, ready);
  return WaitReason::kNone;
}

void AiCore::slow_read(const Instruction& i, Cost& cost) {
  if (i.op != Opcode::kLoadA && i.op != Opcode::kLoadB) return;
  const CostConfig& costs = config_.core.cost;
  l1_reads_ += cost.bytes / (i.op == Opcode::kLoadA ? costs.load_a : costs.load_b).bytes_per_cycle;
  const PipeState& writer = state(Pipe::kMte2);
  if (costs.l1_read_percent == 0 || !writer.moving) return;
  // A copy that its rows hold back leaves the port alone for the rest.
  const std::uint64_t full = std::uint64_t{costs.aic.read.bytes_per_cycle} * transfer::kRateUnit;
  const std::uint64_t more =
      cost.occupied * costs.l1_read_percent * std::min(writer.cost.rate_limit, full) / full / 100;
  cost.occupied += more;
  cost.ready += more;
}

void AiCore::start_transfer(Pipe pipe, const Entry& head, const Cost& cost, Cycle now) {
  PipeState& p = state(pipe);
  p.moving = true;
  p.current = head;
  p.cost = cost;
  p.started_at = now;
  p.reads_before = l1_reads_;
  p.stats.bytes += cost.bytes;
  if (head.resolved != 0) p.result = compute(head, now);
  transfer::Transfer t;
  t.core = core_;
  t.pipe = pipe;
  t.bytes = std::max<std::uint64_t>(cost.bytes, 1);
  t.gm_bytes = cost.gm_bytes;
  t.gm_bytes_cold = cost.gm_bytes_cold;
  t.place = head.place;
  t.rate_limit = cost.rate_limit;
  step_.moves.push_back({t, now + 1});
}

WaitReason AiCore::try_unit_flag(PipeState& p, const Entry& head, const Cost& cost, Cycle now) {
  const Instruction& i = code(head.pc);
  const bool is_mad = i.op == Opcode::kMad;
  const UnitFlags::Span span{i.l0c_block, CostModel::l0c_blocks(head.sizes)};
  if (span.count == 0 || !unit_flags_.contains(span))
    illegal(head.pc,
            "blocks " + std::to_string(span.first) + " and " + std::to_string(span.count) +
                " in all are not in L0C",
            kUnitFlagId);
  if (!is_mad && !unit_flags_.matches(span))
    illegal(head.pc, "FIX reads a tile of another size than M has written", kUnitFlagId);
  // A copy to GM passes its blocks as fast as its own path allows, whoever shares GM with it.
  const Cycle cycles =
      cost.is_transfer ? cost.bytes * transfer::kRateUnit / cost.rate_limit : cost.occupied;
  const Cycle start =
      is_mad ? unit_flags_.mad_may_start(span, cycles) : unit_flags_.fix_may_start(span, cycles);
  if (start > now) {
    p.wake = start;
    return WaitReason::kUnitFlag;
  }
  if (i.unit_flag != 3) return WaitReason::kNone;
  if (is_mad)
    unit_flags_.mad_starts(span, now, cycles, cost.ready - cost.occupied);
  else
    unit_flags_.fix_starts(span, now, cycles);
  return WaitReason::kNone;
}

WaitReason AiCore::try_sync(Pipe pipe, const Entry& head, Cycle now) {
  PipeState& p = state(pipe);
  const Cycle complete = std::max(p.complete_at, now);
  switch (code(head.pc).op) {
  case Opcode::kSetFlag:
    effects_.push_back({Effect::kFlag, complete + sync_config().flag_latency, head.pc, head.id});
    return WaitReason::kNone;
  case Opcode::kWaitFlag:
    return try_wait_flag(pipe, head, now);
  case Opcode::kBarrier:
    if (p.complete_at <= now) return WaitReason::kNone;
    p.wake = p.complete_at;
    return WaitReason::kBarrier;
  case Opcode::kGetBuf:
    return try_lock(head, now);
  case Opcode::kRlsBuf:
    effects_.push_back({Effect::kRelease, std::max(complete, now + 1), head.pc, head.id});
    return WaitReason::kNone;
  case Opcode::kSetCrossCore:
  case Opcode::kSetIntraBlock:
    if (complete == now)
      signal(head.pc, head.id, now);
    else
      effects_.push_back({Effect::kSignal, complete, head.pc, head.id});
    return WaitReason::kNone;
  default:
    return try_cross_core_wait(pipe, head.pc, head.id, now);
  }
}

WaitReason AiCore::try_lock(const Entry& head, Cycle now) {
  const auto lock = static_cast<unsigned>(head.id);
  if (!locks_.is_granted(lock, head.ticket)) return WaitReason::kLock;
  if (!head.ticket.at_once && head.ticket.number > 0)
    latency(Mechanism::kLock).add(now - lock_fired_[lock]);
  return WaitReason::kNone;
}

WaitReason AiCore::try_wait_flag(Pipe pipe, const Entry& head, Cycle now) {
  const Instruction& i = code(head.pc);
  const Flag flag{i.pipe, pipe, static_cast<std::uint8_t>(head.id)};
  if (!flags_.clear(flag)) return WaitReason::kFlag;
  latency(Mechanism::kFlag).add(now - flag_fired_[FlagTable::index(flag)]);
  probe_.emit(now, EventKind::kFlag,
              sync::index(i.pipe) | sync::index(pipe) << 8 | unsigned{flag.id} << 16, 0);
  return WaitReason::kNone;
}

WaitReason AiCore::try_cross_core_wait(Pipe pipe, std::uint32_t pc, std::int64_t id, Cycle now) {
  PipeState& p = state(pipe);
  const sync::Request r = request(sync::Operation::kWait, pc, pipe, id);
  if (!p.asked) {
    p.asked = true;
    step_.asks.push_back({r, now + 1});
  }
  if (!p.granted) return WaitReason::kCrossCore;
  p.asked = p.granted = false;
  probe_.emit(now, EventKind::kGrant,
              sync::index(pipe) | static_cast<unsigned>(r.mode) << 8 | unsigned{r.id} << 16, pc);
  return WaitReason::kNone;
}

}  // namespace tessera::cluster
