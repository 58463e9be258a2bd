// The connections between the blocks of a wafer, and those that leave it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/wafer/plan/plan.h"
#include "models/wafer/units/units.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wafer {

struct Blocks;

/// Who is at the other end of what. Connections are made once, before the first step; reports
/// follow them too.
class Connections {
 public:
  /// `blocks` must outlive it. `buffers`: SlotGraph::receivers.
  Connections(Blocks& blocks, std::vector<Ref> buffers);

  /// Tells all senders their receivers, with the room there, and the other way round. Throws as
  /// WaferCore::start().
  void connect();

  /// The pipe or slot of an entry of Plan::tile_routes, which belongs to the strip; kNone: its router
  /// is not plain. With a switch the first of its slots.
  Ref buffer_of_route(std::uint32_t tile_route) const;
  /// Who takes wavelets of `color` at input `in` of a tile; none: nobody.
  Ref receiver_at(std::uint32_t place, Direction in, Color color) const;
  /// The input queue of a PE that receives `color` from the port at RAMP; none: no queue does.
  Ref queue_of_port(std::uint32_t port, Color color) const;
  /// buffer_of_route() of a color on a tile with a plain router.
  Ref buffer_of(std::uint32_t place, Color color) const;
  /// The port of the router that a pipe or slot belongs to.
  std::optional<Direction> input_of(Ref buffer) const;
  /// Room that the neighbouring strip at `side` finds here, by column and color (Rims::set_rooms).
  std::vector<std::uint16_t> rooms_at(Direction side) const;
  /// Room of a receiver for wavelets of `color`.
  unsigned capacity_of(Ref receiver, Color color) const;

 private:
  void connect_routers();
  void connect_rim(Direction side);
  void connect_ramps(std::uint32_t place);
  unsigned attach(Ref sender, Ref receiver, Color color);
  Ref receiver_behind(std::uint32_t place, Direction out, Color color) const;
  /// Who receives what comes across the border at `side`, unless a port cuts the link.
  Ref receiver_at_rim(Direction side, int x, Color color) const;
  Ref queue_of(std::uint32_t place, Color color) const;
  void connect_ramp_port(std::uint32_t port);
  Ref port_at(std::uint32_t place, Direction side) const;

  Blocks& blocks_;
  const Plan& plan_;
  std::vector<Ref> buffers_;
  std::unordered_map<std::uint64_t, std::uint32_t> port_of_;  // by place and side
};

/// The links that leave a wafer (Plan::ports), seen from outside: the link protocol, with a latency
/// of any length.
class Ports {
 public:
  /// Both must outlive it.
  Ports(Blocks& blocks, const Connections& connections)
      : blocks_(blocks), connections_(connections) {}

  /// Room at the port for wavelets of `color` (link::ForwardIf::capacity).
  unsigned capacity(std::uint32_t port, Color color) const;
  /// A wavelet lands at the port in cycle `due`: the wafer wants to be stepped then. Throws
  /// std::logic_error when the sender had no credit.
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due);
  /// Room behind the port. Throws std::logic_error when no wavelet was outstanding.
  void credit(std::uint32_t port, Color color, Cycle due);

  /// Hands on what is due by cycle `now` and was announced too far ahead.
  void take_announced(Cycle now);
  /// The earliest cycle of such an announcement; kNever when there is none.
  Cycle next_due() const;
  /// Credits of a link of a slot, those on their way back too.
  unsigned credits_of(std::uint32_t link) const;
  /// What a port announces for a cycle for which a mask has no place: too far ahead, or the second
  /// credit of a cycle, which the link protocol allows.
  struct Announced {
    Cycle due;
    std::uint32_t index;  ///< the link that gets a credit, or the slot where a wavelet lands
    bool credit;
  };
  /// For checkpoints: whether put() and credit() have found a place in a mask depends on the last cycle in which the wafer was
  /// stepped, and so on who was stepped first in a cycle. A state has one form: what masks have a place for, with `last` as
  /// the last cycle that was stepped (`fits`), and the rest.
  std::vector<Announced> announced(Cycle last, bool fits) const;
  /// Restored: as put() and credit() have announced it.
  void announce(Cycle due, std::uint32_t index, bool credit) {
    announced_.push_back({due, index, credit});
  }
  void forget_all() { announced_.clear(); }

 private:
  bool fits(std::uint64_t mask, Cycle due) const;
  std::uint32_t place_of(std::uint32_t port) const;
  Ref receiver_at(std::uint32_t port, Color color) const;
  std::uint32_t link_into(std::uint32_t port, Color color) const;
  bool has_room(std::uint32_t queue) const;
  void credit_of_ramp(std::uint32_t port, Color color, Cycle due);
  [[noreturn]] void refuse(std::uint32_t port, const std::string& what) const;
  [[noreturn]] void refuse_credit(std::uint32_t port, Color color) const;

  Blocks& blocks_;
  const Connections& connections_;
  std::vector<Announced> announced_;
};

}  // namespace tessera::wafer
