#include "models/scheduled/router_core.h"

#include <algorithm>
#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled {

namespace {

std::uint64_t ident(const slot::Word& word) {
  return std::uint64_t{word.stream} << 32 | word.sequence;
}

}  // namespace

RouterCore::RouterCore(const Program& program, NodeId at, Interface& interface,
                       observe::Probe probe, WordChecker* checker)
    : program_(program), node_(program.nodes[at]), rules_(program.rules), at_(at),
      width_(program.rules.vfsms_per_cycle), interface_(interface), probe_(probe),
      checker_(checker), empty_(width_) {
  std::uint32_t words = 0;
  for (const Vfsm& vfsm : node_.vfsms) {
    VfsmState& state = vfsms_.emplace_back();
    state.first = words;
    state.capacity =
        static_cast<std::uint16_t>(vfsm.buffer != 0 ? vfsm.buffer : rules_.vfsm_buffer);
    words += state.capacity;
  }
  words_.resize(words);
  tables_.reserve(node_.schedules.size());
  for (std::size_t i = 0; i < node_.schedules.size(); ++i)
    tables_.emplace_back(program, node_, static_cast<Index>(i), width_);
  memory_.reserve(rules_.schedule_memory);
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
  if (rules_.slot_clock == SlotClock::kSinceSwitch) cycle -= current ? from_ : old_from_;
  return table.row(static_cast<std::uint32_t>(cycle % table.length()), width_);
}

void RouterCore::come_to(Cycle now) {
  if (now == now_) return;
  if (now == now_ + 1 && now > from_) {
    row_before_ = row_now_;
    row_now_ += width_;
    if (row_now_ == table_->end()) row_now_ = table_->begin();
  } else {
    row_before_ = now == 0 ? empty_.begin() : row(now - 1);
    row_now_ = row(now);
  }
  now_ = now;
}

// --- words

// A fork that was half served starts again.
void RouterCore::annotate(VfsmState& vfsm, StreamId stream) {
  if (vfsm.stream == stream) return;
  vfsm.stream = stream;
  vfsm.branch = 0;
}

void RouterCore::push(VfsmState& vfsm, const SlotTable::Entry& entry, const slot::Word& word,
                      Cycle now) {
  annotate(vfsm, entry.stream);
  const unsigned at = vfsm.head + vfsm.size;
  words_[vfsm.first + (at < vfsm.capacity ? at : at - vfsm.capacity)] = word;
  ++vfsm.size;
  vfsm.pushed_at = now;
  ++in_vfsms_;
  if (checker_ != nullptr)
    checker_->taken(at_, entry.vfsm, entry.stream, entry.continuing, word, epoch_in(now), now);
}

bool RouterCore::take(Port in, const slot::Word& word, bool parity, Cycle now) {
  come_to(now);
  for (unsigned i = 0; i < width_; ++i) {
    const SlotTable::Entry& entry = row_now_[i];
    if (entry.listens != index(in)) continue;
    VfsmState& vfsm = vfsms_[entry.vfsm];
    if (vfsm.size_at_start(now) >= vfsm.capacity) return false;
    if (entry.tagged && parity != ((epoch_in(now) & 1U) != 0)) return false;
    push(vfsm, entry, word, now);
    return true;
  }
  return false;
}

bool RouterCore::pull(const SlotTable::Entry& entry, Cycle now) {
  VfsmState& vfsm = vfsms_[entry.vfsm];
  annotate(vfsm, entry.stream);
  if (entry.pull == SlotTable::Pull::kNothing || vfsm.size_at_start(now) >= vfsm.capacity)
    return false;
  if (entry.pull == SlotTable::Pull::kOutput) {
    InterfaceQueue& queue = interface_.outputs[entry.source];
    if (queue.available(now) == 0) return false;
    const slot::Word word = queue.pop(now);
    --waiting_;
    probe_.emit(now, observe::EventKind::kVfsmTake, entry.vfsm | unsigned{entry.source} << 16,
                word.data, ident(word));
    push(vfsm, entry, word, now);
    return true;
  }
  VfsmState& source = vfsms_[entry.source];
  const bool has_word = source.size - (source.pushed_at == now ? 1 : 0) > 0;
  if (!has_word || source.advanced_at == now || source.branch != entry.source_branch) return false;
  const slot::Word word = word_of(source, 0);
  push(vfsm, entry, word, now);
  serve(entry.source, entry.source_branch, entry.source_last, word, now);
  return false;
}

