#include "models/cluster/core/tile_pipes.h"

#include <algorithm>
#include <utility>

#include "models/cluster/core/thread_memory.h"
#include "models/cluster/core/tile_operands.h"
#include "models/cluster/program/legality.h"

namespace tessera::cluster {

using observe::EventKind;

namespace {

Cost run_threads(const CoreContext& context, const QueueEntry& head, Cycle now) {
  auto* const source = dynamic_cast<ThreadSource*>(context.source);
  if (source == nullptr || context.data == nullptr || !context.data->has_tiles())
    context.illegal(head.pc, "threads need values; run the kernel with data", kSizeId);
  if (context.program->automatic_sync)
    context.illegal(head.pc,
                    "what threads access is not known before they run; write the flags around them",
                    kSizeId);
  const Launch& launch = context.launch;
  const unsigned cores = launch.clusters_of_device() * std::max(aivs_of(launch.ratio), 1U);
  DataOfThreads memory(*context.data, context.core, now);
  const Cycle cycles = cycles_of(source->run_threads(context.core, head.sizes[0], memory),
                                 context.config.core.cost.gm_bytes_per_cycle, cores);
  return {cycles, cycles};
}

}  // namespace

TilePipes::TilePipes(CoreContext& context, CoreSync& sync, OperationOrder& order,
                     TileOperands& operands)
    : context_(context), sync_(sync), order_(order), operands_(operands),
      costs_(context.config.core.cost), unit_flags_(context.config.core.l0c_blocks) {}

bool TilePipes::has_room(const Instruction& i, Pipe pipe) const {
  const PipeState& p = context_.pipes[pipe];
  const std::size_t depth = context_.config.core.queue_depth[sync::index(pipe)];
  return takes_no_room(i) ? p.sets < depth : p.queue.size() - p.sets < depth;
}

void TilePipes::push(Pipe pipe, const QueueEntry& entry) {
  PipeState& p = context_.pipes[pipe];
  p.queue.push_back(entry);
  context_.pipes.queued |= 1U << sync::index(pipe);
  if (takes_no_room(context_.code(entry.pc))) ++p.sets;
}

void TilePipes::serve(Cycle now) {
  unsigned left = context_.pipes.queued;
  for (unsigned n = 0; left != 0; ++n, left >>= 1U) {
    if ((left & 1U) == 0) continue;
    PipeState& p = context_.pipes.all[n];
    serve(p, now);
    if (p.queue.empty()) context_.pipes.queued &= ~(1U << n);
  }
}

void TilePipes::serve(PipeState& p, Cycle now) {
  p.wake = kNever;
  if (p.moving || p.queue.empty()) return;
  const QueueEntry& head = p.queue.front();
  const Cycle earliest = std::max(p.free_at, head.visible_at);
  if (earliest > now) {
    p.wake = earliest;
    return;
  }
  if (head.number != 0) {
    const Cycle start = order_.start_of(p.pipe, head.number, earliest);
    if (start > now) {
      p.wake = start;
      return p.hold_back(WaitReason::kFlag, head.pc, now, context_.probe);
    }
  }
  const Cycle busy_until = p.busy_until;
  const WaitReason reason = try_head(p, head, now);
  if (reason != WaitReason::kNone) return p.hold_back(reason, head.pc, now, context_.probe);
  p.go_on(busy_until, now, context_.probe);
  order_.leave_queue(p.pipe, head, now);
  if (takes_no_room(context_.code(head.pc))) --p.sets;
  p.queue.pop_front();
  context_.progressed = true;
}

WaitReason TilePipes::try_head(PipeState& p, const QueueEntry& head, Cycle now) {
  const Opcode op = context_.code(head.pc).op;
  if (is_tile_operation(op)) return start_tile(p, head, now);
  if (op == Opcode::kBarrier && p.complete_at > now) {
    p.wake = p.complete_at;
    return WaitReason::kBarrier;
  }
  if (op == Opcode::kBarrier && p.pipe == Pipe::kV) function_end_ = kNever;
  const WaitReason reason = op == Opcode::kBarrier
                                ? WaitReason::kNone
                                : sync_.perform(p.pipe, head, std::max(p.complete_at, now), now);
  if (reason == WaitReason::kNone) p.free_at = now + context_.config.core.sync.sync_cycles;
  return reason;
}

WaitReason TilePipes::start_tile(PipeState& p, const QueueEntry& head, Cycle now) {
  const Instruction& i = context_.code(head.pc);
  Cost cost =
      costs_.cost(i, head.sizes, kind_of(context_.core), i.aligned && is_aligned(head.place));
  if (i.unit_flag != 0 && (p.pipe == Pipe::kM || p.pipe == Pipe::kFix)) {
    const WaitReason reason = try_unit_flag(p, head, cost, now);
    if (reason != WaitReason::kNone) return reason;
  }
  if (is_thread_function(i)) cost = run_threads(context_, head, now);
  slow_read(i, cost);
  ++p.stats.instructions;
  context_.probe.emit(now, EventKind::kPipeStart,
                      sync::index(p.pipe) | static_cast<unsigned>(i.op) << 8, head.pc);
  if (cost.is_transfer) {
    start_copy(p, head, cost, now);
    return WaitReason::kNone;
  }
  if (p.pipe == Pipe::kV) overlap_functions(cost, now);
  cost.occupied = std::max<std::uint64_t>(cost.occupied, 1);
  const Cycle ready = now + std::max(cost.ready, cost.occupied);
  p.free_at = now + cost.occupied;
  if (head.resolved != 0) operands_.write(p.pipe, head, operands_.compute(head, now), now, ready);
  complete(p, head, cost, now, ready);
  return WaitReason::kNone;
}

WaitReason TilePipes::try_unit_flag(PipeState& p, const QueueEntry& head, const Cost& cost,
                                    Cycle now) {
  const Instruction& i = context_.code(head.pc);
  const bool is_mad = i.op == Opcode::kMad;
  const UnitFlags::Span span{i.l0c_block, CostModel::l0c_blocks(head.sizes)};
  if (span.count == 0 || !unit_flags_.contains(span))
    context_.illegal(head.pc,
                     "blocks " + std::to_string(span.first) + " and " + std::to_string(span.count) +
                         " in all are not in L0C",
                     kUnitFlagId);
  if (!is_mad && !unit_flags_.matches(span))
    context_.illegal(head.pc, "FIX reads a tile of another size than M has written", kUnitFlagId);
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

void TilePipes::start_copy(PipeState& p, const QueueEntry& head, const Cost& cost, Cycle now) {
  p.moving = true;
  p.copy.entry = head;
  p.copy.cost = cost;
  p.copy.started_at = now;
  p.copy.reads_before = l1_reads_;
  p.stats.bytes += cost.bytes;
  if (head.resolved != 0) p.copy.result = operands_.compute(head, now);
  transfer::Transfer t;
  t.core = context_.core;
  t.pipe = p.pipe;
  t.bytes = std::max<std::uint64_t>(cost.bytes, 1);
  t.gm_bytes = cost.gm_bytes;
  t.gm_bytes_cold = cost.gm_bytes_cold;
  t.place = head.place;
  t.rate_limit = cost.rate_limit;
  t.device = static_cast<std::uint8_t>(context_.device_of_gm(context_.code(head.pc)));
  t.link = context_.link_to(t.device);
  const std::uint64_t link_rate = context_.config.core.cost.link_bytes_per_cycle;
  if (t.link > 0) t.rate_limit = std::min(t.rate_limit, link_rate * transfer::kRateUnit);
  context_.step.moves.push_back({t, now + 1});
}

void TilePipes::take_done(const transfer::Done& done, Cycle now) {
  PipeState& p = context_.pipes[done.pipe];
  CopyUnderWay& copy = p.copy;
  Cost& cost = copy.cost;
  p.moving = false;
  const Cycle lost = lost_write_cycles(copy, now);
  const Cycle at = std::max(copy.started_at + cost.occupied, now + lost) + cost.ready + done.late;
  cost.hit_bytes = done.hit_bytes.value_or(cost.hit_bytes);
  // The gap hides behind the waiting for a memory that others use too.
  const Cycle alone = cost.bytes * transfer::kRateUnit / cost.rate_limit;
  p.free_at = std::max(copy.started_at + std::max(cost.occupied, alone + cost.gap), now) + lost;
  if (copy.entry.resolved != 0)
    operands_.write(p.pipe, copy.entry, std::move(copy.result), now, std::max(at, now + 1));
  complete(p, copy.entry, cost, copy.started_at, at);
}

// The result of an operation that has started in cycle `start` is there in cycle `at`.
void TilePipes::complete(PipeState& p, const QueueEntry& entry, const Cost& cost, Cycle start,
                         Cycle at) {
  p.complete_at = std::max(p.complete_at, at);
  const Cycle busy = at - std::min(at, std::max(start, p.busy_until));
  p.stats.busy += busy;
  LineStats& line = context_.pipes.lines[entry.pc];
  line.busy += busy;
  line.multiply_adds += cost.multiply_adds;
  p.busy_until = std::max(p.busy_until, at);
  if (entry.number != 0) order_.complete(p.pipe, entry.number, at);
  const auto op = static_cast<unsigned>(context_.code(entry.pc).op);
  PathStats& path = paths_[op];
  ++path.operations;
  path.bytes += cost.bytes;
  path.hit_bytes += cost.hit_bytes;
  path.busy += busy;
  context_.probe.emit(at, EventKind::kPipeEnd, sync::index(p.pipe) | op << 8, entry.pc);
}

// The drain of a function and the start of the next one take place at the same time, as far as that one comes early.
void TilePipes::overlap_functions(Cost& cost, Cycle now) {
  const Cycle most = context_.config.core.cost.vectors.overlap;
  if (most == 0) return;
  const Cycle gap = now - std::min(now, function_end_);
  const Cycle saved = function_end_ == kNever ? 0 : most - std::min(most, gap);
  cost.occupied -= std::min<std::uint64_t>(cost.occupied, saved);
  cost.ready -= std::min<std::uint64_t>(cost.ready, saved);
  function_end_ = now + std::max<std::uint64_t>(cost.occupied, 1);
}

void TilePipes::slow_read(const Instruction& i, Cost& cost) {
  if (i.op != Opcode::kLoadA && i.op != Opcode::kLoadB) return;
  const CostConfig& costs = context_.config.core.cost;
  l1_reads_ += cost.bytes / (i.op == Opcode::kLoadA ? costs.load_a : costs.load_b).bytes_per_cycle;
  const PipeState& writer = context_.pipes[Pipe::kMte2];
  if (costs.l1_read_percent == 0 || !writer.moving) return;
  // A copy that its rows hold back leaves the port alone for the rest.
  const std::uint64_t full = std::uint64_t{costs.aic.read.bytes_per_cycle} * transfer::kRateUnit;
  const std::uint64_t more = cost.occupied * costs.l1_read_percent *
                             std::min(writer.copy.cost.rate_limit, full) / full / 100;
  cost.occupied += more;
  cost.ready += more;
}

Cycle TilePipes::lost_write_cycles(const CopyUnderWay& copy, Cycle now) const {
  const CostConfig& costs = context_.config.core.cost;
  if (costs.l1_write_percent == 0 || !context_.core.is_aic() ||
      context_.code(copy.entry.pc).op != Opcode::kCopyIn)
    return 0;
  // The port takes the bytes in the cycles that reads leave. A copy that something else holds back -
  // its rows, L2, GM - has time for that.
  const std::uint64_t full = copy.cost.bytes / costs.aic.read.bytes_per_cycle;
  const std::uint64_t elapsed = std::max<std::uint64_t>(now - copy.started_at, 1);
  const std::uint64_t reads = (l1_reads_ - copy.reads_before) * costs.l1_write_percent / 100;
  const std::uint64_t left = elapsed - std::min(reads, elapsed * 9 / 10);
  const std::uint64_t needed = full * elapsed / left;
  return needed > elapsed ? needed - elapsed : 0;
}

}  // namespace tessera::cluster
