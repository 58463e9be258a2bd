// What changes in a router, for checkpoints (models/state/archive.h).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "models/fabric/router_core.h"
#include "models/state/archive.h"

namespace tessera::fabric {

namespace {

void visit_route(state::Archive& archive, ColorRoute& route) {
  for (RoutePosition& position : route.positions)
    archive(position.rx, position.tx, position.valid, position.sets_rx, position.sets_tx);
  archive(route.current, route.ring, route.pop, route.injection, route.swap_x, route.swap_y,
          route.suspended);
}

/// A filter that is kept as it was: a router has it or not.
void visit_filter(state::Archive& archive, std::optional<Filter>& filter) {
  const bool has = archive.value(filter.has_value());
  if (has && !filter) filter.emplace(FilterConfig{});
  if (!has) filter.reset();
  if (has) archive(*filter);
}

}  // namespace

// Credits on their way back stand in no order.
void Credits::visit(state::Archive& archive) {
  archive.same(counts_.size(), "the number of colors of a sender");
  for (Count& count : counts_) archive(count.capacity, count.usable, count.returning);
  std::vector<std::pair<Cycle, unsigned>> returning;
  for (const Returning& r : returning_) returning.emplace_back(r.due, r.channel);
  std::sort(returning.begin(), returning.end());
  archive(returning);
  if (archive.saving()) return;
  returning_.clear();
  for (const auto& [due, channel] : returning) returning_.push_back({due, channel});
}

void RouteTable::visit(state::Archive& archive) {
  archive.same(channels_.size(), "the number of colors of a router");
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    visit_route(archive, channels_[c].route);
    visit_filter(archive, channels_[c].filter);
    if (channels_[c].route.messages) archive(channels_[c].messages);
    Past& past = pasts_[c];
    archive(past.changed_at, past.filter_changed_at);
    if (past.changed_at != kNever) visit_route(archive, past.route);
    if (past.filter_changed_at != kNever) visit_filter(archive, past.filter);
  }
  archive(merges_, swaps_, filters_);
}

void InputBuffers::visit(state::Archive& archive) {
  archive.same(buffers_.size(), "the number of buffers of a router");
  for (InputBuffer& buffer : buffers_) archive(buffer.entries, buffer.departures);
  archive(occupied_, held_, controls_held_);
}

void RouterCore::visit(state::Archive& archive) {
  if (routes_.epochs() != nullptr)
    state::Archive::fail("a checkpoint does not hold what --check-epochs follows");
  for (Arbiter& arbiter : arbiters_) archive(arbiter);
  archive(routes_, registers_, buffers_, heads_, credits_);
  const bool has_waits = archive.value(waits_ != nullptr);
  if (has_waits && waits_ == nullptr) {
    HeadWaits::skip(archive);
  } else if (has_waits) {
    archive(*waits_);
  }
}

}  // namespace tessera::fabric
