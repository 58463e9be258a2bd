// What the host port needs to know of a machine. A platform implements it for its machine; the port
// knows nothing else of it. All calls come between two cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/host/edge_core.h"
#include "models/host/memory_map.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::host {

/// A rim link that the host holds.
struct EdgeInfo {
  TileCoord tile;
  Direction side = Direction::kWest;
  std::uint32_t colors_out = 0;  ///< colors that the host takes, one bit each
};

/// A named array in the memory of the tiles that run `program`.
struct SymbolInfo {
  std::string name;
  std::uint32_t program = 0;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t type = 0;  ///< a place in kSymbolTypes
};

/// What changes only when another program is loaded.
struct DeviceInfo {
  DeviceKind kind = DeviceKind::kWse;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t tile_bytes = 0;  ///< at most kTileStride; 0 with arrays
  std::uint64_t period_ps = 0;
  std::vector<EdgeInfo> edges;
  std::vector<std::string> functions;  ///< at most kMaxFunctions
  std::vector<std::string> counters;   ///< at most kMaxCounters
  std::vector<std::string> arrays;     ///< at most kMaxArrays; none: the memory is that of tiles
  std::vector<SymbolInfo> symbols;
  std::uint32_t programs = 1;  ///< how many programs load() takes
};

/// A function and where it is started.
struct LaunchRequest {
  std::uint32_t function = 0;
  std::vector<std::uint32_t> arguments;
  TileCoord origin;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// What a machine tells its host, in the cycle in which it happens.
class DeviceListener {
 public:
  virtual ~DeviceListener() = default;
  /// A function that was launched came to its end on one tile (or core).
  virtual void launch_ended(Cycle now) = 0;
  /// An edge has sent or received what it was asked for (Edge::on_complete).
  virtual void stream_completed(Cycle now) = 0;
  /// The cycle is complete and nothing is due any more.
  virtual void came_to_rest(Cycle now) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// nullptr: nobody listens.
  virtual void set_listener(DeviceListener* listener) = 0;
  /// Nothing is due.
  virtual bool at_rest() const = 0;
  /// The machine has stopped at a failure.
  virtual bool failed() const { return false; }

  /// Whether the tile has memory: one without a program is only a router.
  virtual bool has_memory(std::uint32_t tile) const = 0;
  /// Bytes that an array has now, at most kArrayStride.
  virtual std::uint32_t array_bytes(std::uint32_t /*array*/) const { return 0; }
  /// ArrayField::kBytes. False: not now, the machine runs.
  virtual bool resize_array(std::uint32_t /*array*/, std::uint32_t /*bytes*/) { return false; }
  /// Bytes of a tile that has memory, all inside DeviceInfo::tile_bytes; or of an array.
  virtual void read_memory(std::uint32_t place, std::uint32_t at, std::uint32_t count,
                           std::byte* to) = 0;
  virtual void write_memory(std::uint32_t place, std::uint32_t at, std::uint32_t count,
                            const std::byte* from) = 0;
  /// The bytes of a tile or an array as they lie in the host's memory, valid and up to date while the
  /// machine is at rest and the array keeps its size. nullptr: they do not lie in one piece.
  virtual std::byte* direct_memory(std::uint32_t place) = 0;

  /// Starts a function in cycle `at`; answers on how many tiles: 0 when none of them has it.
  virtual std::uint32_t launch(const LaunchRequest& request, Cycle at) = 0;
  /// Sends on an edge from cycle `from` on.
  virtual void send(std::uint32_t edge, Color color, std::vector<Word> words, Cycle from) = 0;
  virtual void expect(std::uint32_t edge, Color color, std::uint32_t count) = 0;
  /// Expects nothing of the color any more.
  virtual void cancel(std::uint32_t edge, Color color) = 0;
  virtual const EdgeCore& edge(std::uint32_t edge) const = 0;
  virtual std::uint64_t counter(std::uint32_t number) = 0;
  /// The program of a tile, as in SymbolInfo; kNoProgram: it has none.
  virtual std::uint32_t program_of(std::uint32_t /*tile*/) const { return kNoProgram; }

  /// ControlBit::kResetMachine. The clock domain counts from cycle 0 again.
  virtual void reset(bool keep_memory) = 0;
  /// Register::kProgram: resets the machine with another program. False, and nothing has changed: the machine
  /// does not have what that needs. Kind, grid, period and edges stay.
  virtual bool load(std::uint32_t /*program*/) { return false; }
  /// The number of the program that it runs.
  virtual std::uint32_t program() const { return 0; }
};

}  // namespace tessera::host
