#include "platforms/vp/dma.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tlm_ifaces/kit/process.h"

namespace tessera::vp {

namespace {
constexpr std::uint32_t kBusyWord = kDmaBusy;
}

Dma::Dma(sc_core::sc_module_name name, const sc_core::sc_time& access_time)
    : sc_core::sc_module(name), access_time_(access_time), next_("next"), irq_event_("irq_event") {
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  memory.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  TESSERA_HAS_PROCESS(Dma);
  SC_METHOD(go_on);
  sensitive << next_;
  dont_initialize();
  SC_METHOD(drive_irq);
  sensitive << irq_event_;
  dont_initialize();
}

void Dma::end_of_elaboration() {
  const std::string where = std::string("DMA engine '") + name() + "'";
  host::require_bound_once(socket.get_base_port(), where + ", socket", "an initiator or a bus");
  host::require_bound_once(memory.get_base_port(), where + ", memory", "a target or a bus");
  host::require_bound_once(irq, where + ", irq", "an sc_signal<bool>");
}

// --- registers

// A start counts from the time of the access, whoever comes first to it.
void Dma::b_transport(Payload& payload, sc_core::sc_time& delay) {
  if (delay > sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  payload.set_response_status(access(payload));
  if (payload.is_response_ok()) delay += payload.get_data_length() / 4 * access_time_;
}

// At once, and answered after the time of the access.
tlm::tlm_sync_enum Dma::nb_transport_fw(Payload& payload, tlm::tlm_phase&,
                                        sc_core::sc_time& delay) {
  payload.set_response_status(access(payload));
  delay += payload.get_data_length() / 4 * access_time_;
  return tlm::TLM_COMPLETED;
}

bool Dma::get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(kBytes - 1);
  dmi.allow_none();
  return false;
}

unsigned Dma::transport_dbg(Payload& payload) {
  const Address at = payload.get_address();
  if (!payload.is_read() || at >= kBytes || payload.get_data_ptr() == nullptr) return 0;
  const auto count =
      static_cast<unsigned>(std::min<Address>(payload.get_data_length(), kBytes - at));
  std::memcpy(payload.get_data_ptr(), reinterpret_cast<unsigned char*>(words_.data()) + at, count);
  return count;
}

tlm::tlm_response_status Dma::access(Payload& payload) {
  const Address at = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (payload.get_command() > tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (at >= kBytes) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (length == 0 || at % 4 != 0 || length % 4 != 0 || length > kBytes - at ||
      payload.get_streaming_width() < length)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const auto first = static_cast<unsigned>(at / 4);
  const unsigned end = first + length / 4;
  if (payload.is_read() ? first <= kControl && kControl < end : end > kStatus)
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), &words_[first], length);
    if (first <= kStatus && kStatus < end && !shows_end())
      std::memcpy(payload.get_data_ptr() + 4 * (kStatus - first), &kBusyWord, 4);
    return tlm::TLM_OK_RESPONSE;
  }
  if ((words_[kStatus] & kDmaBusy) != 0) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  std::memcpy(&words_[first], payload.get_data_ptr(), length);
  return end > kControl ? control(words_[kControl]) : tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status Dma::control(std::uint32_t bits) {
  if ((bits & (kDmaClear | kDmaStart)) != 0) {
    words_[kStatus] = 0;
    irq_event_.notify(sc_core::SC_ZERO_TIME);
  }
  if ((bits & kDmaStart) == 0) return tlm::TLM_OK_RESPONSE;
  to_stream_ = (bits & kDmaToStream) != 0;
  words_[kStatus] = kDmaBusy;
  copied_ = 0;
  reads_ = true;
  next_.notify(sc_core::SC_ZERO_TIME);
  return tlm::TLM_OK_RESPONSE;
}

// The end can be seen after its instant only: in which order the processes of an instant run is up to the
// kernel.
bool Dma::shows_end() const {
  return (words_[kStatus] & kDmaDone) == 0 || ended_at_ < sc_core::sc_time_stamp();
}

// A signal has one writer, whoever accesses the registers.
void Dma::drive_irq() {
  irq->write((words_[kStatus] & kDmaDone) != 0);
}

// --- copying

void Dma::go_on() {
  if (copied_ >= words_[kCount]) return stop(kDmaDone);
  piece_.resize(std::min(kPiece, words_[kCount] - copied_));
  if (reads_)
    ask(tlm::TLM_READ_COMMAND, address(kSource) + copied_);
  else
    ask(tlm::TLM_WRITE_COMMAND, address(kTarget) + (to_stream_ ? 0 : copied_));
}

void Dma::ask(tlm::tlm_command command, Address at) {
  Payload& payload = pool_.take();
  payload.set_command(command);
  payload.set_address(at);
  payload.set_data_ptr(piece_.data());
  payload.set_data_length(static_cast<unsigned>(piece_.size()));
  const bool streams = to_stream_ && command == tlm::TLM_WRITE_COMMAND;
  payload.set_streaming_width(streams ? 4 : payload.get_data_length());
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum sync = memory->nb_transport_fw(payload, phase, delay);
  if (sync == tlm::TLM_COMPLETED) {
    take(payload);
    next_.notify(delay);
  } else if (sync == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    phase = tlm::END_RESP;
    memory->nb_transport_fw(payload, phase, delay);
    take(payload);
    next_.notify(delay);
  }
}

tlm::tlm_sync_enum Dma::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  take(payload);
  next_.notify(delay);
  return tlm::TLM_COMPLETED;
}

void Dma::take(Payload& payload) {
  const bool is_ok = payload.is_response_ok();
  payload.release();
  if (!is_ok) {
    words_[kCount] = copied_;  // what has been copied
    words_[kStatus] |= kDmaError;
    return;
  }
  if (!reads_) copied_ += static_cast<std::uint32_t>(piece_.size());
  reads_ = !reads_;
}

void Dma::stop(std::uint32_t status) {
  words_[kStatus] = status | (words_[kStatus] & kDmaError);
  ended_at_ = sc_core::sc_time_stamp();
  irq_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tessera::vp
