// Answers, effects of later cycles, and the bookkeeping of AiCore.
#include "models/cluster/core/ai_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/cluster/memory/gm_place.h"
#include "models/cluster/program/illegal.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

using observe::EventKind;

AiCore::AiCore(const ClusterConfig& config, const Launch& launch, CoreId core,
               const Attachments& attached)
    : config_(config), launch_(launch), core_(core), costs_(config.core.cost),
      probe_(attached.sink, core.index()), flag_fired_(FlagTable::kFlags),
      unit_flags_(config.core.l0c_blocks),
      hazards_(attached.hazards != nullptr ? &attached.hazards->of(core) : nullptr),
      data_(attached.data), watch_(attached.end), scalar_cache_(config.core.scalar.cache_bytes) {
  check_config(config);
  for (const Pipe pipe : sync::kPipes) {
    if (pipe != Pipe::kS)
      state(pipe).queue = Ring<Entry>(2 * std::size_t{config.core.queue_depth[sync::index(pipe)]});
  }
}

void AiCore::launch(std::shared_ptr<const Program> program, Cycle at) {
  if (!finished_) throw std::logic_error(to_string(core_) + " is busy and was given a kernel");
  check_program(*program, {config_, launch_, core_});
  if (data_ != nullptr)
    data_->check_arrays(*program);
  else
    check_needs_no_data(*program);
  program_ = std::move(program);
  registers_.assign(program_->registers, 0);
  array_bases_.clear();
  for (const GmArray& array : program_->arrays) array_bases_.push_back(array_base(array.name));
  const bool ordered = program_->automatic_sync || hazards_ != nullptr;
  sync_inserter_ = ordered ? std::make_unique<SyncInserter>(config_.core) : nullptr;
  if (hazards_ != nullptr) hazards_->launch(core_, program_);
  scalar_cache_ = ScalarCache(config_.core.scalar.cache_bytes);
  stale_loads_.clear();
  if (data_ != nullptr) data_->held().forget(core_, at);
  pc_ = 0;
  ended_ = finished_ = false;
  PipeState& scalar = state(Pipe::kS);
  scalar.free_at = at;
  scalar.blocked = WaitReason::kNone;
  if (watch_ != nullptr) watch_->core_starts();
}

void AiCore::answer(const sync::Answer& answer, Cycle due) {
  received_.push_back({false, answer, {}, due});
}

void AiCore::done(const transfer::Done& done, Cycle due) {
  received_.push_back({true, {}, done, due});
}

void AiCore::receive(Cycle now) {
  const auto is_due = [now](const Received& r) { return r.due <= now; };
  for (const Received& r : received_) {
    if (!is_due(r)) continue;
    r.is_done ? take_done(r.done, now) : take_answer(r.answer);
  }
  received_.erase(std::remove_if(received_.begin(), received_.end(), is_due), received_.end());
}

void AiCore::take_answer(const sync::Answer& answer) {
  const sync::Request& r = answer.request;
  if (answer.verdict == sync::Verdict::kGranted) state(r.pipe).granted = true;
  if (answer.verdict != sync::Verdict::kIllegal) return;
  if (answer.reason == sync::Reason::kUnreachable)
    illegal(r.tag,
            "the subblock that id " + std::to_string(r.id) + " names is not part of the launch",
            kUnreachableId);
  illegal(r.tag,
          "more than " + std::to_string(sync_config().counter_max) + " sets of id " +
              std::to_string(r.id) + " without a wait: the counter overflows",
          kOverflowId);
}

