// VFSM router of a scheduled mesh node (reference numesh.md 1.2, 1.3, 1.5, rules R1 to R10 of 6.1).
// Plain C++; mesh.h has the modules, mesh_core.h the structure for many.
//
// Valid and accept in one cycle. Both wires of a link are driven from state at the start of the
// cycle: valid from the slot of the cycle before and the oldest word of its VFSM, accept from the
// slot of this cycle and the room of its VFSM (no look-ahead: a word that leaves in this cycle
// still counts). Neither depends on the other, so the outcome of a cycle is a function of state one
// cycle old, the word is seen after the link a cycle later, and the house rule holds: every effect
// takes at least one cycle. The model asks for it with one call, take(), that answers from the
// state at the start of the cycle whether the receiver has been stepped in it or not.
//
// Order inside a cycle `now`, one step():
//   1. a switch commanded in an earlier cycle comes into force; its words are audited (R10);
//   2. the slot of `now`: its VFSM takes a word from an output queue or from another VFSM of the
//      node, if it had room (R3). What comes over a link is taken by take(), before or after the
//      step;
//   3. the slot of `now` - 1: the oldest word of its VFSM is offered to the branch of the slot
//      (R9). An input queue with room takes it (R6); for links the caller asks the neighbour's
//      take().
//
// Rules that are choices here: R1 one clock; R3 accept from occupancy at the start of the cycle, no
// look-ahead and no cut-through; R5 and R6 a refused word stays and is offered again in the next
// slot of its VFSM; R7 queues show changes a cycle later (interface.h); R9 branches are
// causally ordered, a VFSM advances by at most one branch a cycle. Parameters: R2
// Rules::vfsms_per_cycle, R4 Rules::slot_clock, R10 Rules::switch_cost; depths and buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/interface.h"
#include "models/scheduled/program.h"
#include "models/scheduled/word_checker.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/slot/word.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

/// A schedule as a router runs it: for every slot all that its VFSM does, in one place.
class SlotTable {
 public:
  static constexpr Index kNoVfsm = 0xFFFF;
  static constexpr std::uint8_t kNowhere = 0xFF;
  enum class Pull : std::uint8_t { kNothing, kOutput, kVfsm };

  /// 16 bytes: four slots are a cache line.
  struct alignas(16) Entry {
    Index vfsm = kNoVfsm;
    std::uint8_t branch = 0;
    std::uint8_t listens = kNowhere;  // port of the link it reads in this slot
    StreamId stream = kNone;
    Index source = 0;                // number of the output or VFSM that `pull` takes from
    Index target = 0;                // number of the link, input or VFSM that the branch leads to
    std::uint8_t source_branch = 0;  // Pull::kVfsm: the branch there that leads here
    Pull pull : 2;                   // what it takes a word from, if not from a link
    End::Kind to : 3;                // where the branch leads
    bool last : 1;                   // branch is the last one
    bool source_last : 1;
    bool continuing : 1;
    bool tagged : 1;  // SkewPolicy::kTag: words of the other parity are refused

    Entry()
        : pull(Pull::kNothing), to(End::Kind::kLink), last(false), source_last(false),
          continuing(false), tagged(false) {}
    bool runs() const { return vfsm != kNoVfsm; }
  };
  static_assert(sizeof(Entry) == 16);

  /// A table without VFSMs.
  explicit SlotTable(unsigned width) : length_(1), entries_(width) {}
  /// Schedule `index` of `node`; `width` VFSMs per cycle. Requires a valid program (program.h).
  SlotTable(const Program& program, const Node& node, Index index, unsigned width,
            std::pmr::memory_resource* memory);

  std::uint32_t length() const { return length_; }
  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + entries_.size(); }
  const Entry* row(std::uint32_t slot, unsigned width) const {
    return entries_.data() + std::size_t{slot} * width;
  }
  /// The stream that it runs `vfsm` for, and that it empties `output` for; kNone: for none.
  StreamId stream_of_vfsm(Index vfsm) const {
    return vfsm_streams_.empty() ? kNone : vfsm_streams_[vfsm];
  }
  StreamId stream_of_output(Index output) const {
    return output_streams_.empty() ? kNone : output_streams_[output];
  }

 private:
  std::uint32_t length_;
  std::pmr::vector<Entry> entries_;  // [slot][width]
  std::vector<StreamId> vfsm_streams_;
  std::vector<StreamId> output_streams_;
};

