// What a wafer is built from: for every tile its routes and its program, and the links that leave
// the wafer. Distinct routes and programs are held once and shared by the tiles that have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/fabric/fabric_timing.h"
#include "models/pe/pe_timing.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/route.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::wafer {

/// A color that a tile routes.
struct TileRoute {
  Color color;
  std::uint32_t route = 0;  ///< index in Plan::routes
};

/// A link of a tile that leaves the wafer, both ways: at the rim, or anywhere else where another
/// model takes the place of the neighbour. At the side RAMP it stands between the PE and its router
/// for some colors (host::RampTap): what the PE sends goes to the port if that has room for the
/// color, and input queues of `in_colors` receive from the port.
struct PortPlan {
  TileCoord tile;
  Direction side = Direction::kWest;
  std::uint32_t in_colors = 0;  ///< at RAMP, one bit each
};

struct Plan {
  int width = 0;
  int height = 0;
  Generation generation = Generation::kWse3;
  fabric::FabricTiming fabric;
  pe::PeTiming pe;
  unsigned queue_write_latency = 1;            ///< CE writes a wavelet -> the on-ramp may take it
  std::vector<unsigned> input_queue_lengths;   ///< wavelets, by queue id (wse.md 2.1)
  std::vector<unsigned> output_queue_lengths;  ///< wavelets, by queue id

  std::vector<fabric::ColorRoute> routes;
  std::vector<TileRoute> tile_routes;  ///< routes of all tiles, row-major, by rising color
  std::vector<std::uint32_t> tile_routes_begin;  ///< first of each tile, and the end
  std::vector<std::shared_ptr<const pe::Image>> images;
  std::vector<std::int32_t> image_of_tile;  ///< row-major; index in `images`, -1: only a router
  std::vector<PortPlan> ports;

  std::size_t tile_count() const { return image_of_tile.size(); }
  std::uint32_t place_of(TileCoord at) const {
    return static_cast<std::uint32_t>(at.y) * static_cast<std::uint32_t>(width) +
           static_cast<std::uint32_t>(at.x);
  }
  TileCoord tile_of(std::uint32_t place) const {
    return {static_cast<int>(place) % width, static_cast<int>(place) / width};
  }
  bool on_wafer(TileCoord at) const {
    return at.x >= 0 && at.x < width && at.y >= 0 && at.y < height;
  }
};

/// Some of the rows of a wafer: those that one WaferCore has. Tiles keep their places in the plan;
/// what is stored by tile or by route is counted from the first one of the strip.
struct Strip {
  /// All rows.
  explicit Strip(const Plan& of) : Strip(of, 0, of.height) {}
  /// Rows `first` to `end` - 1; `of` must outlive it. `by_tile_`: units are numbered by tile, not along the
  /// paths, so that rectangles of tiles can be stepped one after the other.
  Strip(const Plan& of, int first, int end, bool by_tile_ = false)
      : plan(of), first_row(first), end_row(end), by_tile(by_tile_),
        first_place(of.place_of({0, first})), end_place(of.place_of({0, end})),
        first_route(of.tile_routes_begin[first_place]), end_route(of.tile_routes_begin[end_place]) {
  }

  bool has(std::uint32_t place) const { return place >= first_place && place < end_place; }
  std::uint32_t tile_count() const { return end_place - first_place; }
  std::uint32_t route_count() const { return end_route - first_route; }

  const Plan& plan;
  const int first_row;
  const int end_row;
  const bool by_tile;
  const std::uint32_t first_place;
  const std::uint32_t end_place;
  const std::uint32_t first_route;  ///< in Plan::tile_routes
  const std::uint32_t end_route;
};

}  // namespace tessera::wafer
