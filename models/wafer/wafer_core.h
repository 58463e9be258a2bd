// All tiles of a rectangle in one block: the `dense` structure (docs/architecture.md#two-structures). The same
// machine as one built of modules, cycle by cycle and event by event; only the storage differs.
// Plain C++; `wafer.h` is its module.
//
//   plain router       pipes, slots and their links (slot.h), numbered along the paths
//   any other router   a fabric::RouterCore: switches, filters, color swap, injection, teardown by
//                      the program
//   compute engine     a pe::ComputeEngineCore
//   queues, on-ramp    records of the same rules as queue::*QueueCore and fabric::OnRampCore
//
// Order inside a cycle: 1. routers, 2. compute engines, 3. on-ramps. Every effect that counts from
// a later cycle on would allow any order; this one lets the queues of a PE do without due cycles:
// what an engine frees or takes is seen by the others when they are stepped next.
//
// Only what is due is stepped. Memory is taken for what a tile has: slots for the colors it routes,
// queues that its program declares, SRAM that was touched.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/fabric/router_core.h"
#include "models/observe/diagnosis.h"
#include "models/observe/event_stream.h"
#include "models/observe/wait.h"
#include "models/pe/compute_engine_core.h"
#include "models/timing/calendar.h"
#include "models/wafer/active_set.h"
#include "models/wafer/fixed_array.h"
#include "models/wafer/plan.h"
#include "models/wafer/slot.h"

namespace tessera::wafer {

/// What is behind the ports of a wafer (Plan::ports, by index).
class Outside {
 public:
  virtual ~Outside() = default;
  /// Room behind the port for wavelets of `color`, asked once (link::ForwardIf::capacity).
  virtual unsigned capacity(std::uint32_t port, Color color) const = 0;
  virtual void put(std::uint32_t port, const link::Wavelet& w, Cycle due) = 0;
  virtual void credit(std::uint32_t port, Color color, Cycle due) = 0;
};

class WaferCore {
 public:
  /// `plan` and `outside` must outlive the wafer. Throws UserError when a latency is above
  /// kMaxLatency or a buffer above 255 wavelets.
  WaferCore(const Plan& plan, Outside& outside, observe::EventStream* events);
  ~WaferCore();
  /// What the constructor throws for this configuration.
  static void check_limits(const fabric::FabricTiming& fabric, unsigned queue_write_latency);
  WaferCore(const WaferCore&) = delete;
  WaferCore& operator=(const WaferCore&) = delete;

  /// Asks the outside for its capacities. Once, before the first step; all engines are due in cycle
  /// 0. Throws std::logic_error when two input queues of a tile are bound to a color that it routes
  /// to RAMP.
  void start();
  /// Does the work of cycle `now`; returns the next cycle in which something is due
  /// (timing::Steppable). Of what fails in a cycle, the first block in the order of tiles, and of
  /// router, on-ramp and engine in a tile, is heard when the cycle is complete.
  Cycle step(Cycle now);
  /// The next cycle in which something is due, after `now`.
  Cycle next_due(Cycle now) const;
  /// From now on the units of a cycle are stepped in an order drawn from `seed`: results must not
  /// change.
  void shuffle_step_order(std::uint64_t seed) { shuffle_.emplace(seed); }

  // --- ports (link protocol) ---

  unsigned port_capacity(std::uint32_t port, Color color) const;
  /// A wavelet lands at the port in cycle `due`: the wafer wants to be stepped then. Throws
  /// std::logic_error when the sender had no credit.
  void port_put(std::uint32_t port, const link::Wavelet& w, Cycle due);
  /// Room behind the port. Throws std::logic_error when no wavelet was outstanding.
  void port_credit(std::uint32_t port, Color color, Cycle due);

  // --- tiles ---

