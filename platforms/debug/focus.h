// What a user looks at: shared by the parts of a session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/debug/debugger.h"

namespace tessera::debug {

struct Focus {
  std::uint32_t place = 0;
  Stop stop;                          ///< the present one, or the last
  std::vector<std::uint32_t> pinned;  ///< places that are always shown
};

}  // namespace tessera::debug
