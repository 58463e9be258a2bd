// What a generation has of each resource (wse.md 2.1, 2.2, 3.1).
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::tasm {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// wse.md 2.1: 8 input queues on both, 6 output queues on WSE-2 and 8 on WSE-3.
constexpr Range queue_ids(Generation generation, bool input) {
  return {0, input || generation == Generation::kWse3 ? 7 : 5};
}

/// wse.md 3.1: local tasks have ids up to 30, of which 29 and 30 are the system's; on WSE-3 the ids
/// of the input queues lie below.
constexpr Range local_task_ids(Generation generation) {
  return {generation == Generation::kWse2 ? 0 : 8, 28};
}

/// wse.md 5.2, 5.8: elements of a descriptor, apart from the endless length 0x7FFF.
inline constexpr std::int64_t kMostElements = 32766;

}  // namespace tessera::tasm
