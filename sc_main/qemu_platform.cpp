// qemu_platform: a guest in QEMU drives an accelerator, which is a PCI device to it: docs/qemu.md.
//
//            +------+  socket  +-----------------+       +-----------+       +-------------+
//   guest    | QEMU |----------| PCI function,   |------>| host port |-------| accelerator |
//            +------+          | bridge          |       +-----------+       +-------------+
//               ^              +-----------------+             |
//               +------ interrupt (KVM) ----^------------------+
#include <systemc>
#include <tlm>

#include "models/host/host_port.h"
#include "platforms/cli/main.h"
#include "platforms/qemu/guest_bridge.h"
#include "platforms/qemu/options.h"
#include "platforms/qemu/windows.h"
#include "platforms/run/driver.h"
#include "platforms/vp/accelerator.h"
#include "platforms/vp/driver_header.h"
#include "platforms/vp/script.h"
#include "tessera_commit.h"
#include "tlm_ifaces/host/base_protocol_checker.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = vp::executable(
    "qemu_platform", "qemu", "runs a guest in QEMU against an accelerator as a PCI device",
    "layout (.json) or PTO program (.pto) of the accelerator", TESSERA_COMMIT);

bool run_guest(const qemu::Options& options, report::Report& report) {
  // 1. The accelerator and its host port.
  run::Driver driver(options, report);
  const auto accelerator = vp::build_accelerator(options, qemu::device_of(options.program));
  vp::write_driver_header(options.driver_header, accelerator->device().info(), options.program);
  if (options.validate) return cli::print_valid(options, "");
  host::PortConfig port_config;
  port_config.survives_failures = options.device_failures == "interrupt";
  host::HostPort port("port", accelerator->domain(), accelerator->device(), port_config);
  sc_core::sc_signal<bool> interrupt("interrupt");

  // 2. QEMU, and the PCI function that it shows to the guest.
  qemu::GuestBridge::Config config;
  config.access_time = sc_core::sc_time(
      static_cast<double>(vp::duration_ps(options.access_time, "", "--access-time")),
      sc_core::SC_PS);
  config.silence_s = options.silence_s.value_or(60);
  config.expected_status = static_cast<int>(options.expected_status.value_or(0));
  qemu::Process process(options);
  qemu::PciFunction function(qemu::windows_of(accelerator->device().info()));
  qemu::GuestBridge guest("guest", process, function, accelerator->domain(), config);

  // 3. A broken rule of the base protocol ends the run.
  host::BaseProtocolChecker checker("check");
  guest.socket.bind(checker.in);
  checker.out.bind(port.socket);
  port.irq.bind(interrupt);
  guest.irq.bind(interrupt);

  // 4. Run until QEMU has ended and nothing moves any more, and report.
  driver.run(accelerator->domain(), accelerator->structure(), accelerator->view(), guest);
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  qemu::Options options;
  return cli::run_main(kExecutable, argc, argv, options,
                       [&](report::Report& report) { return run_guest(options, report); });
}
