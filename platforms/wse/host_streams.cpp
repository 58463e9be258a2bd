#include "platforms/wse/host_streams.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "platforms/wse/tile_copy.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

using layout::Layout;
using layout::Rect;
using layout::Stream;

bool on_rim(const Layout& layout, const Rect& rect, Direction side) {
  if (side == Direction::kWest) return rect.x == 0 && rect.w == 1;
  if (side == Direction::kEast) return rect.x + rect.w == layout.width && rect.w == 1;
  if (side == Direction::kNorth) return rect.y == 0 && rect.h == 1;
  return side == Direction::kSouth && rect.y + rect.h == layout.height && rect.h == 1;
}

// wse.md 1.6: whether what arrives on the partner of the route's color appears on that color.
bool swaps(const fabric::ColorRoute& route, Direction side) {
  const bool along_x = side == Direction::kWest || side == Direction::kEast;
  return along_x ? route.swap_x : route.swap_y;
}

// Whether some switch position of the tile's route for `color` receives from, or transmits to,
// `side`; or that of its partner, which takes the color over.
bool routes_side(const Layout& layout, TileCoord tile, Color color, Direction side,
                 bool into_fabric) {
  const Color partner(color.value() ^ 1U);
  for (const layout::TileRoute& route : layout.routes_of(tile)) {
    const fabric::ColorRoute& spec = layout.routes[route.route].route;
    const bool swapped = into_fabric && route.color == partner && swaps(spec, side);
    if (route.color != color && !swapped) continue;
    const bool found = std::any_of(spec.positions.begin(), spec.positions.end(),
                                   [&](const fabric::RoutePosition& p) {
                                     return p.valid && (into_fabric ? p.rx : p.tx).contains(side);
                                   });
    if (found) return true;
  }
  return false;
}

const TileCoord* tile_without_route(const Layout& layout, const HostStream& stream,
                                    Direction side) {
  for (const TileCoord& tile : stream.tiles) {
    if (!routes_side(layout, tile, stream.step->color, side, stream.into_fabric)) return &tile;
  }
  return nullptr;
}

[[noreturn]] void fail(const Layout& layout, const Stream& step, const std::string& what) {
  throw UserError(layout.file, step.place, what);
}

// The reader has checked that the rect lies along that side.
Direction named_side(const Layout& layout, const HostStream& stream) {
  const Stream& step = *stream.step;
  const Direction side = *step.edge;
  const std::string color = "color " + std::to_string(step.color.value());
  if (const TileCoord* tile = tile_without_route(layout, stream, side)) {
    fail(layout, step,
         "tile " + to_string(*tile) + " has no route for " + color +
             (stream.into_fabric ? " that receives from " : " that transmits to ") +
             to_string(side));
  }
  return side;
}

Direction deduced_side(const Layout& layout, const HostStream& stream) {
  std::vector<Direction> sides;
  for (Direction side : kCardinalDirections) {
    if (on_rim(layout, stream.step->rect, side) &&
        tile_without_route(layout, stream, side) == nullptr) {
      sides.push_back(side);
    }
  }
  const std::string color = "color " + std::to_string(stream.step->color.value());
  const char* verb = stream.into_fabric ? "receive " : "transmit ";
  if (sides.empty()) {
    fail(layout, *stream.step,
         "the tiles of rect " + layout::to_string(stream.step->rect) + " do not " + verb + color +
             " over the rim of the grid; check their routes");
  }
  if (sides.size() > 1) {
    fail(layout, *stream.step,
         "the tiles of the rect " + std::string(verb) + color + " over more than one rim (" +
             to_string(sides[0]) + ", " + to_string(sides[1]) + "); name one with \"edge\"");
  }
  return sides.front();
}

HostStream resolve(const Layout& layout, const Stream& step, std::size_t index, bool into_fabric) {
  HostStream stream;
  stream.step = &step;
  stream.step_index = index;
  stream.into_fabric = into_fabric;
  for (int y = step.rect.y; y < step.rect.y + step.rect.h; ++y) {
    for (int x = step.rect.x; x < step.rect.x + step.rect.w; ++x) stream.tiles.push_back({x, y});
  }
  stream.elements_per_tile = mapping_of(layout, step).elements_per_tile();
  const bool narrow = pe::bytes_of(layout.find_array(step.name)->dtype) == 2;
  stream.elements_per_wavelet = narrow && step.simd ? 2 : 1;
  stream.side = step.edge ? named_side(layout, stream) : deduced_side(layout, stream);
  return stream;
}

}  // namespace

std::vector<HostStream> resolve_streams(const Layout& layout) {
  std::vector<HostStream> streams;
  for (std::size_t i = 0; i < layout.host.size(); ++i) {
    if (const auto* in = std::get_if<layout::StreamIn>(&layout.host[i])) {
      streams.push_back(resolve(layout, *in, i, true));
    } else if (const auto* out = std::get_if<layout::StreamOut>(&layout.host[i])) {
      streams.push_back(resolve(layout, *out, i, false));
    }
  }
  return streams;
}

std::vector<layout::HostLink> rim_links(const Layout& layout,
                                        const std::vector<HostStream>& streams) {
  std::map<std::pair<std::size_t, Direction>, std::uint32_t> links;  // the colors that leave
  for (const HostStream& stream : streams) {
    for (TileCoord at : stream.tiles) {
      std::uint32_t& colors = links[{layout.tile_index(at), stream.side}];
      if (!stream.into_fabric) colors |= 1U << stream.step->color.value();
    }
  }
  std::vector<layout::HostLink> sorted;
  for (const auto& [link, colors] : links) {
    const auto place = static_cast<int>(link.first);
    sorted.push_back({{place % layout.width, place / layout.width}, link.second, colors, 0});
  }
  return sorted;
}

std::vector<std::uint32_t> pack(const HostStream& stream, const data::HostArray& array,
                                std::size_t tile) {
  std::vector<std::uint32_t> payloads(stream.wavelets_per_tile());
  const std::size_t first = tile * stream.elements_per_tile;
  for (std::size_t i = 0; i < stream.elements_per_tile; ++i) {
    const std::size_t place = i % stream.elements_per_wavelet;
    payloads[i / stream.elements_per_wavelet] |=
        static_cast<std::uint32_t>(array.bits(first + i) << (16 * place));
  }
  return payloads;
}

void unpack(const HostStream& stream, std::size_t tile, std::size_t wavelet, std::uint32_t payload,
            data::HostArray& array) {
  const std::size_t begin = wavelet * stream.elements_per_wavelet;
  const std::size_t end = std::min(begin + stream.elements_per_wavelet, stream.elements_per_tile);
  for (std::size_t i = begin; i < end; ++i) {
    array.set_bits(tile * stream.elements_per_tile + i, payload >> (16 * (i - begin)));
  }
}

}  // namespace tessera::wse