void AiCore::take_done(const transfer::Done& done, Cycle now) {
  progressed_ = true;
  if (done.pipe == Pipe::kS) {
    word_under_way_ = false;
    word_ = done.value;
    return;
  }
  PipeState& p = state(done.pipe);
  p.moving = false;
  const Cycle lost = lost_write_cycles(p, now);
  const Cycle at = std::max(p.started_at + p.cost.occupied, now + lost) + p.cost.ready + done.late;
  p.cost.hit_bytes = done.hit_bytes.value_or(p.cost.hit_bytes);
  // The gap hides behind the waiting for a memory that others use too.
  const Cycle alone = p.cost.bytes * transfer::kRateUnit / p.cost.rate_limit;
  p.free_at = std::max(p.started_at + std::max(p.cost.occupied, alone + p.cost.gap), now) + lost;
  if (p.current.resolved != 0)
    write_result(done.pipe, p.current, std::move(p.result), now, std::max(at, now + 1));
  complete(done.pipe, p.current, p.cost, p.started_at, at);
}

Cycle AiCore::lost_write_cycles(const PipeState& p, Cycle now) const {
  const unsigned percent = config_.core.cost.l1_write_percent;
  if (percent == 0 || !core_.is_aic() || code(p.current.pc).op != Opcode::kCopyIn) return 0;
  // The port takes the bytes in the cycles that reads leave. A copy that something else holds back -
  // its rows, L2, GM - has time for that.
  const std::uint64_t full = p.cost.bytes / config_.core.cost.aic.read.bytes_per_cycle;
  const std::uint64_t elapsed = std::max<std::uint64_t>(now - p.started_at, 1);
  const std::uint64_t reads = (l1_reads_ - p.reads_before) * percent / 100;
  const std::uint64_t left = elapsed - std::min(reads, elapsed * 9 / 10);
  const std::uint64_t needed = full * elapsed / left;
  return needed > elapsed ? needed - elapsed : 0;
}

// The result of an operation that has started in cycle `start` is there in cycle `at`.
void AiCore::complete(Pipe pipe, const Entry& entry, const Cost& cost, Cycle start, Cycle at) {
  PipeState& p = state(pipe);
  p.complete_at = std::max(p.complete_at, at);
  const Cycle busy = at - std::min(at, std::max(start, p.busy_until));
  p.stats.busy += busy;
  p.busy_until = std::max(p.busy_until, at);
  if (entry.number != 0) sync_inserter_->complete(pipe, entry.number, at);
  const auto op = static_cast<unsigned>(code(entry.pc).op);
  PathStats& path = paths_[op];
  ++path.operations;
  path.bytes += cost.bytes;
  path.hit_bytes += cost.hit_bytes;
  path.busy += busy;
  probe_.emit(at, EventKind::kPipeEnd, sync::index(pipe) | op << 8, entry.pc);
}

void AiCore::apply_effects(Cycle now) {
  due_effects_.clear();
  const auto is_due = [now](const Effect& e) { return e.at <= now; };
  std::copy_if(effects_.begin(), effects_.end(), std::back_inserter(due_effects_), is_due);
  if (due_effects_.empty()) return;
  effects_.erase(std::remove_if(effects_.begin(), effects_.end(), is_due), effects_.end());
  std::stable_sort(due_effects_.begin(), due_effects_.end(),
                   [](const Effect& a, const Effect& b) { return a.kind < b.kind; });
  for (const Effect& effect : due_effects_) apply(effect, now);
  progressed_ = true;
}

void AiCore::apply(const Effect& effect, Cycle now) {
  switch (effect.kind) {
  case Effect::kFlag:
    raise_flag(effect, now);
    return;
  case Effect::kRelease:
    locks_.release(static_cast<unsigned>(effect.id));
    lock_fired_[static_cast<std::size_t>(effect.id)] = now;
    return;
  case Effect::kSignal:
    signal(effect.pc, effect.id, now);
    return;
  }
}

void AiCore::raise_flag(const Effect& effect, Cycle now) {
  const Instruction& i = code(effect.pc);
  const Flag flag{i.pipe, i.to, static_cast<std::uint8_t>(effect.id)};
  const bool taken = flags_.set(flag);
  if (hazards_ != nullptr) hazards_->raise_flag(core_, flag, taken);
  if (!taken) {
    if (sync_config().double_set == Undefined::kIgnore) return;
    illegal(effect.pc, "the flag is set already: nobody has waited for the set before",
            kDoubleSetId);
  }
  flag_fired_[FlagTable::index(flag)] = now - std::min<Cycle>(now, sync_config().flag_latency);
  probe_.emit(now, EventKind::kFlag,
              sync::index(i.pipe) | sync::index(i.to) << 8 | unsigned{flag.id} << 16, 1);
}

