// What L2 holds (reference ascend.md 0, 1.5, 4.4): lines of 512 bytes, the least recently used of a
// set leaves first. So a tensor that fits is read from GM once. What is written stays until its line
// leaves. A miss fetches the sectors of 128 bytes that are wanted, not the line: columns of a tensor
// one beside the other, read one by one, all come from GM (4.4, tiles of 64 x 128 B).
//
// Published times are those of launches that are repeated. A launch that needs more than L2 holds finds it full of
// lines of the launch before, of which as many had been written as it leaves itself: these go back to GM too, one with
// each line that comes (`is_warm`). What the launch reads comes from GM the first time, as after other kernels.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/state/fwd.h"
#include "tlm_ifaces/transfer/transfer.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

class L2Directory {
 public:
  static constexpr std::uint64_t kLineBytes = 512;
  static constexpr std::uint64_t kSectorBytes = 128;
  static constexpr std::size_t kWays = 16;

  /// What a transfer finds in L2, in sectors.
  struct Touched {
    std::uint64_t sectors = 0;
    std::uint64_t hits = 0;
    std::uint64_t written_back = 0;  ///< sectors that had to leave, and had been written
    Cycle here_at = 0;  ///< when the last of them comes from GM, if that takes its time
  };

  /// `bytes` 0: contents are not followed.
  /// `miss_latency`: cycles from the miss until a line is there, for whoever wants it.
  L2Directory(std::uint64_t bytes, Cycle miss_latency, bool is_warm = false)
      : miss_latency_(miss_latency), sets_(bytes / (kLineBytes * kWays)),
        ways_(sets_.size() * kWays), owes_(is_warm) {}

  bool follows(const transfer::Place& place) const { return !sets_.empty() && place.rows > 0; }
  /// Reads or writes all sectors of `place`, which follows() is true of.
  Touched touch(const transfer::Place& place, bool writes, Cycle now);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  // Every line of every copy is looked up in tables that no near cache of the host holds. So a look-up
  // needs little of them - a Set, which is one cache line of the host, and one Way - and they are asked
  // for ahead, a batch of lines at a time.
  struct alignas(64) Set {
    std::array<std::uint64_t, kWays / 4> tags{};  // 16 bits of the hash of a line for each way
    std::uint64_t order = 0xFEDCBA9876543210ULL;  // ways, 4 bits each, the one used last lowest

    template <class Archive>
    void visit(Archive& archive) {
      archive(tags, order);
    }
  };
  static constexpr std::uint64_t kSectors = kLineBytes / kSectorBytes;
  struct Way {
    std::uint64_t line : 56;  // number + 1; 0: nothing
    std::uint64_t held : kSectors;
    std::uint64_t written : kSectors;
    Cycle here_at;

    template <class Archive>
    void visit(Archive& archive) {
      line = archive.value(std::uint64_t{line}) & ((std::uint64_t{1} << 56U) - 1);
      held = archive.value(static_cast<std::uint8_t>(held)) & ((1U << kSectors) - 1);
      written = archive.value(static_cast<std::uint8_t>(written)) & ((1U << kSectors) - 1);
      archive(here_at);
    }
  };
  struct Lookup {
    std::uint64_t line, hash;
    std::size_t set;
    unsigned sectors;  // a bit each
  };
  Lookup look_up(std::uint64_t line, unsigned sectors) const;
  std::size_t find_way(const Lookup& at) const;
  std::size_t place_line(const Lookup& at, Cycle now, Touched& touched);
  void touch_lines(const Lookup* lines, std::size_t size, bool writes, Cycle now, Touched& touched);
  void touch_line(const Lookup& at, bool writes, Cycle now, Touched& touched);

  void write_back(const Way& leaving, Touched& touched);

  const Cycle miss_latency_;
  std::vector<Set> sets_;
  std::vector<Way> ways_;    // kWays for each set
  std::size_t filled_ = 0;   // ways
  std::uint64_t dirty_ = 0;  // sectors that are there and have been written
  bool owes_;                // the launch before has left lines that nobody has asked for yet
  std::uint64_t owed_ = 0;   // sectors of them that have to go back
};

}  // namespace tessera::cluster
