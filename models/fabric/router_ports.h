// What stands around a router: its sockets, and what a machine asks of it. Router is ours; a module
// of a user that derives from this stands in its place (docs/rtl-in-the-loop.md).
#pragma once

#include <systemc>

#include <array>
#include <cstddef>

#include "models/observe/link_waits.h"
#include "models/observe/wait.h"
#include "tlm_ifaces/config/config_kit.h"
#include "tlm_ifaces/kit/broken_rule.h"
#include "tlm_ifaces/link/link_kit.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::fabric {

class RouterPorts : public sc_core::sc_module {
 public:
  /// Two input queues behind one off-ramp have room for the same color.
  static constexpr const char* kTwoQueuesId = "/tessera/fabric/two_queues";

  /// Input ports "west_in", "east_in", "south_in", "north_in", "ramp_in", by index(Direction). RAMP
  /// may stay unbound: a tile without a compute engine.
  sc_core::sc_vector<link::TargetSocket> in;
  /// Cardinal output ports "west_out" .. "north_out", by index(Direction).
  sc_core::sc_vector<link::InitiatorSocket> out;
  /// RAMP output: bind every input queue of the PE. A color goes to the queue with room for it.
  link::MultiInitiatorSocket off_ramp{"off_ramp"};
  /// Registers of the routes, for the compute engine of the tile. May stay unbound.
  config_space::TargetSocket config{"config"};

  /// Wavelets inside; a multicast counts once.
  virtual std::size_t held() const = 0;
  /// For a deadlock report: the wavelets that cannot leave.
  virtual void describe_waits(observe::Waits& waits, Cycle now) const = 0;
  /// As those of RouterCore; a router of a user tells nothing.
  virtual void set_link_waits(observe::LinkWaits& /*waits*/) {}
  virtual void add_lasting_waits(observe::LinkWaits& /*waits*/, Cycle /*end*/) const {}
  /// As at the start: the machine is reset, and its clock domain counts from cycle 0 again. Without it a
  /// reset is reported as kit::kNoRestartId.
  virtual void restart() { kit::report_no_restart(name()); }
  /// Asks the sockets who is behind them: when all blocks have been reset, and at the start of the
  /// simulation. Derived classes call it first.
  virtual void start();

 protected:
  /// `at` names the tile in reports. A derived class binds its objects to all sockets.
  RouterPorts(sc_core::sc_module_name name, TileCoord at);

  TileCoord tile() const { return at_; }
  /// Reports cardinal sockets that are open.
  void end_of_elaboration() override;
  void start_of_simulation() override { start(); }

  /// Who is behind a socket; nullptr: nobody. Asked once, because the way through a socket costs more
  /// than the work of a hop.
  link::ForwardIf* receiver(Direction direction, Color color) const {
    return direction == Direction::kRamp ? queue_of_[color.value()] : receivers_[index(direction)];
  }
  link::BackwardIf* sender(Direction direction) const { return senders_[index(direction)]; }

 private:
  void find_queue_of(Color color);

  const TileCoord at_;
  std::array<link::ForwardIf*, kDirectionCount> receivers_{};
  std::array<link::BackwardIf*, kDirectionCount> senders_{};
  std::array<link::ForwardIf*, kColorCount> queue_of_{};  // input queue behind RAMP, per color
};

}  // namespace tessera::fabric
