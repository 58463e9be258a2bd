// A TLM-2.0 initiator for tests: runs a body in a thread and has helpers for single accesses.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "tlm_ifaces/host/host_socket.h"
#include "tlm_ifaces/host/payload_pool.h"
#include "tlm_ifaces/kit/process.h"

namespace tessera::test {

class HostInitiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Status = tlm::tlm_response_status;

  host::InitiatorSocket socket{"socket"};
  std::function<void()> body;
  /// What nb_transport_bw answers; default: what send_at() needs.
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_core::sc_time&)> backward;
  sc_core::sc_time delay;  ///< local time of the accesses
  unsigned invalidations = 0;
  host::PayloadPool pool;
  bool finished = false;

  explicit HostInitiator(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    TESSERA_HAS_PROCESS(HostInitiator);
    SC_THREAD(run);
  }

  static void set(Payload& p, tlm::tlm_command command, std::uint64_t address, void* data,
                  unsigned length) {
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(length);
    p.set_streaming_width(length);
    p.set_byte_enable_ptr(nullptr);
    p.set_byte_enable_length(0);
    p.set_dmi_allowed(false);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

  Status send(Payload& p) {
    socket->b_transport(p, delay);
    return p.get_response_status();
  }
  /// The same over nb_transport, four phases, with a pooled payload.
  Status send_at(Payload& p) {
    Payload& q = pool.take();
    set(q, p.get_command(), p.get_address(), p.get_data_ptr(), p.get_data_length());
    q.set_streaming_width(p.get_streaming_width());
    q.set_byte_enable_ptr(p.get_byte_enable_ptr());
    q.set_byte_enable_length(p.get_byte_enable_length());
    answered_ = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    socket->nb_transport_fw(q, phase, delay);
    while (!answered_) sc_core::wait(response_);
    phase = tlm::END_RESP;
    delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(q, phase, delay);
    const Status status = q.get_response_status();
    q.release();
    return status;
  }
  Status access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
    Payload p;
    set(p, command, address, data, length);
    return send(p);
  }
  Status write(std::uint64_t address, std::vector<std::uint32_t> words) {
    return access(tlm::TLM_WRITE_COMMAND, address, words.data(),
                  static_cast<unsigned>(4 * words.size()));
  }
  Status write(std::uint64_t address, std::uint32_t word) {
    return write(address, std::vector<std::uint32_t>{word});
  }
  /// Words that a read gave; empty: it was refused.
  std::vector<std::uint32_t> read(std::uint64_t address, unsigned words) {
    std::vector<std::uint32_t> data(words);
    const Status status = access(tlm::TLM_READ_COMMAND, address, data.data(), 4 * words);
    if (status != tlm::TLM_OK_RESPONSE) data.clear();
    return data;
  }
  /// 0xDEADBEEF when it was refused.
  std::uint32_t read(std::uint64_t address) {
    const std::vector<std::uint32_t> words = read(address, 1);
    return words.empty() ? 0xDEADBEEF : words.front();
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
    Payload p;
    set(p, command, address, data, length);
    return socket->transport_dbg(p);
  }
  /// Waits until the local time is there.
  void sync() {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }

 private:
  void run() {
    if (body) body();
    finished = true;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& d) override {
    if (backward) return backward(p, phase, d);
    if (phase == tlm::BEGIN_RESP) {
      answered_ = true;
      response_.notify(d);
    }
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override { ++invalidations; }

  bool answered_ = false;
  sc_core::sc_event response_{"response"};
};

}  // namespace tessera::test
