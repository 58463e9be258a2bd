// Registers of a router in the configuration space (reference wse.md 1.7, 1.9, 1.10): what the
// program reads, and what it writes with the cycle from which it counts. Plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/fabric/route_table.h"
#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::fabric {

class RouterRegisters {
 public:
  /// `routes` must outlive the registers.
  explicit RouterRegisters(RouteTable& routes) : routes_(routes) {}

  // See RouterCore::read_register, write_register and why_illegal.
  std::uint16_t read(config_space::Address address, Cycle now) const;
  bool write(config_space::Address address, std::uint16_t value, Cycle due);
  std::string why_illegal(config_space::Address address, std::uint16_t value) const;

  /// Carries out the writes that are due by cycle `now`.
  void apply_writes(Cycle now) {
    if (!writes_.empty()) apply_due(now);
  }
  /// Cycle of the next write; kNever when there is none.
  Cycle next_due() const { return writes_.empty() ? kNever : writes_.front().due; }

 private:
  struct Write {
    Cycle due;
    config_space::Address address;
    std::uint16_t value;
  };

  RouteTable::Channel* channel_at(config_space::Address address) const;
  void apply_due(Cycle now);

  RouteTable& routes_;
  std::vector<Write> writes_;  // by cycle
};

}  // namespace tessera::fabric
