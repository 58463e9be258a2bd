// vp_platform: an example virtual prototype. A host processor on a TLM bus runs a script and drives
// accelerators through their host ports: docs/vp-platform.md.
//
//            +------+       +-----+       +-----------+       +-------------+
//   script   | host |------>| bus |------>| host port |-------| accelerator |  one or two
//            +------+       +-----+       +-----------+       +-------------+
//               ^            |  ^  |             |
//               |            |  |  +--> memory   |
//               |            v  |                |
//               |       DMA engine               |
//               +----------+---------------------+  interrupts
#include <systemc>
#include <tlm>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "models/host/host_port.h"
#include "platforms/cli/main.h"
#include "platforms/run/driver.h"
#include "platforms/vp/accelerator.h"
#include "platforms/vp/bus.h"
#include "platforms/vp/dma.h"
#include "platforms/vp/driver_header.h"
#include "platforms/vp/memory.h"
#include "platforms/vp/options.h"
#include "platforms/vp/place_names.h"
#include "platforms/vp/platform_view.h"
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
  std::vector<std::unique_ptr<vp::Accelerator>> accelerators;
  std::vector<vp::PlaceNames> names;
  for (const vp::DeviceStatement& device : text.devices) {
    accelerators.push_back(vp::build_accelerator(options, device));
    const vp::Accelerator& built = *accelerators.back();
    names.emplace_back(
        accelerators.back()->device().info(),
        [&built](TileCoord tile, const std::string& symbol) {
          return built.find_symbol(tile, symbol);
        },
        vp::kPortOnBus + names.size() * vp::kPortBytes);
  }
  const std::vector<vp::Statement> script = vp::compile(text, names);
  if (options.validate) return cli::print_valid(options, "");
  vp::write_driver_header(options.driver_header, accelerators.front()->device().info(),
                          text.devices.front().file);

  // 2. The platform around it. How far the host may run ahead is a matter of the whole simulation.
  const std::uint64_t quantum_ps = vp::duration_ps(options.quantum, "", "--quantum");
  tlm::tlm_global_quantum::instance().set(
      sc_core::sc_time(static_cast<double>(quantum_ps), sc_core::SC_PS));
  vp::ScriptHost processor("host", options.program, script, options.quiet ? nullptr : &std::cout);
  const auto ports = static_cast<unsigned>(accelerators.size());
  vp::Bus bus("bus", 2 + ports, 2);
  vp::Memory memory("memory", vp::kMemoryBytes, sc_core::sc_time(250, sc_core::SC_PS));
  vp::Dma dma("dma", sc_core::sc_time(1, sc_core::SC_NS));

  // 3. Every connection is watched: a broken rule of the base protocol ends the run.
  sc_core::sc_vector<host::BaseProtocolChecker> checks("check", 4 + ports);
  sc_core::sc_vector<sc_core::sc_signal<bool>> interrupts("interrupt", 1 + ports);
  std::size_t watched = 0;
  const auto watch = [&](auto& from, auto& to) {
    host::BaseProtocolChecker& check = checks[watched++];
    from.bind(check.in);
    check.out.bind(to);
  };
  const auto map = [&](host::TargetSocket& target, vp::Address base, vp::Address bytes) {
    host::BaseProtocolChecker& check = checks[watched++];
    bus.map(check.in, base, bytes);
    check.out.bind(target);
  };

  // 4. What is bound to what, and where it stands on the bus.
  watch(processor.socket, bus.in[0]);
  watch(dma.memory, bus.in[1]);
  map(memory.socket, vp::kMemoryOnBus, vp::kMemoryBytes);
  map(dma.socket, vp::kDmaOnBus, vp::Dma::kBytes);
  dma.irq.bind(interrupts[ports]);
  host::PortConfig port_config;
  port_config.survives_failures = options.device_failures == "interrupt";
  std::vector<std::unique_ptr<host::HostPort>> host_ports;
  for (unsigned i = 0; i < ports; ++i) {
    vp::Accelerator& accelerator = *accelerators[i];
    host_ports.push_back(std::make_unique<host::HostPort>(("port_" + std::to_string(i + 1)).c_str(),
                                                          accelerator.domain(),
                                                          accelerator.device(), port_config));
    map(host_ports.back()->socket, vp::kPortOnBus + i * vp::kPortBytes, vp::kPortBytes);
    host_ports.back()->irq.bind(interrupts[i]);
  }
  for (auto& interrupt : interrupts) processor.irq.bind(interrupt);

  // 5. Run until the script is carried out and nothing moves any more, and report.
  vp::PlatformView view(accelerators);
  driver.run(accelerators.front()->domain(), accelerators.front()->structure(), view, processor);
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  vp::Options options;
  return cli::run_main(kExecutable, argc, argv, options,
                       [&](report::Report& report) { return run_script(options, report); });
}
