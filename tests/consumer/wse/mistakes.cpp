// Mistakes in binding, one a run: mistakes WHICH. Each must end with a message in terms of the model
// and exit code 3.
#include <systemc>

#include <iostream>
#include <optional>
#include <string>

#include "models/fabric/router.h"
#include "platforms/cli/main.h"
#include "tlm_ifaces/kit/connect.h"
#include "tlm_ifaces/link/link_kit.h"

using namespace tessera;

namespace {

/// A link of the wrong width.
class Narrow : public sc_core::sc_module, private link::ForwardIf {
 public:
  tlm::tlm_base_target_socket<16, link::ForwardIf, link::BackwardIf, 1,
                              sc_core::SC_ZERO_OR_MORE_BOUND>
      in{"in"};
  explicit Narrow(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<link::ForwardIf&>(*this));
  }

 private:
  void put(const link::Wavelet&, Cycle) override {}
  unsigned capacity(Color) const override { return 0; }
};

int run(const std::string& which) {
  timing::ClockDomain clock("clock", 1000);
  fabric::Router router("router", clock, {3, 1}, {}, observe::Probe());
  link::Stub west("west"), east("east"), south("south"), north("north");
  Narrow narrow("narrow");
  std::optional<link::Stub> spare;
  std::optional<link::Tap> tap;
  const auto close = [&router](Direction d, link::Stub& stub) {
    router.out[index(d)].bind(stub.in);
    stub.out.bind(router.in[index(d)]);
  };
  close(Direction::kWest, west);
  close(Direction::kSouth, south);
  close(Direction::kNorth, north);
  if (which == "width") kit::connect("router.east_out", "narrow.in");
  if (which == "protocol") kit::connect("router.east_out", "router.config");
  if (which != "open router") close(Direction::kEast, east);
  if (which == "open stub" || which == "twice" || which == "other side") spare.emplace("spare");
  if (which == "twice") router.out[index(Direction::kEast)].bind(spare->in);
  if (which == "other side") spare->out.bind(router.in[index(Direction::kEast)]);
  if (which == "open tap") {
    tap.emplace("tap");
    spare.emplace("spare");
    spare->out.bind(tap->in);
  }
  sc_core::sc_start();
  std::cout << "nothing was reported\n";
  return 0;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return cli::run_guarded("mistakes", [&] { return run(argc > 1 ? argv[1] : ""); });
}
