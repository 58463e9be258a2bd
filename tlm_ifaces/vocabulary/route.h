// Route of one color through one router (reference wse.md 1.2 to 1.9): up to four switch positions,
// each with the ports it receives from and the ports it transmits to, and what moves the switch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "tlm_ifaces/link/control_word.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::fabric {

inline constexpr unsigned kSwitchPositions = 4;

/// Which position a switch position takes the side from that it leaves out (wse.md 1.4).
enum class SwitchPositions : std::uint8_t {
  kCumulative,  ///< the valid position before it: positions add up
  kFromZero,    ///< position 0
};

struct RoutePosition {
  DirectionSet rx;
  DirectionSet tx;
  bool valid = false;
  // Positions 1 to 3: which sides they set. ColorRoute::fill_in gives them the others.
  bool sets_rx = true;
  bool sets_tx = true;
};

/// What a passing control wavelet loses (wse.md 1.4).
enum class PopMode : std::uint8_t {
  kNoPop,            ///< nothing
  kAlwaysPop,        ///< its first command
  kPopOnAdvance,     ///< its first command, if that moved the switch
  kPopOnAdvanceNop,  ///< its first command, if that moved the switch or is a NOP
};

/// CE injection (wse.md 1.8, WSE-2): position 0 serves the fabric, position 1 the output queue.
enum class Injection : std::uint8_t {
  kNone,
  kLow,   ///< position 1 only while the fabric buffers are empty
  kHigh,  ///< position 1 while the output queue has data
};

enum class FilterKind : std::uint8_t { kCounter, kSparseCounter, kRange };

/// Which wavelets of a color reach the compute engine (wse.md 1.7). Fields that the kind does not
/// have are 0.
struct FilterConfig {
  FilterKind kind = FilterKind::kCounter;
  // counter, sparse counter
  bool count_data = false;  ///< which wavelets move the counter on
  bool count_control = false;
  std::uint32_t init_counter = 0;
  std::uint32_t limit1 = 0;       ///< last value before the counter restarts at 0
  std::uint32_t limit2 = 0;       ///< sparse counter: limit of the second round; 0: there is none
  std::uint32_t max_counter = 0;  ///< wavelets pass while the counter is at most this
  bool filter_control = false;    ///< counter: only control wavelets that meet max_counter pass
  // range
  std::uint16_t min_idx = 0;
  std::uint16_t max_idx = 0;
};

struct ColorRoute {
  std::array<RoutePosition, kSwitchPositions> positions;
  unsigned current = 0;  ///< switch position; at first current_switch_pos (wse.md 1.4)
  bool ring = false;     ///< an advance at the last valid position goes to position 0
  PopMode pop = PopMode::kNoPop;
  Injection injection = Injection::kNone;
  bool swap_x = false;     ///< color swap of arrivals from EAST and WEST (wse.md 1.6, WSE-2)
  bool swap_y = false;     ///< color swap of arrivals from NORTH and SOUTH
  bool suspended = false;  ///< in teardown (wse.md 1.9)
  /// Carries messages: the first wavelet of each says to which tile it goes (link/message_header.h).
  bool messages = false;
  std::optional<FilterConfig> filter;

  /// Gives every valid position the side that it leaves out (wse.md 1.4). An invalid position sets
  /// nothing, so the position after it adds to the one before it.
  void fill_in(SwitchPositions rule) {
    const RoutePosition* before = &positions[0];
    for (RoutePosition& position : positions) {
      if (!position.valid) continue;
      if (!position.sets_rx) position.rx = before->rx;
      if (!position.sets_tx) position.tx = before->tx;
      if (rule == SwitchPositions::kCumulative) before = &position;
    }
  }
  /// Where an advance goes: the next valid position, at the last one the same or, in a ring, 0
  /// (wse.md 1.4).
  unsigned advanced() const {
    for (unsigned next = current + 1; next < kSwitchPositions; ++next) {
      if (positions[next].valid) return next;
    }
    return ring ? 0 : current;
  }
  /// Whether some switch position receives from `in`.
  bool receives(Direction in) const {
    return std::any_of(positions.begin(), positions.end(),
                       [in](const RoutePosition& p) { return p.valid && p.rx.contains(in); });
  }
  /// Whether `command` would move the switch. With CE injection none does (wse.md 1.8).
  bool moves(link::Command command) const {
    if (injection != Injection::kNone) return false;
    return (command == link::Command::kAdvance && advanced() != current) ||
           (command == link::Command::kReset && current != 0);
  }
};

}  // namespace tessera::fabric
