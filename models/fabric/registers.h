// Routes and filters as 16-bit configuration registers (reference wse.md 1.7, 1.9, 1.10; addresses
// and fields: tlm_ifaces/config/config_space.h), and what a generation does not have (wse.md 1.2,
// 1.4, 1.6, 1.7): for layouts, and for programs that read and write registers. Plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/fabric/route_table.h"
#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::fabric {

std::uint16_t color_register(const ColorRoute& route);
/// Routes of position 0, swap, pop mode and teardown. RouteTable::rewrite() then fills in the sides
/// that other positions leave out; so it does for the switch register.
void set_color_register(ColorRoute& route, std::uint16_t value);

/// A position that sets both sides, or transmits to several, reads as its first output.
std::uint16_t switch_register(const ColorRoute& route);
/// Positions 1 to 3, ring mode and current position.
void set_switch_register(ColorRoute& route, std::uint16_t value);

/// Word `offset` of the filter of `color` (config_space::FilterWord); 0 where it has none.
std::uint16_t filter_register(const Filter& filter, Color color, unsigned offset);
/// Half of a number of 32 bits leaves its other half. Requires that why_illegal() has nothing to
/// say.
void set_filter_register(Filter& filter, unsigned offset, std::uint16_t value);

/// wse.md 1.4: on WSE-3 only some colors have a switch.
bool is_switchable(Color color, Generation generation);

/// What register `address` of any router of `generation` cannot be, though `value` says so:
/// "color 3 has no color swap; only a WSE-2 has it". Empty: nothing.
std::string why_illegal(config_space::Address address, std::uint16_t value, Generation generation);

/// The registers of one router: what its program reads, and what it writes with the cycle from
/// which it counts.
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
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(writes_);
  }

 private:
  struct Write {
    Cycle due;
    config_space::Address address;
    std::uint16_t value;
    template <class Archive>
    void visit(Archive& archive) {
      archive(due, address, value);
    }
  };

  RouteTable::Channel* channel_at(config_space::Address address) const;
  void apply_due(Cycle now);

  RouteTable& routes_;
  std::vector<Write> writes_;  // by cycle
};

}  // namespace tessera::fabric
