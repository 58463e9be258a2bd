// TLM-2.0 base protocol: a module between an initiator and a target that fails the run when one of
// them breaks a rule (IEEE 1666-2011 clauses 14 and 15). It
// passes everything on unchanged and takes no time. Rules and ids:
//
//   /tessera/host/checker/attributes   initiator: a payload with an attribute that must not be so
//   /tessera/host/checker/status       initiator: status not INCOMPLETE, or the DMI hint set;
//                                      target: no status set
//   /tessera/host/checker/changed      target: an attribute or written data changed
//   /tessera/host/checker/time         time goes backwards, or passes in a call that must not wait
//   /tessera/host/checker/phase        a phase out of order, or an answer that does not go with it
//   /tessera/host/checker/exclusion    a request before the end of the last one, or a response
//   /tessera/host/checker/memory       nb_transport without memory manager or without a reference
//   /tessera/host/checker/mixed        a payload in two transactions at once
//   /tessera/host/checker/debug        more bytes than asked for
//   /tessera/host/checker/dmi          a region that does not hold the address, or has no pointer
#pragma once

#include <systemc>
#include <tlm>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tlm_ifaces/host/host_socket.h"

namespace tessera::host {

class BaseProtocolChecker : public sc_core::sc_module,
                            private tlm::tlm_fw_transport_if<>,
                            private tlm::tlm_bw_transport_if<> {
 public:
  TargetSocket in{"in"};       ///< to the initiator
  InitiatorSocket out{"out"};  ///< to the target

  explicit BaseProtocolChecker(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  /// Off: attributes that no initiator may set are let through, for tests of a target's answers.
  void set_check_attributes(bool on) { check_attributes_ = on; }
  /// Transactions of nb_transport that have not come to their end, and b_transport calls inside.
  std::size_t outstanding() const { return open_.size() + blocking_.size(); }
  /// Calls seen so far, of all four interfaces.
  std::uint64_t calls() const { return calls_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  using Time = sc_core::sc_time;
  /// What a target must leave as it is.
  struct Snapshot {
    tlm::tlm_command command;
    unsigned char* data;
    unsigned length;
    unsigned streaming_width;
    unsigned char* byte_enables;
    unsigned byte_enable_length;
    std::vector<unsigned char> written;
  };
  enum class State { kRequest, kRequestEnded, kResponse };
  struct Open {
    State state = State::kRequest;
    Time last;  // time of the last phase
    Snapshot snapshot;
  };

  void b_transport(Payload& payload, Time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, Time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, Time& delay) override;
  unsigned transport_dbg(Payload& payload) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) override;
  void end_of_elaboration() override;

  static Snapshot snapshot_of(const Payload& payload);
  void check_request(const Payload& payload);
  void check_answer(const Payload& payload, const Snapshot& before);
  void check_memory(const Payload& payload);
  void begin_request(const Payload& payload, const Time& at);
  void forward_phase(const Payload& payload, const tlm::tlm_phase& phase, const Time& at);
  void backward_phase(const Payload& payload, const tlm::tlm_phase& phase, const Time& at);
  void returned(const Payload& payload, tlm::tlm_sync_enum sync, const tlm::tlm_phase& before,
                const tlm::tlm_phase& after, const Time& at, bool forward);
  void finish(const Payload& payload);
  void expect(bool holds, const char* rule, const Payload& payload, const std::string& why) const;
  void no_time_passed(const Time& before, const Payload& payload, const char* call) const {
    expect(sc_core::sc_time_stamp() == before, "time", payload,
           std::string("time passed inside ") + call);
  }

  bool check_attributes_ = true;
  std::uint64_t calls_ = 0;
  std::map<const Payload*, Open> open_;
  std::map<const Payload*, bool> blocking_;
  const Payload* request_ = nullptr;   // the payload whose BEGIN_REQ has not been answered
  const Payload* response_ = nullptr;  // the payload whose BEGIN_RESP has not been answered
};

// --- calls ---

inline void BaseProtocolChecker::end_of_elaboration() {
  const std::string where = std::string("checker '") + name() + "'";
  require_bound_once(in.get_base_port(), where + ", in", "an initiator");
  require_bound_once(out.get_base_port(), where + ", out", "a target");
}

inline void BaseProtocolChecker::b_transport(Payload& payload, Time& delay) {
  ++calls_;
  check_request(payload);
  expect(open_.count(&payload) == 0 && blocking_.emplace(&payload, true).second, "mixed", payload,
         "the payload is in another transaction");
  const Snapshot before = snapshot_of(payload);
  const Time at = sc_core::sc_time_stamp() + delay;
  out->b_transport(payload, delay);
  expect(sc_core::sc_time_stamp() + delay >= at, "time", payload,
         "b_transport returned an earlier time than it was called with");
  check_answer(payload, before);
  blocking_.erase(&payload);
}

inline tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_fw(Payload& payload,
                                                               tlm::tlm_phase& phase, Time& delay) {
  ++calls_;
  check_memory(payload);
  const Time now = sc_core::sc_time_stamp();
  const Time at = now + delay;
  const tlm::tlm_phase before = phase;
  if (phase == tlm::BEGIN_REQ)
    begin_request(payload, at);
  else
    forward_phase(payload, phase, at);
  payload.acquire();  // the target may let go of it
  const tlm::tlm_sync_enum sync = out->nb_transport_fw(payload, phase, delay);
  no_time_passed(now, payload, "nb_transport_fw");
  returned(payload, sync, before, phase, now + delay, true);
  payload.release();
  return sync;
}

inline tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_bw(Payload& payload,
                                                               tlm::tlm_phase& phase, Time& delay) {
  ++calls_;
  check_memory(payload);
  const Time now = sc_core::sc_time_stamp();
  const tlm::tlm_phase before = phase;
  backward_phase(payload, phase, now + delay);
  payload.acquire();
  const tlm::tlm_sync_enum sync = in->nb_transport_bw(payload, phase, delay);
  no_time_passed(now, payload, "nb_transport_bw");
  returned(payload, sync, before, phase, now + delay, false);
  payload.release();
  return sync;
}

inline unsigned BaseProtocolChecker::transport_dbg(Payload& payload) {
  ++calls_;
  const Time now = sc_core::sc_time_stamp();
  const unsigned count = out->transport_dbg(payload);
  no_time_passed(now, payload, "transport_dbg");
  expect(count <= payload.get_data_length(), "debug", payload,
         "transport_dbg moved " + std::to_string(count) + " bytes");
  return count;
}

inline bool BaseProtocolChecker::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
  ++calls_;
  const sc_dt::uint64 address = payload.get_address();
  const Time now = sc_core::sc_time_stamp();
  const bool given = out->get_direct_mem_ptr(payload, dmi);
  no_time_passed(now, payload, "get_direct_mem_ptr");
  expect(dmi.get_start_address() <= address && address <= dmi.get_end_address(), "dmi", payload,
         "the DMI region does not hold the address that was asked for");
  if (!given) return false;
  const bool access = payload.is_write() ? dmi.is_write_allowed() : dmi.is_read_allowed();
  expect(dmi.get_dmi_ptr() != nullptr && access, "dmi", payload,
         "DMI was given without a pointer, or not for the command that was asked for");
  return true;
}

inline void BaseProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) {
  in->invalidate_direct_mem_ptr(begin, end);
}