  /// nullptr where a tile is only a router.
  pe::ComputeEngineCore* engine(TileCoord tile);
  /// ComputeEngineCore::launch; the wafer wants to be stepped in cycle `at`.
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at);
  void set_diagnoses(observe::Diagnoses* diagnoses);
  /// Wavelets in routers and queues; a multicast counts once.
  std::size_t wavelets_held() const;
  /// Who is stuck, tile by tile, in the words of the cores.
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  class Pe;
  struct WholeRouter;
  /// The queues of a program: where each stands among those of its PE; kNoQueue: not declared.
  struct QueueMap {
    std::array<std::uint8_t, kMaxQueues> input;
    std::array<std::uint8_t, kMaxQueues> output;
  };
  static constexpr std::uint8_t kNoQueue = 0xFF;
  /// What a port announces for a cycle for which a mask has no place: too far ahead, or the second
  /// credit of a cycle, which the link protocol allows.
  struct Later {
    Cycle due;
    std::uint32_t index;  ///< of the link that gets a credit, or of the slot where a wavelet lands
    bool credit;
  };
  /// Order in which failures of one cycle are heard: as blocks are added in the other structure.
  enum class Block : std::uint8_t { kRouter, kOnRamp, kEngine };

  // wafer_build.cpp
  void build_routers(observe::EventStream* events);
  void build_pes(observe::EventStream* events);
  void reserve_queues();
  unsigned length_of(const pe::QueueBinding& queue) const;
  void build_queues(std::uint32_t place, const pe::Image& image);
  void connect_pipes();
  void connect_slots();
  void connect_routers();
  void connect_ramps(std::uint32_t place);
  QueueMap map_of(const pe::Image& image) const;
  Ref buffer_of(std::uint32_t place, Color color) const;
  std::optional<Direction> input_of(Ref buffer) const;
  unsigned held_in(Ref buffer) const;
  Ref receiver(std::uint32_t place, Direction out, Color color) const;
  unsigned capacity_of(Ref receiver, Color color) const;
  Ref queue_of(std::uint32_t place, Color color) const;
  Ref port_at(std::uint32_t place, Direction side) const;
  void set_sender(Ref receiver, Color color, Ref sender);

  // wafer_core.cpp
  void pull_far_wakes(Cycle now);
  void take_later(Cycle now);
  bool fits(std::uint64_t mask, Cycle due) const {
    return due - now_ < ActiveSet::kHorizon && (mask & cycle_bit(due)) == 0;
  }
  unsigned credits_of(std::uint32_t link) const;
  Ref sender_into(Ref buffer, std::uint32_t port) const;
  template <class Step>
  [[gnu::always_inline]] void step_due(ActiveSet& due, Cycle now, Step&& step) {
    if (!shuffle_) return due.take(now, step);
    shuffled_.clear();
    due.take(now, [this](std::uint32_t unit) { shuffled_.push_back(unit); });
    std::shuffle(shuffled_.begin(), shuffled_.end(), *shuffle_);
    for (const std::uint32_t unit : shuffled_) step(unit);
  }
  template <class Step>
  void guard(std::uint32_t place, Block block, Step&& step);
  void wake_slot(std::uint32_t slot, Cycle at);
  void wake(ActiveSet& due, timing::Calendar& far, std::uint32_t unit, Cycle at);
  void wake_pe(std::uint32_t pe, Cycle at) { wake(due_pes_, far_pes_, pe, at); }
  void wake_router(std::uint32_t router, Cycle at) { wake(due_routers_, far_routers_, router, at); }

  // wafer_pipes.cpp
  struct PipeCycle;
  void step_pipes(Cycle now);
  [[gnu::always_inline]] void step_pipe(std::uint32_t pipe, PipeCycle& cycle);
  void put_into_pipe(std::uint32_t pipe, const link::Wavelet& w, Cycle due);
  link::Wavelet head_of(std::uint32_t pipe) const;
  bool send_head(std::uint32_t pipe, Cycle now);

