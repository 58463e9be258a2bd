// The protocol kits alone: a sender and a receiver of wavelets, a checker between them.
#include <systemc>

#include <iostream>

#include "tlm_ifaces/link/link_kit.h"

using namespace tessera;

struct Sender : sc_core::sc_module, link::BackwardIf {
  link::InitiatorSocket out{"out"};
  unsigned credits = 0;
  explicit Sender(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    out.bind(static_cast<link::BackwardIf&>(*this));
  }
  void credit(Color, Cycle) override { ++credits; }
};

struct Receiver : sc_core::sc_module, link::ForwardIf {
  link::TargetSocket in{"in"};
  unsigned wavelets = 0;
  explicit Receiver(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    in.bind(static_cast<link::ForwardIf&>(*this));
  }
  unsigned capacity(Color) const override { return 2; }
  void put(const link::Wavelet&, Cycle) override { ++wavelets; }
};

int sc_main(int, char*[]) {
  Cycle now = 0;
  Sender sender("sender");
  link::Checker checker("checker", [&now] { return now; });
  Receiver receiver("receiver");
  sender.out.bind(checker.in);
  checker.out.bind(receiver.in);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  try {
    for (; now < 3; ++now) sender.out->put({.payload = 7, .color = Color(5)}, now + 1);
  } catch (const sc_core::sc_report& report) {
    std::cout << report.get_msg() << '\n';
  }
  return receiver.wavelets == 2 && checker.outstanding(Color(5)) == 2 ? 0 : 1;
}