sync::Request AiCore::request(sync::Operation operation, std::uint32_t pc, Pipe pipe,
                              std::int64_t id) const {
  const Instruction& i = code(pc);
  sync::Request r;
  r.operation = operation;
  const bool intra = i.op == Opcode::kSetIntraBlock || i.op == Opcode::kWaitIntraCore;
  r.mode = intra                           ? Mode::kIntraBlock
           : i.op == Opcode::kSetCrossCore ? static_cast<Mode>(i.mode)
                                           : Mode::kAll;
  r.pipe = pipe;
  r.id = static_cast<std::uint8_t>(id);
  r.core = core_;
  r.tag = pc;
  return r;
}

void AiCore::signal(std::uint32_t pc, std::int64_t id, Cycle now) {
  const sync::Request r = request(sync::Operation::kSet, pc, code(pc).pipe, id);
  step_.asks.push_back({r, now + 1});
  probe_.emit(now, EventKind::kSignal,
              sync::index(r.pipe) | static_cast<unsigned>(r.mode) << 8 | unsigned{r.id} << 16, pc);
}

void AiCore::note_blocked(PipeState& p, WaitReason reason, Cycle now) const {
  if (p.blocked == reason) return;
  note_unblocked(p, p.busy_until, now);
  p.blocked = reason;
  p.blocked_since = now;
}

// What held the pipe back no longer does. `busy_until`: of the operations before.
void AiCore::note_unblocked(PipeState& p, Cycle busy_until, Cycle now) const {
  if (p.blocked == WaitReason::kNone) return;
  const Cycle since = std::max(p.blocked_since, busy_until);
  const auto reason = static_cast<unsigned>(p.blocked);
  p.blocked = WaitReason::kNone;
  if (now <= since) return;
  p.stats.waits[reason] += now - since;
  const auto pipe = static_cast<unsigned>(&p - pipes_.data());
  probe_.emit(now, EventKind::kPipeWait, pipe | reason << 8,
              static_cast<std::uint32_t>(now - since));
}

void AiCore::note_finished(Cycle now) {
  if (!ended_ || finished_ || word_under_way_ || !effects_.empty()) return;
  for (const PipeState& p : pipes_)
    if (!p.queue.empty() || p.moving || p.complete_at > now || p.free_at > now) return;
  finished_ = true;
  finished_at_ = now;
  if (watch_ != nullptr) watch_->core_finishes(now);
}

Cycle AiCore::next_wake(Cycle now) const {
  Cycle next = kNever;
  const auto consider = [&next, now](Cycle at) {
    if (at > now) next = std::min(next, at);
  };
  for (const Received& r : received_) consider(r.due);
  for (const Effect& e : effects_) consider(e.at);
  for (const PipeState& p : pipes_) {
    if (p.wake != kNever) consider(p.wake);
    if (ended_ && !finished_) {
      consider(p.complete_at);
      consider(p.free_at);
    }
  }
  return next;
}

const AiCore::Step& AiCore::step(Cycle now) {
  step_.asks.clear();
  step_.moves.clear();
  progressed_ = false;
  receive(now);
  apply_effects(now);
  for (const Pipe pipe : sync::kPipes)
    if (pipe != Pipe::kS) serve(pipe, now);
  serve_scalar(now);
  note_finished(now);
  step_.next = progressed_ ? now + 1 : next_wake(now);
  return step_;
}

std::string AiCore::at(std::uint32_t pc) const {
  return to_string(code(pc)) + " at " + program_->where(pc);
}

void AiCore::illegal(std::uint32_t pc, const std::string& text, const char* id) const {
  throw IllegalBehaviour(
      program_->where(pc) + ": " + to_string(core_) + ", " + to_string(code(pc)) + ": " + text, id);
}

}  // namespace tessera::cluster
