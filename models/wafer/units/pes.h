// PEs of a wafer: compute engines, the queues that their programs declare, and their on-ramps.
// Queues and on-ramps are records of the rules of queue::InputQueueCore, queue::OutputQueueCore and
// fabric::OnRampCore.
//
// In a cycle all engines are stepped after the routers, and the on-ramps after them. So queues
// need no due cycles: what an engine frees or takes is seen by the others when they are stepped
// next.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/fabric/sender.h"
#include "models/observe/event_stream.h"
#include "models/observe/wait.h"
#include "models/pe/compute_engine_core.h"
#include "models/pe/pe_ports.h"
#include "models/wafer/units/slots.h"
#include "models/wafer/units/units.h"
#include "models/wafer/units/visit.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/fixed_array.h"

namespace tessera::wafer {

struct Blocks;
class Connections;
class Pes;

struct alignas(32) InQueue {
  Ref upstream;  ///< who sends into it
  std::uint32_t first_entry = 0;
  std::uint32_t pe = 0;
  std::uint16_t head = 0;
  std::uint16_t held = 0;
  std::uint16_t landed = 0;
  std::uint16_t room = 0;
  QueueId id;
  Color color;
  std::uint8_t number = 0;  ///< 1 + its place among the input queues of its PE

  /// Word `a` of an event of the kind kQueueIn.
  std::uint32_t event_word() const { return id.value() | color.value() << 8; }
};
static_assert(sizeof(InQueue) == 32, "each should lie in one cache line");

struct OutQueue {
  Cycle last_pop = kNever;
  std::uint32_t first_entry = 0;
  std::uint16_t head = 0;
  std::uint16_t held = 0;
  std::uint16_t length = 0;
  std::uint16_t popped = 0;  ///< in cycle last_pop
  QueueId id;
};

/// The way of one color from an on-ramp into its router.
struct RampLink {
  std::uint64_t returning = 0;  ///< cycles in which a credit comes back
  Ref target;
  std::uint32_t pe = 0;
  std::uint16_t credits = 0;
  Color color;
};

/// Where each queue of a program stands among those of its PE; kNoQueue: it is not declared.
struct QueueMap {
  static constexpr std::uint8_t kNoQueue = 0xFF;
  explicit QueueMap(const pe::Image& image);
  std::array<std::uint8_t, pe::kMaxReceivers> input;
  std::array<std::uint8_t, kMaxQueues> output;
};

/// In which input queues of each PE wavelets land, by cycle: the off-ramp brings at most one, and a host edge at the
/// ramp another one. What is for one cycle stands in a row, so that PEs that follow each other share a cache line.
class Landings {
 public:
  static constexpr unsigned kBits = 4;  ///< of the number of a queue
  static constexpr unsigned kOne = (1U << kBits) - 1;
  static_assert(pe::kMaxReceivers <= kOne);

  /// No wavelet lands more than `farthest` cycles ahead.
  void resize(std::size_t pes, unsigned farthest) {
    pes_ = pes;
    unsigned cycles = 1;
    while (cycles <= farthest) cycles *= 2;
    last_row_ = cycles - 1;
    queues_.assign(pes * cycles, 0);
  }
  /// What is for one cycle.
  class Row {
   public:
    explicit Row(std::uint8_t* queues) : queues_(queues) {}
    /// `queue`: InQueue::number.
    void put(std::uint32_t pe, std::uint8_t queue) {
      assert(queues_[pe] <= kOne);
      queues_[pe] = static_cast<std::uint8_t>(queues_[pe] << kBits | queue);
    }
    /// Those of a PE, which are forgotten: one number in the lowest kBits, another one above; 0: there is none.
    unsigned take(std::uint32_t pe) { return std::exchange(queues_[pe], std::uint8_t{0}); }

   private:
    std::uint8_t* queues_;
  };
  Row row(Cycle cycle) { return Row(queues_.data() + (cycle & last_row_) * pes_); }
  /// So many cycles may have something.
  unsigned cycles() const { return static_cast<unsigned>(last_row_) + 1; }
  /// What is for a PE and a cycle, as Row::take answers it.
  std::uint8_t& at(std::uint32_t pe, Cycle cycle) {
    return queues_[(cycle & last_row_) * pes_ + pe];
  }

