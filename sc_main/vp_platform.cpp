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
#include "tessera_commit.h"
#include "tlm_ifaces/host/base_protocol_checker.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = vp::executable(
    "vp_platform", "vp", "runs a host script against an accelerator behind a TLM-2.0 host port",
    "host script (see docs/vp-platform.md)", TESSERA_COMMIT);

using Accelerators = std::vector<std::unique_ptr<vp::Accelerator>>;

/// What the names in the script mean on each accelerator, with each of its programs.
std::vector<std::vector<vp::PlaceNames>> names_of(const Accelerators& accelerators) {
  std::vector<std::vector<vp::PlaceNames>> names;
  for (const auto& accelerator : accelerators) {
    const vp::Address base = vp::kPortOnBus + names.size() * vp::kPortBytes;
    names.emplace_back();
    for (std::uint32_t program = 0; program < accelerator->device().info().programs; ++program) {
      names.back().emplace_back(
          accelerator->info_of(program),
          [&accelerator, program](TileCoord tile, const std::string& symbol) {
            return accelerator->find_symbol(tile, symbol, program);
          },
          base);
    }
  }
  return names;
}

/// Everything around the accelerators. Every connection is watched: a broken rule of the base protocol ends
/// the run.
class Platform {
 public:
  Platform(const vp::Options& options, const std::vector<vp::Statement>& script,
           const Accelerators& accelerators)
      : processor("host", options.program, script, options.quiet ? nullptr : &std::cout),
        bus_("bus", 2 + static_cast<unsigned>(accelerators.size()), 2),
        checks_("check", 4 + accelerators.size()),
        interrupts_("interrupt", 1 + accelerators.size()) {
    watch(processor.socket, bus_.in[0]);
    watch(dma_.memory, bus_.in[1]);
    map(memory_.socket, vp::kMemoryOnBus, vp::kMemoryBytes);
    map(dma_.socket, vp::kDmaOnBus, vp::Dma::kBytes);
    host::PortConfig config;
    config.survives_failures = options.device_failures == "interrupt";
    for (std::size_t i = 0; i < accelerators.size(); ++i) {
      const std::string name = "port_" + std::to_string(i + 1);
      ports_.push_back(std::make_unique<host::HostPort>(name.c_str(), accelerators[i]->domain(),
                                                        accelerators[i]->device(), config));
      map(ports_.back()->socket, vp::kPortOnBus + i * vp::kPortBytes, vp::kPortBytes);
      ports_.back()->irq.bind(interrupts_[i]);
    }
    dma_.irq.bind(interrupts_[accelerators.size()]);
    for (auto& interrupt : interrupts_) processor.irq.bind(interrupt);
  }

  vp::ScriptHost processor;

 private:
  template <class From, class To>
  void watch(From& from, To& to) {
    host::BaseProtocolChecker& check = checks_[watched_++];
    from.bind(check.in);
    check.out.bind(to);
  }
  void map(host::TargetSocket& target, vp::Address base, vp::Address bytes) {
    host::BaseProtocolChecker& check = checks_[watched_++];
    bus_.map(check.in, base, bytes);
    check.out.bind(target);
  }

  vp::Bus bus_;
  vp::Memory memory_{"memory", vp::kMemoryBytes, sc_core::sc_time(250, sc_core::SC_PS)};
  vp::Dma dma_{"dma", sc_core::sc_time(1, sc_core::SC_NS)};
  sc_core::sc_vector<host::BaseProtocolChecker> checks_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> interrupts_;
  std::vector<std::unique_ptr<host::HostPort>> ports_;
  std::size_t watched_ = 0;
};

bool run_script(const vp::Options& options, report::Report& report) {
  // 1. The accelerators that the script names, and the script in their terms.
  const vp::ScriptText text = vp::read_script(options.program);
  run::Driver driver(options, report);
  Accelerators accelerators;
  for (const vp::DeviceStatement& device : text.devices)
    accelerators.push_back(vp::build_accelerator(options, device));
  const std::vector<vp::Statement> script = vp::compile(text, names_of(accelerators));
  if (options.validate) return cli::print_valid(options, "");
  vp::write_driver_header(options.driver_header, accelerators.front()->device().info(),
                          text.devices.front().file);

  // 2. The platform around them. How far the host may run ahead is a matter of the whole simulation.
  const std::uint64_t quantum_ps = vp::duration_ps(options.quantum, "", "--quantum");
  tlm::tlm_global_quantum::instance().set(
      sc_core::sc_time(static_cast<double>(quantum_ps), sc_core::SC_PS));
  Platform platform(options, script, accelerators);

  // 3. Run until the script is carried out and nothing moves any more, and report.
  vp::PlatformView view(accelerators);
  driver.run(accelerators.front()->domain(), accelerators.front()->structure(), view,
             platform.processor);
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  vp::Options options;
  return cli::run_main(kExecutable, argc, argv, options,
                       [&](report::Report& report) { return run_script(options, report); });
}
