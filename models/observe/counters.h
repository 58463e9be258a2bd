// Counts of events, for the whole machine and, if asked for, per tile: what the report and the heat
// map show.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "models/observe/event.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::observe {

/// Those before kHops are counted and kept per tile; the rest are derived.
// clang-format off
enum class Counter : std::uint8_t {
  kHopsEast, kHopsWest, kHopsNorth, kHopsSouth, kOffRampWavelets, kInputQueueWrites,
  kOutputQueueWrites, kTasksStarted, kInstructionsIssued, kBusyIssueCycles, kDsdOperations,
  kVectorElements, kEdgeWaveletsIn, kEdgeWaveletsOut, kHops, kLastEventCycle,
};
// clang-format on
inline constexpr unsigned kTileCounterCount = static_cast<unsigned>(Counter::kHops);
inline constexpr unsigned kCounterCount = static_cast<unsigned>(Counter::kLastEventCycle) + 1;

struct CounterInfo {
  Counter counter;
  std::string_view name;  ///< key in the report
  std::string_view unit;
  std::string_view description;
};

/// One row per counter, in the order of the enum.
const std::array<CounterInfo, kCounterCount>& counter_table();
std::optional<Counter> find_counter(std::string_view name);

class Counters final : public Sink {
 public:
  /// Totals only.
  Counters() = default;
  /// Totals of everything, and for each tile the counters in `kept`; none: all kTileCounterCount.
  /// Events of places outside the grid count in the totals only.
  Counters(unsigned width, unsigned height, const std::vector<Counter>& kept = {});

  void record(const Event& e) {
    if (e.cycle > last_) last_ = e.cycle;
    ++seen_[class_of(e)];
    if (e.kind == EventKind::kCompute) elements_ += e.b;
    if (tiles_ != nullptr) count_tile(e);
  }
  void on_event(const Event& e) override { record(e); }
  /// Numbers of events of one kind by class_in_kind().
  static constexpr unsigned kClassesPerKind = 16;
  using OfKind = std::array<std::uint64_t, kClassesPerKind>;
  /// While the machine runs an event is only counted in its class, which is cheap and without a
  /// branch: its kind and the low bits of what stands above the first byte of `a` (the direction of
  /// hops, the thread of groups). Totals are sums of classes.
  static std::size_t class_in_kind(std::uint32_t a) { return (a >> 8) % kClassesPerKind; }
  /// Events of a kind without elements in cycle `cycle`, in the totals.
  void add(EventKind kind, const OfKind& counts, Cycle cycle) {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < kClassesPerKind; ++i) {
      seen_[first_class_of(kind) + i] += counts[i];
      any |= counts[i];
    }
    if (any != 0 && cycle > last_) last_ = cycle;
  }

  /// Counters for some of the tiles of this machine, beside these: they have totals of their own and
  /// share the counts of tiles with these. Several threads count at the same time, but not the same Counter of a tile.
  Counters beside() const {
    Counters other(*this);
    other.clear_totals();
    return other;
  }
  /// Takes over what such counters have counted, which are 0 again.
  void collect(Counters& other);
  /// All counts, for another process.
  struct State {
    std::vector<std::uint64_t> totals;
    Cycle last = 0;
    std::vector<std::uint32_t> tiles;
  };
  State state() const;
  void add(const State& state);
  /// All counts are 0 again.
  void clear() {
    clear_totals();
    if (tiles_ != nullptr) std::fill(tiles_->begin(), tiles_->end(), 0);
  }

  std::uint64_t total(Counter counter) const;
  /// Whether counts per tile are kept.
  bool has_tiles() const { return tiles_ != nullptr; }
  /// Counters that are kept of each tile.
  std::vector<Counter> kept() const;
  /// Count of tile `place`, which must be inside the machine; requires has_tiles(). It stays at
  /// 2^32 - 1 once it gets there. 0 for a counter that is not kept, and for kLastEventCycle, which is
  /// known for the machine only.
  std::uint32_t tile(std::uint32_t place, Counter counter) const;

  /// Events of a kind, of the whole machine.
  std::uint64_t seen(EventKind kind) const;

  unsigned width() const { return width_; }
  unsigned height() const { return height_; }

 private:
  static constexpr unsigned kClassCount = kEventKindCount * kClassesPerKind;
  static constexpr std::size_t first_class_of(EventKind kind) {
    return static_cast<std::size_t>(kind) * kClassesPerKind;
  }
  static std::size_t class_of(const Event& e) {
    return first_class_of(e.kind) + class_in_kind(e.a);
  }
  void clear_totals() {
    seen_.fill(0);
    elements_ = 0;
    last_ = 0;
  }
  std::uint64_t hops(Direction d) const;
  // Tiles may keep only some counters, one after the other: a picture of one of them then touches
  // little memory.
  using Slot = std::uint8_t;
  static constexpr Slot kNoSlot = 0xFF;
  /// Slots that an event of a class adds to; kNoSlot ends the list.
  using SlotsOfClass = std::array<Slot, 2>;

  void note(std::size_t of_class, Counter counter);
  void count_tile(const Event& e) {
    for (const Slot slot : slots_of_class_[class_of(e)]) {
      if (slot == kNoSlot) return;
      add(e.place, slot, slot == slot_of_[kElements] ? e.b : 1);
    }
  }
  void add(std::uint32_t place, Slot slot, std::uint32_t amount) {
    const std::size_t at = std::size_t{place} * kept_ + slot;
    if (at >= tiles_->size()) return;
    std::uint32_t& count = (*tiles_)[at];
    count += std::min(std::numeric_limits<std::uint32_t>::max() - count, amount);
  }
  std::uint32_t kept(std::uint32_t place, Counter counter) const;

  static constexpr auto kElements = static_cast<std::size_t>(Counter::kVectorElements);
  unsigned width_ = 0;
  unsigned height_ = 0;
  std::array<std::uint64_t, kClassCount> seen_{};
  std::uint64_t elements_ = 0;
  Cycle last_ = 0;
  unsigned kept_ = 0;                              ///< counters of a tile
  std::array<Slot, kTileCounterCount> slot_of_{};  ///< by Counter
  std::array<SlotsOfClass, kClassCount> slots_of_class_{};
  std::shared_ptr<std::vector<std::uint32_t>> tiles_;  ///< [place][slot]; none: not kept
};

}  // namespace tessera::observe
