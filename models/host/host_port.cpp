#include "models/host/host_port.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include "tlm_ifaces/host/refusal.h"
#include "tlm_ifaces/kit/process.h"

namespace tessera::host {

namespace {

Access access_of(const tlm::tlm_generic_payload& payload) {
  using Command = Access::Command;
  const tlm::tlm_command command = payload.get_command();
  Access access;
  access.command = command == tlm::TLM_READ_COMMAND     ? Command::kRead
                   : command == tlm::TLM_WRITE_COMMAND  ? Command::kWrite
                   : command == tlm::TLM_IGNORE_COMMAND ? Command::kIgnore
                                                        : Command::kOther;
  access.address = payload.get_address();
  access.data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  access.length = payload.get_data_length();
  access.streaming_width = payload.get_streaming_width();
  access.byte_enables = payload.get_byte_enable_ptr();
  access.byte_enable_length = payload.get_byte_enable_length();
  return access;
}

tlm::tlm_response_status status_of(Answer answer) {
  static constexpr std::array kStatus = {// as Answer
                                         tlm::TLM_OK_RESPONSE,
                                         tlm::TLM_COMMAND_ERROR_RESPONSE,
                                         tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                         tlm::TLM_BURST_ERROR_RESPONSE,
                                         tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
                                         tlm::TLM_GENERIC_ERROR_RESPONSE};
  return kStatus[static_cast<unsigned>(answer)];
}

bool can_wait() {
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  return process.valid() && process.proc_kind() != sc_core::SC_METHOD_PROC_;
}

}  // namespace

HostPort::HostPort(sc_core::sc_module_name name, timing::ClockDomain& domain, Device& device,
                   const PortConfig& config)
    : sc_core::sc_module(name), domain_(domain), device_(device), config_(config),
      core_(device, config.stream_depth),
      byte_time_(sc_core::sc_time::from_value(std::max<sc_dt::uint64>(
          domain.to_time(1).value() / std::max(config.bytes_per_cycle, 1U), 1))),
      access_time_(domain.to_time(config.access_cycles)), irq_event_("irq_event"),
      serve_event_("serve_event") {
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  TESSERA_HAS_PROCESS(HostPort);
  SC_METHOD(change_irq);
  sensitive << irq_event_;
  dont_initialize();
  SC_METHOD(serve);
  sensitive << serve_event_;
  dont_initialize();
}

void HostPort::end_of_elaboration() {
  const std::string where = std::string("host port '") + name() + "'";
  require_bound_once(socket.get_base_port(), where + ", socket", "an initiator or a bus");
  require_bound_once(irq, where + ", irq", "an sc_signal<bool>");
}

void HostPort::start_of_simulation() {
  device_.set_listener(this);
  if (config_.survives_failures) {
    domain_.set_failure_listener([this](const timing::Failure& failure) {
      core_.failed(failure.text);
      follow_irq(domain_.now());
    });
  }
  irq->write(false);
}

void HostPort::b_transport(Payload& payload, sc_core::sc_time& delay) {
  const HostPortCore::Checked checked = check(payload);
  if (checked.answer != Answer::kOk) return;
  if (checked.touches_machine && !waits_until(delay)) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  execute(payload, checked);
  if (payload.is_response_ok()) delay += time_of(payload, checked);
}

HostPortCore::Checked HostPort::check(Payload& payload) {
  const HostPortCore::Checked checked = core_.check(access_of(payload));
  if (checked.answer != Answer::kOk) {
    payload.set_response_status(status_of(checked.answer));
    tell_why(payload, checked.why);
  }
  return checked;
}

void HostPort::tell_why(Payload& payload, const char* why) {
  const std::string& text = core_.note_refusal(access_of(payload), why);
  if (Refusal* const refusal = payload.get_extension<Refusal>()) refusal->text = text;
}

// Goes on at the time of the access, when the machine has been through that cycle.
bool HostPort::waits_until(sc_core::sc_time& delay) {
  const bool waits = can_wait();
  if (delay > sc_core::SC_ZERO_TIME) {
    if (!waits) {
      SC_REPORT_ERROR(kCannotWaitId,
                      (std::string(name()) + ": b_transport with a delay of " + delay.to_string() +
                       " from a process that cannot wait: call it from a thread, synchronise "
                       "before, or use nb_transport")
                          .c_str());
      return false;
    }
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  // In which order the processes of an instant run is up to the kernel.
  if (waits && domain_.next_due() <= cycle()) sc_core::wait(sc_core::SC_ZERO_TIME);
  return true;
}

void HostPort::execute(Payload& payload, const HostPortCore::Checked& checked) {
  const Answer answer = core_.carry_out(access_of(payload), cycle());
  const Cycle now = cycle();  // a reset begins with cycle 0 again
  payload.set_response_status(status_of(answer));
  if (answer != Answer::kOk) tell_why(payload, "");
  if (core_.has_reset()) drop_irq_changes();
  if (core_.ends_direct()) invalidate_direct();
  if (checked.touches_machine) follow_irq(now);
  payload.set_dmi_allowed(checked.window == Window::kMemory && device_.at_rest());
}

sc_core::sc_time HostPort::time_of(const Payload& payload,
                                   const HostPortCore::Checked& checked) const {
  if (checked.window == Window::kMemory) return memory_time(payload.get_data_length());
  return (payload.get_data_length() + 3) / 4 * access_time_;
}

void HostPort::invalidate_direct() {
  if (!direct_given_) return;
  direct_given_ = false;
  socket->invalidate_direct_mem_ptr(kMemoryBase, ~Address{0});
}

bool HostPort::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  const HostPortCore::Direct direct = core_.direct(payload.get_address());
  dmi.set_start_address(direct.begin);
  dmi.set_end_address(direct.end);
  dmi.set_read_latency(byte_time_);
  dmi.set_write_latency(byte_time_);
  if (direct.data == nullptr) {
    dmi.allow_none();
    return false;
  }
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(direct.data));
  dmi.allow_read_write();
  direct_given_ = true;
  return true;
}

