// Payloads for nb_transport: a memory manager that keeps what is given back, and knows what is not.
#pragma once

#include <tlm>

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera::host {

class PayloadPool : public tlm::tlm_mm_interface {
 public:
  /// A payload with one reference, all attributes as at the start.
  tlm::tlm_generic_payload& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload& payload = *free_.back();
    free_.pop_back();
    payload.acquire();
    return payload;
  }
  /// Payloads that somebody holds: 0 when nothing has leaked.
  std::size_t in_use() const { return all_.size() - free_.size(); }

 private:
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    payload->set_command(tlm::TLM_IGNORE_COMMAND);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload->set_dmi_allowed(false);
    payload->set_byte_enable_ptr(nullptr);
    free_.push_back(payload);
  }

  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace tessera::host