 private:
  std::size_t pes_ = 0;
  std::size_t last_row_ = 0;
  std::vector<std::uint8_t> queues_;  // [cycle][PE]
};

/// A PE: its compute engine, where its queues and the ways through its on-ramp stand in the arrays
/// of the wafer, and what the engine sees of them. It begins with a line of the cache, so
/// that it touches no more lines than it is long.
class alignas(64) Pe final : public pe::PeQueues, public pe::PeConfig {
 public:
  Pe(Pes& pes, std::uint32_t place, TileCoord at, std::shared_ptr<const pe::DecodedImage> program,
     const QueueMap& map, observe::EventStream* events);

  // pe::PeQueues
  // What has landed may be read at once, what has not is not there yet: the engine is stepped in
  // the cycle in which it lands.
  Cycle ready_at(QueueId q) const override { return input(q).landed > 0 ? 0 : kNever; }
  unsigned available(QueueId q, Cycle) const override { return input(q).landed; }
  link::Wavelet front(QueueId q) const override;
  link::Wavelet take(QueueId q, Cycle now) override;
  unsigned room(QueueId q, Cycle now) const override;
  void push(QueueId q, const link::Wavelet& w, Cycle now) override;

  // pe::PeConfig
  std::uint16_t read_config(config_space::Address address, Cycle now) const override;
  std::string why_illegal(config_space::Address address, std::uint16_t value) const override;
  void write_config(config_space::Address address, std::uint16_t value, Cycle due) override;

 private:
  friend class Pes;

  inline InQueue& input(QueueId q) const;
  inline OutQueue& output(QueueId q) const;

  Pes& pes_;
  const QueueMap& map_;

 public:
  const std::uint32_t place;
  std::uint32_t first_input = 0;
  std::uint32_t first_output = 0;
  std::uint32_t first_ramp = 0;
  std::uint32_t first_in_entry = 0;
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;
  std::uint8_t ramps = 0;
  fabric::Turn ramp_turn;  ///< which output queue is served next
  /// Cycles in which a credit comes back to one of its RampLinks.
  std::uint64_t returning = 0;
  pe::ComputeEngineCore engine;
};

class Pes {
 public:
  /// The routers of `blocks` must have been built; `blocks` must outlive it.
  explicit Pes(Blocks& blocks);

  /// All engines are due in cycle 0.
  void start() {
    for (std::uint32_t pe = 0; pe < pes_.size(); ++pe) due_engines_.insert(pe, 0, 0);
  }
  void step_engines(Cycle now, FirstFailure& failure);
  /// Steps of engines so far.
  std::uint64_t engine_steps() const { return engine_steps_; }
  void step_ramps(Cycle now);
  /// The next cycle in which an engine or an on-ramp is due, after `now`.
  Cycle next_due(Cycle now) const {
    return std::min(due_engines_.next_due(now), due_ramps_.next_due(now));
  }
  /// As those of FarActiveSet.
  void bring_near(Cycle last) { due_engines_.bring_near(last); }
  void forget(Cycle now) {
    due_engines_.forget(now);
    due_ramps_.forget(now);
  }
  /// PEs that follow each other are on their way into the cache.
  void prefetch(Span pes) const;
  /// The same of their operations, queues and ramps, for PEs that have arrived there.
  void prefetch_operations(Span pes) const;
  /// The same of what these operations read and write, and of the wavelets in these queues.
  void prefetch_operands(Span pes) const;
  /// What many queues that a wavelet lands in have in common: the cycle.
  struct Arrivals {
    Arrivals(Pes& pes, Cycle due);
    Landings::Row landings;
    ActiveSet::Row engines;  ///< those that are due
    observe::EventStream::OfOneKind events;
  };
  /// A wavelet may be read from an input queue from cycle `due` on.
  inline void put(std::uint32_t queue, const link::Wavelet& w, Cycle due);
  /// The same on tile `place`; `due` is that of `arrivals`.
  inline void put(std::uint32_t queue, Stored w, std::uint64_t ident, std::uint32_t place,
                  Arrivals& arrivals);
  /// The router behind a RampLink has room again, usable from cycle `due` on.
  void credit(std::uint32_t ramp_link, Cycle due);
  /// credit_at_once() of a RampLink.
  bool credit_at_once(std::uint32_t ramp_link) {
    return wafer::credit_at_once(ramp_links_[ramp_link]);
  }
  /// The engine of a tile, if it has one, may know from cycle `due` on that `color` is in teardown.
  void tell_teardown(std::uint32_t place, Color color, Cycle due);
  /// ComputeEngineCore::launch. Requires a PE.
  void launch(std::uint32_t place, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at);

