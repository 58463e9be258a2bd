// A memory: LT, debug transport and DMI, any bytes, byte enables.
#pragma once

#include <systemc>
#include <tlm>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "platforms/vp/bus_map.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::vp {

class Memory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  host::TargetSocket socket{"socket"};

  /// `byte_time`: the time that each byte of an access takes.
  Memory(sc_core::sc_module_name name, Address bytes, const sc_core::sc_time& byte_time)
      : sc_core::sc_module(name), bytes_(bytes), byte_time_(byte_time) {
    socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    payload.set_response_status(access(payload));
    if (!payload.is_response_ok()) return;
    delay += payload.get_data_length() * byte_time_;
    payload.set_dmi_allowed(true);
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time& delay) override {
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override {
    dmi.init();
    dmi.set_start_address(0);
    dmi.set_end_address(bytes_.size() - 1);
    dmi.set_dmi_ptr(bytes_.data());
    dmi.set_read_latency(byte_time_);
    dmi.set_write_latency(byte_time_);
    dmi.allow_read_write();
    return true;
  }
  unsigned transport_dbg(Payload& payload) override {
    const Address address = payload.get_address();
    if (address >= bytes_.size() || payload.get_data_ptr() == nullptr) return 0;
    const auto count = static_cast<unsigned>(
        std::min<Address>(payload.get_data_length(), bytes_.size() - address));
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes_.data() + address, count);
    if (payload.is_write()) std::memcpy(bytes_.data() + address, payload.get_data_ptr(), count);
    return payload.get_command() == tlm::TLM_IGNORE_COMMAND ? 0 : count;
  }
  void end_of_elaboration() override {
    host::require_bound_once(socket.get_base_port(), std::string("memory '") + name() + "', socket",
                             "an initiator or a bus");
  }
  tlm::tlm_response_status access(Payload& payload) {
    const Address address = payload.get_address();
    const unsigned length = payload.get_data_length();
    if (payload.get_command() > tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (address >= bytes_.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (length == 0 || length > bytes_.size() - address || payload.get_streaming_width() < length)
      return tlm::TLM_BURST_ERROR_RESPONSE;
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    const unsigned enable_length = payload.get_byte_enable_length();
    if (enables != nullptr && enable_length == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    unsigned char* const data = payload.get_data_ptr();
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
    if (data == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    for (unsigned i = 0; i < length; ++i) {
      if (enables != nullptr && enables[i % enable_length] == 0) continue;
      if (payload.is_read())
        data[i] = bytes_[address + i];
      else
        bytes_[address + i] = data[i];
    }
    return tlm::TLM_OK_RESPONSE;
  }

  std::vector<unsigned char> bytes_;
  const sc_core::sc_time byte_time_;
};

}  // namespace tessera::vp
