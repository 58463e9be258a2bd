// A word on a scheduled mesh (reference numesh.md 1.2): the network carries `data` and nothing
// else. All other members are hidden: checks and diagnoses read them, no router or processor acts
// on them, except on `marker`, which is a wire of its own.
#pragma once

#include <cstdint>
#include <ostream>

namespace tessera::slot {

struct Word {
  std::uint32_t data = 0;
  std::uint32_t stream = 0;    ///< the stream to which its writer sent it
  std::uint32_t sequence = 0;  ///< its number in that stream and epoch
  std::uint32_t epoch : 31;    ///< phase tag: the phase in which it was written
  std::uint32_t marker : 1;    ///< in-band marker: the last of its stream

  Word() : epoch(0), marker(0) {}
};
static_assert(sizeof(Word) == 16);

inline std::ostream& operator<<(std::ostream& os, const Word& w) {
  return os << (w.marker ? "marker" : "word") << " 0x" << std::hex << w.data << std::dec
            << " number " << w.sequence << " of stream " << w.stream << ", epoch " << w.epoch;
}

}  // namespace tessera::slot