  // wafer_fabric.cpp: slots, and what travels between blocks
  struct SlotCycle;
  void step_slots(Cycle now);
  void step_slot(std::uint32_t slot, SlotCycle& cycle);
  void step_group(Group& group, SlotCycle& cycle);
  void step_merge(Group& group, SlotCycle& cycle);
  void settle(Slot& slot, std::uint64_t cycle);
  /// A sender that holds nothing cannot use a credit before the next cycle: what comes lands then
  /// at the earliest. So it need not be woken for a credit of that cycle.
  bool is_credit_usable_at_once(unsigned held, Cycle due) const {
    return held == 0 && due == now_ + 1;
  }
  /// The wafer is stepped in the cycle of every credit, also of one that wakes nobody: where it
  /// falls asleep the host goes on, in the same cycle with every structure.
  void note_credit(Cycle due) { last_credit_ = std::max(last_credit_, due); }
  std::uint8_t branches_of(const Slot& slot, const link::Wavelet& head) const;
  void send(const Slot& slot, Link& link, const link::Wavelet& head, SlotCycle& cycle);
  void remove_head(std::uint32_t slot, Cycle now);
  void suspend(std::uint32_t place, Color color, Cycle now);
  void tell_teardown(std::uint32_t place, Color color, Cycle due);
  void step_router(std::uint32_t router, Cycle now);
  void deliver(Ref to, const link::Wavelet& w, Cycle due);
  void give_credit(Ref sender, Color color, Cycle due);
  const link::Wavelet& entry(std::uint32_t slot, unsigned i) const;
  link::Wavelet& entry(std::uint32_t slot, unsigned i) {
    return const_cast<link::Wavelet&>(static_cast<const WaferCore&>(*this).entry(slot, i));
  }

  // wafer_pe.cpp
  void prefetch_behind(std::uint32_t pe) const;
  void land(Pe& pe, std::uint64_t cycle);
  void step_pe(std::uint32_t pe, Cycle now);
  void step_ramp(std::uint32_t pe, Cycle now);
  void free_place(InQueue& queue, Cycle now);

  // wafer_report.cpp
  void describe_pe(const Pe& pe, observe::Waits& waits, Cycle now) const;
  void describe_output(const Pe& pe, const OutQueue& queue, observe::Waits& waits, Cycle now) const;
  void describe_buffers(std::uint32_t place, observe::Waits& waits) const;
  std::string what_pipe_waits_for(const Pipe& pipe) const;
  std::string what_slot_waits_for(std::uint32_t slot) const;

  const Plan& plan_;
  Outside& outside_;
  observe::EventStream* events_;
  unsigned slot_room_;  // entries of a slot's ring, RAMP inputs included

  std::vector<Pipe> pipes_;
  std::vector<std::uint64_t> pipe_idents_;  // [pipe][place in the ring]; only for traces
  std::vector<Slot> slots_;
  std::vector<Link> links_;
  std::vector<Group> groups_;
  std::vector<link::Wavelet> entries_;  // [slot][place in the ring]
  std::vector<Ref> buffers_;  // pipe or slot, as Plan::tile_routes; none: router not plain
  std::vector<WholeRouter> routers_;
  std::vector<std::uint32_t> router_of_tile_;  // kNoIndex: plain

  std::unique_ptr<FixedArray<Pe>> pes_;
  std::vector<std::uint32_t> pe_of_tile_;  // kNoIndex: only a router
  std::vector<QueueMap> queue_maps_;       // by image
  std::vector<InQueue> in_queues_;
  std::vector<link::Wavelet> in_entries_;
  std::vector<OutQueue> out_queues_;
  std::vector<OutEntry> out_entries_;
  std::vector<RampLink> ramp_links_;

  std::vector<std::uint32_t> port_places_;                    // by port
  std::unordered_map<std::uint64_t, std::uint32_t> port_of_;  // by place and side
  ActiveSet due_pipes_;
  ActiveSet due_slots_;  // by first slot of a group
  ActiveSet due_routers_;
  ActiveSet due_pes_;
  ActiveSet due_ramps_;
  timing::Calendar far_pes_;  // further ahead than the sets reach
  timing::Calendar far_routers_;
  std::vector<Later> later_;
  std::vector<timing::BlockId> far_due_;
  Cycle now_ = 0;
  Cycle last_credit_ = 0;  // cycle of the last one that woke nobody
  std::optional<std::mt19937_64> shuffle_;
  std::vector<std::uint32_t> shuffled_;  // units of a cycle
  std::exception_ptr failure_;
  std::uint64_t failed_ = 0;  // place and block of `failure_`
};

}  // namespace tessera::wafer
