// vp::Bus: approximately timed transport. Calls only note what was said; serve() passes it on.
#include <algorithm>
#include <sstream>
#include <string>

#include "platforms/vp/bus.h"

namespace tessera::vp {

tlm::tlm_sync_enum Bus::forward(Initiator& from, Payload& payload, Phase& phase,
                                const Time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin(from, payload, delay);
  if (phase == tlm::END_RESP && from.answered != nullptr && from.answered->payload == &payload) {
    finish(from, delay);
    return tlm::TLM_COMPLETED;
  }
  report_phase(payload, phase);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum Bus::begin(const Initiator& from, Payload& payload, const Time& delay) {
  Window* const window = find(payload.get_address());
  if (window == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  open_.push_back(
      {&payload, from.number, window, payload.get_address(), sc_core::sc_time_stamp() + delay});
  Transaction& added = open_.back();
  const auto later = [&added](const Transaction* other) {
    return other->at > added.at || (other->at == added.at && other->initiator > added.initiator);
  };
  auto& queue = window->requests;
  queue.insert(std::find_if(queue.begin(), queue.end(), later), &added);
  serve_event_.notify(delay);
  return tlm::TLM_ACCEPTED;
}

Bus::Transaction* Bus::find(const Payload& payload, const Window& window) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Transaction& t) {
    return t.payload == &payload && t.window == &window;
  });
  return found == open_.end() ? nullptr : &*found;
}

tlm::tlm_sync_enum Bus::backward(Window& from, Payload& payload, const Phase& phase,
                                 const Time& delay) {
  Transaction* const transaction = find(payload, from);
  if (transaction != nullptr && phase == tlm::END_REQ && from.asked == transaction) {
    from.asked = nullptr;
    end_request(*transaction, delay);
  } else if (transaction != nullptr && phase == tlm::BEGIN_RESP) {
    if (from.asked == transaction) from.asked = nullptr;
    take_response(*transaction, delay, true);
  } else {
    report_phase(payload, phase);
  }
  serve_event_.notify(sc_core::SC_ZERO_TIME);
  return tlm::TLM_ACCEPTED;
}

void Bus::end_request(const Transaction& transaction, const Time& delay) {
  Phase phase = tlm::END_REQ;
  Time at = delay;
  in[transaction.initiator]->nb_transport_bw(*transaction.payload, phase, at);
}

void Bus::take_response(Transaction& transaction, const Time& delay, bool ends) {
  transaction.at = sc_core::sc_time_stamp() + delay;
  transaction.ends = ends;
  auto& queue = initiators_[transaction.initiator].responses;
  const auto later = [&transaction](const Transaction* other) {
    return other->at > transaction.at;
  };
  queue.insert(std::find_if(queue.begin(), queue.end(), later), &transaction);
}

void Bus::serve() {
  for (Window& window : windows_) ask(window);
  for (Initiator& initiator : initiators_) answer(initiator);
  // The next one that only waits for its time.
  const Time now = sc_core::sc_time_stamp();
  const auto look_at = [&](const std::deque<Transaction*>& queue, const Transaction* held_up_by) {
    if (!queue.empty() && held_up_by == nullptr)
      serve_event_.notify(std::max(queue.front()->at, now) - now);
  };
  for (const Window& window : windows_) look_at(window.requests, window.asked);
  for (const Initiator& initiator : initiators_) look_at(initiator.responses, initiator.answered);
}

void Bus::ask(Window& window) {
  while (window.asked == nullptr && !window.requests.empty() &&
         window.requests.front()->at <= sc_core::sc_time_stamp()) {
    Transaction& transaction = *window.requests.front();
    window.requests.pop_front();
    window.asked = &transaction;
    transaction.payload->set_address(transaction.address - window.base);
    Phase phase = tlm::BEGIN_REQ;
    Time delay;
    const tlm::tlm_sync_enum sync =
        window.socket->nb_transport_fw(*transaction.payload, phase, delay);
    if (sync == tlm::TLM_ACCEPTED) continue;  // the target says END_REQ or BEGIN_RESP
    window.asked = nullptr;
    if (sync == tlm::TLM_UPDATED && phase == tlm::END_REQ)
      end_request(transaction, delay);
    else
      take_response(transaction, delay, sync == tlm::TLM_UPDATED);
  }
}

void Bus::answer(Initiator& initiator) {
  while (initiator.answered == nullptr && !initiator.responses.empty() &&
         initiator.responses.front()->at <= sc_core::sc_time_stamp()) {
    Transaction& transaction = *initiator.responses.front();
    initiator.responses.pop_front();
    initiator.answered = &transaction;
    transaction.payload->set_address(transaction.address);
    Phase phase = tlm::BEGIN_RESP;
    Time delay;
    const tlm::tlm_sync_enum sync =
        in[initiator.number]->nb_transport_bw(*transaction.payload, phase, delay);
    const bool through =
        sync == tlm::TLM_COMPLETED || (sync == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    // END_RESP may have come inside the call.
    if (through && initiator.answered == &transaction) finish(initiator, delay);
  }
}

void Bus::finish(Initiator& initiator, const Time& delay) {
  Transaction* const transaction = initiator.answered;
  initiator.answered = nullptr;
  Payload& payload = *transaction->payload;
  if (transaction->ends) {
    Phase phase = tlm::END_RESP;
    Time at = delay;
    transaction->window->socket->nb_transport_fw(payload, phase, at);
  }
  open_.remove_if([transaction](const Transaction& t) { return &t == transaction; });
  payload.release();
  serve_event_.notify(delay);
}

void Bus::report_phase(const Payload& payload, const Phase& phase) const {
  std::ostringstream text;
  text << name() << ": phase " << phase << " for address 0x" << std::hex << payload.get_address()
       << " has no place here";
  SC_REPORT_ERROR(kPhaseId, text.str().c_str());
}

}  // namespace tessera::vp
