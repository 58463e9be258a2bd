#include "models/scheduled/router_core.h"

#include <algorithm>
#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled {

namespace {

/// The branch of the transfer of VFSM `from` that leads to VFSM `to` of the node.
void find_branch(const Schedule& schedule, Index from, Index to, SlotTable::Entry& entry) {
  for (const Transfer& t : schedule.transfers) {
    if (t.vfsm != from) continue;
    const auto found = std::find(t.branches.begin(), t.branches.end(), End::vfsm(to));
    entry.source_branch = static_cast<std::uint8_t>(found - t.branches.begin());
    entry.source_last = found + 1 == t.branches.end();
  }
}

SlotTable::Entry entry_of(const Program& program, const Schedule& schedule, const Slot& slot) {
  const Transfer& t = schedule.transfers[slot.transfer];
  SlotTable::Entry e;
  e.vfsm = t.vfsm;
  e.branch = slot.branch;
  e.last = slot.branch + std::size_t{1} == t.branches.size();
  e.to = t.branches[slot.branch].kind;
  e.target = t.branches[slot.branch].index;
  e.stream = t.stream;
  e.continuing = t.stream < program.streams.size() && program.streams[t.stream].continuing;
  e.tagged = program.rules.skew == SkewPolicy::kTag && !e.continuing;
  if (slot.branch != 0) return e;
  e.source = t.source.index;
  if (t.source.kind == End::Kind::kLink) e.listens = static_cast<std::uint8_t>(t.source.index);
  if (t.source.kind == End::Kind::kOutput) e.pull = SlotTable::Pull::kOutput;
  if (t.source.kind == End::Kind::kVfsm) {
    e.pull = SlotTable::Pull::kVfsm;
    find_branch(schedule, t.source.index, t.vfsm, e);
  }
  return e;
}

}  // namespace

SlotTable::SlotTable(const Program& program, const Node& node, Index index, unsigned width,
                     std::pmr::memory_resource* memory)
    : length_(node.schedules[index].length), entries_(std::size_t{length_} * width, memory),
      vfsm_streams_(node.vfsms.size(), kNone), output_streams_(node.outputs.size(), kNone) {
  const Schedule& schedule = node.schedules[index];
  for (const Slot& slot : schedule.slots) {
    Entry* at = entries_.data() + std::size_t{slot.time} * width;
    while (at->vfsm != kNoVfsm) ++at;
    *at = entry_of(program, schedule, slot);
  }
  for (const Transfer& t : schedule.transfers) {
    vfsm_streams_[t.vfsm] = t.stream;
    if (t.source.kind == End::Kind::kOutput) output_streams_[t.source.index] = t.stream;
  }
}

RouterCore::RouterCore(const Program& program, NodeId at, Interface& interface,
                       observe::EventStream* events, WordChecker* checker, RouterMemory memory)
    : width_(static_cast<std::uint8_t>(program.rules.vfsms_per_cycle)),
      watched_(events != nullptr || checker != nullptr), events_(events), checker_(checker),
      at_(at), interface_(interface), program_(program), node_(program.nodes[at]),
      vfsms_(node_.vfsms.size(), memory.vfsms), empty_(width_) {
  std::uint32_t words = 0;
  for (std::size_t v = 0; v < vfsms_.size(); ++v) {
    VfsmState& state = vfsms_[v];
    const std::uint32_t buffer = node_.vfsms[v].buffer;
    state.capacity = static_cast<std::uint16_t>(buffer != 0 ? buffer : program.rules.vfsm_buffer);
    state.first = words;
    if (state.capacity > state.words.size()) words += state.capacity;
  }
  states_ = vfsms_.data();
  words_.resize(words);
  tables_.reserve(node_.schedules.size());
  for (std::size_t i = 0; i < node_.schedules.size(); ++i)
    tables_.emplace_back(program, node_, static_cast<Index>(i), width_, memory.tables);
  memory_.reserve(program.rules.schedule_memory);
  passed_.reserve(8);
  table_ = old_table_ = &empty_;
  if (node_.turns.empty()) return;
  const Turn& first = node_.turns.front();
  schedule_ = node_.phases[first.phase].schedule;
  epoch_ = old_epoch_ = first.epoch;
  table_ = &tables_[schedule_];
  memory_.push_back({schedule_, 0, true});
}

