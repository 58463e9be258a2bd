// The state of a machine and of what observes it, for checkpoints.
#include <cstdint>
#include <string>
#include <vector>

#include "models/state/archive.h"
#include "platforms/run/events_state.h"
#include "platforms/wse/observed_machine.h"

namespace tessera::wse {

namespace {

void visit_link_waits(state::Archive& archive, observe::LinkWaits* waits, Machine& machine) {
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
  machine.go_on_with_link_waits(tiles);
}

}  // namespace

void ObservedMachine::visit(state::Archive& archive, Cycle next) {
  machine_->visit(archive, next);
  run::visit_events(archive, recorders_.events());
  const bool has_waits = archive.value(waits_ != nullptr);
  if (!has_waits && waits_ != nullptr)
    state::Archive::fail("it has no accounts of waits, which --report, --waits, --live-page, "
                         "--serve and --trace-perfetto need from the first cycle on; --no-waits "
                         "leaves them out of a report");
  if (has_waits && archive.saving() && machine_->ranks() > 1)
    state::Archive::fail("the accounts of waits of several processes cannot be saved");
  if (has_waits) {
    observe::WaitBook none(layout_.tile_count(), nullptr);
    const auto hand_on = [this](std::uint32_t place, observe::TileWaits& waits) {
      if (waits_ != nullptr) machine_->go_on_with_waits(place, waits);
    };
    (waits_ != nullptr ? *waits_ : none).visit(archive, images_.size(), hand_on);
  }
  visit_link_waits(archive, link_waits_.get(), *machine_);
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