/// Where routers keep their VFSMs and slot tables; those of many that are stepped one after the
/// other should lie one after the other.
struct RouterMemory {
  std::pmr::memory_resource* vfsms = std::pmr::get_default_resource();
  std::pmr::memory_resource* tables = std::pmr::get_default_resource();
};

class alignas(64) RouterCore {
 public:
  struct Result {
    bool interface_moved = false;  ///< a queue changed, or a marker left: the processor may look
                                   ///< in now + 1
    bool moved = false;            ///< a word moved, in it or to a neighbour
    bool busy = false;             ///< wants to be stepped in now + 1
  };

  /// `program`, `interface`, `events` and `checker` outlive the router; the latter two may be
  /// nullptr. Schedule `Node::turns[0]` is in force from cycle 0 on.
  RouterCore(const Program& program, NodeId at, Interface& interface, observe::EventStream* events,
             WordChecker* checker, RouterMemory memory = {});

  // --- the network

  /// Does the work of cycle `now`, once. `ask(port, word, parity)` asks the neighbour behind `port`
  /// whether it takes the word in this cycle: its take().
  template <class Ask>
  Result step(Cycle now, Ask&& ask);
  /// The neighbour behind `in` offers `word` in cycle `now`: true, and the VFSM of this slot has
  /// it, if it listens there and had room. The router wants to be stepped in now + 1. `parity` is
  /// the tag wire of the link (SkewPolicy::kTag).
  bool take(Port in, const slot::Word& word, bool parity, Cycle now);
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// It wants to be stepped in the next cycle, whatever its neighbours do.
  bool is_awake() const { return words() != 0 || audit_due_; }

  // --- the processor of the node

  /// It has pushed a word into an output queue: the router wants to be stepped in now + 1.
  void written() { ++waiting_; }
  /// Loads schedule `index` of the node; false: no entry of the memory is free (1.5). Entries that
  /// were loaded and not yet run, and the active one, are kept.
  bool load(Index index, Cycle now);
  /// The cycle from which `index` is complete in the memory; kNever if it is not there.
  Cycle loaded_from(Index index) const;
  /// Runs schedule `index` from cycle now + 1 + Rules::switch_cost on; no other switch may be under
  /// way. The router wants to be stepped in now + 1. Throws IllegalBehaviour if it is not loaded.
  void command(Index index, std::uint32_t epoch, Cycle now);
  /// The cycle from which the schedule of the last command is in force.
  Cycle in_force_from() const { return from_; }
  /// Whether the marker of `stream`, written in `epoch`, left this router before cycle `now`.
  bool marker_passed(StreamId stream, std::uint32_t epoch, Cycle now) const;

  // --- looking in

  struct Held {
    Index vfsm;
    unsigned words;
    const slot::Word* oldest;
    unsigned branch;  ///< branch that takes the oldest word next
  };
  std::vector<Held> held() const;
  /// Words in VFSMs and output queues.
  std::uint32_t words() const { return in_vfsms_ + waiting_; }
  /// Index of the schedule of the last command and its epoch.
  Index schedule() const { return schedule_; }
  std::uint32_t epoch() const { return epoch_; }
  /// Words of `stream` in VFSMs and output queues.
  unsigned words_of(StreamId stream) const;

 private:
  /// A cache line: most VFSMs hold a word or two.
  struct alignas(64) VfsmState {
    Cycle pushed_at = kNever;
    Cycle advanced_at = kNever;  // a branch of the oldest word was served
    std::array<slot::Word, 2> words;
    std::uint32_t first = 0;  // where its buffer begins in words_, if that holds more than two
    StreamId stream = kNone;  // stream of the annotation under which it ran last
    std::uint16_t capacity = 0;
    std::uint16_t head = 0;
    std::uint16_t size = 0;
    std::uint8_t branch = 0;  // branch that takes the oldest word next
    bool popped = false;      // in cycle advanced_at the last branch was served

