// What the live view shows of tiles (docs/live-view.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "platforms/wse/observed_machine.h"
#include "platforms/wse/symbol_values.h"

namespace tessera::wse {

namespace {

using observe::Counter;
using observe::WaitReason;

constexpr unsigned kFirstWait = static_cast<unsigned>(WaitReason::kIdle) + 1;
constexpr std::array<std::pair<const char*, Counter>, 5> kLiveLinks = {
    {{"east", Counter::kHopsEast},
     {"west", Counter::kHopsWest},
     {"north", Counter::kHopsNorth},
     {"south", Counter::kHopsSouth},
     {"ramp", Counter::kOffRampWavelets}}};

/// Cycles by reason up to the end of cycle `now`, what lasts included.
observe::TileWaits::Cycles cycles_until(const observe::TileWaits& tile, Cycle now) {
  observe::TileWaits::Cycles cycles = tile.all_cycles();
  const Cycle end = now + 1;
  if (end <= tile.since()) return cycles;
  Cycle from = tile.since();
  if (tile.reason() == WaitReason::kHost && tile.host_until() < end) {
    const Cycle served = std::max(tile.host_until(), from);
    cycles[static_cast<std::size_t>(WaitReason::kHost)] +=
        static_cast<std::uint32_t>(served - from);
    cycles[static_cast<std::size_t>(WaitReason::kIdle)] += static_cast<std::uint32_t>(end - served);
    return cycles;
  }
  cycles[static_cast<std::size_t>(tile.reason())] += static_cast<std::uint32_t>(end - from);
  return cycles;
}

/// The type of what a wavelet carries is not known: a float where its bits are one of a usual size, else a number.
std::string in_words(const link::Wavelet& wavelet) {
  constexpr float kSmall = 1e-9F, kLarge = 1e9F;
  float real = 0;
  std::memcpy(&real, &wavelet.payload, sizeof real);
  const float size = std::abs(real);
  const bool is_float = size >= kSmall && size <= kLarge;
  return (wavelet.control ? "control " : "") +
         (is_float ? to_string(debug::Value::of_float(real)) : std::to_string(wavelet.payload));
}

}  // namespace

run::LiveGrid ObservedMachine::live_grid() const {
  run::LiveGrid grid;
  grid.kind = "fabric";
  grid.machine = config_.name;
  grid.period_ps = static_cast<double>(config_.clock_period_ps);
  grid.columns = static_cast<unsigned>(layout_.width);
  grid.rows = static_cast<unsigned>(layout_.height);
  grid.layers.push_back({"busy", "the issue slot is used", "cycles"});
  for (unsigned r = kFirstWait; r < observe::kWaitReasonCount; ++r) {
    const observe::WaitReasonInfo& reason = observe::info(static_cast<WaitReason>(r));
    grid.layers.push_back(
        {"wait:" + std::string(reason.name), std::string(reason.description), "cycles"});
  }
  for (const auto& [name, counter] : kLiveLinks) grid.layers.push_back({name, name, "wavelets"});
  const observe::Scope::Rect used = used_rect(layout_);
  grid.used = {used.x, used.y, used.width, used.height};
  grid.has_program.reserve(grid.cells());
  for (const std::int32_t program : layout_.program_of_tile)
    grid.has_program.push_back(program >= 0);
  if (const auto& watched = recorders_.watched()) {
    for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
      if (grid.watched.size() == run::kMostWatched) break;
      const unsigned x = static_cast<unsigned>(cell % grid.columns) - watched->x;
      const unsigned y = static_cast<unsigned>(cell / grid.columns) - watched->y;
      if (x < watched->width && y < watched->height) grid.watched.push_back(cell);
    }
  }
  return grid;
}

void ObservedMachine::live_read(std::size_t cell, Cycle now, std::uint32_t* counts) const {
  const auto place = static_cast<std::uint32_t>(cell);
  *counts++ = counters_.tile(place, Counter::kBusyIssueCycles);
  if (const observe::TileWaits* const tile = waits_->tile(place)) {
    const observe::TileWaits::Cycles cycles = cycles_until(*tile, now);
    std::copy(cycles.begin() + kFirstWait, cycles.end(), counts);
  }
  counts += observe::kWaitReasonCount - kFirstWait;
  for (const auto& link : kLiveLinks) *counts++ = counters_.tile(place, link.second);
}

std::string ObservedMachine::live_name(std::size_t cell) const {
  const std::vector<int> at = coordinates(static_cast<std::uint32_t>(cell));
  return "tile (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ")";
}

std::vector<run::LiveSymbol> ObservedMachine::live_memory(std::size_t cell) const {
  std::vector<run::LiveSymbol> symbols;
  const std::vector<int> at = coordinates(static_cast<std::uint32_t>(cell));
  const std::int32_t program = layout_.program_of_tile[cell];
  const pe::ComputeEngineCore* const engine = machine_->engine({at[0], at[1]});
  if (engine == nullptr || program < 0) return symbols;
  const pe::Image& image = *images_[static_cast<std::size_t>(program)];
  for (const pe::Symbol& symbol : image.symbols) {
    run::LiveSymbol& shown = symbols.emplace_back();
    shown.name = symbol.name;
    shown.type = symbol.element_type();
    shown.address = symbol.address;
    shown.count = symbol.elements();
    shown.bytes = symbol.bytes();
    for (std::uint32_t i = 0; i < std::min(symbol.elements(), run::kMostLiveValues); ++i)
      shown.values.push_back(to_string(symbol_value(engine->sram(), image, symbol, i)));
  }
  return symbols;
}

std::vector<run::LiveQueue> ObservedMachine::live_queues(std::size_t cell, Cycle now) const {
  std::vector<run::LiveQueue> queues;
  const std::vector<int> at = coordinates(static_cast<std::uint32_t>(cell));
  pe::ComputeEngineCore* const engine = machine_->engine({at[0], at[1]});
  if (engine == nullptr || layout_.program_of_tile[cell] < 0) return queues;
  const pe::EngineState& pe = engine->state();
  for (const pe::QueueBinding& queue : pe.image().queues) {
    if (!queue.input) continue;
    run::LiveQueue& shown = queues.emplace_back();
    shown.name = queue.name;
    shown.number = queue.id.value();
    if (queue.color) shown.color = queue.color->value();
    shown.filled = pe.queues.available(queue.id, now + 1);
    const QueueId length_of = queue.shares.value_or(queue.id);
    shown.places = std::max(config_.input_queue_lengths[length_of.value()], shown.filled);
    if (shown.filled > 0) shown.first = in_words(pe.queues.front(queue.id));
  }
  return queues;
}

}  // namespace tessera::wse
