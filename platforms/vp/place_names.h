// Names of places and values in host scripts: registers, slots, streams, symbols of tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/host/device.h"
#include "platforms/vp/bus_map.h"
#include "platforms/vp/script.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::vp {

/// A part of the memory map and its offset, or bits of a register.
struct Named {
  template <class Field>
  Named(const char* text, Field field) : name(text), value(static_cast<std::uint32_t>(field)) {}
  const char* name;
  std::uint32_t value;
};
const std::vector<Named>& named_registers();
const std::vector<Named>& named_slot_fields();
const std::vector<Named>& named_channel_fields();
const std::vector<Named>& named_bits();

class PlaceNames {
 public:
  using FindSymbol = std::function<std::optional<std::uint32_t>(TileCoord, const std::string&)>;
  /// Both must outlive the names. `base`: address of the accelerator on the bus.
  PlaceNames(const host::DeviceInfo& info, FindSymbol find_symbol, Address base = kPortOnBus)
      : info_(info), find_symbol_(std::move(find_symbol)), base_(base) {}

  /// An address on the bus: a number, or
  ///   memory+N  dma.FIELD  port.REGISTER  slot[K].FIELD  doorbell[K]  counter.NAME  tile[X,Y].SYMBOL+N
  ///   stream[X,Y,SIDE,COLOR].FIELD  array[NAME]+N  array[NAME].FIELD
  /// Throws UserError.
  Address place(const Token& token, const text::Diagnostics& diagnostics) const;
  /// A word: a whole number, an f32 with a point, a bit of an interrupt, fn.FUNCTION.
  std::uint32_t value(const Token& token, const text::Diagnostics& diagnostics) const;

 private:
  class Reader;
  const host::DeviceInfo& info_;
  FindSymbol find_symbol_;
  Address base_;
};

}  // namespace tessera::vp
