#include "platforms/run/events_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/state/archive.h"

namespace tessera::run {

namespace {

/// Counts of tiles stand tile by tile, by rising counter. This run may keep fewer of them.
std::vector<std::uint32_t> tiles_for(const std::vector<observe::Counter>& kept,
                                     const std::vector<observe::Counter>& saved,
                                     const std::vector<std::uint32_t>& tiles) {
  std::vector<std::size_t> from;
  for (const observe::Counter counter : kept) {
    const auto place = std::find(saved.begin(), saved.end(), counter);
    if (place == saved.end())
      state::Archive::fail("it has no counts of each tile, which --report-detail, --waits, --serve "
                           "and --heatmap need from the first cycle on");
    from.push_back(static_cast<std::size_t>(place - saved.begin()));
  }
  if (from.empty()) return {};
  std::vector<std::uint32_t> mine;
  mine.reserve(tiles.size() / saved.size() * from.size());
  for (std::size_t tile = 0; tile + saved.size() <= tiles.size(); tile += saved.size()) {
    for (const std::size_t counter : from) mine.push_back(tiles[tile + counter]);
  }
  return mine;
}

}  // namespace

void visit_events(state::Archive& archive, observe::EventStream& events) {
  std::uint64_t digest = events.digest().value();
  observe::Counters::State counts = events.counters().state();
  const std::size_t totals = counts.totals.size();
  std::vector<observe::Counter> kept = events.counters().kept();
  archive(digest, counts.totals, counts.last, kept, counts.tiles);
  if (archive.saving()) return;
  if (counts.totals.size() != totals) state::Archive::fail("it has other counters");
  counts.tiles = tiles_for(events.counters().kept(), kept, counts.tiles);
  if (counts.tiles.size() != events.counters().state().tiles.size())
    state::Archive::fail("it has another number of tiles");
  events.add(digest, counts);
}

}  // namespace tessera::run
