// Functions of threads (SIMT) on the vector unit of A5 (reference ascend_2.md 5.2): what has run one says what its threads did,
// and how long that takes follows from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cluster/program/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kMostThreads = 2048;         ///< of a block
inline constexpr std::int64_t kThreadLineBytes = 128;  ///< a line of their cache

/// Cycles. `launch`, `hit`, `gm`, `meet` and `in_flight` are published (ascend.md 4.5). `l2` and `store` follow from the
/// published gather of 2,097,152 elements and the transposition of 1024 x 1024, both of which have some 18 us in common
/// with the addition of 16.7 million halves that only GM bounds (ascend_2.md 5.2). The rest is assumed.
struct ThreadCosts {
  Cycle launch = 1100, hit = 19, gm = 550, l2 = 130, meet = 200;
  unsigned in_flight = 64;           ///< lines that the cores waits for at the same time
  Cycle store = 2;                   ///< a line that stores write through
  Cycle block = 4;                   ///< instructions of a basic block, one a cycle
  unsigned cached_lines = 256;       ///< 32 KB
  unsigned gm_bytes_per_cycle = 27;  ///< of one core (ascend_2.md 6.1)
};

/// What the threads of one function did.
struct ThreadWork {
  Cycle longest =
      0;  ///< of the warp whose instructions and accesses take longest, one after the other
  std::uint64_t blocks = 0;  ///< basic blocks of all warps
  std::uint64_t gm_lines = 0,
                l2_lines = 0;  ///< loads that their cache does not have, by where they come from
  std::uint64_t stored_lines = 0;
};
/// `cores`: how many share GM.
Cycle cycles_of(const ThreadWork& work, unsigned gm_bytes_per_cycle, unsigned cores);

/// UB of a core and the arrays in GM, for the threads of a function: what they have is that of the cycle in which it starts.
class ThreadMemory {
 public:
  virtual ~ThreadMemory() = default;
  /// Bytes from `first` on, as many of `count` as there are. `array` counts for GM.
  virtual std::vector<std::byte> read(Location location, unsigned array, std::int64_t first,
                                      std::size_t count) = 0;
  /// Others see it from the same cycle on, so that what threads of several cores add to one number is all there.
  virtual void write(Location location, unsigned array, std::int64_t first, const std::byte* bytes,
                     std::size_t count) = 0;
};

/// Runs the functions of threads of native code: an InstructionSource may be one too. Such a function is a kBusy of pipe V
/// with mode 1, whose size is the number of the function.
class ThreadSource {
 public:
  virtual ~ThreadSource() = default;
  /// Throws IllegalBehaviour.
  virtual ThreadWork run_threads(CoreId core, std::int64_t function, ThreadMemory& memory) = 0;
};
constexpr bool is_thread_function(const Instruction& i) {
  return i.op == Opcode::kBusy && i.mode == 1;
}

}  // namespace tessera::cluster
