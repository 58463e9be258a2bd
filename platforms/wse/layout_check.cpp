#include "platforms/wse/layout_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "models/pe/compute_engine_core.h"
#include "platforms/wse/tile_copy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

namespace {

using layout::Layout;

void check_rim(const Layout& layout, const std::vector<HostStream>& streams) {
  for (const layout::OffGridRoute& off : layout::off_grid_routes(layout)) {
    const bool taken = std::any_of(streams.begin(), streams.end(), [&](const HostStream& s) {
      return !s.into_fabric && s.side == off.direction && s.step->color == off.color &&
             s.step->rect.contains(off.tile);
    });
    if (taken) continue;
    throw UserError(
        layout.file, off.place,
        "color " + std::to_string(off.color.value()) + " of tile " + to_string(off.tile) +
            " transmits " + to_string(off.direction) +
            ", off the grid; take it there with a stream_out or leave the direction out of tx");
  }
}

std::vector<std::string> symbol_names(const pe::Image& image) {
  std::vector<std::string> names;
  for (const pe::Symbol& symbol : image.symbols) names.push_back(symbol.name);
  return names;
}

void check_symbol(const Layout& layout, const Programs& programs, const layout::Symbol& symbol,
                  std::size_t elements_per_tile, TileCoord tile) {
  const auto& image = programs.image_of(tile);
  const std::string at = "tile " + to_string(tile);
  const auto fail = [&](const std::string& what) {
    throw UserError(layout.file, symbol.place, at + what);
  };
  if (image == nullptr) fail(" is in the rect but runs no program");
  const pe::Symbol* found = image->find_symbol(symbol.symbol);
  if (found == nullptr)
    fail(": " + image->file + " has no data '" + symbol.symbol + "'" +
         did_you_mean(symbol.symbol, symbol_names(*image)));
  const std::string data = ": data '" + symbol.symbol + "' of " + image->file;
  const std::string is_array = ", the host array '" + symbol.name + "' ";
  const bool raw_bits =
      found->type == pe::ElementType::kF16 && symbol.dtype == pe::ElementType::kU16;
  if (found->type != symbol.dtype && !raw_bits)
    fail(data + " is " + std::string(pe::to_string(found->type)) + is_array + "is " +
         std::string(pe::to_string(symbol.dtype)));
  if (symbol.dtype == pe::ElementType::kF16 && image->half != pe::HalfFormat::kF16)
    fail(data + " is " + std::string(pe::to_string(image->half)) + is_array +
         "IEEE f16; give the host array dtype u16 to have the bits");
  if (found->count < elements_per_tile)
    fail(data + " has " + std::to_string(found->count) + " elements, the array '" + symbol.name +
         "' brings " + std::to_string(elements_per_tile));
}

void check_symbols(const Layout& layout, const Programs& programs) {
  for (const layout::Symbol& symbol : layout.symbols) {
    const std::size_t count = mapping_of(layout, symbol).elements_per_tile();
    std::vector<bool> checked(layout.programs.size());  // one tile of each program is enough
    for (int y = symbol.rect.y; y < symbol.rect.y + symbol.rect.h; ++y) {
      for (int x = symbol.rect.x; x < symbol.rect.x + symbol.rect.w; ++x) {
        const std::int32_t program = layout.program_of_tile[layout.tile_index({x, y})];
        if (program >= 0 && checked[static_cast<std::size_t>(program)]) continue;
        check_symbol(layout, programs, symbol, count, {x, y});
        checked[static_cast<std::size_t>(program)] = true;
      }
    }
  }
}

void check_arguments(const Layout& layout, const layout::Launch& launch) {
  if (launch.args.size() > pe::ComputeEngineCore::kMaxLaunchArguments) {
    throw UserError(layout.file, launch.place + ".args",
                    std::to_string(launch.args.size()) + " arguments; a launch takes at most " +
                        std::to_string(pe::ComputeEngineCore::kMaxLaunchArguments));
  }
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const auto* integer = std::get_if<std::int64_t>(&launch.args[i]);
    const bool fits = integer != nullptr ? *integer >= std::numeric_limits<std::int32_t>::min() &&
                                               *integer <= std::numeric_limits<std::uint32_t>::max()
                                         : std::abs(std::get<double>(launch.args[i])) <=
                                               std::numeric_limits<float>::max();
    if (fits) continue;
    throw UserError(layout.file, launch.place + ".args[" + std::to_string(i) + "]",
                    "the argument does not fit a register pair: integers of 32 bits or f32");
  }
}

void check_launch(const Layout& layout, const Programs& programs, const layout::Launch& launch) {
  check_arguments(layout, launch);
  const layout::Rect rect = launch.rect.value_or(layout::Rect{0, 0, layout.width, layout.height});
  std::vector<std::string> names;
  const pe::Image* last = nullptr;
  for (int y = rect.y; y < rect.y + rect.h; ++y) {
    for (int x = rect.x; x < rect.x + rect.w; ++x) {
      const pe::Image* image = programs.image_of({x, y}).get();
      if (image == nullptr || image == last) continue;
      last = image;
      if (image->find_function(launch.function) != nullptr) return;
      for (const pe::Function& function : image->functions) names.push_back(function.name);
    }
  }
  throw UserError(layout.file, launch.place,
                  "no program of the tiles " + layout::to_string(rect) + " has a function '" +
                      launch.function + "'" + did_you_mean(launch.function, names));
}

}  // namespace

void check_grid(const Layout& layout, const WseConfig& config) {
  const int max_width = static_cast<int>(config.max_width);
  const int max_height = static_cast<int>(config.max_height);
  if (layout.width <= max_width && layout.height <= max_height) return;
  throw UserError(layout.file, "grid",
                  std::to_string(layout.width) + " x " + std::to_string(layout.height) +
                      " tiles do not fit on a " + config.name + ", which has " +
                      std::to_string(max_width) + " x " + std::to_string(max_height));
}

void check_layout(const Layout& layout, const WseConfig& config, const Programs& programs,
                  const std::vector<HostStream>& streams) {
  check_grid(layout, config);
  check_routes(layout, config, programs);
  check_rim(layout, streams);
  check_symbols(layout, programs);
  for (const layout::HostStep& step : layout.host) {
    if (const auto* launch = std::get_if<layout::Launch>(&step))
      check_launch(layout, programs, *launch);
  }
}

}  // namespace tessera::wse
