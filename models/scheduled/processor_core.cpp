#include "models/scheduled/processor_core.h"

#include <algorithm>

namespace tessera::scheduled {

ProcessorCore::ProcessorCore(const Program& program, NodeId at, Interface& interface,
                             RouterCore& router, Barriers& barriers, observe::Probe probe)
    : program_(program), node_(program.nodes[at]), at_(at), interface_(interface), router_(router),
      barrier_(barriers, at), probe_(probe), online_(program, at, interface), memory_(node_.memory),
      ends_(node_.turns.size(), kNever) {
  std::size_t most = 0;
  for (const Turn& turn : node_.turns) {
    const std::size_t tasks = node_.phases[turn.phase].tasks.size();
    returns_.emplace_back(tasks, kNever);
    most += tasks;
  }
  threads_.reserve(std::min<std::size_t>(most, 64));
  if (node_.turns.empty()) finished_at_ = 0;
}

ProcessorCore::Result ProcessorCore::step(Cycle now) {
  const std::uint64_t before = read_ + written_;
  const Result out = do_cycle(now);
  const bool moved = read_ + written_ != before && !finished();
  const ProcessorWaits::Line line = what_it_does(now);
  if (moved) {
    waits_.change({line.phase, line.task, WaitReason::kBusy, 0}, now);
    waits_.change(line, now + 1);
  } else {
    waits_.change(line, now);
  }
  return out;
}

ProcessorCore::Result ProcessorCore::do_cycle(Cycle now) {
  Result out;
  if (!finished() && !started_ && now >= turn_from_) {
    start_turn(now);
    out.progress = true;
  }
  load_ahead(now);
  take_interrupts(now);
  if (now < stalled_until_) {
    out.next = stalled_until_;
    return out;
  }
  budget_ = program_.rules.io_per_cycle;
  const OnlineRouterCore::Step online = online_.step(now, budget_, router_.epoch());
  read_ += online.read;
  written_ += online.written;
  for (unsigned i = 0; i < online.written; ++i) router_.written();
  out.wrote = online.written > 0;
  out.progress |= online.busy;
  if (!online.busy) run_tasks(now, out);
  if (started_ && !finished()) end_turn(now, out);
  const Cycle next = next_step(now, out);
  out.next = std::min(out.next, online.busy ? now + 1 : next);
  return out;
}

Cycle ProcessorCore::next_step(Cycle now, const Result& out) const {
  if (out.progress) return now + 1;
  Cycle next = kNever;
  for (const TaskThread& thread : threads_)
    if (!thread.is_over() && thread.ready_at > now) next = std::min(next, thread.ready_at);
  if (!started_ && !finished()) next = std::min(next, turn_from_);
  if (next_interrupt_ < node_.interrupts.size() && !finished() && !holds_off_interrupts())
    next = std::min(next, std::max(now + 1, node_.interrupts[next_interrupt_].at));
  return next;
}

// --- phases

void ProcessorCore::start_turn(Cycle now) {
  started_ = true;
  threads_.erase(std::remove_if(threads_.begin(), threads_.end(),
                                [](const TaskThread& thread) { return thread.is_over(); }),
                 threads_.end());
  next_thread_ = 0;
  const std::vector<Task>& tasks = phase().tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads_.emplace_back(tasks[i], static_cast<std::uint32_t>(turn_),
                          static_cast<std::uint32_t>(i), node_.turns[turn_].epoch, now);
    note_return(threads_.back());
  }
}

/// The memory takes the schedules of the next turns one after the other.
void ProcessorCore::load_ahead(Cycle now) {
  while (loaded_ + 1 < node_.turns.size() && loaded_ < turn_ + program_.rules.schedule_memory) {
    if (!router_.load(schedule_of(loaded_ + 1), now)) return;
    ++loaded_;
  }
}

/// The router gives up the schedule that it leaves, which a later turn may need: it is loaded
/// again.
void ProcessorCore::command(Index schedule, std::uint32_t epoch, Cycle now) {
  router_.command(schedule, epoch, now);
  for (std::size_t turn = turn_ + 1; turn <= loaded_; ++turn) router_.load(schedule_of(turn), now);
}

