// Configuration space of a PE (reference wse.md 1.10): 16-bit registers at word addresses, which
// programs read and write with `ldcfg` and `stcfg`. Addresses and fields of the color and switch
// registers are those documented of WSE-2; WSE-3 has the same here. The registers from 0x7F60 on
// are this model's, for what the documents give only as library calls (wse.md 1.7, 1.9, 2.4).
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::config_space {

using Address = std::uint16_t;

/// Loads and stores of 16 bits reach the registers too: from this byte address on, two bytes each.
inline constexpr std::uint32_t kWindow = 0xFC00;

/// Router registers, one a color: output mask in bits 4:0 and input mask in bits 9:5 (WEST, EAST,
/// SOUTH, NORTH, RAMP from the low bit on), color swap of arrivals from NORTH and SOUTH in bit 10,
/// from EAST and WEST in bit 11, pop mode in bits 13:12, teardown in bit 14.
inline constexpr Address kColorBase = 0x7F20;
/// Router registers, one a color: direction of switch position 1 in bits 2:0 (as above; 5: invalid)
/// and in bit 3 whether it is an input, positions 2 and 3 in bits 6:4, 7 and 10:8, 11, ring mode
/// in bit 12, current position in bits 14:13.
inline constexpr Address kSwitchBase = 0x7F40;
inline constexpr std::uint16_t kTeardownBit = 0x4000;
inline constexpr unsigned kInvalidDirection = 5;

/// Compute engine registers: colors that entered teardown since the last read, 0..15 and 16..23. A
/// read clears the register.
inline constexpr Address kTeardownPendingLow = 0x7F60;
inline constexpr Address kTeardownPendingHigh = 0x7F61;

/// Compute engine registers of WSE-3, one bit a queue (wse.md 2.4 `@queue_flush`): a write starts
/// the flush of the queues in the mask; a read says which are flushed, that is, were found empty
/// since. When one is, the teardown task becomes active.
inline constexpr Address kInputFlush = 0x7F62;
inline constexpr Address kOutputFlush = 0x7F63;
/// Compute engine registers of WSE-3: a write ends the flush of the queues in the mask
/// (wse.md 2.4 exit).
inline constexpr Address kInputFlushExit = 0x7F64;
inline constexpr Address kOutputFlushExit = 0x7F65;
/// Compute engine registers: queues that are empty now, one bit a queue (wse.md 2.4 status).
inline constexpr Address kInputEmpty = 0x7F66;
inline constexpr Address kOutputEmpty = 0x7F67;
/// Compute engine registers of WSE-3, one an output queue: the color that it sends
/// (wse.md 2.2 rebinding).
inline constexpr Address kOutputColorBase = 0x7F68;
/// Compute engine registers, one an input queue: the color that operations on it read
/// (wse.md 2.2 rebinding).
inline constexpr Address kInputColorBase = 0x7F78;

/// Compute engine register: a write says that the PE is ready for the next command of the host.
inline constexpr Address kReady = 0x7F70;
/// Compute engine registers for printing. What the program prints goes to the observer, not to the
/// fabric. A write appends to the line of the PE: the string of that number, a value in the format
/// of that number (its halves stand in the two registers before), or one character.
inline constexpr Address kPrintString = 0x7F71;
inline constexpr Address kPrintLow = 0x7F72;
inline constexpr Address kPrintHigh = 0x7F73;
inline constexpr Address kPrintFormat = 0x7F74;
inline constexpr Address kPrintCharacter = 0x7F75;
/// Compute engine register: 7 clears the cycle counter and lets it run, 0 stops it (`tsc`).
inline constexpr Address kCycleCounter = 0x7F76;
inline constexpr std::uint16_t kCounterRuns = 7;

/// Router registers, `kFilterStride` words a filter (wse.md 1.7). The filters of a tile are
/// numbered from 0 by rising color. The low half of a 32-bit number is in the first of two words.
inline constexpr Address kFilterBase = 0x7F80;
inline constexpr unsigned kFilterStride = 32;
/// Words of a filter, counted from its first. Counts are wavelets.
enum class FilterWord : std::uint8_t {
  /// Color in bits 4:0 (read only), kind in bits 6:5 (counter, sparse counter, range), count_data
  /// in bit 8, count_control in bit 9, filter_control in bit 10, "lets everything pass" in bit 15.
  kControl = 0,
  kMinIndex = 1,
  kMaxIndex = 2,
  kLimit = 4,  ///< limit of the round under way: limit1, later limit2
  kLimit2 = 6,
  kMaxCounter = 8,
  kCounter = 10,
  // WSE-3. Counts are half-wavelets.
  kState = 16,         ///< 0: PASS, 1: DROP
  kStateCounter = 18,  ///< count since the state began
  kPassCount = 20,     ///< how long PASS lasts
  kDropCount = 22,     ///< how long DROP lasts
};

constexpr bool is_output_color(Address a) {
  return a >= kOutputColorBase && a < kOutputColorBase + kMaxQueues;
}
constexpr bool is_input_color(Address a) {
  return a >= kInputColorBase && a < kInputColorBase + kMaxQueues;
}
constexpr bool is_color(Address a) {
  return a >= kColorBase && a < kColorBase + kColorCount;
}
constexpr bool is_switch(Address a) {
  return a >= kSwitchBase && a < kSwitchBase + kColorCount;
}
constexpr unsigned filter_of(Address a) {
  return (a - kFilterBase) / kFilterStride;
}
constexpr unsigned filter_offset_of(Address a) {
  return (a - kFilterBase) % kFilterStride;
}
/// Whether a filter has a word there on `generation`. A color has one filter at most.
constexpr bool is_filter(Address a, Generation generation) {
  if (a < kFilterBase || filter_of(a) >= kColorCount) return false;
  const unsigned offset = filter_offset_of(a);
  if (offset >= 16) {
    return generation == Generation::kWse3 && (offset == 16 || (offset >= 18 && offset < 24));
  }
  return offset < 3 || (offset >= 4 && offset < 12);
}
/// Whether the router has the register.
constexpr bool is_router(Address a, Generation generation) {
  return is_color(a) || is_switch(a) || is_filter(a, generation);
}
/// Whether the register decides where wavelets go: those of the router, and the colors of the queues.
constexpr bool is_routing(Address a, Generation generation) {
  return is_router(a, generation) || is_input_color(a) || is_output_color(a);
}
/// Requires is_color(a) or is_switch(a).
constexpr Color color_of(Address a) {
  return Color(static_cast<unsigned>(a - (is_color(a) ? kColorBase : kSwitchBase)));
}

}  // namespace tessera::config_space
