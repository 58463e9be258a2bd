// The links that leave a wafer (Plan::ports), seen from outside: the link protocol, with a latency
// of any length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/wafer/connections.h"
#include "models/wafer/ref.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

struct Blocks;

class Ports {
 public:
  /// Both must outlive it.
  Ports(Blocks& blocks, const Connections& connections)
      : blocks_(blocks), connections_(connections) {}

  // See WaferCore::port_capacity, port_put and port_credit.
  unsigned capacity(std::uint32_t port, Color color) const;
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due);
  void credit(std::uint32_t port, Color color, Cycle due);

  /// Hands on what is due by cycle `now` and was announced too far ahead.
  void take_announced(Cycle now);
  /// The earliest cycle of such an announcement; kNever when there is none.
  Cycle next_due() const;
  /// Credits of a link of a slot, those on their way back too.
  unsigned credits_of(std::uint32_t link) const;

 private:
  /// What a port announces for a cycle for which a mask has no place: too far ahead, or the second
  /// credit of a cycle, which the link protocol allows.
  struct Announced {
    Cycle due;
    std::uint32_t index;  ///< of the link that gets a credit, or of the slot where a wavelet lands
    bool credit;
  };

  bool fits(std::uint64_t mask, Cycle due) const;
  std::uint32_t router_at(std::uint32_t port) const;
  Ref buffer_at(std::uint32_t port, Color color) const;
  std::uint32_t link_into(std::uint32_t port, Color color) const;
  [[noreturn]] void refuse(std::uint32_t port, const std::string& what) const;

  Blocks& blocks_;
  const Connections& connections_;
  std::vector<Announced> announced_;
};

}  // namespace tessera::wafer