void RouterCore::serve(Index index, unsigned branch, bool last, const slot::Word& word, Cycle now) {
  VfsmState& vfsm = vfsms_[index];
  ++moves_;
  probe_.emit(now, observe::EventKind::kVfsmMove, index | branch << 16, word.data, ident(word));
  vfsm.advanced_at = now;
  if (!last) {
    ++vfsm.branch;
    return;
  }
  vfsm.branch = 0;
  vfsm.popped_at = now;
  vfsm.head = static_cast<std::uint16_t>(vfsm.head + 1 == vfsm.capacity ? 0 : vfsm.head + 1);
  --vfsm.size;
  --in_vfsms_;
  if (word.marker) note_marker(word, now);
}

void RouterCore::offer(const SlotTable::Entry& entry, Cycle now, Step& step) {
  const VfsmState& vfsm = vfsms_[entry.vfsm];
  const bool has_word = vfsm.size - (vfsm.pushed_at == now ? 1 : 0) > 0;
  if (!has_word || vfsm.advanced_at == now || vfsm.branch != entry.branch) return;
  const slot::Word& word = word_of(vfsm, 0);
  const std::uint32_t epoch = now - 1 >= from_ ? epoch_ : old_epoch_;
  if (entry.to == End::Kind::kLink) {
    step.offers.push_back({word, static_cast<Port>(entry.target), (epoch & 1U) != 0, &entry});
    return;
  }
  if (entry.to != End::Kind::kInput) return;
  InterfaceQueue& queue = interface_.inputs[entry.target];
  if (!word.marker && queue.room(now) == 0) return;
  if (checker_ != nullptr) checker_->delivered(at_, entry.target, word, epoch, now);
  if (!word.marker) queue.push(word, now);
  step.interface_moved = true;
  const slot::Word served = word;
  accepted(entry, served, now);
}

RouterCore::Step RouterCore::step(Cycle now) {
  Step step;
  const std::uint64_t moves = moves_;
  come_to(now);
  if (audit_due_ && now >= left_) audit(now);
  for (unsigned i = 0; i < width_; ++i) {
    if (row_now_[i].vfsm == SlotTable::kNoVfsm) break;
    if (pull(row_now_[i], now)) step.interface_moved = true;
  }
  for (unsigned i = 0; i < width_; ++i) {
    if (row_before_[i].vfsm == SlotTable::kNoVfsm) break;
    offer(row_before_[i], now, step);
  }
  step.moved = step.interface_moved || moves_ != moves;
  step.busy = words() != 0;
  return step;
}

// --- markers

void RouterCore::note_marker(const slot::Word& marker, Cycle now) {
  for (const VfsmState& vfsm : vfsms_)  // a delay element, or another branch, may still have it
    for (unsigned i = 0; i < vfsm.size; ++i)
      if (word_of(vfsm, i).marker && word_of(vfsm, i).stream == marker.stream) return;
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
  const MemoryEntry loaded{index, now + rules_.load_cycles, true};
  if (memory_.size() < rules_.schedule_memory) {
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
  from_ = now + 1 + rules_.switch_cost;
  table_ = &tables_[index];
  schedule_ = index;
  epoch_ = epoch;
  audit_due_ = true;
  passed_.erase(std::remove_if(passed_.begin(), passed_.end(),
                               [&](const Passed& p) { return p.epoch + 1 < old_epoch_; }),
                passed_.end());
  probe_.emit(now, observe::EventKind::kSchedule, index, epoch);
}

void RouterCore::audit(Cycle now) {
  audit_due_ = false;
  if (checker_ == nullptr) return;
  const auto stays = [&](StreamId runs_for, const slot::Word& word) {
    return runs_for != word.stream || word.stream >= program_.streams.size() ||
           !program_.streams[word.stream].continuing;
  };
  for (std::size_t v = 0; v < vfsms_.size(); ++v) {
    const auto vfsm = static_cast<Index>(v);
    const unsigned old_words = vfsms_[v].size - (vfsms_[v].pushed_at == now ? 1U : 0U);
    for (unsigned i = 0; i < old_words; ++i) {
      const slot::Word& word = word_of(vfsms_[v], i);
      if (stays(table_->stream_of_vfsm(vfsm), word))
        checker_->stranded(at_, End::vfsm(vfsm), word, epoch_, now - 1);
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
    all.push_back(
        {static_cast<Index>(v), vfsms_[v].size, &word_of(vfsms_[v], 0), vfsms_[v].branch});
  }
  return all;
}

unsigned RouterCore::words_of(StreamId stream) const {
  unsigned count = 0;
  for (const VfsmState& vfsm : vfsms_)
    for (unsigned i = 0; i < vfsm.size; ++i) count += word_of(vfsm, i).stream == stream;
  for (const InterfaceQueue& queue : interface_.outputs)
    for (unsigned i = 0; i < queue.size(); ++i) count += queue[i].stream == stream;
  return count;
}

}  // namespace tessera::scheduled