// --- rules ---

inline BaseProtocolChecker::Snapshot BaseProtocolChecker::snapshot_of(const Payload& payload) {
  Snapshot s{payload.get_command(),
             payload.get_data_ptr(),
             payload.get_data_length(),
             payload.get_streaming_width(),
             payload.get_byte_enable_ptr(),
             payload.get_byte_enable_length(),
             {}};
  if (payload.is_write() && s.data != nullptr) s.written.assign(s.data, s.data + s.length);
  return s;
}

inline void BaseProtocolChecker::check_request(const Payload& payload) {
  expect(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "status", payload,
         "a request must come with status INCOMPLETE");
  expect(!payload.is_dmi_allowed(), "status", payload, "a request must come without the DMI hint");
  if (!check_attributes_) return;
  const tlm::tlm_command command = payload.get_command();
  expect(command == tlm::TLM_READ_COMMAND || command == tlm::TLM_WRITE_COMMAND ||
             command == tlm::TLM_IGNORE_COMMAND,
         "attributes", payload, "there is no such command");
  expect(payload.get_data_ptr() != nullptr || command == tlm::TLM_IGNORE_COMMAND, "attributes",
         payload, "no data pointer");
  expect(payload.get_data_length() > 0, "attributes", payload, "a length of 0");
  expect(payload.get_streaming_width() > 0, "attributes", payload, "a streaming width of 0");
  expect(payload.get_byte_enable_ptr() == nullptr || payload.get_byte_enable_length() > 0,
         "attributes", payload, "byte enables of length 0");
}

