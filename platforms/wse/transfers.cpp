#include "platforms/wse/transfers.h"

#include <algorithm>
#include <utility>

#include "models/state/archive.h"

namespace tessera::wse {

void Transfers::begin(const HostStream& stream) {
  const std::size_t count = stream.wavelets_per_tile();
  for (std::size_t t = 0; t < stream.tiles.size(); ++t) {
    const TileCoord at = stream.tiles[t];
    std::size_t& promised =
        promised_[{at.x, at.y, stream.side, stream.step->color.value(), stream.into_fabric}];
    open_.push_back({&stream, &machine_.edge(at, stream.side), t, promised, count});
    if (!stream.into_fabric) uncollected_.push_back(open_.back());
    promised += count;
  }
}

std::size_t Transfers::moved(const Transfer& t) {
  const Color color = t.stream->step->color;
  const std::size_t of_edge =
      t.stream->into_fabric ? t.edge->core().sent(color) : t.edge->received(color).size();
  return std::clamp(of_edge, t.first, t.first + t.count) - t.first;
}

// Asked whenever an edge has completed something, which on a wafer is often: what has ended is
// taken out, and the one that holds the answer up goes to the front, where the next question finds
// it.
template <class Concerns>
bool Transfers::none_open(Concerns concerns) {
  for (std::size_t i = 0; i < open_.size();) {
    if (moved(open_[i]) == open_[i].count) {
      (open_[i].stream->into_fabric ? ended_in_ : ended_out_) += open_[i].count;
      open_[i] = open_.back();
      open_.pop_back();
      continue;
    }
    if (concerns(open_[i])) {
      std::swap(open_[i], open_.front());
      return false;
    }
    ++i;
  }
  return true;
}

bool Transfers::all_ended() {
  return none_open([](const Transfer&) { return true; });
}

bool Transfers::ended(const std::string& name) {
  return none_open([&](const Transfer& t) { return t.stream->step->name == name; });
}

void Transfers::collect() {
  for (Transfer& t : uncollected_) {
    data::HostArray& array = arrays_[t.stream->step->name];
    const auto& received = t.edge->received(t.stream->step->color);
    for (const std::size_t here = moved(t); t.collected < here; ++t.collected) {
      unpack(*t.stream, t.tile, t.collected, received[t.first + t.collected].wavelet.payload,
             array);
    }
  }
  uncollected_.erase(std::remove_if(uncollected_.begin(), uncollected_.end(),
                                    [](const Transfer& t) { return t.collected == t.count; }),
                     uncollected_.end());
}

void Transfers::visit(state::Archive& archive, const std::vector<HostStream>& streams,
                      std::vector<Transfer>& transfers) {
  const std::size_t count = archive.count(transfers.size());
  if (archive.loading()) transfers.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Transfer t = archive.saving() ? transfers[i] : Transfer{};
    auto stream =
        archive.saving() ? static_cast<std::size_t>(t.stream - streams.data()) : std::size_t{0};
    archive(stream, t.tile, t.first, t.count, t.collected);
    if (archive.saving()) continue;
    if (stream >= streams.size() || t.tile >= streams[stream].tiles.size())
      state::Archive::fail("it has another stream");
    t.stream = &streams[stream];
    t.edge = &machine_.edge(t.stream->tiles[t.tile], t.stream->side);
    transfers.push_back(t);
  }
}

void Transfers::visit(state::Archive& archive, const std::vector<HostStream>& streams) {
  none_open([](const Transfer&) { return false; });  // those that have ended go
  std::sort(open_.begin(), open_.end(), [](const Transfer& a, const Transfer& b) {
    return std::tie(a.stream, a.tile) < std::tie(b.stream, b.tile);
  });
  visit(archive, streams, open_);
  visit(archive, streams, uncollected_);
  archive(ended_in_, ended_out_);
  const std::size_t count = archive.count(promised_.size());
  auto next = promised_.begin();
  for (std::size_t i = 0; i < count; ++i) {
    int x = 0, y = 0;
    Direction side{};
    unsigned color = 0;
    bool into_fabric = false;
    std::size_t wavelets = 0;
    if (archive.saving()) {
      std::tie(x, y, side, color, into_fabric) = next->first;
      wavelets = next++->second;
    }
    archive(x, y, side, color, into_fabric, wavelets);
    promised_[{x, y, side, color, into_fabric}] = wavelets;
  }
}

std::uint64_t Transfers::moved(bool into_fabric) const {
  std::uint64_t sum = into_fabric ? ended_in_ : ended_out_;
  for (const Transfer& t : open_) {
    if (t.stream->into_fabric == into_fabric) sum += moved(t);
  }
  return sum;
}

}  // namespace tessera::wse
