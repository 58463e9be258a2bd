// HostPort: nb_transport. Requests are kept by their time; serve() looks at the first one.
#include <algorithm>
#include <sstream>

#include "models/host/host_port.h"

namespace tessera::host {

tlm::tlm_sync_enum HostPort::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
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
  const bool accepts = accepted() < std::max(config_.request_depth, 1U);
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  const auto later = std::find_if(requests_.begin(), requests_.end(),
                                  [&at](const Request& other) { return other.at > at; });
  requests_.insert(later, {&payload, at, accepts});
  if (accepts) phase = tlm::END_REQ;
  serve_event_.notify(delay);
}

std::size_t HostPort::accepted() const {
  return static_cast<std::size_t>(std::count_if(requests_.begin(), requests_.end(),
                                                [](const Request& r) { return r.accepted; }));
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
    const bool has_room = accepted() < std::max(config_.request_depth, 1U);
    if (request.accepted || !(is_first || has_room)) continue;
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
