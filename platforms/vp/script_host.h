// The processor of vp_platform: a TLM-2.0 initiator that carries out a host script, temporally
// decoupled. It runs ahead of the simulation for at most a quantum (tlm_global_quantum); what it
// says to the accelerator is done at its own time all the same, because the host port waits for it.
//
// A thread, the only one of the house: a processor calls b_transport, which waits, in the middle of
// what it does. One thread a platform costs nothing.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "platforms/report/report.h"
#include "platforms/vp/script.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::vp {

class ScriptHost : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  host::InitiatorSocket socket{"socket"};
  sc_core::sc_in<bool> irq{"irq"};

  /// `script` must outlive the host. What it reads is printed to `out`; nullptr: nowhere.
  ScriptHost(sc_core::sc_module_name name, const std::vector<Statement>& script, std::ostream* out);

  /// All statements were carried out, or one of them failed.
  bool done() const { return done_; }
  /// "line 12 (wait irq)": where it is.
  std::string position() const;
  /// One an expect, poll, refused access, and the access that failed.
  const std::vector<report::Check>& checks() const { return checks_; }
  /// Local time when it was done.
  const sc_core::sc_time& end_time() const { return end_time_; }
  std::uint64_t bus_accesses() const { return bus_accesses_; }
  std::uint64_t direct_accesses() const { return direct_accesses_; }

 private:
  using Words = std::vector<std::uint32_t>;
  struct Direct {
    tlm::tlm_dmi dmi;
    bool holds(Address begin, std::uint64_t bytes) const {
      return begin >= dmi.get_start_address() && begin + (bytes - 1) <= dmi.get_end_address();
    }
  };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end) override;
  void end_of_elaboration() override;

  void run();
  bool carry_out(const Statement& statement);
  bool move(const Statement& statement);
  bool expect(const Statement& statement);
  bool poll(const Statement& statement);
  bool copy(const Statement& statement);
  bool wait_irq(const Statement& statement);
  void peek(const Statement& statement);
  bool answered(const Statement& statement, tlm::tlm_response_status status);
  bool check(const Statement& statement, bool passed, const std::string& detail);

  tlm::tlm_response_status access(tlm::tlm_command command, Address at, Words& words, bool push);
  bool access_directly(tlm::tlm_command command, Address at, Words& words);
  void ask_for_direct(tlm::tlm_generic_payload& payload);
  void print(const Statement& statement, const Words& words) const;
  void advance(const sc_core::sc_time& time);

  const std::vector<Statement>& script_;
  std::ostream* const out_;
  tlm_utils::tlm_quantumkeeper keeper_;
  std::vector<Direct> direct_;
  bool use_direct_ = true;
  std::size_t next_ = 0;
  bool done_ = false;
  std::vector<report::Check> checks_;
  sc_core::sc_time end_time_;
  std::uint64_t bus_accesses_ = 0;
  std::uint64_t direct_accesses_ = 0;
};

}  // namespace tessera::vp
