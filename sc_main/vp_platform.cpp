// vp_platform: an example virtual prototype. A host processor on a TLM bus runs a script and drives
// an accelerator through its host port: docs/vp-platform.md.
//
//            +------+       +-----+       +-----------+       +-------------+
//   script   | host |------>| bus |------>| host port |-------| accelerator |
//            +------+       +-----+       +-----------+       +-------------+
//               ^              |             |
//               |              +--> memory   |
//               +----------------------------+  interrupt
#include <systemc>
#include <tlm>

#include <iostream>

#include "models/host/host_port.h"
#include "platforms/cli/main.h"
#include "platforms/run/driver.h"
#include "platforms/vp/accelerator.h"
#include "platforms/vp/bus.h"
#include "platforms/vp/driver_header.h"
#include "platforms/vp/memory.h"
#include "platforms/vp/options.h"
#include "platforms/vp/place_names.h"
#include "platforms/vp/script.h"
#include "platforms/vp/script_host.h"
#include "tlm_ifaces/host/base_protocol_checker.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {
    "vp_platform",
    "vp",
    "runs a host script against an accelerator behind a TLM-2.0 host port",
    "host script (see docs/vp-platform.md)",
    {"wse2", "wse3", "a2a3", "a5"},
    {"modules", "dense", "auto"},
    "",  // that of the device
    "fabric.hop_latency=3"};

bool run_script(const vp::Options& options, report::Report& report) {
  // 1. The accelerator that the script names, and what the names in the script mean there.
  const vp::ScriptText text = vp::read_script(options.program);
  run::Driver driver(options, report);
  const auto accelerator = vp::build_accelerator(options, text.device);
  const vp::PlaceNames names(accelerator->device().info(),
                             [&accelerator](TileCoord tile, const std::string& symbol) {
                               return accelerator->find_symbol(tile, symbol);
                             });
  const std::vector<vp::Statement> script = vp::compile(text, names);
  if (options.validate) return cli::print_valid(options, "");
  vp::write_driver_header(options.driver_header, accelerator->device().info(), text.device.file);

  // 2. The platform around it. How far the host may run ahead is a matter of the whole simulation.
  const std::uint64_t quantum_ps = vp::duration_ps(options.quantum, "", "--quantum");
  tlm::tlm_global_quantum::instance().set(
      sc_core::sc_time(static_cast<double>(quantum_ps), sc_core::SC_PS));
  vp::ScriptHost processor("host", options.program, script, options.quiet ? nullptr : &std::cout);
  vp::Bus bus("bus", 2);
  vp::Memory memory("memory", vp::kMemoryBytes, sc_core::sc_time(250, sc_core::SC_PS));
  host::PortConfig port_config;
  port_config.survives_failures = options.device_failures == "interrupt";
  host::HostPort port("port", accelerator->domain(), accelerator->device(), port_config);
  sc_core::sc_signal<bool> interrupt("interrupt");

  // 3. Every connection is watched: a broken rule of the base protocol ends the run.
  host::BaseProtocolChecker at_host("check_host");
  host::BaseProtocolChecker at_port("check_port");
  host::BaseProtocolChecker at_memory("check_memory");

  // 4. What is bound to what, and where it stands on the bus.
  processor.socket.bind(at_host.in);
  at_host.out.bind(bus.in);
  bus.map(at_memory.in, vp::kMemoryOnBus, vp::kMemoryBytes);
  at_memory.out.bind(memory.socket);
  bus.map(at_port.in, vp::kPortOnBus, vp::kPortBytes);
  at_port.out.bind(port.socket);
  port.irq.bind(interrupt);
  processor.irq.bind(interrupt);

  // 5. Run until the script is carried out and nothing moves any more, and report.
  driver.run(accelerator->domain(), accelerator->structure(), accelerator->view(), processor);
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  vp::Options options;
  return cli::run_main(kExecutable, argc, argv, options,
                       [&](report::Report& report) { return run_script(options, report); });
}
