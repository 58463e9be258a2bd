// What the streams of a host have still to send and to receive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/state/fwd.h"
#include "platforms/wse/host_arrays.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/machine.h"

namespace tessera::wse {

class Transfers {
 public:
  /// Both must outlive the transfers.
  Transfers(HostArrays& arrays, Machine& machine) : arrays_(arrays), machine_(machine) {}

  /// `stream` begins: its wavelets come after those of earlier streams of the same edge, direction
  /// and color.
  void begin(const HostStream& stream);
  /// All streams that have begun have ended.
  bool all_ended();
  /// The same for the streams of array `name`.
  bool ended(const std::string& name);
  /// What has come since the last time is put into the arrays; an incomplete stream leaves the rest
  /// as it was.
  void collect();
  /// Wavelets of all streams out of the fabric, or into it, that have come or been sent so far.
  std::uint64_t moved(bool into_fabric) const;
  /// Saves or restores what has begun (models/state/archive.h); `streams` are all that the program has.
  void visit(state::Archive& archive, const std::vector<HostStream>& streams);

 private:
  /// The wavelets of one stream that one edge sends or receives.
  struct Transfer {
    const HostStream* stream;
    const host::Edge* edge;
    std::size_t tile;   // number in stream->tiles
    std::size_t first;  // number of its first wavelet among those of the edge, direction and color
    std::size_t count;
    std::size_t collected = 0;  // wavelets that have been put into the array
  };
  static std::size_t moved(const Transfer& transfer);
  void visit(state::Archive& archive, const std::vector<HostStream>& streams,
             std::vector<Transfer>& transfers);
  template <class Concerns>
  bool none_open(Concerns concerns);

  HostArrays& arrays_;
  Machine& machine_;
  std::vector<Transfer> open_;         // may have ended meanwhile; in no order
  std::vector<Transfer> uncollected_;  // out of the fabric, in the order in which they began
  std::uint64_t ended_in_ = 0;         // wavelets of transfers that are not in open_ any more
  std::uint64_t ended_out_ = 0;
  /// Wavelets promised so far, by edge (x, y, side), color and direction.
  std::map<std::tuple<int, int, Direction, unsigned, bool>, std::size_t> promised_;
};

}  // namespace tessera::wse
