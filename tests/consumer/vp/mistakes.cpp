// Mistakes around a host port and around pins, one a run: mistakes WHICH LAYOUT. Each must end with a message in terms of
// the model and exit code 3.
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

#include "models/host/host_port.h"
#include "platforms/cli/main.h"
#include "platforms/vp/accelerator.h"
#include "tlm_ifaces/host/host_socket.h"
#include "tlm_ifaces/link/pins.h"

using namespace tessera;

namespace {

template <unsigned Bits>
struct Processor : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Processor, Bits> socket{"socket"};
  explicit Processor(sc_core::sc_module_name name) : sc_module(name) {}
};

/// An input of a router as verilator --sc makes it; `Data` is the type of the pin that has 32 bits.
template <class Data>
struct Input : sc_core::sc_module {
  sc_core::sc_in<bool> clock{"clock"}, valid{"west_in_valid"}, control{"west_in_control"};
  sc_core::sc_in<std::uint32_t> color{"west_in_color"};
  sc_core::sc_in<Data> data{"west_in_data"};
  sc_core::sc_out<sc_dt::sc_bv<96>> credit{"west_in_credit"};
  explicit Input(sc_core::sc_module_name name) : sc_module(name) {}
};

template <class Data>
void simulate_pins(const std::string& which) {
  const double period_ns = which == "fast clock" ? 0.5 : 1;
  sc_core::sc_clock clock("clock", period_ns, sc_core::SC_NS, 0.5, 0.3, sc_core::SC_NS);
  link::ToPins west(
      "west", {1, sc_core::SC_NS}, [](Color) { return 4U; }, 1);
  link::Stub neighbour("neighbour");
  Input<Data> rtl("rtl");
  neighbour.out.bind(west.in);
  west.clock.bind(clock);
  link::bind_pins(rtl, "west_in_", west.pins);
  if (which != "open pin") rtl.clock.bind(clock);
  link::require_pins_bound(rtl);
  sc_core::sc_start(100, sc_core::SC_NS);
}

void simulate_port(const std::string& which, const std::string& layout) {
  const vp::Options options;
  const auto fabric = vp::build_accelerator(options, {"wse", layout, ""});
  host::HostPort port("port", fabric->domain(), fabric->device());
  std::optional<Processor<32>> processor, second;
  std::optional<Processor<64>> wide;
  sc_core::sc_signal<bool> interrupt("interrupt");
  if (which == "width") {
    host::connect(wide.emplace("wide").socket, port.socket);
  } else if (which != "open port") {
    processor.emplace("processor").socket.bind(port.socket);
  }
  if (which == "twice") second.emplace("second").socket.bind(port.socket);
  if (which != "open interrupt") port.irq.bind(interrupt);
  sc_core::sc_start(100, sc_core::SC_NS);
}

int simulate(const std::string& which, const std::string& layout) {
  if (which == "pin width") {
    simulate_pins<std::uint64_t>(which);
  } else if (which == "pins" || which == "open pin" || which == "fast clock") {
    simulate_pins<std::uint32_t>(which);
  } else {
    simulate_port(which, layout);
  }
  std::cout << "nothing was reported\n";
  return 0;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  if (argc != 3) return 2;
  return cli::run_guarded("mistakes", [&] { return simulate(argv[1], argv[2]); });
}
