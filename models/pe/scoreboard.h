// When registers and the flag may be used again (reference wse.md 6.5): an instruction issues when
// the last writers of its registers are done. A result that takes one cycle is ready for the next
// instruction, so the scoreboard remembers only items whose writer takes longer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/pe/isa.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

class Scoreboard {
 public:
  /// Longest latency that it can hold, in cycles.
  static constexpr unsigned kMaxLatency = (1U << 15) - 1;
  static constexpr unsigned kFlag = kRegisterCount;
  /// The end of the last synchronous DSD operation: when it has left the pipeline.
  static constexpr unsigned kDrain = kFlag + 1;
  /// The same for short integer instructions, some cycles earlier (PeTiming::vector_release). The main thread derives it
  /// from kDrain; nobody writes it.
  static constexpr unsigned kRelease = kDrain + 1;
  static constexpr std::uint32_t bit(unsigned item) { return 1U << item; }

  /// The values of `items`, one bit each, may be used from cycle `ready_at` on. The next
  /// instruction does not issue before cycle `next_issue`.
  void write(std::uint32_t items, Cycle ready_at, Cycle next_issue) {
    busy_ &= ~items;
    if (busy_ != 0) forget(next_issue);
    if (ready_at <= next_issue) return;
    busy_ |= items;
    for (; items != 0; items &= items - 1) ready_at_[lowest(items)] = low(ready_at);
    last_ = std::max(last_, ready_at);
  }

  /// The first cycle from `from` on in which all of `items` may be used. `from` is not before the
  /// `next_issue` of the last write.
  Cycle ready_at(std::uint32_t items, Cycle from) const {
    return from >= last_ || (items & busy_) == 0 ? from : last_of(items & busy_, from);
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(last_, busy_, ready_at_);
  }

 private:
  static std::uint16_t low(Cycle c) { return static_cast<std::uint16_t>(c); }
  static unsigned lowest(std::uint32_t bits) { return static_cast<unsigned>(__builtin_ctz(bits)); }
  /// 0: it is ready. A busy item became busy, or becomes ready, at most kMaxLatency cycles from
  /// `now`: the low bits tell.
  unsigned cycles_until(unsigned item, Cycle now) const {
    const auto distance = static_cast<std::int16_t>(ready_at_[item] - low(now));
    return distance > 0 ? static_cast<unsigned>(distance) : 0;
  }
  Cycle last_of(std::uint32_t items, Cycle from) const {
    Cycle at = from;
    for (; items != 0; items &= items - 1) {
      at = std::max(at, from + cycles_until(lowest(items), from));
    }
    return at;
  }
  void forget(Cycle now) {
    if (now >= last_) busy_ = 0;
    for (std::uint32_t left = busy_; left != 0; left &= left - 1) {
      if (cycles_until(lowest(left), now) == 0) busy_ &= ~bit(lowest(left));
    }
  }

  Cycle last_ = 0;                                    // from here on nothing is busy
  std::uint32_t busy_ = 0;                            // one bit an item
  std::array<std::uint16_t, kDrain + 1> ready_at_{};  // when the busy items are ready; low bits
};

}  // namespace tessera::pe
