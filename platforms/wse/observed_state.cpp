// The state of a machine and of what observes it, for checkpoints.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/state/archive.h"
#include "platforms/wse/observed_machine.h"

namespace tessera::wse {

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

void visit_link_waits(state::Archive& archive, observe::LinkWaits* waits) {
  const bool has = archive.value(waits != nullptr);
  if (!has && waits != nullptr)
    state::Archive::fail(
        "it has no accounts of the waits of links, which --waits and --report-detail need "
        "from the first cycle on");
  if (!has) return;
  std::vector<observe::LinkWaits::Tile> tiles;
  if (archive.saving()) tiles = waits->tiles();
  tiles.resize(archive.count(tiles.size()));
  for (observe::LinkWaits::Tile& tile : tiles) archive(tile.waited, tile.taken, tile.route);
  if (archive.saving() || waits == nullptr) return;
  if (tiles.size() != waits->tiles().size()) state::Archive::fail("it has another number of tiles");
  waits->put(0, tiles);
}

}  // namespace

void ObservedMachine::visit(state::Archive& archive, Cycle next) {
  machine_->visit(archive, next);
  visit_events(archive, recorders_.events());
  const bool has_waits = archive.value(waits_ != nullptr);
  if (!has_waits && waits_ != nullptr)
    state::Archive::fail(
        "it has no accounts of waits, which --report and --waits need from the first cycle "
        "on; --no-waits leaves them out of a report");
  if (has_waits) {
    observe::WaitBook none(layout_.tile_count(), nullptr);
    (waits_ != nullptr ? *waits_ : none).visit(archive, images_.size());
  }
  visit_link_waits(archive, link_waits_.get());
  archive(diagnoses_);
}

std::string ObservedMachine::recorded() const {
  std::string text = "counters, digest";
  if (counters_.has_tiles()) text += ", counters of tiles";
  if (waits_ != nullptr) text += ", waits";
  if (link_waits_ != nullptr) text += ", waits of links";
  return text;
}

}  // namespace tessera::wse