// --- time

const SlotTable::Entry* RouterCore::row(Cycle cycle) const {
  const bool current = cycle >= from_;
  if (!current && cycle >= left_) return empty_.begin();
  const SlotTable& table = current ? *table_ : *old_table_;
  if (program_.rules.slot_clock == SlotClock::kSinceSwitch) cycle -= current ? from_ : old_from_;
  return table.row(static_cast<std::uint32_t>(cycle % table.length()), width_);
}

/// Finds the rows of cycle `now` after a sleep, or around a switch.
void RouterCore::look_up(Cycle now) {
  const Cycle ahead = now - now_;
  if (settled_ && now > now_ && ahead < static_cast<Cycle>(rows_end_ - rows_begin_)) {
    row_now_ += ahead * width_;
    while (row_now_ >= rows_end_) row_now_ -= rows_end_ - rows_begin_;
    row_before_ = (row_now_ == rows_begin_ ? rows_end_ : row_now_) - width_;
  } else {
    row_before_ = now == 0 ? empty_.begin() : row(now - 1);
    row_now_ = row(now);
    settled_ = now >= from_;
    rows_begin_ = table_->begin();
    rows_end_ = table_->end();
  }
  now_ = now;
}

// --- words

void RouterCore::watch_push(const Entry& entry, const slot::Word& pushed, Cycle now) const {
  if (checker_ != nullptr)
    checker_->taken(at_, entry.vfsm, entry.stream, entry.continuing, pushed, epoch_in(now), now);
}

void RouterCore::pull(const Entry& entry, Cycle now, Result& result) {
  VfsmState& vfsm = states_[entry.vfsm];
  if (!vfsm.had_room(now)) return;
  if (entry.pull == SlotTable::Pull::kVfsm) {
    result.moved |= pull_vfsm(entry, now);
    return;
  }
  InterfaceQueue& queue = interface_.outputs[entry.source];
  if (queue.available(now) == 0) return;
  const slot::Word taken = queue.pop(now);
  --waiting_;
  emit(now, observe::EventKind::kVfsmTake, entry.vfsm | unsigned{entry.source} << 16, taken);
  push(vfsm, entry, taken, now);
  result.moved = result.interface_moved = true;
}

bool RouterCore::pull_vfsm(const Entry& entry, Cycle now) {
  VfsmState& source = states_[entry.source];
  if (source.old(now) == 0 || source.advanced_at == now || source.branch != entry.source_branch)
    return false;
  push(states_[entry.vfsm], entry, word(source, 0), now);
  serve(entry.source, entry.source_branch, entry.source_last, now);
  return true;
}

/// Delivers to the processor: false if the queue is full. A marker is absorbed.
bool RouterCore::deliver(const Entry& entry, const slot::Word& delivered, Cycle now,
                         Result& result) {
  InterfaceQueue& queue = interface_.inputs[entry.target];
  if (!delivered.marker && queue.room(now) == 0) return false;
  if (checker_ != nullptr)
    checker_->delivered(at_, entry.target, delivered, epoch_in(now - 1), now);
  if (!delivered.marker) queue.push(delivered, now);
  result.interface_moved = true;
  return true;
}

// --- markers

void RouterCore::note_marker(const slot::Word& marker, Cycle now) {
  for (const VfsmState& vfsm : vfsms_)  // a delay element, or another branch, may still have it
    for (unsigned i = 0; i < vfsm.size; ++i)
      if (word(vfsm, i).marker && word(vfsm, i).stream == marker.stream) return;
  passed_.push_back({marker.stream, marker.epoch, now});
  marker_moved_ = true;
}

bool RouterCore::marker_passed(StreamId stream, std::uint32_t epoch, Cycle now) const {
  return std::any_of(passed_.begin(), passed_.end(), [&](const Passed& p) {
    return p.stream == stream && p.epoch == epoch && p.at < now;
  });
}

