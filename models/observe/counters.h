// Counts of events, for the whole machine and per tile: what the report and the heat map show.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/observe/event.h"

namespace tessera::observe {

/// Those before kHops are counted and kept per tile; the rest are derived.
enum class Counter : std::uint8_t {
  kHopsEast,
  kHopsWest,
  kHopsNorth,
  kHopsSouth,
  kOffRampWavelets,
  kInputQueueWrites,
  kOutputQueueWrites,
  kTasksStarted,
  kInstructionsIssued,
  kBusyIssueCycles,
  kDsdOperations,
  kVectorElements,
  kEdgeWaveletsIn,
  kEdgeWaveletsOut,
  kHops,
  kLastEventCycle,
};
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
  /// Tiles of the machine; events of places outside count in the totals only.
  Counters(unsigned width, unsigned height);

  void on_event(const Event& e) override;

  std::uint64_t total(Counter counter) const;
  /// Count of tile `place`, which must be inside the machine. It stays at 2^32 - 1 once it gets
  /// there. kLastEventCycle is known for the machine only: 0 here.
  std::uint32_t tile(std::uint32_t place, Counter counter) const;

  unsigned width() const { return width_; }
  unsigned height() const { return height_; }

 private:
  void add(std::uint32_t place, Counter counter, std::uint32_t amount);

  unsigned width_;
  unsigned height_;
  std::array<std::uint64_t, kTileCounterCount> totals_{};
  std::vector<std::uint32_t> tiles_;  ///< [place][counter]
  Cycle last_ = 0;
};

}  // namespace tessera::observe
