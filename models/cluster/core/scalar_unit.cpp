#include "models/cluster/core/scalar_unit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/cluster/program/legality.h"

namespace tessera::cluster {

namespace {

/// Far beyond all buffers, and small enough for costs not to overflow.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
constexpr std::int64_t kMostCycles = std::int64_t{1} << 40;

}  // namespace

Pipe queue_of(const Instruction& i, const SyncConfig& config) {
  if (i.op == Opcode::kWaitFlag) return i.to;
  if (i.op == Opcode::kBarrier) return i.pipe == Pipe::kAll ? Pipe::kS : i.pipe;
  if (i.op == Opcode::kWaitFlagDev) return config.waits_stop_core ? Pipe::kS : i.pipe;
  return i.op < Opcode::kSetFfts ? i.pipe : Pipe::kS;
}

void ScalarUnit::launch(Cycle at) {
  memory_.launch(at);
  pc_ = 0;
  source_end_ = checked_ = 0;
  ended_ = false;
  PipeState& s = context_.pipes[Pipe::kS];
  s.free_at = at;
  s.blocked = WaitReason::kNone;
}

void ScalarUnit::serve(Cycle now) {
  PipeState& s = context_.pipes[Pipe::kS];
  s.wake = kNever;
  if (ended_) return;
  if (s.free_at > now) {
    s.wake = s.free_at;
    return;
  }
  if (context_.source != nullptr && pc_ >= source_end_) {
    take_next(now);
    if (s.free_at > now) {  // native code
      s.wake = s.free_at;
      return;
    }
  }
  tell_next(now);
  const auto pc = pc_;  // a jump changes it
  const WaitReason reason = issue(now);
  if (reason != WaitReason::kNone) return s.hold_back(reason, pc_, now, context_.probe);
  s.go_on(s.busy_until, now, context_.probe);
  ++context_.pipes.lines[pc].executions;
  if (queue_of(context_.code(pc), context_.config.core.sync) == Pipe::kS)
    context_.pipes.lines[pc].busy += s.free_at - now;
  ++pc_;
  ++s.stats.instructions;
  s.stats.busy += s.free_at - now;
  s.busy_until = s.free_at;
  context_.progressed = true;
  if (context_.told == nullptr) return;
  context_.told->leave(context_.core.index());
  tell_next(now);
}

// What native code comes to next is known when the core takes it.
void ScalarUnit::tell_next(Cycle now) const {
  const bool is_known = !ended_ && (context_.source == nullptr || pc_ < source_end_);
  if (context_.told != nullptr && is_known) context_.told->come(context_.core.index(), pc_, now);
}

// The native code in front of the instructions takes its time before the first one.
void ScalarUnit::take_next(Cycle now) {
  const InstructionSource::Range range =
      context_.source->next(context_.core, context_.registers, now);
  pc_ = range.begin;
  source_end_ = range.end;
  if (range.has_grown) check_new();
  PipeState& s = context_.pipes[Pipe::kS];
  s.free_at = now + range.scalar_cycles;
  s.stats.busy += range.scalar_cycles;
  s.stats.assumed += range.scalar_cycles;
  s.busy_until = std::max(s.busy_until, s.free_at);
}

void ScalarUnit::check_new() {
  const Program& program = *context_.program;
  context_.pipes.lines.resize(program.code.size());
  const Site site{context_.config, context_.launch, context_.core};
  for (; checked_ < program.code.size(); ++checked_) {
    const Instruction& i = program.code[checked_];
    auto found = find_violation(i, site);
    if (!found && !i.id.is_register) found = find_id_violation(i, i.id.value, site);
    if (found) context_.illegal(checked_, found->text, found->id);
  }
}

WaitReason ScalarUnit::issue(Cycle now) {
  const Instruction& i = context_.code(pc_);
  const Pipe pipe = queue_of(i, context_.config.core.sync);
  if (i.op == Opcode::kVectorFunction) return enqueue_function(i, now);
  if (pipe != Pipe::kS) return enqueue(i, pipe, now);
  const bool is_sync = i.op < Opcode::kSet;
  const WaitReason reason = is_sync ? issue_sync(i, now) : issue_scalar(i, now);
  if (reason != WaitReason::kNone) return reason;
  const Cycle takes = std::max<Cycle>(std::exchange(takes_, 0), context_.config.core.scalar_cycles);
  context_.pipes[Pipe::kS].free_at = now + std::max<Cycle>(takes, 1);
  return reason;
}

WaitReason ScalarUnit::enqueue(const Instruction& i, Pipe pipe, Cycle now) {
  if (!tile_pipes_.has_room(i, pipe)) return WaitReason::kQueue;
  QueueEntry entry;
  entry.pc = pc_;
  entry.visible_at = now + 1;
  sync_.dispatch(i, entry);
  const std::int64_t largest =
      i.op == Opcode::kBusy || i.op == Opcode::kVectorFunction ? kMostCycles : kMostElements;
  for (std::size_t k = 0; k < entry.sizes.size(); ++k) {
    entry.sizes[k] = context_.value(i.size[k]);
    if (entry.sizes[k] < 0 || entry.sizes[k] > largest)
      context_.illegal(pc_,
                       "a size of " + std::to_string(entry.sizes[k]) + ", expected 0.." +
                           std::to_string(largest),
                       kSizeId);
  }
  const ResolvedOperation* const operands = operands_.resolve(pc_, order_.is_active(), entry);
  if (i.op == Opcode::kVectorFunction && entry.resolved != 0)
    operands_.keep_trace(entry, std::move(trace_));
  const unsigned extra = order_.is_active() ? order_.dispatch(i, pipe, entry, operands) : 0;
  tile_pipes_.push(pipe, entry);
  context_.pipes[Pipe::kS].free_at =
      now + std::max(1U, context_.config.core.issue_cycles) * (1 + extra);
  return WaitReason::kNone;
}

// The body runs once, so the queue has to have room before.
WaitReason ScalarUnit::enqueue_function(const Instruction& i, Cycle now) {
  if (!tile_pipes_.has_room(i, Pipe::kV)) return WaitReason::kQueue;
  const std::uint32_t function = pc_;
  execute_body(i);
  pc_ = function;
  const WaitReason reason = enqueue(i, Pipe::kV, now);
  jump_to(i.target);
  return reason;
}

void ScalarUnit::execute_body(const Instruction& function) {
  constexpr std::uint64_t kMostSteps = 20'000'000;
  const std::uint32_t begin = pc_;
  trace_ = {};
  RegisterSchedule schedule(context_.program->vector_registers);
  std::uint64_t steps = 0;
  if (function.mode == kNativeBody) {
    auto* const source = dynamic_cast<VectorSource*>(context_.source);
    for (RegisterStep& step : source->take_body(context_.core)) take_step(step, schedule);
  }
  for (++pc_; pc_ < function.target; ++pc_) {
    if (++steps > kMostSteps)
      context_.illegal(begin, "a body of more than " + std::to_string(kMostSteps) + " instructions",
                       kSizeId);
    ++context_.pipes.lines[pc_].executions;
    execute_in_body(context_.code(pc_), schedule);
  }
  const auto set = [&](std::int64_t reg, std::int64_t value) {
    context_.registers[static_cast<std::size_t>(reg)] = value;
  };
  set(function.size[0].value, static_cast<std::int64_t>(schedule.cycles()));
  const std::size_t operands = context_.operation(function).operands.size();
  for (std::size_t k = 0; k < operands; ++k) {
    set(static_cast<std::int64_t>(function.rd + 2 * k), trace_.ranges[k].first);
    set(static_cast<std::int64_t>(function.rd + 2 * k + 1),
        trace_.ranges[k].end - trace_.ranges[k].first);
  }
}

void ScalarUnit::execute_in_body(const Instruction& i, RegisterSchedule& schedule) {
  if (i.op == Opcode::kJump || i.op == Opcode::kBranch) {
    if (i.op == Opcode::kJump || context_.value(i.a) != 0) jump_to(i.target);
    return;
  }
  if (i.op == Opcode::kGetElement || i.op == Opcode::kSetElement) return access_element(i);
  if (i.op != Opcode::kRegister) {
    context_.registers[i.rd] = compute(i);
    return;
  }
  const RegisterOperation& op =
      context_.program->register_operations[static_cast<std::size_t>(i.a.value)];
  RegisterStep step{&op, op.address.base, context_.value(op.block_stride)};
  step.pc = pc_;
  step.operand = op.operand;
  for (const auto& product : op.address.products)
    step.address += context_.value(product.a) * context_.value(product.b);
  if (op.has_scalar) {
    step.integer = op.scalar.is_number ? 0 : context_.value(op.scalar.integer);
    step.number = op.scalar.is_number ? op.scalar.number
                  : op.scalar.is_real ? real_of(step.integer)
                                      : static_cast<double>(step.integer);
    if (op.scalar.is_number) step.integer = static_cast<std::int64_t>(op.scalar.number);
  }
  if (op.function == RegisterFunction::kMaskCount)
    context_.registers[op.scalar_result] =
        std::max<std::int64_t>(step.integer - static_cast<std::int64_t>(op.lanes), 0);
  take_step(step, schedule);
}

void ScalarUnit::take_step(const RegisterStep& step, RegisterSchedule& schedule) {
  if (accesses_ub(step.operation->function))
    trace_.note(step, capacities_of(context_.config.profile)[static_cast<unsigned>(Location::kUb)]);
  schedule.add(*step.operation, step.pc);
  if (context_.data != nullptr && context_.data->has_tiles()) trace_.steps.push_back(step);
}

WaitReason ScalarUnit::issue_sync(const Instruction& i, Cycle now) {
  QueueEntry entry;
  entry.pc = pc_;
  sync_.dispatch(i, entry);
  const WaitReason reason =
      i.op == Opcode::kBarrier ? wait_for_all(now) : sync_.perform(Pipe::kS, entry, now, now);
  if (reason == WaitReason::kNone) order_.synchronise(Pipe::kS, entry);
  return reason;
}

WaitReason ScalarUnit::wait_for_all(Cycle now) {
  for (const PipeState& p : context_.pipes.all) {
    if (!p.queue.empty() || p.moving) return WaitReason::kBarrier;
    if (p.pipe == Pipe::kS || p.complete_at <= now) continue;
    context_.pipes[Pipe::kS].wake = p.complete_at;
    return WaitReason::kBarrier;
  }
  return WaitReason::kNone;
}

WaitReason ScalarUnit::issue_scalar(const Instruction& i, Cycle now) {
  const Opcode op = i.op;
  if (op == Opcode::kGmLoad || op == Opcode::kGmStore || op == Opcode::kGmAdd)
    return access_word(i, now);
  if (op == Opcode::kTrap)
    context_.illegal(pc_, context_.program->texts[static_cast<std::size_t>(i.a.value)], kTrapId);
  if (op == Opcode::kGetElement || op == Opcode::kSetElement) {
    access_element(i);
    return WaitReason::kNone;
  }
  if (op == Opcode::kPrint) return memory_.print(pc_, now);
  if (uses_scalar_cache(op)) {
    const ScalarMemory::Outcome outcome = memory_.access(pc_, now);
    takes_ = outcome.cycles;
    return outcome.reason;
  }
  if (op == Opcode::kDataBarrier) {
    if (word_under_way_) return WaitReason::kMemory;
    takes_ = std::max<Cycle>(context_.config.core.scalar.barrier_cycles,
                             std::max(context_.pipes[Pipe::kS].complete_at, now) - now);
    QueueEntry entry;
    entry.pc = pc_;
    order_.synchronise(Pipe::kS, entry);
  } else if (op == Opcode::kJump || op == Opcode::kBranch) {
    if (op == Opcode::kJump || context_.value(i.a) != 0) jump_to(i.target);
  } else if (op == Opcode::kEnd) {
    ended_ = true;
  } else {
    context_.registers[i.rd] = compute(i);
  }
  return WaitReason::kNone;
}

void ScalarUnit::access_element(const Instruction& i) {
  const std::int64_t index = context_.value(i.b);
  if (index < 0 || index >= i.c.value)
    context_.illegal(
        pc_, "element " + std::to_string(index) + " of an array of " + std::to_string(i.c.value),
        kAccessId);
  std::int64_t& element = context_.registers[static_cast<std::size_t>(i.a.value + index)];
  std::int64_t& other = context_.registers[i.rd];
  i.op == Opcode::kGetElement ? other = element : element = other;
}

WaitReason ScalarUnit::access_word(const Instruction& i, Cycle now) {
  if (word_under_way_) return WaitReason::kMemory;
  const auto address = static_cast<std::uint64_t>(context_.value(i.a));
  if (word_asked_) {
    word_asked_ = false;
    order_.read_word(address, now);
    context_.registers[i.rd] = i.op == Opcode::kGmLoad ? memory_.word(pc_, word_, now) : word_;
    return WaitReason::kNone;
  }
  transfer::Transfer t;
  t.core = context_.core;
  t.device = static_cast<std::uint8_t>(context_.device_of_gm(i));
  t.latency = context_.config.core.cost.word_latency + context_.link_to(t.device);
  t.address = address;
  t.value = context_.value(i.b);
  t.rate_limit = 1;
  t.access = i.op == Opcode::kGmLoad  ? transfer::WordAccess::kLoad
             : i.op == Opcode::kGmAdd ? transfer::WordAccess::kAdd
                                      : transfer::WordAccess::kStore;
  context_.step.moves.push_back({t, now + 1});
  word_under_way_ = true;
  if (i.op != Opcode::kGmLoad) {
    order_.write_word(address, now);
    memory_.word(pc_, t.value, now);
  }
  if (i.op == Opcode::kGmStore) return WaitReason::kNone;  // nobody waits for it
  word_asked_ = true;
  return WaitReason::kMemory;
}

std::int64_t ScalarUnit::special(SpecialValue which) const {
  const CoreId core = context_.core;
  const Launch& launch = context_.launch;
  const unsigned aivs = launch.is_block_an_aiv() ? 1 : aivs_of(launch.ratio);
  const bool one_block_a_cluster = core.is_aic() || aivs < 2;
  if (which == SpecialValue::kCluster) return launch.block_of(core);
  if (which == SpecialValue::kBlockIndex)
    return one_block_a_cluster ? launch.block_of(core)
                               : 2 * launch.block_of(core) + core.subblock();
  if (which == SpecialValue::kBlockCount) return launch.block_count();
  if (which == SpecialValue::kSubblockIndex)
    return core.is_aic() || aivs == 1 ? 0 : core.subblock();
  return aivs;
}

std::int64_t ScalarUnit::compute(const Instruction& i) const {
  const std::int64_t a = context_.value(i.a), b = context_.value(i.b);
  if (i.op == Opcode::kCompare) return holds(i.predicate, a, b, i.operands) ? 1 : 0;
  if (i.op == Opcode::kSelect) return context_.value(i.c) != 0 ? a : b;
  if (i.op == Opcode::kGet) return special(i.special);
  if (is_division(i.op) && i.operands.of(b) == 0)
    context_.illegal(pc_, "division by zero", kScalarId);
  if (i.operands.is_register() && i.result.is_register()) return calculate(i.op, a, b);
  return calculate(i.op, a, b, i.operands, i.result);
}

}  // namespace tessera::cluster
