// The guest of QEMU as an initiator of TLM-2.0: what it does to the PCI function becomes b_transport
// at a host port (docs/qemu.md).
//
// It is a thread, as the processor of vp_platform: an access waits inside b_transport. While it waits
// for QEMU, simulated time stands still.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <string>

#include "models/timing/clock_domain.h"
#include "platforms/qemu/pci_function.h"
#include "platforms/qemu/proxy_wire.h"
#include "platforms/qemu/qemu_process.h"
#include "platforms/run/driver.h"
#include "tlm_ifaces/host/host_socket.h"

namespace tessera::qemu {

class GuestBridge final : public sc_core::sc_module,
                          public run::Program,
                          private tlm::tlm_bw_transport_if<> {
 public:
  host::InitiatorSocket socket{"socket"};
  sc_core::sc_in<bool> irq{"irq"};

  struct Config {
    sc_core::sc_time access_time;
    std::uint64_t silence_s = 60;
    int expected_status = 0;
  };

  /// `function` is what the guest sees, `domain` that of the machine behind `socket`. All must outlive
  /// the bridge.
  GuestBridge(sc_core::sc_module_name name, Process& qemu, PciFunction& function,
              const timing::ClockDomain& domain, const Config& config);

  // run::Program. The check is that QEMU ended with the expected status.
  bool is_done(run::Stop stop, const observe::Waits& waits) override;
  std::vector<report::Check> checks() const override;
  std::string describe_stop(const std::string& stopped,
                            const report::Report& report) const override;
  std::string describe_failure(const report::Check& check) const override { return check.detail; }
  /// Adds what the guest did, in front of the counters of the machine.
  void finish(report::Report& report) override;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void end_of_elaboration() override;

  void run();
  void wait_for_request();
  void run_ahead();
  void serve(Request request);
  std::uint64_t access_bar(const Request& request);
  void take_lines(Request& request);
  void reset_device();
  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address,
                                     unsigned char* data, unsigned bytes);
  void follow_irq();
  void raise() const;
  void judge_status(const std::string& reason);

  Process& qemu_;
  PciFunction& function_;
  const timing::ClockDomain& domain_;
  const Config config_;
  Wire wire_;
  FileDescriptor interrupt_;         // to the interrupt controller of KVM
  FileDescriptor end_of_interrupt_;  // the guest has dealt with it
  bool used_ = false;                // since the last reset
  bool done_ = false;
  std::string failure_;  // empty: the guest ended as expected
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t resets_ = 0;
  std::uint64_t interrupts_ = 0;
};

}  // namespace tessera::qemu
