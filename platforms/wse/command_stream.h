// The host of a compiled CSL program (csl.md 11): commands to the PEs of its rectangle, strictly one
// after the other. Copies and launches are taken by a PE when its main thread is free between two
// tasks. A copy moves data at the value that the exported pointer has then; a launch is complete
// when every PE that has the function has asked for the next command; streams go through a tap
// between the PE and its router.
//
// A command lets the machine run until it is complete. Between commands simulated time stands still.
// The costs are WseConfig::memcpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/compiled/program.h"
#include "models/pe/program.h"
#include "platforms/run/run_control.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// A command could not be completed: everything is stuck, or a bound of the run was reached. The text
/// says which command, why, and who waits for what.
class CommandError : public std::runtime_error {
 public:
  CommandError(run::Stop why, const std::string& text) : std::runtime_error(text), stop(why) {}
  const run::Stop stop;
};

/// Which PEs a transfer concerns, and where the words of each lie in the array of the host.
struct Region {
  enum class Order : std::uint8_t {
    kRow,    ///< element i of PE (x, y) of a region w x h: (y * w + x) * l + i
    kColumn  ///< y + x * h + i * h * w
  };
  enum class Copies : std::uint8_t {
    kOne,         ///< each PE has words of its own
    kEachColumn,  ///< rowbcast: all columns get the same, the array is that of w = 1
    kEachRow      ///< colbcast: all rows get the same, the array is that of h = 1
  };
  layout::Rect rect;         ///< counted in the rectangle of the program
  std::size_t elements = 0;  ///< of each PE
  Order order = Order::kRow;
  Copies copies = Copies::kOne;
  bool narrow = false;  ///< copies: 16-bit elements, each in the low half of a word
  // Only every n-th PE, from the first one on; the array holds theirs only.
  int row_stride = 1;
  int column_stride = 1;

  /// Words of the host's array.
  std::size_t word_count() const;
};

class CommandStream {
 public:
  /// All arguments must outlive the stream. `control` runs the machine.
  CommandStream(const compiled::Program& program, const Workload& workload, const WseConfig& config,
                Machine& machine, run::RunControl& control);
  ~CommandStream();
  CommandStream(const CommandStream&) = delete;
  CommandStream& operator=(const CommandStream&) = delete;

  // Commands. All throw UserError with a sentence, before anything runs, for an unknown symbol, a
  // region outside of the rectangle, a wrong number of words or arguments; CommandError when the
  // command cannot be completed; and what the kernel reports (sc_core::sc_report) when the program
  // does what is undefined.

  /// Words of the host to the memory of the PEs, at the value of the exported pointer.
  void copy_to(const std::string& symbol, const Region& region,
               const std::vector<std::uint32_t>& words);
  /// The other way; upper halves of 16-bit elements are 0.
  std::vector<std::uint32_t> copy_from(const std::string& symbol, const Region& region);
  /// Runs a function on all PEs that have it. Each argument is a word: 16-bit values in the low
  /// half, f32 as its bits.
  void launch(const std::string& function, const std::vector<std::uint32_t>& arguments);
  /// Words into the PEs of a region on a streaming color, in the order that reaches each of them.
  void stream_to(Color color, const Region& region, const std::vector<std::uint32_t>& words);
  /// The first words that each PE of the region sends on the color.
  std::vector<std::uint32_t> stream_from(Color color, const Region& region);

  // Streams at links that the program declares for the host (HostLink), which run beside commands.

  using StreamId = std::size_t;
  /// Begins to send words, behind those of earlier calls for the same link and color.
  StreamId send(TileCoord tile, Direction side, Color color, std::vector<std::uint32_t> words);
  /// Begins to receive `count` words, behind those of earlier calls.
  StreamId receive(TileCoord tile, Direction side, Color color, std::size_t count);
  bool is_done(StreamId stream) const;
  /// Runs until the stream has ended. Throws CommandError when it cannot end.
  void wait(StreamId stream);
  /// What a stream of receive() has brought so far, at most `count`.
  std::vector<std::uint32_t> received(StreamId stream) const;

  /// Ends the run: streams of send() and receive() end, then the machine runs until nothing moves.
  /// Operations that wait for ever are no error. Throws CommandError if a stream cannot end or a
  /// bound is reached.
  void finish();

  // Without a command, in no time. Tiles are counted in the whole fabric.

  /// A variable of the program of a tile: its symbol in the image. Throws UserError if there is none.
  const pe::Symbol& symbol(TileCoord tile, const std::string& name) const;
  std::vector<std::byte> read_symbol(TileCoord tile, const std::string& name) const;
  void write_symbol(TileCoord tile, const std::string& name, const std::vector<std::byte>& bytes);
  /// Bytes of the memory of a tile.
  std::vector<std::byte> read_memory(TileCoord tile, std::uint32_t address,
                                     std::uint32_t bytes) const;

  /// The next cycle.
  Cycle now() const;
  /// Commands that have been completed.
  std::size_t completed() const { return completed_; }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::size_t completed_ = 0;
};

}  // namespace tessera::wse
