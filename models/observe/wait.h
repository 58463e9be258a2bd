// One line of a deadlock diagnosis: who waits for what (ARCHITECTURE section 9).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::observe {

struct Wait {
  std::uint32_t place = 0;  ///< linear index of the tile
  std::string who;          ///< "microthread 2 (fadds at gemv.tasm:31, task reduce)"
  std::string what;         ///< "a wavelet on input queue 3 (color 4): 2 of 6 elements done"
  /// Someone is blocked. false: wavelets lie in a buffer or queue and nothing will read them.
  bool blocks = true;
};

using Waits = std::vector<Wait>;

}  // namespace tessera::observe
