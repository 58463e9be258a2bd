// A small bus: one initiator, any number of targets, found by address. Loosely timed: b_transport,
// debug transport and DMI with addresses translated both ways. The bus itself takes no time; that of
// an access is the target's.
#pragma once

#include <systemc>
#include <tlm>

#include <deque>

#include "platforms/vp/bus_map.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::vp {

class Bus : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  /// Two targets want one address, or a window wraps around.
  static constexpr const char* kOverlapId = "/tessera/vp/overlap";
  /// nb_transport: the bus is loosely timed.
  static constexpr const char* kLooselyTimedId = "/tessera/vp/loosely_timed";

  host::TargetSocket in{"in"};  ///< to the initiator

  /// A bus for so many targets, which have to be mapped before the simulation starts.
  Bus(sc_core::sc_module_name name, unsigned targets);

  /// Binds a target; it sees addresses from 0 on.
  void map(host::TargetSocket& target, Address base, Address bytes);

 private:
  using Payload = tlm::tlm_generic_payload;
  /// One target: its window, and the way back from it.
  struct Window : tlm::tlm_bw_transport_if<> {
    Window(const char* name, Bus& owner) : bus(owner), socket(name) {
      socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }
    bool holds(Address address) const { return address >= base && address - base < bytes; }
    tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) override;

    Bus& bus;
    Address base = 0;
    Address bytes = 0;  // 0: not mapped yet
    host::InitiatorSocket socket;
  };

  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& payload) override;
  void end_of_elaboration() override;
  Window* find(Address address);
  tlm::tlm_sync_enum refuse_non_blocking() const;

  std::deque<Window> windows_;
};

}  // namespace tessera::vp
