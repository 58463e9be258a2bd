// The flags between the pipes of a core (reference ascend.md 2.2). A flag is a bit, named by source
// pipe, destination pipe and event id; all three must match between set and wait. Flags survive the
// end of a kernel: a set that nobody has waited for is seen by the next one.
#pragma once

#include <array>
#include <cstdint>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

struct Flag {
  Pipe from = Pipe::kS;
  Pipe to = Pipe::kS;
  std::uint8_t id = 0;
};

class FlagTable {
 public:
  static constexpr unsigned kMaxEvents = 16;  ///< for each pair of pipes
  static constexpr unsigned kFlags = sync::kPipeCount * sync::kPipeCount * kMaxEvents;

  /// Of a flag, below kFlags.
  static unsigned index(Flag f) {
    return (sync::index(f.from) * sync::kPipeCount + sync::index(f.to)) * kMaxEvents + f.id;
  }
  bool is_set(Flag flag) const { return (events(flag) >> flag.id & 1U) != 0; }
  /// False, and no effect, if it is set already.
  bool set(Flag flag) {
    if (is_set(flag)) return false;
    events(flag) = static_cast<std::uint16_t>(events(flag) | 1U << flag.id);
    return true;
  }
  /// False, and no effect, if it is not set.
  bool clear(Flag flag) {
    if (!is_set(flag)) return false;
    events(flag) = static_cast<std::uint16_t>(events(flag) & ~(1U << flag.id));
    return true;
  }

 private:
  std::uint16_t& events(Flag f) { return events_[sync::index(f.from)][sync::index(f.to)]; }
  std::uint16_t events(Flag f) const { return events_[sync::index(f.from)][sync::index(f.to)]; }

  std::array<std::array<std::uint16_t, sync::kPipeCount>, sync::kPipeCount> events_{};
};

}  // namespace tessera::cluster