inline void BaseProtocolChecker::check_answer(const Payload& payload, const Snapshot& before) {
  expect(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "status", payload,
         "the target set no status");
  const Snapshot after = snapshot_of(payload);
  expect(after.command == before.command && after.data == before.data &&
             after.length == before.length && after.streaming_width == before.streaming_width &&
             after.byte_enables == before.byte_enables &&
             after.byte_enable_length == before.byte_enable_length,
         "changed", payload, "an attribute was changed on the way");
  expect(after.written == before.written, "changed", payload, "the data of a write were changed");
}

inline void BaseProtocolChecker::check_memory(const Payload& payload) {
  // The payload tells its count only when it has a manager.
  expect(payload.has_mm(), "memory", payload, "nb_transport needs a memory manager");
  expect(payload.get_ref_count() > 0, "memory", payload, "nobody holds a reference");
}

inline void BaseProtocolChecker::begin_request(const Payload& payload, const Time& at) {
  check_request(payload);
  expect(request_ == nullptr, "exclusion", payload,
         "BEGIN_REQ before the request of another transaction ended");
  expect(blocking_.count(&payload) == 0, "mixed", payload, "the payload is in b_transport");
  const bool fresh =
      open_.emplace(&payload, Open{State::kRequest, at, snapshot_of(payload)}).second;
  expect(fresh, "mixed", payload, "the payload is in another transaction");
  request_ = &payload;
}

inline void BaseProtocolChecker::forward_phase(const Payload& payload, const tlm::tlm_phase& phase,
                                               const Time& at) {
  const auto found = open_.find(&payload);
  const bool fits = phase == tlm::END_RESP && found != open_.end() &&
                    found->second.state == State::kResponse && response_ == &payload;
  expect(fits, "phase", payload, "the initiator may send BEGIN_REQ, then END_RESP");
  if (!fits) return;
  expect(at >= found->second.last, "time", payload, "the phases of a transaction go backwards");
  finish(payload);
}

inline void BaseProtocolChecker::backward_phase(const Payload& payload, const tlm::tlm_phase& phase,
                                                const Time& at) {
  const auto found = open_.find(&payload);
  const bool known = found != open_.end();
  const bool end_req = known && phase == tlm::END_REQ && found->second.state == State::kRequest;
  const bool begin_resp =
      known && phase == tlm::BEGIN_RESP && found->second.state != State::kResponse;
  expect(end_req || begin_resp, "phase", payload,
         "the target may send END_REQ once, then BEGIN_RESP once");
  if (!end_req && !begin_resp) return;
  Open& open = found->second;
  expect(at >= open.last, "time", payload, "the phases of a transaction go backwards");
  open.last = at;
  if (request_ == &payload) request_ = nullptr;  // BEGIN_RESP implies END_REQ
  open.state = State::kRequestEnded;
  if (!begin_resp) return;
  expect(response_ == nullptr, "exclusion", payload,
         "BEGIN_RESP before the response of another transaction ended");
  check_answer(payload, open.snapshot);
  open.state = State::kResponse;
  response_ = &payload;
}

// What a call of nb_transport answered.
inline void BaseProtocolChecker::returned(const Payload& payload, tlm::tlm_sync_enum sync,
                                          const tlm::tlm_phase& before, const tlm::tlm_phase& after,
                                          const Time& at, bool forward) {
  if (sync == tlm::TLM_ACCEPTED) {
    expect(before == after, "phase", payload, "ACCEPTED, but the phase was changed");
    return;
  }
  if (sync == tlm::TLM_COMPLETED) {
    const auto found = open_.find(&payload);
    if (found == open_.end()) return;  // after END_RESP
    if (forward) check_answer(payload, found->second.snapshot);
    finish(payload);
    return;
  }
  if (forward && before == tlm::BEGIN_REQ) {
    backward_phase(payload, after, at);
  } else if (!forward && before == tlm::BEGIN_RESP) {
    forward_phase(payload, after, at);
  } else {
    expect(false, "phase", payload, "UPDATED, where no phase can follow");
  }
}

inline void BaseProtocolChecker::finish(const Payload& payload) {
  if (request_ == &payload) request_ = nullptr;
  if (response_ == &payload) response_ = nullptr;
  open_.erase(&payload);
}

inline void BaseProtocolChecker::expect(bool holds, const char* rule, const Payload& payload,
                                        const std::string& why) const {
  if (holds) return;
  char address[24];
  std::snprintf(address, sizeof address, "0x%llx",
                static_cast<unsigned long long>(payload.get_address()));
  const std::string text = std::string(name()) + ": address " + address + ", " +
                           std::to_string(payload.get_data_length()) + " bytes: " + why;
  SC_REPORT_ERROR((std::string("/tessera/host/checker/") + rule).c_str(), text.c_str());
}

}  // namespace tessera::host