    /// Words that came before cycle `now` and have not left yet.
    unsigned old(Cycle now) const { return size - (pushed_at == now ? 1U : 0U); }
    bool had_room(Cycle now) const {
      return old(now) + (popped && advanced_at == now ? 1U : 0U) < capacity;
    }
  };
  struct MemoryEntry {
    Index schedule;
    Cycle complete;
    bool keep;  // loaded and not yet run, or active

    void visit(state::Archive& archive);
  };
  struct Passed {
    StreamId stream;
    std::uint32_t epoch;
    Cycle at;

    void visit(state::Archive& archive);
  };
  using Entry = SlotTable::Entry;

  void visit_vfsm(state::Archive& archive, VfsmState& vfsm);
  void visit_schedules(state::Archive& archive);
  void come_to(Cycle now);
  void look_up(Cycle now);
  const Entry* row(Cycle cycle) const;
  std::uint32_t epoch_in(Cycle cycle) const { return cycle >= from_ ? epoch_ : old_epoch_; }
  slot::Word& word(VfsmState& vfsm, unsigned i) {
    unsigned at = vfsm.head + i;
    if (at >= vfsm.capacity) at -= vfsm.capacity;
    return vfsm.capacity <= vfsm.words.size() ? vfsm.words[at] : words_[vfsm.first + at];
  }
  const slot::Word& word(const VfsmState& vfsm, unsigned i) const {
    return const_cast<RouterCore*>(this)->word(const_cast<VfsmState&>(vfsm), i);
  }
  void push(VfsmState& vfsm, const Entry& entry, const slot::Word& word, Cycle now);
  void serve(Index vfsm, unsigned branch, bool last, Cycle now);
  bool pull_vfsm(const Entry& entry, Cycle now);
  void pull(const Entry& entry, Cycle now, Result& result);
  /// A VFSM that runs for another stream than before: a fork that was half served starts again.
  static void annotate(VfsmState& vfsm, const Entry& entry) {
    vfsm.stream = entry.stream;
    vfsm.branch = 0;
  }
  bool deliver(const Entry& entry, const slot::Word& word, Cycle now, Result& result);
  template <class Ask>
  void offer(const Entry& entry, Cycle now, Ask&& ask, Result& result);
  void audit(Cycle now);
  void watch_push(const Entry& entry, const slot::Word& word, Cycle now) const;
  void note_marker(const slot::Word& marker, Cycle now);
  void emit(Cycle now, observe::EventKind kind, std::uint32_t a, const slot::Word& word) {
    if (events_ == nullptr) return;
    events_->record(
        {now, at_, kind, a, word.data, std::uint64_t{word.stream} << 32 | word.sequence});
  }

  // What every step and take needs, in one cache line: rows of this cycle and of the one before.
  Cycle now_ = kNever;
  const Entry* row_now_ = nullptr;
  const Entry* row_before_ = nullptr;
  const Entry* rows_begin_ = nullptr;  // rows of the schedule in force, while settled_
  const Entry* rows_end_ = nullptr;
  VfsmState* states_ = nullptr;  // vfsms_
  std::uint32_t in_vfsms_ = 0;
  std::uint32_t waiting_ = 0;  // words in output queues
  std::uint8_t width_;         // VFSMs per cycle
  bool settled_ = false;       // the schedule was in force in now_ and no other was commanded
  bool audit_due_ = false;
  bool marker_moved_ = false;
  bool watched_;  // whether events or a checker follow the words

  observe::EventStream* const events_;
  WordChecker* const checker_;
  const SlotTable* table_ = nullptr;  // in force since from_
  Cycle from_ = 0;
  const NodeId at_;
  std::uint32_t epoch_ = 0;
  std::uint32_t old_epoch_ = 0;
  Index schedule_ = 0;
  Interface& interface_;
  const SlotTable* old_table_ = nullptr;
  Cycle left_ = 0;  // old_table_ was in force before this cycle
  Cycle old_from_ = 0;
  const Program& program_;
  const Node& node_;
  std::pmr::vector<VfsmState> vfsms_;
  std::vector<slot::Word> words_;
  std::vector<SlotTable> tables_;  // by schedule
  SlotTable empty_;
  std::vector<MemoryEntry> memory_;
  std::vector<Passed> passed_;
};

