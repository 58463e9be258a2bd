// What L2 holds (reference ascend.md 0, 1.5, 4.4): lines of 512 bytes, the least recently used of a
// set leaves first. So a tensor that fits is read from GM once. What is written stays until its line
// leaves. A miss fetches the sectors of 128 bytes that are wanted, not the line: columns of a tensor
// one beside the other, read one by one, all come from GM (4.4, tiles of 64 x 128 B).
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class L2Directory {
 public:
  static constexpr std::uint64_t kLineBytes = 512;
  static constexpr std::uint64_t kSectorBytes = 128;
  static constexpr std::size_t kWays = 16;

  /// Sectors of a transfer.
  struct Touched {
    std::uint64_t sectors = 0;
    std::uint64_t hits = 0;
    std::uint64_t written_back = 0;  ///< that had to leave, and had been written
    Cycle here_at = 0;  ///< when the last of them comes from GM, if that takes its time
  };

  /// `bytes` 0: contents are not followed.
  /// `miss_latency`: cycles from the miss until a line is there, for whoever wants it.
  L2Directory(std::uint64_t bytes, Cycle miss_latency)
      : miss_latency_(miss_latency), sets_(bytes / (kLineBytes * kWays)) {}

  bool follows(const transfer::Place& place) const { return !sets_.empty() && place.rows > 0; }
  Touched touch(const transfer::Place& place, bool writes, Cycle now);

 private:
  using Sectors = std::uint8_t;  // a bit each
  static constexpr std::uint64_t kSectors = kLineBytes / kSectorBytes;
  struct Set {
    std::uint64_t lines[kWays] = {};  // number + 1; 0: nothing
    std::uint32_t used[kWays] = {};   // when; 0: never
    Cycle here_at[kWays] = {};
    Sectors held[kWays] = {};
    Sectors written[kWays] = {};
  };
  void touch_line(std::uint64_t line, Sectors sectors, bool writes, Cycle now, Touched& touched);

  const Cycle miss_latency_;
  std::vector<Set> sets_;
  std::uint32_t touches_ = 0;
};

}  // namespace tessera::cluster
