// The two sides of a link for tests of the link kit: a sender and a receiver that note what they
// get.
#pragma once

#include <array>
#include <systemc>
#include <utility>
#include <vector>

#include "tlm_ifaces/link/link_kit.h"

namespace tessera::test {

using Put = std::pair<link::Wavelet, Cycle>;
using Credit = std::pair<Color, Cycle>;

struct Sender : sc_core::sc_module, private link::BackwardIf {
  link::InitiatorSocket socket{"socket"};
  std::vector<Credit> credits;
  explicit Sender(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<link::BackwardIf&>(*this));
  }

 private:
  void credit(Color color, Cycle due) override { credits.emplace_back(color, due); }
};

struct Receiver : sc_core::sc_module, private link::ForwardIf {
  link::TargetSocket socket{"socket"};
  std::vector<Put> puts;
  std::array<unsigned, 32> room{};  ///< per color
  explicit Receiver(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<link::ForwardIf&>(*this));
  }

 private:
  void put(const link::Wavelet& w, Cycle due) override { puts.emplace_back(w, due); }
  unsigned capacity(Color color) const override { return room.at(color.value()); }
};

inline link::Wavelet wavelet(unsigned color, std::uint32_t payload = 0) {
  link::Wavelet w;
  w.color = Color(color);
  w.payload = payload;
  return w;
}

/// Binds all ports without letting time pass.
inline void elaborate() {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace tessera::test
