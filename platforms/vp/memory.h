// A memory: LT, debug transport and DMI, any bytes, byte enables.
#pragma once

#include <systemc>
#include <tlm>

#include <vector>

#include "platforms/vp/bus_map.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::vp {

class Memory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  host::TargetSocket socket{"socket"};

  /// `byte_time`: of each byte of an access.
  Memory(sc_core::sc_module_name name, Address bytes, const sc_core::sc_time& byte_time);

 private:
  using Payload = tlm::tlm_generic_payload;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& payload) override;
  void end_of_elaboration() override;
  tlm::tlm_response_status access(Payload& payload);

  std::vector<unsigned char> bytes_;
  const sc_core::sc_time byte_time_;
};

}  // namespace tessera::vp
