// Payload of the link protocol: one wavelet (reference wse.md 1.1). Plain value, no heap, no
// SystemC.
#pragma once

#include <cstdint>
#include <iomanip>
#include <ostream>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::link {

/// What travels over a link: 32 payload bits, a 5-bit color and the flags.
struct Wavelet {
  std::uint32_t payload = 0;  ///< one 32-bit value, or index (high half) and data (low half)
  Color color;                ///< virtual channel, 0..23
  bool control =
      false;          ///< control wavelet: payload holds router commands and a task id (wse.md 1.5)
  bool half = false;  ///< WSE-3 half wavelet: only the low 16 bits count (wse.md 2.2 dense mode)
  bool local_flip = false;  ///< "lf": the local router moves its switch after this wavelet
  /// Serial number that exists only in the model: constant along all hops and in all multicast
  /// copies (wse.md 1.1 "ident"). High half: linear index of the sending tile + 1 (0: the host);
  /// low half: count there.
  std::uint64_t ident = 0;

  std::uint16_t data() const { return static_cast<std::uint16_t>(payload); }
  std::uint16_t wavelet_index() const { return static_cast<std::uint16_t>(payload >> 16); }

  friend bool operator==(const Wavelet& a, const Wavelet& b) {
    return a.payload == b.payload && a.color == b.color && a.control == b.control &&
           a.half == b.half && a.local_flip == b.local_flip && a.ident == b.ident;
  }
};

inline std::ostream& operator<<(std::ostream& os, const Wavelet& w) {
  const auto flags = os.flags();
  os << "C" << w.color << (w.control ? " ctrl" : " data") << (w.half ? " half" : "")
     << (w.local_flip ? " lf" : "") << " 0x" << std::hex << std::setw(8) << std::setfill('0')
     << w.payload << " ident " << std::setw(16) << w.ident << std::setfill(' ');
  os.flags(flags);
  return os;
}

}  // namespace tessera::link
