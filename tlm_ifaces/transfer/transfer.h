// Payloads of the transfer protocol: a copy between a core and GM/L2 (reference ascend.md 1.4, 4.4),
// or an access of the scalar unit to one word of GM. Plain values, no SystemC.
//
// Bytes only take time. What programs compute with is one 64-bit word a transfer, the value of the
// tile: it is enough to see who read before somebody wrote.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>

#include "tlm_ifaces/sync/signal.h"

namespace tessera::transfer {

/// What happens to the word. kLoad samples it when the transfer starts; kStore and kAdd act
/// Transfer::latency cycles after the last byte.
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
  std::uint64_t bytes = 0;     ///< 0: only the word; it is answered `latency` cycles later
  std::uint64_t gm_bytes = 0;  ///< of GM bandwidth it takes, with row overheads, without L2 hits
  std::uint64_t gm_bytes_cold = 0;  ///< the same if L2 has nothing of it, for a known place
  Place place;
  std::uint64_t rate_limit = 0;  ///< of the path in the core, in 1/1024 byte per cycle; above 0
  std::uint32_t latency = 1;     ///< cycles from the last byte until the data is there
  WordAccess access = WordAccess::kNone;
  std::uint64_t address = 0;
  std::int64_t value = 0;  ///< stored or added
};

/// The last byte has passed (or the word was served).
struct Done {
  sync::CoreId core;
  sync::Pipe pipe = sync::Pipe::kS;
  std::int64_t value = 0;                  ///< the word before the access
  std::optional<std::uint64_t> hit_bytes;  ///< that L2 had, of a place that it follows
  std::uint32_t late = 0;  ///< cycles more until the data is there: the path is free before
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
