// Counts of events, for the whole machine and, if asked for, per tile: what the report and the heat
// map show.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
  /// Totals and tiles, of tiles only what `only` needs, if it is given. Events of places outside the
  /// grid count in the totals only.
  Counters(unsigned width, unsigned height, std::optional<Counter> only = {});

  void record(const Event& e) {
    if (e.cycle > last_) last_ = e.cycle;
    ++seen_[class_of(e)];
    if (e.kind == EventKind::kCompute) elements_ += e.b;
    if (counts_tiles_at(e.kind)) count_tile(e);
  }
  void on_event(const Event& e) override { record(e); }
  /// `n` hops through `out` in cycle `cycle`; totals only.
  void add_hops(Direction out, std::uint64_t n, Cycle cycle) {
    if (n == 0) return;
    if (cycle > last_) last_ = cycle;
    seen_[static_cast<std::size_t>(EventKind::kHop) * kClassesPerKind + index(out)] += n;
  }

  /// Counters of some of the tiles of this machine, beside these: totals of their own, and the counts
  /// of their tiles in one place with these.
  Counters beside() const {
    Counters other(*this);
    other.clear_totals();
    return other;
  }
  /// Takes over what such counters have counted, which are 0 again.
  void collect(Counters& other);
  /// All counts are 0 again.
  void clear() {
    clear_totals();
    if (tiles_ != nullptr) std::fill(tiles_->begin(), tiles_->end(), 0);
  }

  std::uint64_t total(Counter counter) const;
  /// Whether counts per tile are kept.
  bool has_tiles() const { return tiles_ != nullptr; }
  /// Whether events of a kind count for their tile.
  bool counts_tiles_at(EventKind kind) const {
    return (tile_kinds_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }
  /// Count of tile `place`, which must be inside the machine; requires has_tiles(). It stays at
  /// 2^32 - 1 once it gets there. kLastEventCycle is known for the machine only: 0 here.
  std::uint32_t tile(std::uint32_t place, Counter counter) const;

  /// Events of a kind, of the whole machine.
  std::uint64_t seen(EventKind kind) const;

  unsigned width() const { return width_; }
  unsigned height() const { return height_; }

 private:
  // While the machine runs an event is only counted in its class, which is cheap and without a
  // branch: its kind and the low bits of what stands above the first byte of `a` (the direction of
  // hops, the thread of groups). Totals are sums of classes.
  static constexpr unsigned kClassesPerKind = 16;
  static std::size_t class_of(const Event& e) {
    return static_cast<std::size_t>(e.kind) * kClassesPerKind + (e.a >> 8) % kClassesPerKind;
  }
  void clear_totals() {
    seen_.fill(0);
    elements_ = 0;
    last_ = 0;
  }
  std::uint64_t hops(Direction d) const;
  void count_tile(const Event& e);
  void add(std::uint32_t place, Counter counter, std::uint32_t amount);

  unsigned width_ = 0;
  unsigned height_ = 0;
  std::array<std::uint64_t, std::size_t{kEventKindCount} * kClassesPerKind> seen_{};
  std::uint64_t elements_ = 0;
  Cycle last_ = 0;
  std::uint32_t tile_kinds_ = 0;  ///< kinds of events that count for their tile, a bit each
  std::shared_ptr<std::vector<std::uint32_t>> tiles_;  ///< [place][counter]; none: not kept
};

}  // namespace tessera::observe