/// When the tasks of the phase are over and what their techniques ask for, except a barrier, has come
/// to pass; kNever: not known yet.
Cycle ProcessorCore::all_returned(Cycle now) const {
  Cycle ready = phase().not_before;
  for (const TaskThread& thread : threads_) {
    if (thread.turn != turn_ || thread.task->technique == Technique::kContinuing) continue;
    if (!thread.is_over()) return kNever;
    const bool delays = thread.task->technique == Technique::kMessageBound;
    ready = std::max(ready, thread.ready_at + (delays ? thread.task->delay : 0));
    if (thread.task->technique != Technique::kMarker) continue;
    for (const StreamId stream : thread.task->markers)
      if (!router_.marker_passed(stream, thread.epoch, now)) return kNever;
  }
  return ready + phase().delay;
}

bool ProcessorCore::is_ending() const {
  if (finished()) return true;
  return started_ && turn_ + 1 == node_.turns.size() &&
         std::all_of(threads_.begin(), threads_.end(),
                     [](const TaskThread& thread) { return thread.is_over(); });
}

void ProcessorCore::end_turn(Cycle now, Result& out) {
  const auto is_due = [&](Cycle at) {
    if (at > now) out.next = std::min(out.next, at);
    return at <= now;
  };
  if (!is_due(all_returned(now))) return;
  const bool last = turn_ + 1 == node_.turns.size();
  if (last) {
    Cycle returned = 0;  // when all tasks have returned, also those of earlier phases
    for (const TaskThread& thread : threads_)
      returned = std::max(returned, thread.is_over() ? thread.ready_at : kNever);
    if (!is_due(returned)) return;
  }
  if (has_barrier(phase(), program_.rules) && !is_due(barrier_.released(phase(), now))) return;
  if (last) {
    ends_[turn_] = finished_at_ = now;
    barrier_.end(now);
    out.progress = true;
    return;
  }
  if (!is_due(router_.loaded_from(schedule_of(turn_ + 1)))) return;
  ends_[turn_++] = now;
  command(phase().schedule, node_.turns[turn_].epoch, now);
  turn_from_ = router_.in_force_from();
  started_ = false;
  barrier_.leave();
  out.wrote = out.progress = true;
}

// --- interrupts

bool ProcessorCore::holds_off_interrupts() const {
  if (barrier_.arrived()) return true;
  return program_.rules.suspend_interrupts &&
         std::any_of(threads_.begin(), threads_.end(), [this](const TaskThread& thread) {
           return thread.turn == turn_ && thread.task->technique == Technique::kMessageBound;
         });
}

/// After its last phase a node takes them for its software router only, and has no timer for them:
/// each counts from its own time, whenever the node is stepped.
void ProcessorCore::take_interrupts(Cycle now) {
  if (finished()) return take_late_interrupts(now);
  while (next_interrupt_ < node_.interrupts.size() && now >= stalled_until_ &&
         node_.interrupts[next_interrupt_].at <= now && !holds_off_interrupts()) {
    const Cycle length = node_.interrupts[next_interrupt_++].length;
    stalled_until_ = now + length;
    for (TaskThread& thread : threads_)
      if (!thread.is_over() && thread.ready_at > now) thread.ready_at += length;
  }
}

void ProcessorCore::take_late_interrupts(Cycle now) {
  if (!node_.online.enabled) return;
  while (next_interrupt_ < node_.interrupts.size() && node_.interrupts[next_interrupt_].at <= now) {
    const Interrupt& interrupt = node_.interrupts[next_interrupt_++];
    const Cycle begin = std::max({interrupt.at, stalled_until_, finished_at_ + 1});
    stalled_until_ = begin + interrupt.length;
  }
}

// --- tasks

void ProcessorCore::run_tasks(Cycle now, Result& out) {
  const std::size_t count = threads_.size();
  const std::size_t first = next_thread_;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t number = first + i;
    if (number >= count) number -= count;
    const std::uint32_t before = budget_;
    run_task(threads_[number], now, out);
    if (budget_ != before) next_thread_ = number + 1 == count ? 0 : number + 1;
  }
}

void ProcessorCore::run_task(TaskThread& thread, Cycle now, Result& out) {
  while (!thread.is_over() && thread.ready_at <= now) {
    if (do_step(thread, now, out) == Outcome::kBlocked) return;
    out.progress = true;
    thread.advance();
    note_return(thread);
  }
}