  /// ComputeEngineCore::access. Requires a PE.
  void access(std::uint32_t place, pe::HostAccess access, Cycle at);

  /// nullptr where a tile is only a router.
  Pe* at(std::uint32_t place) {
    const std::uint32_t pe = index_at(place);
    return pe == kNoIndex ? nullptr : &pes_[pe];
  }
  FixedArray<Pe>& all() { return pes_; }
  InQueue& in_queue(std::uint32_t queue) { return in_queues_[queue]; }
  const InQueue& in_queue(std::uint32_t queue) const { return in_queues_[queue]; }
  /// Adds the way of `color` to the PE of a tile, as the last one; returns its number.
  std::uint32_t add_ramp_link(std::uint32_t place, Color color, Ref target, unsigned credits);
  /// The way of `color` to the PE of a tile; kNoIndex: there is none.
  std::uint32_t ramp_link_of(std::uint32_t place, Color color) const;
  const RampLink& ramp_link(std::uint32_t number) const { return ramp_links_[number]; }
  /// Wavelets in queues.
  std::size_t wavelets_held() const;
  /// Reports what the PE of a tile waits for, if the tile has one.
  void describe_waits(std::uint32_t place, const Connections& connections, observe::Waits& waits,
                      Cycle now) const;
  /// All PEs, in the order of their tiles.
  void visit(const Visit& visit);

 private:
  friend class Pe;

  inline void append(std::uint32_t queue, Stored w, Landings::Row landings,
                     ActiveSet::Row& engines);
  std::uint32_t index_at(std::uint32_t place) const { return of_tile_[place - first_place_]; }
  unsigned length_of(const pe::QueueBinding& queue) const;
  void reserve_queues();
  void add_queue(Pe& pe, const pe::QueueBinding& binding);
  void prefetch_behind(std::uint32_t pe, Cycle now) const;
  void land(std::uint32_t pe, Landings::Row& row);
  bool step_engine(std::uint32_t pe, Landings::Row& row, Cycle now);
  void settle_ramps(Pe& pe, Cycle now);
  void step_ramp(std::uint32_t pe, Cycle now, Slots::Arrivals& at_slots);
  void visit_input(InQueue& queue, const Visit& visit);
  void visit_output(OutQueue& queue, std::uint32_t pe, const Visit& visit);
  void visit_ramps(std::uint32_t pe, const Visit& visit);
  void visit_landings(std::uint32_t pe, const Visit& visit);
  void describe_output(const Pe& pe, const OutQueue& queue, const Connections& connections,
                       observe::Waits& waits, Cycle now) const;

  Blocks& blocks_;
  FixedArray<Pe> pes_;
  const std::uint32_t first_place_;
  std::vector<std::uint32_t> of_tile_;  // by tile of the strip; kNoIndex: only a router
  std::vector<QueueMap> queue_maps_;    // by image
  std::vector<InQueue> in_queues_;
  std::vector<Stored> in_entries_;  // after EventKind::kQueueIn nobody reads serial numbers
  Landings landings_;
  std::vector<OutQueue> out_queues_;
  std::vector<Stored> out_entries_;
  // By place there, if they are traced: lower halves of serial numbers.
  std::vector<std::uint32_t> out_numbers_;
  std::vector<Cycle> visible_from_;  // by place in out_entries_
  std::vector<RampLink> ramp_links_;
  std::uint64_t engine_steps_ = 0;
  bool has_made_room_ = false;  ///< an engine has taken a wavelet in this cycle
  bool is_large_ = false;       ///< the cache does not hold all PEs from one cycle to the next
  FarActiveSet due_engines_;
  ActiveSet due_ramps_;
};

inline InQueue& Pe::input(QueueId q) const {
  return pes_.in_queues_[first_input + map_.input[q.value()]];
}
inline OutQueue& Pe::output(QueueId q) const {
  return pes_.out_queues_[first_output + map_.output[q.value()]];
}

}  // namespace tessera::wafer