// --- inline: what streaming needs

inline void RouterCore::come_to(Cycle now) {
  if (now == now_) return;
  if (now != now_ + 1 || !settled_) return look_up(now);
  now_ = now;
  row_before_ = row_now_;
  row_now_ += width_;
  if (row_now_ == rows_end_) row_now_ = rows_begin_;
}

inline void RouterCore::push(VfsmState& vfsm, const Entry& entry, const slot::Word& word_in,
                             Cycle now) {
  // A word may come before a slot of its own router has annotated the VFSM: sleeping routers take.
  if (vfsm.stream != entry.stream) annotate(vfsm, entry);
  word(vfsm, vfsm.size) = word_in;
  ++vfsm.size;
  vfsm.pushed_at = now;
  ++in_vfsms_;
  if (watched_) watch_push(entry, word_in, now);
}

inline bool RouterCore::take(Port in, const slot::Word& word_in, bool parity, Cycle now) {
  come_to(now);
  for (std::uint32_t i = 0; i < width_; ++i) {
    const Entry& entry = row_now_[i];
    if (entry.listens != index(in)) continue;
    VfsmState& vfsm = states_[entry.vfsm];
    if (!vfsm.had_room(now)) return false;
    if (entry.tagged && parity != ((epoch_in(now) & 1U) != 0)) return false;
    push(vfsm, entry, word_in, now);
    return true;
  }
  return false;
}

inline void RouterCore::serve(Index index, unsigned branch, bool last, Cycle now) {
  VfsmState& vfsm = states_[index];
  if (watched_) emit(now, observe::EventKind::kVfsmMove, index | branch << 16, word(vfsm, 0));
  vfsm.advanced_at = now;
  vfsm.popped = last;
  if (!last) {
    ++vfsm.branch;
    return;
  }
  const slot::Word& served = word(vfsm, 0);
  vfsm.branch = 0;
  if (++vfsm.head == vfsm.capacity) vfsm.head = 0;
  --vfsm.size;
  --in_vfsms_;
  if (served.marker) note_marker(served, now);
}

template <class Ask>
void RouterCore::offer(const Entry& entry, Cycle now, Ask&& ask, Result& result) {
  const VfsmState& vfsm = states_[entry.vfsm];
  if (vfsm.old(now) == 0 || vfsm.advanced_at == now || vfsm.branch != entry.branch) return;
  const slot::Word& offered = word(vfsm, 0);
  if (entry.to == End::Kind::kLink) {
    const bool parity = entry.tagged && (epoch_in(now - 1) & 1U) != 0;
    if (!ask(static_cast<Port>(entry.target), offered, parity)) return;
  } else if (entry.to != End::Kind::kInput || !deliver(entry, offered, now, result)) {
    return;  // another VFSM takes it by itself
  }
  serve(entry.vfsm, entry.branch, entry.last, now);
  result.moved = true;
}

template <class Ask>
RouterCore::Result RouterCore::step(Cycle now, Ask&& ask) {
  Result result;
  come_to(now);
  if (audit_due_ && now >= left_) audit(now);
  for (const Entry* entry = row_now_; entry != row_now_ + width_ && entry->runs(); ++entry) {
    if (states_[entry->vfsm].stream != entry->stream) annotate(states_[entry->vfsm], *entry);
    if (entry->pull != SlotTable::Pull::kNothing) pull(*entry, now, result);
  }
  for (const Entry* entry = row_before_; entry != row_before_ + width_ && entry->runs(); ++entry)
    offer(*entry, now, ask, result);
  if (marker_moved_) {
    marker_moved_ = false;
    result.interface_moved = true;
  }
  result.busy = words() != 0;
  return result;
}

}  // namespace tessera::scheduled