ProcessorCore::Outcome ProcessorCore::do_step(TaskThread& thread, Cycle now, Result& out) {
  const Step& step = thread.step();
  Outcome outcome = Outcome::kDone;
  Cycle cost = step.cost;
  switch (step.kind) {
  case Step::Kind::kWrite:
  case Step::Kind::kWriteMarker:
    outcome = write(thread, now, out);
    break;
  case Step::Kind::kRead:
    outcome = read(thread, now);
    break;
  case Step::Kind::kCompute:
    if (step.data >= 0 && step.from >= 0) memory_.combine(thread, memory_.at(step.from, thread));
    break;
  case Step::Kind::kWaitUntil:
    cost = step.cost > now ? step.cost - now : 0;
    break;
  case Step::Kind::kLoad:
  case Step::Kind::kSwitch:
    outcome = control(step, now, out);
    break;
  case Step::Kind::kSend:
    send(thread);
    cost *= step.words;
    break;
  case Step::Kind::kReceive:
    outcome = receive(thread);
    cost *= step.words;
    break;
  }
  if (outcome == Outcome::kDone) {
    thread.ready_at = now + cost;
    thread.pauses = step.kind == Step::Kind::kWaitUntil;
  }
  return outcome;
}

ProcessorCore::Outcome ProcessorCore::write(const TaskThread& thread, Cycle now, Result& out) {
  const Step& step = thread.step();
  InterfaceQueue& queue = interface_.outputs[step.address];
  if (budget_ == 0 || queue.room(now) == 0) return Outcome::kBlocked;
  --budget_;
  std::uint32_t& count = counts_[step.stream];
  slot::Word word;
  word.data = step.data >= 0 ? memory_.at(step.data, thread) : count;
  word.stream = step.stream;
  word.sequence = count;
  word.epoch = thread.task->technique == Technique::kContinuing
                   ? node_.turns[turn_].epoch & 0x7FFFFFFF
                   : thread.epoch & 0x7FFFFFFF;
  word.marker = step.kind == Step::Kind::kWriteMarker ? 1 : 0;
  if (!word.marker) ++count;
  queue.push(word, now);
  router_.written();
  ++written_;
  out.wrote = true;
  probe_.emit(now, observe::EventKind::kWordOut, step.address, word.data,
              std::uint64_t{word.stream} << 32 | word.sequence);
  return Outcome::kDone;
}

ProcessorCore::Outcome ProcessorCore::read(const TaskThread& thread, Cycle now) {
  const Step& step = thread.step();
  InterfaceQueue& queue = interface_.inputs[step.address];
  if (budget_ == 0 || queue.available(now) == 0) return Outcome::kBlocked;
  --budget_;
  const slot::Word word = queue.pop(now);
  ++read_;
  if (step.data >= 0) {
    if (step.from >= 0) memory_.at(step.data, thread) = memory_.at(step.from, thread);
    memory_.combine(thread, word.data);
  }
  probe_.emit(now, observe::EventKind::kWordIn, step.address, word.data,
              std::uint64_t{word.stream} << 32 | word.sequence);
  return Outcome::kDone;
}

ProcessorCore::Outcome ProcessorCore::control(const Step& step, Cycle now, Result& out) {
  if (step.kind == Step::Kind::kLoad)
    return router_.load(step.address, now) ? Outcome::kDone : Outcome::kBlocked;
  const Cycle loaded = router_.loaded_from(step.address);
  const Cycle possible = std::max(loaded == kNever ? now : loaded, router_.in_force_from());
  if (possible > now) {
    out.next = std::min(out.next, possible);
    return Outcome::kBlocked;
  }
  command(step.address, node_.turns[turn_].epoch, now);
  out.wrote = true;
  return Outcome::kDone;
}

void ProcessorCore::send(const TaskThread& thread) {
  const Step& step = thread.step();
  message_.clear();
  for (std::uint32_t i = 0; i < step.words; ++i)
    message_.push_back(step.data >= 0 ? (&memory_.at(step.data, thread))[i] : i);
  online_.send(step.peer, step.address, message_.data(), step.words);
}

ProcessorCore::Outcome ProcessorCore::receive(const TaskThread& thread) {
  const Step& step = thread.step();
  message_.clear();
  if (!online_.receive(step.address, message_)) return Outcome::kBlocked;
  if (step.data < 0) return Outcome::kDone;
  std::uint32_t* to = &memory_.at(step.data, thread);
  std::copy_n(message_.begin(), std::min<std::size_t>(message_.size(), step.words), to);
  return Outcome::kDone;
}

// --- looking in

