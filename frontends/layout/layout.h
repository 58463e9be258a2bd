// A layout as read: which program and routes every tile has, the host's arrays and what the host
// does, step by step (docs/layout.md is the user's page). All
// expressions are evaluated; nothing here depends on the generation of the machine: which routes
// and switch positions it allows is checked by the platform (wse.md 1.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tlm_ifaces/vocabulary/route.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::layout {

/// Columns x .. x+w-1, rows y .. y+h-1.
struct Rect {
  int x = 0;
  int y = 0;
  int w = 0;
  int h = 0;
  bool empty() const { return w == 0 || h == 0; }
  std::size_t tile_count() const {
    return static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
  }
  bool contains(TileCoord t) const { return t.x >= x && t.x < x + w && t.y >= y && t.y < y + h; }
  friend bool operator==(const Rect& a, const Rect& b) {
    return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
  }
};
/// "[0, 0, 4, 1]", as it is written in a layout.
std::string to_string(const Rect& rect);

/// A host array. Without `init` and without a file it starts as zeros.
struct Array {
  std::string name;
  pe::ElementType dtype = pe::ElementType::kF32;
  std::vector<std::size_t> shape;       ///< rank 1 to 3, every dimension >= 1
  std::vector<std::string> shape_text;  ///< as written ("M", "N / W"), for messages
  std::optional<std::string> init;      ///< array expression (platforms/data/array_expression.h)
  bool input = false;                   ///< meant to be given with --input NAME=FILE.npy
  std::string place;                    ///< "arrays.A"
};

/// A tile program with the values of its parameters; tiles with the same values share one.
struct Program {
  std::string code;                                          ///< path of the .tasm file
  std::vector<std::pair<std::string, std::int64_t>> params;  ///< sorted by name
  std::string place;  ///< "tiles[0]": the first entry that uses it
  /// The image of a program that was compiled in memory; nullptr: `code` is to be assembled.
  std::shared_ptr<const pe::Image> image = nullptr;
  /// The text of `code`, if it has been read already; nullptr: it is to be read.
  std::shared_ptr<const std::string> text = nullptr;
};

/// What an entry of "routes" gives a color on some of its tiles.
struct RouteSpec {
  fabric::ColorRoute route;   ///< a side that pos1..pos3 leave out is empty (ColorRoute::fill_in)
  bool has_switches = false;  ///< the layout gives "switches"
  std::string place;          ///< "routes[2]"
};

/// A color that a tile routes.
struct TileRoute {
  Color color;
  std::uint32_t route = 0;  ///< index in Layout::routes
};

/// The routes of one tile, by rising color.
struct TileRoutes {
  const TileRoute* first;
  const TileRoute* last;  ///< after the last one

  const TileRoute* begin() const { return first; }
  const TileRoute* end() const { return last; }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
  bool empty() const { return first == last; }
};

enum class Order : std::uint8_t { kRow, kColumn };

/// A host array and the symbol of the tiles of `rect` over which it is distributed
/// (platforms/data/tile_mapping.h).
struct Symbol {
  std::string name;                               ///< name of the host array
  std::string symbol;                             ///< name in the tile programs
  Rect rect;                                      ///< not empty
  pe::ElementType dtype = pe::ElementType::kF32;  ///< element type of the host array
  Order order = Order::kRow;
  std::string place;  ///< "symbols.A"
};

// What the host does, in order. `place` is "host[3]".

/// Copies a host array to the tiles that its symbol names.
struct CopyIn {
  std::string name;
  std::string place;
};
/// Starts `function` on the tiles of `rect`, or on all tiles whose program has it.
struct Launch {
  std::string function;
  std::vector<std::variant<std::int64_t, double>> args;
  std::optional<Rect> rect;
  std::string place;
};
/// The common part of stream_in and stream_out: the host's end of color `color` at the rim tiles
/// `rect`.
struct Stream {
  Color color;
  Rect rect;  ///< one row or one column, on the rim
  std::string name;
  std::optional<Direction> edge;  ///< side of the grid; if not given, the routes decide
  bool simd = true;               ///< two 16-bit elements share a wavelet (wse.md 5.10)
  std::string place;
};
struct StreamIn : Stream {};
struct StreamOut : Stream {};
/// Go on when the streams of array `name` have ended, or, without a name, when the machine is idle.
struct Wait {
  std::optional<std::string> name;
  std::string place;
};
/// Copies from the tiles to a host array.
struct CopyOut {
  std::string name;
  std::string place;
};
/// Compare a host array or a part of it; exactly one of `expect` (path of a .npy file) and `value` (array
/// expression) is given.
struct Check {
  std::string name;
  std::string part;  ///< slice of the array, "[1:-1, 2:]"; empty: all of it
  std::optional<std::string> expect;
  std::optional<std::string> value;
  double rtol = 0;
  double atol = 0;
  std::optional<std::string>
      atol_value;  ///< array expression with a single value, instead of `atol`
  std::string place;
};
using HostStep = std::variant<CopyIn, Launch, StreamIn, StreamOut, Wait, CopyOut, Check>;

struct Layout {
  std::string file;
  int width = 0;
  int height = 0;
  std::map<std::string, std::int64_t> params;  ///< resolved, with W and H
  std::vector<Array> arrays;                   ///< in the order of the file
  std::vector<Program> programs;               ///< distinct
  std::vector<std::int32_t> program_of_tile;  ///< row-major; index in `programs`, -1: only a router
  std::vector<RouteSpec> routes;       ///< for the entries of the file; an entry whose numbers
                                       ///< depend on the tile has several
  std::vector<TileRoute> tile_routes;  ///< routes of all tiles, row-major
  std::vector<std::uint32_t>
      tile_routes_begin;  ///< first of each tile in `tile_routes`, and the end
  std::vector<Symbol> symbols;
  std::vector<HostStep> host;

  std::size_t tile_count() const { return Rect{0, 0, width, height}.tile_count(); }
  /// Row-major index of a tile. Requires the tile to be on the grid.
  std::size_t tile_index(TileCoord t) const {
    return static_cast<std::size_t>(t.y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(t.x);
  }
  bool on_grid(TileCoord t) const { return Rect{0, 0, width, height}.contains(t); }
  TileRoutes routes_of(TileCoord t) const;
  const Array* find_array(const std::string& name) const;
  const Symbol* find_symbol(const std::string& name) const;
};

/// A link at which the host sends and receives streams: at the rim of the grid, or, with the side
/// RAMP, between a PE and its router (host::RampTap).
struct HostLink {
  TileCoord tile;
  Direction side = Direction::kWest;
  std::uint32_t out_colors = 0;  ///< colors that the host takes, one bit each
  std::uint32_t in_colors = 0;   ///< at RAMP: colors whose input queues receive from the host
  /// Colors whose wavelets leave the program: they are taken and counted (csl.md 10).
  std::uint32_t dropped_colors = 0;
};

/// A route that transmits over the rim of the grid: the host must take the color there, or its
/// wavelets are stuck.
struct OffGridRoute {
  TileCoord tile;
  Color color;
  Direction direction = Direction::kWest;
  std::string place;  ///< "routes[2]"
};

/// All routes with a valid switch position that transmits off the grid, row-major by tile, then by
/// color, each direction once.
std::vector<OffGridRoute> off_grid_routes(const Layout& layout);

}  // namespace tessera::layout
