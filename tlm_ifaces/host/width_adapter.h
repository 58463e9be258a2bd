// An initiator of another width in front of a target of this protocol. The width of a socket is a matter of
// its type alone: a payload counts bytes, and the time of an access is the target's. So everything is passed on as it is.
#pragma once

#include <systemc>
#include <tlm>

#include <string>

#include "tlm_ifaces/host/host_socket.h"

namespace tessera::host {

/// `Bits`: the width of the initiator, 64 or 128, say.
template <unsigned Bits>
class WidthAdapter : public sc_core::sc_module,
                     private tlm::tlm_fw_transport_if<>,
                     private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_base_target_socket<Bits, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>, 0,
                              sc_core::SC_ZERO_OR_MORE_BOUND>
      in{"in"};                ///< to the initiator
  InitiatorSocket out{"out"};  ///< to the target

  explicit WidthAdapter(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  using Time = sc_core::sc_time;

  void b_transport(Payload& payload, Time& delay) override { out->b_transport(payload, delay); }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     Time& delay) override {
    return out->nb_transport_fw(payload, phase, delay);
  }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     Time& delay) override {
    return in->nb_transport_bw(payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) override {
    in->invalidate_direct_mem_ptr(begin, end);
  }
  void end_of_elaboration() override {
    const std::string where = std::string("width adapter '") + name() + "'";
    require_bound_once(in.get_base_port(), where + ", in", "an initiator");
    require_bound_once(out.get_base_port(), where + ", out", "a target");
  }
};

}  // namespace tessera::host