unsigned HostPort::transport_dbg(Payload& payload) {
  auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  const unsigned count = payload.get_data_length();
  if (data == nullptr || count == 0) return 0;
  if (payload.is_read()) return core_.debug_read(payload.get_address(), count, data, cycle());
  if (payload.is_write()) return core_.debug_write(payload.get_address(), count, data);
  return 0;
}

void HostPort::launch_ended(Cycle now) {
  core_.launch_ended();
  follow_irq(now);
}

void HostPort::stream_completed(Cycle now) {
  core_.stream_completed();
  follow_irq(now);
}

void HostPort::came_to_rest(Cycle now) {
  core_.came_to_rest();
  follow_irq(now);
}

// The line falls one cycle after a reset, whatever was to come.
void HostPort::drop_irq_changes() {
  irq_changes_.clear();
  irq_event_.cancel();
  irq_level_ = irq->read();
}

// The line follows one cycle later.
void HostPort::follow_irq(Cycle now) {
  if (core_.irq() == irq_level_) return;
  irq_level_ = core_.irq();
  irq_changes_.push_back({domain_.to_time(now + 1), irq_level_});
  if (irq_changes_.size() == 1)
    irq_event_.notify(irq_changes_.front().at - sc_core::sc_time_stamp());
}

void HostPort::change_irq() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  while (!irq_changes_.empty() && irq_changes_.front().at <= now) {
    irq->write(irq_changes_.front().level);
    irq_changes_.pop_front();
  }
  if (!irq_changes_.empty()) irq_event_.notify(irq_changes_.front().at - now);
}

// nb_transport: requests are kept by their time; serve() looks at the first one.