// --- schedules

bool RouterCore::load(Index index, Cycle now) {
  for (MemoryEntry& entry : memory_) {
    if (entry.schedule != index) continue;
    entry.keep = true;
    return true;
  }
  const MemoryEntry loaded{index, now + program_.rules.load_cycles, true};
  if (memory_.size() < program_.rules.schedule_memory) {
    memory_.push_back(loaded);
    return true;
  }
  for (MemoryEntry& entry : memory_) {
    if (entry.keep || (now < from_ && entry.schedule == schedule_)) continue;
    entry = loaded;
    return true;
  }
  return false;
}

Cycle RouterCore::loaded_from(Index index) const {
  for (const MemoryEntry& entry : memory_)
    if (entry.schedule == index) return entry.complete;
  return kNever;
}

void RouterCore::command(Index index, std::uint32_t epoch, Cycle now) {
  if (loaded_from(index) > now) {
    throw IllegalBehaviour(node_name(program_, at_) + ": cycle " + std::to_string(now) +
                               ": switch to schedule '" + node_.schedules[index].name +
                               "', which is not in the schedule memory",
                           "/tessera/scheduled/not_loaded");
  }
  for (MemoryEntry& entry : memory_)
    entry.keep = entry.schedule == index || (entry.keep && entry.schedule != schedule_);
  old_table_ = table_;
  old_from_ = from_;
  old_epoch_ = epoch_;
  left_ = now + 1;
  from_ = now + 1 + program_.rules.switch_cost;
  table_ = &tables_[index];
  schedule_ = index;
  epoch_ = epoch;
  audit_due_ = true;
  settled_ = false;
  passed_.erase(std::remove_if(passed_.begin(), passed_.end(),
                               [&](const Passed& p) { return p.epoch + 1 < old_epoch_; }),
                passed_.end());
  if (events_ != nullptr)
    events_->record({now, at_, observe::EventKind::kSchedule, index, epoch, 0});
}

void RouterCore::audit(Cycle now) {
  audit_due_ = false;
  if (checker_ == nullptr) return;
  const auto stays = [&](StreamId runs_for, const slot::Word& left) {
    return runs_for != left.stream || left.stream >= program_.streams.size() ||
           !program_.streams[left.stream].continuing;
  };
  for (std::size_t v = 0; v < vfsms_.size(); ++v) {
    const auto vfsm = static_cast<Index>(v);
    for (unsigned i = 0; i < vfsms_[v].old(now); ++i) {
      const slot::Word& left = word(vfsms_[v], i);
      if (stays(table_->stream_of_vfsm(vfsm), left))
        checker_->stranded(at_, End::vfsm(vfsm), left, epoch_, now - 1);
    }
  }
  for (std::size_t o = 0; o < interface_.outputs.size(); ++o) {
    const auto output = static_cast<Index>(o);
    const InterfaceQueue& queue = interface_.outputs[o];
    for (unsigned i = 0; i < queue.available(now); ++i)
      if (stays(table_->stream_of_output(output), queue[i]))
        checker_->stranded(at_, End::output(output), queue[i], epoch_, now - 1);
  }
}

// --- looking in

std::vector<RouterCore::Held> RouterCore::held() const {
  std::vector<Held> all;
  for (std::size_t v = 0; v < vfsms_.size(); ++v) {
    if (vfsms_[v].size == 0) continue;
    all.push_back({static_cast<Index>(v), vfsms_[v].size, &word(vfsms_[v], 0), vfsms_[v].branch});
  }
  return all;
}

unsigned RouterCore::words_of(StreamId stream) const {
  unsigned count = 0;
  for (const VfsmState& vfsm : vfsms_)
    for (unsigned i = 0; i < vfsm.size; ++i) count += word(vfsm, i).stream == stream;
  for (const InterfaceQueue& queue : interface_.outputs)
    for (unsigned i = 0; i < queue.size(); ++i) count += queue[i].stream == stream;
  return count;
}

}  // namespace tessera::scheduled
