// The tiles of a rectangle, or of some of its rows, in one block: the `dense` structure
// (docs/architecture.md#two-structures). The same machine as one built of modules, cycle by cycle
// and event by event; only the storage differs. Plain C++; `wafer.h` is its module.
//
// Plain routers are pipes (pipes.h) and slots (slots.h), numbered along the paths (slot_graph.h);
// any other is a fabric::RouterCore (routers.h). Blocks (blocks.h) holds them and the PEs (pes.h).
//
// Order inside a cycle: 1. routers, 2. compute engines, 3. on-ramps. Every effect that counts from
// a later cycle on would allow any order; this one lets the queues of a PE do without due cycles.
//
// Only what is due is stepped. Memory is taken for what a tile has: slots for the colors it routes,
// queues that its program declares, SRAM that was touched.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/wait.h"
#include "models/wafer/plan/connections.h"
#include "models/wafer/plan/plan.h"
#include "models/wafer/units/blocks.h"
#include "models/wafer/units/units.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

class WaferCore {
 public:
  /// The rows of `strip`, whose plan and `outside` must outlive the wafer. Throws UserError when a
  /// latency is above kMaxLatency or a buffer above 255 wavelets.
  WaferCore(const Strip& strip, Outside& outside, observe::EventStream* events);
  /// Throws what the constructor throws for this configuration.
  static void check_limits(const fabric::FabricTiming& fabric, unsigned queue_write_latency);
  static bool is_within_limits(const fabric::FabricTiming& fabric, unsigned queue_write_latency);
  WaferCore(const WaferCore&) = delete;
  WaferCore& operator=(const WaferCore&) = delete;

  /// The borders with other strips, if the wafer is not whole: they must know their rooms before
  /// start(). When the strips have been stepped in a cycle, each takes what its neighbours sent.
  Rims& rims() { return blocks_.rims; }
  std::vector<std::uint16_t> rooms_at(Direction side) const { return connections_.rooms_at(side); }
  /// Takes what the neighbour at `side` has sent by the end of cycle `now`.
  void take(Direction side, std::vector<Crossing>& crossings, Cycle now) {
    blocks_.now = now;
    blocks_.rims.take(side, crossings, blocks_);
  }

  /// Asks the outside for its capacities. Once, before the first step; all engines are due in cycle
  /// 0. Throws std::logic_error when two input queues of a tile are bound to a color that it routes
  /// to RAMP.
  void start() {
    connections_.connect();
    blocks_.pes.start();
  }
  /// Does the work of cycle `now`; returns the next cycle in which something is due
  /// (timing::Steppable). Throws the first failure of the cycle (FirstFailure) when the cycle is
  /// complete.
  Cycle step(Cycle now);
  /// Cycles `begin` to `end` - 1 of rectangles of tiles, in any order in which a tile is stepped in a cycle when
  /// it and its neighbours have been stepped in the one before; every tile in every cycle. Requires a strip that
  /// is numbered by tile, no ports, at most kMaxDepth cycles, and no latency above kMaxLatencyAhead.
  void begin_ahead(Cycle begin, Cycle end);
  void step_area(Cycle now, const Area& area);
  /// The tiles of one row are on their way into the cache. Each call finds what it fetches in what the one before has
  /// fetched, so it should come a while after that: PEs and slots; their operations, queues and links; operands.
  void prefetch(const Area& row) const;
  void prefetch_operations(const Area& row) const;
  void prefetch_operands(const Area& row) const;
  /// The cycle of the first failure so far; kNever: there was none. No tile has to be stepped after it.
  Cycle failed_at() const { return failure_.cycle(); }
  /// The last cycle in which there was something to do, or there is.
  Cycle last_ahead() const { return std::max(blocks_.order.last_of_some(), blocks_.last_credit); }
  /// What was done in cycle `end` and later ones does not count. Throws a failure of an earlier cycle.
  void end_ahead(Cycle begin, Cycle end);
  /// Steps of engines so far: how busy the strip is.
  std::uint64_t engine_steps() const { return blocks_.pes.engine_steps(); }
  const Cycle& now() const { return blocks_.now; }
  const Strip& strip() const { return blocks_.strip; }
  /// The next cycle in which something is due, after `now`.
  Cycle next_due(Cycle now) const;
  /// From now on the units of a cycle are stepped in an order drawn from `seed`: results must not
  /// change.
  void shuffle_step_order(std::uint64_t seed) { blocks_.order.shuffle(seed); }

