// The processor of vp_platform: a TLM-2.0 initiator that carries out a host script, temporally
// decoupled. It runs ahead of the simulation for at most a quantum (tlm_global_quantum); what it
// says to the accelerator is done at its own time all the same, because the host port waits for it.
//
// It is a thread, as no model is: a processor calls b_transport, which waits, in the middle of
// what it does. One thread a platform costs nothing.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "platforms/run/driver.h"
#include "platforms/vp/script.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::vp {

class ScriptHost final : public sc_core::sc_module,
                         public run::Program,
                         private tlm::tlm_bw_transport_if<> {
 public:
  host::InitiatorSocket socket{"socket"};
  /// Interrupt lines of the accelerators and of whatever else interrupts.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 0, sc_core::SC_ONE_OR_MORE_BOUND> irq{"irq"};

  /// `file` names the script in messages; `script` must outlive the host. What it reads is printed
  /// to `out`, which may be nullptr.
  ScriptHost(sc_core::sc_module_name name, std::string file, const std::vector<Statement>& script,
             std::ostream* out);

  // run::Program. A check is an expect, a poll, a refused access, or the access that failed.
  /// All statements were carried out, and nobody waits but services (docs/running.md), or a statement failed; then
  /// the machine came to rest.
  bool is_done(run::Stop stop, const observe::Waits& waits) override;
  std::vector<report::Check> checks() const override { return checks_; }
  std::string describe_stop(const std::string& stopped,
                            const report::Report& report) const override;
  std::string describe_failure(const report::Check& check) const override;
  /// Adds what the host has counted, in front of the counters of the machine.
  void finish(report::Report& report) override;

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
  bool interrupted() const;
  void peek(const Statement& statement);
  bool answered(const Statement& statement, tlm::tlm_response_status status);
  bool check(const Statement& statement, bool passed, const std::string& detail);

  tlm::tlm_response_status access(tlm::tlm_command command, Address at, Words& words, bool push);
  bool access_directly(tlm::tlm_command command, Address at, Words& words);
  void ask_for_direct(tlm::tlm_generic_payload& payload);
  void show(const Statement& statement, const Words& words) const;
  void advance(const sc_core::sc_time& time);

  /// A payload for `words` at `at`.
  static void set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Address at,
                  Words& words);

  const std::string file_;
  const std::vector<Statement>& script_;
  std::ostream* const out_;
  tlm_utils::tlm_quantumkeeper keeper_;
  std::vector<Direct> direct_;
  bool use_direct_ = true;
  std::size_t next_ = 0;
  bool done_ = false;
  std::vector<report::Check> checks_;
  sc_core::sc_time end_time_;  // local time when it was done
  std::uint64_t bus_accesses_ = 0;
  std::uint64_t direct_accesses_ = 0;
};

}  // namespace tessera::vp
