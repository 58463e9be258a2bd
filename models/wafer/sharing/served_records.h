// What a process records of its rows for the leading one: events, counters, and where cycles went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/link_waits.h"
#include "models/observe/wait_book.h"
#include "models/pe/compute_engine_core.h"
#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/packet.h"
#include "models/wafer/sharing/traced_events.h"

namespace tessera::wafer {

class Strips;

class ServedRecords {
 public:
  /// Takes from `packet` what RemotePart has put there for a new machine.
  ServedRecords(const Plan& plan, Packet& packet);
  observe::EventStream& stream() { return stream_; }
  /// The tiles of `rows`, which `strips` has.
  void set_tiles(const Strip& rows, Strips& strips) {
    rows_ = &rows;
    strips_ = &strips;
  }
  void catch_up(Cycle end);
  /// As the leading process observes its engines (RemotePart::observe).
  void observe(Packet& packet);
  /// The events since the last call that traces are to have; nothing where there are no traces.
  void put_events(Packet& told) { traced_.put(told); }
  void collect(Packet& answer);
  void collect_waits(Packet& packet, Packet& answer);
  std::string state_of(std::uint32_t place, Cycle now) const;
  /// The accounts with which a tile goes on, and those of all links.
  void restore_waits(std::uint32_t place, const std::vector<std::uint8_t>& bytes);
  void restore_link_waits(const std::vector<observe::LinkWaits::Tile>& tiles);

 private:
  using Visit = std::function<void(std::uint32_t place, pe::ComputeEngineCore& engine)>;
  void for_all_engines(const Visit& visit) const;
  std::size_t program_of(std::uint32_t place) const {
    return static_cast<std::size_t>(plan_.image_of_tile[place]);
  }

  const Plan& plan_;
  const std::vector<observe::Counter> kept_;  // counters of tiles
  observe::EventStream stream_;
  const bool is_traced_;
  TracedEvents traced_;
  pe::Listeners stall_listeners_;
  const Strip* rows_ = nullptr;
  Strips* strips_ = nullptr;
  std::unique_ptr<observe::WaitBook> book_;
  std::optional<observe::LinkWaits> links_;
};

}  // namespace tessera::wafer
