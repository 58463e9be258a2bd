#include "models/wafer/sharing/served_records.h"

#include <algorithm>

#include "models/state/archive.h"
#include "models/wafer/sharing/requests.h"
#include "models/wafer/sharing/strips.h"

namespace tessera::wafer {

namespace {

observe::Counters counters_for(const Plan& plan, const std::vector<observe::Counter>& kept) {
  if (kept.empty()) return {};
  return {static_cast<unsigned>(plan.width), static_cast<unsigned>(plan.height), kept};
}

}  // namespace

ServedRecords::ServedRecords(const Plan& plan, Packet& packet)
    : plan_(plan), kept_(packet.get_all<observe::Counter>()), stream_(counters_for(plan, kept_)),
      is_traced_((stream_.set_end(packet.get<Cycle>()), packet.get<bool>())) {
  if (is_traced_) stream_.add(traced_);
}

void ServedRecords::for_all_engines(const Visit& visit) const {
  for (std::uint32_t place = rows_->first_place; place < rows_->end_place; ++place) {
    if (pe::ComputeEngineCore* const engine = strips_->engine(plan_.tile_of(place)))
      visit(place, *engine);
  }
}

void ServedRecords::catch_up(Cycle end) {
  for_all_engines([end](std::uint32_t, pe::ComputeEngineCore& e) { e.catch_up(end); });
}

void ServedRecords::observe(Packet& packet) {
  const auto what = packet.get<ObservedParts>();
  const auto shown = packet.get_all<std::uint32_t>();
  if (what.stalls) {
    stall_listeners_.stalls = &traced_;
    for_all_engines([this](std::uint32_t, pe::ComputeEngineCore& engine) {
      engine.set_step_every_group(true);
      engine.set_listeners(&stall_listeners_);
    });
  }
  if (!what.all_waits && shown.empty()) return;
  if (what.link_waits) strips_->set_link_waits(links_.emplace(plan_.tile_count()));
  book_ = std::make_unique<observe::WaitBook>(plan_.tile_count(),
                                              what.traced_waits ? &traced_ : nullptr);
  for_all_engines([&](std::uint32_t place, pe::ComputeEngineCore& engine) {
    if (!what.all_waits && !std::binary_search(shown.begin(), shown.end(), place)) return;
    const std::size_t thread = strips_->strip_of(plan_.tile_of(place));
    engine.set_waits(&book_->open(place, program_of(place) + thread * plan_.images.size()));
  });
}

// Of a traced run the leading process counts the events itself, as it gets them.
void ServedRecords::collect(Packet& answer) {
  const observe::EventStream nothing(counters_for(plan_, kept_));
  const observe::EventStream& counted = is_traced_ ? nothing : stream_;
  const observe::Counters::State counters = counted.counters().state();
  answer.put(counted.digest().value());
  answer.put_all(counters.totals);
  answer.put(counters.last);
  answer.put_all(counters.tiles);
  put_events(answer);
}

void ServedRecords::collect_waits(Packet& packet, Packet& answer) {
  const auto cycles = packet.get<Cycle>();
  const auto stepped = packet.get<Cycle>();
  std::vector<std::uint32_t> places;
  for_all_engines([&](std::uint32_t place, pe::ComputeEngineCore& engine) {
    if (book_ == nullptr || book_->tile(place) == nullptr) return;
    engine.finish_waits(cycles);
    places.push_back(place);
  });
  if (book_ != nullptr) book_->finish(cycles, stepped);
  answer.put(places.size());
  for (const std::uint32_t place : places) {
    answer.put(place);
    answer.put(program_of(place));
    answer.put(book_->tile(place)->all_cycles());
  }
  const std::size_t programs = book_ == nullptr ? 0 : book_->programs();
  answer.put(programs);
  for (std::size_t program = 0; program < programs; ++program) {
    answer.put(program % plan_.images.size());
    answer.put_all(book_->lines(program).entries());
  }
  if (links_) {
    strips_->add_lasting_waits(*links_, std::min(cycles, stepped));
    const auto tiles_of = links_->tiles().begin();
    answer.put_all(std::vector<observe::LinkWaits::Tile>(tiles_of + rows_->first_place,
                                                         tiles_of + rows_->end_place));
  }
  put_events(answer);
}

std::string ServedRecords::state_of(std::uint32_t place, Cycle now) const {
  const observe::TileWaits* const tile = book_ == nullptr ? nullptr : book_->tile(place);
  return tile == nullptr ? std::string() : observe::describe(*tile, now);
}

void ServedRecords::restore_waits(std::uint32_t place, const std::vector<std::uint8_t>& bytes) {
  state::Archive archive(bytes);
  archive(*book_->tile(place));
}

void ServedRecords::restore_link_waits(const std::vector<observe::LinkWaits::Tile>& tiles) {
  links_->put(rows_->first_place, tiles);
}

}  // namespace tessera::wafer
