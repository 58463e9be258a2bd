// VFSM router of a scheduled mesh node (reference numesh.md 1.2, 1.3, 1.5, rules R1 to R10 of 6.1).
// Plain C++; node.h is the module, mesh_core.h the structure for many.
//
// Valid and accept in one cycle. Both wires of a link are driven from state at the start of the
// cycle: valid from the slot of the cycle before and the oldest word of its VFSM, accept from the
// slot of this cycle and the room of its VFSM (no look-ahead: a word that leaves in this cycle still
// counts). Neither depends on the other, so the outcome of a cycle is a function of state one cycle
// old, the word is seen behind the link a cycle later, and the house rule holds: every effect takes
// at least one cycle. The model asks for it with one call, take(), that answers from the state at the
// start of the cycle whether the receiver has been stepped in it or not.
//
// Order inside a cycle `now`, one step():
//   1. a switch commanded in an earlier cycle comes into force; its words are audited (R10);
//   2. the slot of `now`: its VFSM takes a word from an output queue or from another VFSM of the node,
//      if it had room (R3). What comes over a link is taken by take(), before or after the step;
//   3. the slot of `now` - 1: the oldest word of its VFSM is offered to the branch of the slot (R9).
//      An input queue with room takes it (R6); offers to links are returned, and the caller asks the
//      neighbour: `if (neighbour.take(..)) accepted(..)`.
//
// Rules that are choices here: R1 one clock; R3 accept from occupancy at the start of the cycle, no
// look-ahead and no cut-through; R5 and R6 a refused word stays and is offered again in the next slot
// of its VFSM; R7 queues show changes a cycle later (interface_queue.h); R9 branches are causally
// ordered, a VFSM advances by at most one branch a cycle. Parameters: R2 Rules::vfsms_per_cycle, R4
// Rules::slot_clock, R10 Rules::switch_cost; depths and buffers.
#pragma once

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "models/observe/event.h"
#include "models/scheduled/interface.h"
#include "models/scheduled/program.h"
#include "models/scheduled/slot_table.h"
#include "models/scheduled/word_checker.h"
#include "tlm_ifaces/slot/word.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

class RouterCore {
 public:
  /// A word on a link in one cycle. `parity` is the tag wire (SkewPolicy::kTag).
  struct Offer {
    slot::Word word;
    Port port;
    bool parity;
    const SlotTable::Entry* entry;
  };
  struct Step {
    boost::container::static_vector<Offer, kPortCount> offers;
    bool interface_moved = false;  ///< a queue changed: the processor may look in now + 1
    bool moved = false;            ///< a word moved inside the node
    bool busy = false;             ///< wants to be stepped in now + 1
  };

  /// `program`, `interface` and `checker` outlive the router; no checker: nullptr. Schedule
  /// `Node::turns[0]` is in force from cycle 0 on.
  RouterCore(const Program& program, NodeId at, Interface& interface, observe::Probe probe,
             WordChecker* checker);

  // --- the network

  Step step(Cycle now);
  /// The neighbour behind `in` offers `word` in cycle `now`: true, and the VFSM of this slot has it, if
  /// it listens there and had room. The router wants to be stepped in now + 1.
  bool take(Port in, const slot::Word& word, bool parity, Cycle now);
  /// The neighbour has taken an offer of this cycle's step. A marker may have left: see
  /// marker_moved().
  void accepted(const Offer& offer, Cycle now) { accepted(*offer.entry, offer.word, now); }

  /// Whether a marker has left the router since the last call: the processor may look in now + 1.
  bool marker_moved() { return std::exchange(marker_moved_, false); }

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
    unsigned branch;  ///< of the oldest word, to be served next
  };
  std::vector<Held> held() const;
  /// Words in VFSMs and output queues.
  std::uint32_t words() const { return in_vfsms_ + waiting_; }
  std::uint32_t words_in_vfsms() const { return in_vfsms_; }
  /// Index of the schedule of the last command and its epoch.
  Index schedule() const { return schedule_; }
  std::uint32_t epoch() const { return epoch_; }
  /// Branches that were served, and cycles in which the last one was.
  std::uint64_t moves() const { return moves_; }
  /// Words of `stream` in VFSMs and output queues; for tests.
  unsigned words_of(StreamId stream) const;

 private:
  struct VfsmState {
    Cycle pushed_at = kNever;
    Cycle popped_at = kNever;
    Cycle advanced_at = kNever;  // a branch of the oldest word was served
    std::uint32_t first = 0;     // of its buffer, in words_
    std::uint16_t capacity = 0;
    std::uint16_t head = 0;
    std::uint16_t size = 0;
    std::uint16_t branch = 0;  // of the oldest word, to be served next
    StreamId stream = kNone;   // of the annotation under which it ran last
    unsigned size_at_start(Cycle now) const {
      return size - (pushed_at == now ? 1U : 0U) + (popped_at == now ? 1U : 0U);
    }
  };
  struct MemoryEntry {
    Index schedule;
    Cycle complete;
    bool keep;  // loaded and not yet run, or active
  };
  struct Passed {
    StreamId stream;
    std::uint32_t epoch;
    Cycle at;
  };

  void come_to(Cycle now);
  const SlotTable::Entry* row(Cycle cycle) const;
  static void annotate(VfsmState& vfsm, StreamId stream);
  void push(VfsmState& vfsm, const SlotTable::Entry& entry, const slot::Word& word, Cycle now);
  void accepted(const SlotTable::Entry& entry, const slot::Word& word, Cycle now) {
    serve(entry.vfsm, entry.branch, entry.last, word, now);
  }
  void serve(Index vfsm, unsigned branch, bool last, const slot::Word& word, Cycle now);
  bool pull(const SlotTable::Entry& entry, Cycle now);
  void offer(const SlotTable::Entry& entry, Cycle now, Step& step);
  void audit(Cycle now);
  void note_marker(const slot::Word& marker, Cycle now);
  std::uint32_t epoch_in(Cycle cycle) const { return cycle >= from_ ? epoch_ : old_epoch_; }
  const slot::Word& word_of(const VfsmState& vfsm, unsigned i) const {
    const unsigned at = vfsm.head + i;
    return words_[vfsm.first + (at < vfsm.capacity ? at : at - vfsm.capacity)];
  }

  const Program& program_;
  const Node& node_;
  const Rules& rules_;
  const NodeId at_;
  const unsigned width_;  // VFSMs per cycle
  Interface& interface_;
  observe::Probe probe_;
  WordChecker* const checker_;

  // Where the slots are: rows of this cycle and of the one before, and when that must be looked up.
  Cycle now_ = kNever;
  const SlotTable::Entry* row_now_ = nullptr;
  const SlotTable::Entry* row_before_ = nullptr;
  const SlotTable* table_ = nullptr;  // in force since from_
  const SlotTable* old_table_ = nullptr;
  Cycle from_ = 0;  // of table_
  Cycle left_ = 0;  // old_table_ was in force before this cycle
  Cycle old_from_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint32_t old_epoch_ = 0;
  std::uint32_t in_vfsms_ = 0;
  std::uint32_t waiting_ = 0;  // words in output queues
  bool audit_due_ = false;
  bool marker_moved_ = false;
  Index schedule_ = 0;
  std::vector<VfsmState> vfsms_;
  std::vector<slot::Word> words_;
  std::vector<SlotTable> tables_;  // by schedule
  SlotTable empty_;
  std::vector<MemoryEntry> memory_;
  std::vector<Passed> passed_;
  std::uint64_t moves_ = 0;
};

}  // namespace tessera::scheduled
