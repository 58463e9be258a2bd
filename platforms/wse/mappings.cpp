#include "platforms/wse/mappings.h"

namespace tessera::wse {

namespace {

std::size_t columns(const layout::Rect& rect) {
  return static_cast<std::size_t>(rect.w);
}
std::size_t rows(const layout::Rect& rect) {
  return static_cast<std::size_t>(rect.h);
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

}  // namespace tessera::wse