  Ports& ports() { return ports_; }
  const Ports& ports() const { return ports_; }

  // --- tiles ---

  /// Those of all tiles with a program, row by row.
  FixedArray<Pe>& pes() { return blocks_.pes.all(); }
  /// nullptr where a tile is only a router.
  pe::ComputeEngineCore* engine(TileCoord tile);
  /// ComputeEngineCore::launch; the wafer wants to be stepped in cycle `at`.
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at) {
    blocks_.pes.launch(blocks_.plan.place_of(tile), function, arguments, at);
  }
  /// ComputeEngineCore::access; the wafer wants to be stepped in cycle `at`.
  void access(TileCoord tile, pe::HostAccess access, Cycle at) {
    blocks_.pes.access(blocks_.plan.place_of(tile), std::move(access), at);
  }
  void set_diagnoses(observe::Diagnoses* diagnoses) {
    for (Pe& pe : blocks_.pes.all()) pe.engine.set_diagnoses(diagnoses);
    for (WholeRouter& router : blocks_.routers.all()) router.core.set_diagnoses(diagnoses);
  }
  /// Wavelets in routers and queues; a multicast counts once.
  std::size_t wavelets_held() const;
  /// Reports what blocks wait for, tile by tile, in the words of the cores.
  void describe_waits(observe::Waits& waits, Cycle now) const;
  /// As those of fabric::RouterCore, of all routers.
  void set_link_waits(observe::LinkWaits& waits);
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const;

  // --- checkpoints: what each strip has of a kind, one strip after the other

  void visit(StateOf what, const Visit& visit) {
    if (what == StateOf::kBuffers) return visit_buffers(visit);
    what == StateOf::kPes ? blocks_.pes.visit(visit) : blocks_.routers.visit(visit);
  }
  bool has_idents() const { return has_idents_; }
  bool has_link_waits() const { return blocks_.waits.has_value(); }
  /// What ports have announced and masks have no place for if cycle `next` comes next, and back again.
  using Announcements = std::vector<std::array<std::uint64_t, 3>>;
  void add_announcements(Announcements& all, Cycle next) const;
  void take_announcements(const Announcements& all);
  /// Restored: the last cycle that was stepped, and whether the strip is to be stepped in the next one.
  void go_on_behind(Cycle now, bool is_due) {
    blocks_.now = now;
    blocks_.last_credit = is_due ? now + 1 : 0;
  }

 private:
  void visit_buffers(const Visit& visit);
  /// Slots of a buffer of a route: several with a switch, none of a pipe.
  std::uint32_t slots_of(Ref buffer) const;
  std::uint32_t first_link_of(Ref buffer) const;
  WaferCore(const Strip& strip, Outside& outside, observe::EventStream* events, SlotGraph graph);
  void step_blocks(Cycle now);
  void describe_waits_of(Ref buffer, Color color, std::uint32_t place, observe::Waits& waits) const;
  std::string what_pipe_waits_for(const Pipe& pipe, std::vector<observe::Resource>& needs) const;
  std::string what_slot_waits_for(const Slot& slot, std::vector<observe::Resource>& needs) const;

  Blocks blocks_;
  Connections connections_;
  Ports ports_{blocks_, connections_};
  FirstFailure failure_;
  const bool
      has_idents_;  // serial numbers of wavelets are kept, for those who listened at the beginning
};

}  // namespace tessera::wafer