// After the work of cycle `now`, up to the next cycle in which it is stepped.
ProcessorWaits::Line ProcessorCore::what_it_does(Cycle now) const {
  if (finished()) return {0, ProcessorWaits::kNoTask, WaitReason::kIdle, 0};
  const Index phase_number = node_.turns[turn_].phase;
  const auto whole = [&](WaitReason reason) {
    return ProcessorWaits::Line{phase_number, ProcessorWaits::kNoTask, reason, 0};
  };
  if (now < stalled_until_) return whole(WaitReason::kStalled);
  if (!started_) return whole(WaitReason::kSwitch);
  const TaskThread* blocked = nullptr;
  for (const TaskThread& thread : threads_) {
    if (thread.is_over()) continue;
    if (thread.ready_at > now) {
      const WaitReason reason = thread.pauses ? WaitReason::kDelay : WaitReason::kBusy;
      return {node_.turns[thread.turn].phase, thread.number, reason, 0};
    }
    if (blocked == nullptr) blocked = &thread;
  }
  if (blocked != nullptr) {
    const Step::Kind kind = blocked->step().kind;
    const bool writes = kind == Step::Kind::kWrite || kind == Step::Kind::kWriteMarker;
    const bool reads = kind == Step::Kind::kRead || kind == Step::Kind::kReceive;
    return {node_.turns[blocked->turn].phase, blocked->number,
            writes  ? WaitReason::kRoom
            : reads ? WaitReason::kWord
                    : WaitReason::kSwitch,
            0};
  }
  const Cycle ready = all_returned(now);
  if (ready == kNever) return whole(WaitReason::kMarker);
  if (ready > now) return whole(WaitReason::kDelay);
  return whole(has_barrier(phase(), program_.rules) ? WaitReason::kBarrier : WaitReason::kSwitch);
}

std::string ProcessorCore::what_it_waits_for(const TaskThread& thread) const {
  const Step& step = thread.step();
  const std::string times = " (" + std::to_string(thread.iteration()) + " of " +
                            std::to_string(thread.block().repeat) + " done)";
  const std::string number = std::to_string(step.address);
  switch (step.kind) {
  case Step::Kind::kWrite:
  case Step::Kind::kWriteMarker:
    return "room in output " + number + " for " + stream_name(program_, step.stream) + times;
  case Step::Kind::kRead:
    return "a word of " + stream_name(program_, step.stream) + " in input " + number + times;
  case Step::Kind::kLoad:
    return "an entry of the schedule memory for schedule '" + node_.schedules[step.address].name +
           "'";
  case Step::Kind::kReceive:
    return "a message in queue " + number;
  default:
    return "time to pass";
  }
}

void ProcessorCore::describe_waits(observe::Waits& waits, Cycle now) const {
  if (finished()) return;
  const std::string where = ", " + phase_name(program_, at_, node_.turns[turn_].epoch);
  bool blocked = false;
  for (const TaskThread& thread : threads_) {
    if (thread.is_over() || thread.ready_at > now) continue;
    blocked = true;
    const std::size_t name = node_name(program_, at_).size() + 2;
    waits.push_back({at_, node_name(program_, at_) + ", task '" + thread.task->name + "'" + where,
                     what_it_waits_for(thread), true, false, std::string::npos, name});
  }
  if (blocked || !started_) return;
  const std::string what = what_the_turn_waits_for(now);
  if (!what.empty())
    waits.push_back({at_, node_name(program_, at_) + where, what, true, false, std::string::npos,
                     node_name(program_, at_).size() + 2});
}

/// Why a turn without a blocked task does not end; empty: time has to pass, no more.
std::string ProcessorCore::what_the_turn_waits_for(Cycle now) const {
  const auto goes_on = [&](const TaskThread& thread) { return !thread.is_over(); };
  if (std::any_of(threads_.begin(), threads_.end(), goes_on)) return {};
  const Cycle ready = all_returned(now);
  if (ready == kNever) return "the markers of its streams";
  if (ready > now) return {};
  if (barrier_.waits(phase())) return barrier_.missing(phase());
  if (turn_ + 1 == node_.turns.size()) return {};
  const Index schedule = schedule_of(turn_ + 1);
  if (router_.loaded_from(schedule) != kNever) return {};
  return "schedule '" + node_.schedules[schedule].name + "' of " +
         phase_name(program_, at_, node_.turns[turn_ + 1].epoch) +
         ": the schedule memory has no free entry to load it";
}

}  // namespace tessera::scheduled