tlm::tlm_sync_enum HostPort::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ && !payload.has_mm()) {
    const std::string text =
        std::string(name()) + ": a payload of nb_transport needs a memory manager";
    SC_REPORT_ERROR(kMemoryId, text.c_str());
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::BEGIN_REQ) {
    begin_request(payload, phase, delay);
    return phase == tlm::END_REQ ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
  }
  const bool expected = response_ && response_->end_awaited && response_->payload == &payload;
  if (phase == tlm::END_RESP && expected) {
    end_response();
    serve_event_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  report_phase(payload, phase);
  return tlm::TLM_ACCEPTED;
}

void HostPort::report_phase(const Payload& payload, const tlm::tlm_phase& phase) const {
  std::ostringstream text;
  text << name() << ": phase " << phase << " for address 0x" << std::hex << payload.get_address()
       << " has no place here: expected BEGIN_REQ, or END_RESP of the transaction being answered";
  SC_REPORT_ERROR(kPhaseId, text.str().c_str());
}

void HostPort::begin_request(Payload& payload, tlm::tlm_phase& phase,
                             const sc_core::sc_time& delay) {
  payload.acquire();
  const bool accepts = has_room();
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  const auto later = std::find_if(requests_.begin(), requests_.end(),
                                  [&at](const Request& other) { return other.at > at; });
  requests_.insert(later, {&payload, at, accepts});
  if (accepts) phase = tlm::END_REQ;
  serve_event_.notify(delay);
}

bool HostPort::has_room() const {
  const auto accepted = std::count_if(requests_.begin(), requests_.end(),
                                      [](const Request& request) { return request.accepted; });
  return accepted < std::max<std::ptrdiff_t>(config_.request_depth, 1);
}

// Steps:
//   1. a response whose time has come is sent, and one that is not through holds everything up;
//   2. a request that found no room is accepted, and at once the first in time: it may have overtaken
//      those that have the room;
//   3. the first request is carried out when its time has come and the machine has been through
//      that cycle; its response follows after the time of the access.
void HostPort::serve() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  if (response_) {
    if (response_->end_awaited) return;
    if (respond_at_ > now) return serve_event_.notify(respond_at_ - now);
    return answer();
  }
  accept_waiting();
  if (requests_.empty()) return;
  if (requests_.front().at > now) return serve_event_.notify(requests_.front().at - now);
  if (!requests_.front().accepted) return serve_event_.notify(sc_core::SC_ZERO_TIME);
  if (!looked_again_ && domain_.next_due() <= cycle()) {
    looked_again_ = true;
    return serve_event_.notify(sc_core::SC_ZERO_TIME);
  }
  looked_again_ = false;
  Payload& payload = *requests_.front().payload;
  const HostPortCore::Checked checked = check(payload);
  if (checked.answer == Answer::kOk) execute(payload, checked);
  requests_.pop_front();
  response_ = Response{&payload, false};
  respond_at_ = now + (payload.is_response_ok() ? time_of(payload, checked) : access_time_);
  serve_event_.notify(respond_at_ - now);
}

void HostPort::accept_waiting() {
  for (Request& request : requests_) {
    const bool is_first = &request == &requests_.front();
    if (request.accepted || !(is_first || has_room())) continue;
    request.accepted = true;
    tlm::tlm_phase phase = tlm::END_REQ;
    // Not before the request, which may lie ahead.
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = request.at > now ? request.at - now : sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(*request.payload, phase, delay);
    return;  // one at a time: the initiator may send its next request inside the call
  }
}

void HostPort::answer() {
  Payload& payload = *response_->payload;
  response_->end_awaited = true;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum sync = socket->nb_transport_bw(payload, phase, delay);
  const bool through =
      sync == tlm::TLM_COMPLETED || (sync == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (!through) return;
  end_response();
  // What comes next waits for the end of this response.
  serve_event_.notify(delay);
}

void HostPort::end_response() {
  if (!response_) return;  // END_RESP came inside the call of BEGIN_RESP
  Payload& payload = *response_->payload;
  response_.reset();
  payload.release();
}

}  // namespace tessera::host
