#include "platforms/wse/tile_copy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

std::size_t columns(const layout::Rect& rect) {
  return static_cast<std::size_t>(rect.w);
}
std::size_t rows(const layout::Rect& rect) {
  return static_cast<std::size_t>(rect.h);
}

/// Calls visit(x, y, tile, address of the symbol in its memory) for the tiles of a symbol.
template <class Visit>
void for_each_tile(const layout::Symbol& symbol, const Programs& programs, Machine& machine,
                   Visit visit) {
  const pe::Image* last = nullptr;
  std::uint32_t address = 0;
  for (int y = 0; y < symbol.rect.h; ++y) {
    for (int x = 0; x < symbol.rect.w; ++x) {
      const TileCoord at{symbol.rect.x + x, symbol.rect.y + y};
      const pe::Image* image = programs.image_of(at).get();
      if (image != last) address = image->find_symbol(symbol.symbol)->address;
      last = image;
      if (machine.ranks() == 1 && machine.engine(at) == nullptr)
        throw UserError("", symbol.place,
                        "the host cannot copy to or from tile " + to_string(at) +
                            ", whose engine is not ours (--replace)");
      visit(static_cast<std::size_t>(x), static_cast<std::size_t>(y), at, address);
    }
  }
}

/// What one tile holds of an array.
std::vector<std::byte> piece_of(const data::TileMapping& mapping, const data::HostArray& array) {
  return std::vector<std::byte>(mapping.elements_per_tile() * data::bytes_of(array.dtype));
}

}  // namespace

data::TileMapping mapping_of(const layout::Layout& layout, const layout::Symbol& symbol) {
  const layout::Array& array = *layout.find_array(symbol.name);
  const auto order =
      symbol.order == layout::Order::kRow ? data::BlockOrder::kRow : data::BlockOrder::kColumn;
  return {array.shape,
          columns(symbol.rect),
          rows(symbol.rect),
          order,
          {layout.file, symbol.place, array.shape_text}};
}

data::TileMapping mapping_of(const layout::Layout& layout, const layout::Stream& stream) {
  const layout::Array& array = *layout.find_array(stream.name);
  return data::TileMapping::for_stream(array.shape, columns(stream.rect), rows(stream.rect),
                                       {layout.file, stream.place, array.shape_text});
}

void copy_in(const layout::Layout& layout, const layout::Symbol& symbol, const Programs& programs,
             const data::HostArray& array, Machine& machine) {
  const data::TileMapping mapping = mapping_of(layout, symbol);
  std::vector<std::byte> piece = piece_of(mapping, array);
  for_each_tile(symbol, programs, machine,
                [&](std::size_t x, std::size_t y, TileCoord tile, std::uint32_t address) {
                  mapping.gather(array, x, y, piece.data());
                  machine.write_memory(tile, address, piece);
                });
}

void copy_out(const layout::Layout& layout, const layout::Symbol& symbol, const Programs& programs,
              Machine& machine, data::HostArray& array) {
  const data::TileMapping mapping = mapping_of(layout, symbol);
  std::vector<std::byte> piece = piece_of(mapping, array);
  for_each_tile(symbol, programs, machine,
                [&](std::size_t x, std::size_t y, TileCoord tile, std::uint32_t address) {
                  machine.read_memory(tile, address, piece);
                  mapping.scatter(piece.data(), x, y, array);
                });
}

}  // namespace tessera::wse
