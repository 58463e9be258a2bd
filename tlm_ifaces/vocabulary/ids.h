// Strong types for the small numbers that name things in a machine, so that a queue number is never
// passed where a color is meant. Ranges follow reference wse.md 1.1 (colors), 2.1 (queues), 3.1
// (tasks), 4 (microthreads).
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>

namespace tessera {

/// An identifier of kind `Tag`; it can be compared, printed and used as an index, nothing else.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(unsigned value) : value_(static_cast<std::uint8_t>(value)) {}
  constexpr unsigned value() const { return value_; }

  friend constexpr bool operator==(Id a, Id b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Id a, Id b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Id a, Id b) { return a.value_ < b.value_; }
  friend std::ostream& operator<<(std::ostream& os, Id id) { return os << id.value(); }

 private:
  std::uint8_t value_ = 0;
};

using Color = Id<struct ColorTag>;    ///< virtual channel of the fabric
using QueueId = Id<struct QueueTag>;  ///< input or output queue of a PE
using TaskId = Id<struct TaskTag>;    ///< data, local or control task
using MicrothreadId = Id<struct MicrothreadTag>;

inline constexpr unsigned kColorCount = 24;  ///< wse.md 1.2: colors 0..23
inline constexpr unsigned kMaxQueues = 8;    ///< wse.md 2.1: at most 8 input and 8 output queues
inline constexpr unsigned kTaskCount = 64;   ///< wse.md 3.1: one table of 64 entries
inline constexpr unsigned kMicrothreadCount = 8;  ///< wse.md 4

/// The two generations modelled (wse.md 0.2).
enum class Generation : std::uint8_t { kWse2, kWse3 };

constexpr const char* to_string(Generation g) {
  return g == Generation::kWse2 ? "wse2" : "wse3";
}

/// Input or output queues of a PE (wse.md 2.1): 8 and 6 on WSE-2, 8 and 8 on WSE-3.
constexpr unsigned queue_count(Generation generation, bool input) {
  return !input && generation == Generation::kWse2 ? 6 : 8;
}

}  // namespace tessera
