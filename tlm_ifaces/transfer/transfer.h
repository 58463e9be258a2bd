// Payloads of the transfer protocol: a copy between a core and GM/L2 (reference ascend.md 1.4, 4.4),
// or an access of the scalar unit to one 64-bit word of GM, as programs keep counters and flags there.
// Plain values, no SystemC.
//
// The bytes of a copy only take time: what tiles contain is not part of the protocol
// (models/cluster/memory/cluster_data.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>

#include "tlm_ifaces/sync/signal.h"

namespace tessera::transfer {

/// What happens to the word, in the cycle in which the transfer is due. kNone: it is a copy.
enum class WordAccess : std::uint8_t { kNone, kLoad, kStore, kAdd };

/// Rates are in 1/1024 byte per cycle.
inline constexpr std::uint64_t kRateUnit = 1024;

/// Where the bytes lie in GM: `rows` runs of `row_bytes`, `stride` bytes from one to the next.
/// Addresses of all arrays of a launch differ.
struct Place {
  std::uint64_t first = 0;
  std::uint64_t stride = 0;
  std::uint32_t rows = 0;  ///< 0: not known
  std::uint32_t row_bytes = 0;
};

struct Transfer {
  sync::CoreId core;
  sync::Pipe pipe = sync::Pipe::kS;
  std::uint64_t bytes = 0;          ///< size of a copy; 0: an access to a word
  std::uint64_t gm_bytes = 0;       ///< use of GM bandwidth, with row overheads, without L2 hits
  std::uint64_t gm_bytes_cold = 0;  ///< the same if L2 has nothing of it, for a known place
  Place place;
  std::uint64_t rate_limit = 0;  ///< rate of the core's path, in 1/1024 byte per cycle; above 0
  std::uint32_t latency = 1;     ///< access to a word: cycles until it is answered
  WordAccess access = WordAccess::kNone;
  std::uint64_t address = 0;  ///< address of the word; all words differ
  std::int64_t value = 0;     ///< stored or added
  std::uint8_t device = 0;    ///< whose GM it is
  std::uint32_t link = 0;     ///< a copy: cycles that the way to that device adds
};

/// The last byte has passed, or the word is there.
struct Done {
  sync::CoreId core;
  sync::Pipe pipe = sync::Pipe::kS;
  std::int64_t value = 0;                  ///< the word before the access; 0 for a copy
  std::optional<std::uint64_t> hit_bytes;  ///< bytes that L2 had, if it follows the place
  std::uint32_t late = 0;  ///< cycles from the end of the path's work until the data is there
};

inline std::ostream& operator<<(std::ostream& os, const Transfer& t) {
  constexpr std::array<const char*, 4> kAccess = {"", ", load", ", store", ", add"};
  os << t.bytes << " bytes on " << t.pipe << " of " << t.core
     << kAccess[static_cast<unsigned>(t.access)];
  if (t.access != WordAccess::kNone) os << " at " << t.address;
  return os;
}
inline std::ostream& operator<<(std::ostream& os, const Done& d) {
  return os << "done on " << d.pipe << " of " << d.core;
}

}  // namespace tessera::transfer
